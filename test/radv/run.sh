#!/bin/sh
# run.sh [FOLDER ...]: compiles the graphs of test/graphs, of the workloads of test/bench (where mix and Nx are) and
# of the folders for AMD, and has every RADV that is at hand compile the kernels for null hardware. FAMILIES names the
# GPUs, TOP how many rows of a table are shown. Tables and what failed: _build/radv/NAME.txt. See README.md.
set -u
cd "$(dirname "$0")/../.." || exit 2
: "${B:=_build}" "${FAMILIES:=navi31 navi21 polaris10}" "${TOP:=5}"
out=$PWD/$B/radv fresh=$PWD/_build/fresh/mesa tool=$PWD/$B/test/radv/registers
passed=0 failed=0 skipped=0
export MESA_SHADER_CACHE_DISABLE=true
mkdir -p "$out"

# The workloads at the sizes that people have. Tracing needs no device.
export_workloads()
{
    [ -n "${ERL_LIBS:-}" ] || ! [ -d /usr/local/lib/elixir-libs ] || export ERL_LIBS=/usr/local/lib/elixir-libs
    if [ -d "$out/peers" ] && [ -d "$out/workloads" ]; then
        return # remove the folders to have them made again
    elif ! command -v mix > /dev/null; then
        skipped=$((skipped + 1))
        echo "NOT RUN: the workloads of test/bench: mix is missing"
    elif ! { MIX_ENV=test mix run --no-start test/bench/peers.exs "$out/peers" &&
        EXPORT=$out/workloads MIX_ENV=test mix run test/bench/workloads.exs; } > "$out/export.log" 2>&1; then
        failed=$((failed + 1))
        rm -rf "$out/peers" "$out/workloads"
        tail -n 5 "$out/export.log"
        echo "FAILED: the workloads of test/bench: $out/export.log"
    fi
}

# Bundles of all graphs for a profile. What the profile cannot do is the compiler's to say: exit status 3.
compile() # NAME TARGET
{
    rm -rf "${out:?}/bundles/$1"
    mkdir -p "$out/bundles/$1"
    for graph in $graphs; do
        bundle=$out/bundles/$1/$(basename "$graph" .json).vkb
        "$B/vkcompile" --quiet --target="$2" "$graph" -o "$bundle" > "$out/compile.log" 2>&1
        case $? in
        0) passed=$((passed + 1)) ;;
        3) skipped=$((skipped + 1)) ;;
        *) failed=$((failed + 1)) && echo "FAILED: $graph for $1: $(head -n 1 "$out/compile.log")" ;;
        esac
    done
}

# A driver's command: `registers` here with its ICD, or in the root of another system.
registers() # DRIVER FAMILY ARGUMENTS
{
    driver=$1 family=$2
    shift 2
    case $driver in
    installed) RADV_FORCE_FAMILY=$family VK_DRIVER_FILES=$(ls /usr/share/vulkan/icd.d/radeon_icd*.json) "$tool" "$@" ;;
    backports) RADV_FORCE_FAMILY=$family VK_DRIVER_FILES=$fresh/backports/radeon_icd.json "$tool" "$@" ;;
    *) chroot "$fresh/$driver" /usr/bin/env -i MESA_SHADER_CACHE_DISABLE=true RADV_FORCE_FAMILY="$family" \
        VK_DRIVER_FILES=/usr/share/vulkan/icd.d/radeon_icd.json /radv/registers "$@" ;;
    esac
}

has_driver() # DRIVER
{
    case $1 in
    installed) ls /usr/share/vulkan/icd.d/radeon_icd*.json > /dev/null 2>&1 ;;
    backports) [ -f "$fresh/backports/radeon_icd.json" ] ;;
    *) [ -d "$fresh/$1/usr/share/vulkan/icd.d" ] && [ "$(id -u)" = 0 ] ;;
    esac
}

# Mesa before 23 knows the chip of navi31 as gfx1100.
family_of() # DRIVER FAMILY
{
    if [ "$2" = navi31 ] && registers "$1" navi31 --profile 2>&1 | grep -q 'Unknown family'; then
        echo gfx1100
    else
        echo "$2"
    fi
}

measure() # DRIVER FAMILY BUNDLES
{
    name=$1-$2-$3
    if [ "$1" = installed ] || [ "$1" = backports ]; then
        registers "$1" "$2" --top=0 "$out/bundles/$3"/*.vkb > "$out/$name.txt" 2> "$out/$name.log"
    else
        rm -rf "$fresh/$1/radv"
        mkdir -p "$fresh/$1/radv"
        cp "$tool" "$out/bundles/$3"/*.vkb "$fresh/$1/radv/"
        # the names are those of the folder here, which are the same there
        (cd "$fresh/$1" && registers "$1" "$2" --top=0 radv/*.vkb) > "$out/$name.txt" 2> "$out/$name.log"
    fi
    printf '\n%s\n' "$name"
    grep FAILED "$out/$name.txt" | head -n 20
    grep -v FAILED "$out/$name.txt" | head -n $((TOP + 2))
    tail -n 2 "$out/$name.txt" | head -n 1
    # shellcheck disable=SC2046
    set -- $(sed -n 's/^\([0-9]*\) passed, \([0-9]*\) failed, \([0-9]*\) skipped$/\1 \2 \3/p' "$out/$name.txt")
    passed=$((passed + ${1:-0})) failed=$((failed + ${2:-1})) skipped=$((skipped + ${3:-0}))
}

export_workloads
graphs=$(find test/graphs "$out/peers" "$out/workloads" "$@" -name '*.json' 2> /dev/null | sort)
echo "$(echo "$graphs" | wc -l) graphs"
compile amd amd
newest=
for driver in installed backports trixie; do
    if has_driver $driver; then
        newest=$driver
        for family in $FAMILIES; do
            measure $driver "$(family_of $driver "$family")" amd
        done
    else
        skipped=$((skipped + 1))
        echo "NOT RUN: RADV, $driver: install mesa-vulkan-drivers (installed), or run make radv-drivers as root"
    fi
done

# What a user of such a GPU gets: compiled for what the driver says of it.
for gpu in $FAMILIES; do
    [ -n "$newest" ] || break
    known=$(family_of "$newest" "$gpu") # registers() has its own `family`
    registers "$newest" "$known" --profile > "$out/$gpu.profile" 2> /dev/null
    compile "$gpu" "$out/$gpu.profile"
    measure "$newest" "$known" "$gpu"
done
printf '\n%s passed, %s failed, %s skipped\n' "$passed" "$failed" "$skipped"
[ "$failed" = 0 ]
