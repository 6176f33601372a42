#!/bin/sh
# Compares what two commits emit: `make replay`, from the root. Usage: run.sh [FOLDER of graphs ...]
# BASE: the commit to compare with; without it, the one in test/replay/base. The other is the tree as it is.
set -u
at=_build/replay
base=$(git rev-parse --verify --quiet "${BASE:-$(cat test/replay/base)}^{commit}") ||
    { echo "no such commit: ${BASE:-}"; exit 2; }
old=$at/$base
cores=$(getconf _NPROCESSORS_ONLN || echo 1)
mkdir -p $at || exit 2

# ---- both compilers ----

build() # FOLDER
{
    $MAKE -s -j"$cores" -C "$1" CC="$CC" NO_SHADERC=1 _build/no_shaderc/test/replay/emit > "$at/build.log" 2>&1 &&
        $MAKE -s -j"$cores" -C "$1" CC="$CC" _build/vkcompile >> "$at/build.log" 2>&1 ||
        { tail -n 20 "$at/build.log"; echo "$1 cannot be built"; exit 2; }
}
if [ ! -d "$old" ]; then
    mkdir "$old.new" && git archive "$base" | tar -C "$old.new" -xf - && mv "$old.new" "$old" || exit 2
    [ -d "$old/test/replay" ] || { echo "$base is older than test/replay"; rm -rf "$old"; exit 2; }
fi
build "$old"
build .

# ---- what is compiled ----

profiles="baseline lavapipe nvidia amd intel apple"
rm -rf "$at/cases" && mkdir "$at/cases"
"$B/test/sweep/sweep" --emit-json="$at/cases" > "$at/sweep.log" || { tail -n 3 "$at/sweep.log"; exit 2; }
{
    for graph in test/graphs/*.json $(for folder in "$@"; do ls "$folder"/*.json; done); do
        for profile in $profiles; do
            for way in fused unfused fast; do echo "$graph $profile $way"; done
        done
    done
    for list in test/fixtures/*.json; do
        cases=$(grep -c '"graph":' "$list")
        for profile in baseline lavapipe nvidia; do
            i=0
            while [ $i -lt "$cases" ]; do echo "$list#$i $profile fused"; i=$((i + 1)); done
        done
    done
    # a case for the device at hand has a profile that only this machine knows
    awk -v at="$at/cases" -v known=" $profiles " 'index(known, " " $2 " ") { print at "/" $3, $2, "fused" }' \
        "$at/cases/INDEX"
} > "$at/jobs"

# ---- what comes of it ----

# What the base emits does not change: it is kept, by the list of programs.
digests() # TREE OUT
{
    rm -f "$at"/part.*
    split -n "l/$cores" "$at/jobs" "$at/part."
    for part in "$at"/part.??; do
        "$1/_build/no_shaderc/test/replay/emit" "$part" > "$part.out" 2> "$part.err" || : > "$part.bad" &
    done
    wait
    cat "$at"/part.??.out > "$2"
    if ls "$at"/part.??.bad > /dev/null 2>&1; then
        cat "$at"/part.??.err
        echo "$1: not all was compiled"
        exit 2
    fi
}
then=$at/then.$base.$(cksum < "$at/jobs" | tr ' ' -)
[ -s "$then" ] || digests "$old" "$then"
digests . "$at/now"
paste -d' ' "$then" "$at/now" | awk '$1 != $7 { exit 1 }
    $4 != $10 || $5 != $11 || $6 != $12 { print $1, $2, $3 }' > "$at/differing" || { echo "the jobs differ"; exit 2; }
jobs=$(wc -l < "$at/jobs")
differing=$(wc -l < "$at/differing")

# The first stage that differs, as a kind: its lines without numbers, order and repetition, and without those in
# `lines`.
without_numbers='s/[0-9][0-9]*/0/g; s/n0_0/n0/g'
not_meant() # DIFFERENCE
{
    awk 'BEGIN { while ((getline line < "test/replay/lines") > 0) meant[line] }
        /^[<>]/ { x = $0; gsub(/[0-9]+/, "0", x); gsub(/n0_0/, "n0", x); if (!(x in meant)) print }' "$1"
}
rm -rf "$at/texts" && mkdir -p "$at/texts/then" "$at/texts/now" "$at/kinds.d"
rm -f "$at"/kinds.d/*
"$old/_build/no_shaderc/test/replay/emit" --text "$at/texts/then" "$at/differing" &&
    ./_build/no_shaderc/test/replay/emit --text "$at/texts/now" "$at/differing" || exit 2
# Plans that differ in how much is said to be computed, and nothing else does, are the kind plan-flops.
counted() { sed 's/[0-9][0-9]* flops\{0,1\}/flops/' "$1"; }
# Another decision about how much is one kernel changes all else: one kind for more or fewer workgroup programs, one for
# more or fewer kernels.
programs() { grep -c '^k[0-9]* group .* phases' "$1"; }
kernels() { sed -n 's/^plan for [^:]*: \([0-9]*\) kernels.*/\1/p' "$1"; }
decided() # PLAN PLAN
{
    if [ "$(programs "$1")" != "$(programs "$2")" ]; then echo plan-programs
    elif [ "$(kernels "$1")" != "$(kernels "$2")" ]; then echo plan-kernels; fi
}
# A node more renames all that follow: the text without the numbers that are names of nodes and literals.
without_names() { sed -E 's/n[0-9]+/n0/g; s/literal(=| l)[0-9]+/literal\10/; s/ +/ /g' "$1"; }
# The kind of `difference`, whose lines that count are then in `left`. If it has no reason, it is determined again
# without the lines that differ in white space alone, and then in the names of nodes alone.
kind_of() # STAGE
{
    not_meant "$at/difference" > "$at/left"
    if [ ! -s "$at/difference" ]; then echo "$1-space"
    elif [ ! -s "$at/left" ]; then echo "$1-lines"
    else echo "$1-$(sed "$without_numbers" "$at/left" | sort -u | cksum | cut -d' ' -f1)"; fi
}
has_reason() { [ "${1#*-}" = lines ] || grep -q "^$1 " test/replay/reasons; }
n=0
while read -r job; do
    counts=
    for stage in ir plan glsl; do
        cmp -s "$at/texts/then/$n.$stage" "$at/texts/now/$n.$stage" && continue
        diff "$at/texts/then/$n.$stage" "$at/texts/now/$n.$stage" > "$at/difference"
        if [ $stage = plan ] && counted "$at/texts/then/$n.plan" > "$at/counted" &&
            counted "$at/texts/now/$n.plan" | cmp -s - "$at/counted"; then
            counts=plan-flops
            [ -f "$at/kinds.d/$counts" ] ||
                { echo "$job"; grep '^[<>]' "$at/difference" | head -n 12; } > "$at/kinds.d/$counts"
            continue
        fi
        kind=$(decided "$at/texts/then/$n.$stage" "$at/texts/now/$n.$stage")
        if [ $stage = plan ] && [ "$kind" ]; then
            not_meant "$at/difference" > "$at/left"
        else
            kind=$(kind_of $stage)
            if ! has_reason "$kind"; then
                diff -w "$at/texts/then/$n.$stage" "$at/texts/now/$n.$stage" > "$at/difference"
                kind=$(kind_of $stage)
            fi
            if ! has_reason "$kind"; then
                without_names "$at/texts/then/$n.$stage" > "$at/then.names"
                without_names "$at/texts/now/$n.$stage" | diff -w "$at/then.names" - > "$at/difference"
                kind=$(kind_of $stage)
                [ "$kind" != $stage-space ] || kind=$stage-names
            fi
        fi
        [ -f "$at/kinds.d/$kind" ] || { echo "$job"; head -n 12 "$at/left" | cut -c1-160; } > "$at/kinds.d/$kind"
        counts=
        echo "$kind"
        break
    done
    [ -z "$counts" ] || echo "$counts"
    n=$((n + 1))
done < "$at/differing" > "$at/kinds"

# ---- bundles: what shaderc and the packing make of it ----

# With another version of the format every bundle differs: that is one kind, and the SPIR-V alone is compared.
version() { od -An -tu4 -j4 -N4 "$1" | tr -d " "; }
spirv() { mkdir "$2" && "$1/_build/vkcompile" --quiet --no-cache --target="$profile" "$graph" --emit=spirv -o "$2"; }
same_code() # BUNDLE BUNDLE
{
    cmp -s "$1" "$2" && return
    [ "$(version "$1")" != "$(version "$2")" ] || return
    echo "bundle-format" >> "$at/kinds"
    echo "bundles are of version $(version "$1"), and now $(version "$2")" > "$at/kinds.d/bundle-format"
    rm -rf "$at/spirv"
    mkdir "$at/spirv" && spirv "$old" "$at/spirv/then" && spirv . "$at/spirv/now" &&
        diff -rq "$at/spirv/then" "$at/spirv/now" > /dev/null
}
other=0
for graph in test/graphs/*.json; do
    name=bundle-$(basename "$graph" .json)
    for profile in lavapipe nvidia; do
        "$old/_build/vkcompile" --quiet --no-cache --target=$profile "$graph" -o "$at/bundle.then" 2>&1
        ./_build/vkcompile --quiet --no-cache --target=$profile "$graph" -o "$at/bundle.now" 2>&1
        grep -q "^$graph $profile fused$" "$at/differing" || same_code "$at/bundle.then" "$at/bundle.now" ||
            { other=$((other + 1)); echo "$name" >> "$at/kinds"
              echo "the bundle of $graph for $profile differs, and no text does" > "$at/kinds.d/$name"; }
    done
done

# ---- the report ----

echo "$jobs programs, $differing differ from $(git log -1 --format='%h %s' "$base"); $other bundles differ otherwise"
unexplained=0
for kind in $(sort "$at/kinds" | uniq -c | sort -rn | awk '{ print $2 }'); do
    reason=$(awk -v kind="$kind" '$1 == kind { $1 = ""; print substr($0, 2) }' test/replay/reasons)
    [ "${kind#*-}" != lines ] || reason="each changed line has its reason in test/replay/lines"
    echo "$(grep -cFx "$kind" "$at/kinds") programs, $kind: ${reason:-no reason given}"
    [ -n "$reason" ] || { unexplained=$((unexplained + 1)); sed 's/^/    /' "$at/kinds.d/$kind"; }
done
[ $unexplained -eq 0 ]
