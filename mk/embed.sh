#!/bin/sh
# embed.sh FILE ... : C that holds the files, as arrays of bytes because C promises string literals of
# 4,095 characters only. compiler/template.c declares what is written here.
set -eu
echo '#include <stddef.h>'
echo 'struct embedded { const char *name; const char *text; };'
n=0
for file in "$@"; do
    echo "static const char file_$n[] = {"
    od -An -v -tu1 "$file" | sed 's/  */,/g; s/^,//; s/$/,/'
    echo '0};'
    n=$((n + 1))
done
echo 'extern const struct embedded vkc_embedded[];'
echo 'const struct embedded vkc_embedded[] = {'
n=0
for file in "$@"; do
    echo "{\"${file#templates/}\", file_$n},"
    n=$((n + 1))
done
echo '{NULL, NULL}};'
