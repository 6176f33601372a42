#!/bin/sh
# index.sh [--write]: holds shaders/math/INDEX against the `provides` lines, those against the definitions,
# and `needs` against the files. --write makes INDEX anew, with the sizes that it has; _build/test/shaders/sizes_test
# measures them.
# What is made by widen.sed counts as a file.
cd "$(dirname "$0")/../../shaders/math" || exit 2
index=$PWD/INDEX all=$(mktemp -d) || exit 2
trap 'rm -r "$all"' EXIT
cp ./*.glsl INDEX "$all"
for f in *_c64.glsl; do
    wide=${f%_c64.glsl}_c128.glsl
    [ -f "$wide" ] || sed -E -f widen.sed "$f" > "$all/$wide"
done
cd "$all" || exit 2
want=$(for f in *.glsl; do
    sed -n '2s/^\/\/! provides: *//p' "$f" | tr ' ' '\n' | sed -n "s/^\([a-z0-9_]*\)(\(.*\))$/\1 \2 $f/p"
done | LC_ALL=C sort)
if [ "$1" = --write ]; then
    echo "$want" | awk 'NR == FNR { size[$1, $2] = $4; next } { print $0, size[$1, $2] + 0 }' INDEX - > "$index"
    exit
fi
status=0
[ "$want" = "$(cut -d ' ' -f 1-3 INDEX)" ] || { echo "INDEX differs from the provides lines; run $0 --write"; status=1; }
for f in *.glsl; do
    said=$(sed -n '2s/^\/\/! provides: *//p' "$f" | tr ' ' '\n' | LC_ALL=C sort -u)
    is=$(sed -n 's/^[a-z][a-z0-9_]* \(nx_[a-z0-9_]*\)(\([a-z0-9_]*\) .*/\1(\2)/p' "$f" | LC_ALL=C sort -u)
    [ "$said" = "$is" ] || { echo "$f: provides says"; echo "$said"; echo "but defines"; echo "$is"; status=1; }
    needs=$(sed -n '1s/^\/\/! needs://p' "$f")
    for n in $needs; do
        [ -f "$n.glsl" ] || { echo "$f: needs $n, which is not a file"; status=1; }
    done
    for call in $(sed '1,2d' "$f" | grep -o 'nx_[a-z0-9_]*(' | sort -u); do
        grep -q "^[a-z][a-z0-9_]* $call" "$f" && continue
        found=
        for n in $needs; do
            grep -q "^[a-z][a-z0-9_]* $call" "$n.glsl" && found=1
        done
        [ "$found" ] || { echo "$f: calls $call) without needing its file"; status=1; }
    done
    for n in $needs; do
        used=
        for fn in $(sed -n 's/^[a-z][a-z0-9_]* \(nx_[a-z0-9_]*\)(.*/\1/p' "$n.glsl" | sort -u); do
            grep -q "$fn(" "$f" && used=1
        done
        [ "$used" ] || { echo "$f: does not use $n"; status=1; }
    done
done
exit $status
