#!/bin/sh
# Equal layers are compiled once, and the questions that fusion asks grow with the graph no faster than it does: counted
# as kernel bodies that were written, which does not depend on the machine.
set -u
cd "$(dirname "$0")/../.." || exit 2
: "${B:=_build}"
vkcompile=$B/vkcompile
dir=$(mktemp -d) || exit 2
trap 'rm -rf "$dir"' EXIT
passed=0 failed=0
if ! command -v python3 > /dev/null; then
    echo "NOT RUN: python3 is missing"
    exit 77
fi

# A figure of the statistics of a graph, for nvidia: the GLSL of every kernel, no SPIR-V.
stats() # KIND NODES
{
    python3 test/scale/graphs.py "$1" "$2" > "$dir/$1.$2.t" &&
        "$vkcompile" --quiet --no-cache --text --target=nvidia --stats "$dir/$1.$2.t" -o "$dir/$1.$2.vkb" > "$dir/$1.$2"
}
of() # KIND NODES NAME
{
    sed -n "s/^$3  *\([0-9]*\).*/\1/p" "$dir/$1.$2"
}
check() # WHAT CONDITION: of awk
{
    if awk "BEGIN { exit !($2) }"; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "FAILED: $1: $2"
    fi
}

# above 6,000 nodes, from which on no workgroup program is tried
for kind in chain mlp transformer wide branches one_loop; do
    if ! stats $kind 7000 || ! stats $kind 21000; then
        failed=$((failed + 1))
        echo "FAILED: $kind does not compile"
        continue
    fi
    few=$(of $kind 7000 bodies) many=$(of $kind 21000 bodies)
    check "$kind: three times the nodes, bodies" "$many <= 3.3 * $few"
    kernels=$(of $kind 21000 kernels)
    check "$kind: bodies of equal kernels" "$many <= 2 * $kernels + 500"
    distinct=$(sed -n 's/^kernels .*, \([0-9]*\) distinct/\1/p' "$dir/$kind.21000")
    check "$kind: distinct kernels" "$distinct <= 30 && $distinct >= 1"
    small=$(wc -c < "$dir/$kind.7000.vkb") large=$(wc -c < "$dir/$kind.21000.vkb")
    check "$kind: bytes of the bundle" "$large <= 3.2 * $small"
done

# below: a program of one workgroup is tried, sized, and given up before it is written
for kind in chain mlp wide; do
    stats $kind 3000
    small=$(of $kind 3000 bodies) few=$(of $kind 7000 bodies)
    check "$kind: bodies of an attempt that is dropped" "$small > 0 && $small <= 2.2 * $few"
done

# equal layers of which a chain is tried, and given up, once
stats small_layers 3000 && stats small_layers 9000 || failed=$((failed + 1))
check "small_layers: bodies" "$(of small_layers 9000 bodies) <= $(of small_layers 3000 bodies) + 100"

# loops whose every value a dispatch of its own makes: the gate that turns them on does not grow with them
for nodes in 300 3000; do
    stats carried $nodes || failed=$((failed + 1))
done
check "carried: ten times the dispatches, bytes of SPIR-V" \
    "$(of carried 3000 spirv) <= 1.1 * $(of carried 300 spirv) && $(of carried 3000 dispatches) >= 1000"

echo "$passed passed, $failed failed, 0 skipped"
[ "$failed" -eq 0 ]
