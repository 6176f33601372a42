#!/bin/sh
# embed.sh FILE ... : C that holds the files, as arrays of bytes because C promises string literals of
# 4,095 characters only, and the tables of compiler/codegen/library.h. A _c64.glsl that has no
# _c128.glsl beside it is there a second time, widened.
set -eu
widened=$(mktemp -d)
trap 'rm -r "$widened"' EXIT
echo '#include "codegen/library.h"'
n=0
names=
embed() # NAME PATH
{
    echo "static const char file_$n[] = {"
    od -An -v -tu1 "$2" | sed 's/  */,/g; s/^,//; s/$/,/'
    echo '0};'
    echo "$1 $2" >> "$widened/list"
    names="$names $1"
    n=$((n + 1))
}
for file in "$@"; do
    embed "${file#*/}" "$file"
    wide=${file%_c64.glsl}_c128.glsl
    if [ "${file%_c64.glsl}" != "$file" ] && ! [ -e "$wide" ]; then
        sed -E -f "${file%/*}/widen.sed" "$file" > "$widened/${wide##*/}"
        embed "${wide#*/}" "$widened/${wide##*/}"
    fi
done
echo 'const struct embedded vkc_embedded[] = {'
n=0
for name in $names; do
    echo "{\"$name\", file_$n},"
    n=$((n + 1))
done
echo '{NULL, NULL}};'
LC_ALL=C awk -f mk/library.awk "$widened/list"
