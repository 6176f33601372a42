#!/bin/sh
# embed.sh FILE ... : C that holds the files, as arrays of bytes because C promises string literals of
# 4,095 characters only. compiler/codegen/template.c declares what is written here. A _c64.glsl that has no _c128.glsl beside
# it is there a second time, widened.
set -eu
echo '#include <stddef.h>'
echo 'struct embedded { const char *name; const char *text; };'
n=0
names=
embed() # NAME, the text on standard input
{
    echo "static const char file_$n[] = {"
    od -An -v -tu1 | sed 's/  */,/g; s/^,//; s/$/,/'
    echo '0};'
    names="$names $1"
    n=$((n + 1))
}
for file in "$@"; do
    embed "${file#*/}" < "$file"
    wide=${file%_c64.glsl}_c128.glsl
    if [ "${file%_c64.glsl}" != "$file" ] && ! [ -e "$wide" ]; then
        embed "${wide#*/}" << END
$(sed -E -f "${file%/*}/widen.sed" "$file")
END
    fi
done
echo 'extern const struct embedded vkc_embedded[];'
echo 'const struct embedded vkc_embedded[] = {'
n=0
for name in $names; do
    echo "{\"$name\", file_$n},"
    n=$((n + 1))
done
echo '{NULL, NULL}};'
