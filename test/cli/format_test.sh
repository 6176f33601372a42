#!/bin/sh
# The C sources are laid out as .clang-format says (make format does it). No line is longer than 100 columns, or 120
# with a string, which clang-format does not break, or in a table of rows (*.def).
set -u
cd "$(dirname "$0")/../.." || exit 2
. test/cli/checks.sh
find compiler runtime test examples -path runtime/vk -prune -o -name '*.[ch]' -print | sort > "$dir/files"

overlong()
{
    awk 'length > (/"/ || FILENAME ~ /[.]def$/ ? 120 : 100) { print FILENAME ":" FNR ": " length " columns" }' "$@"
}
# shellcheck disable=SC2046
overlong $(cat "$dir/files") $(find compiler runtime test -name '*.def') > "$dir/long"
check "lines of over 100 columns, or 120 with a string" "$dir/long"

# what it prints differs between versions
case $(clang-format --version 2> "$dir/none") in
*"version 14."*) ;;
*)
    echo "skipped: clang-format 14, which decides on the layout, is not here"
    skipped=1
    finish
    exit
    ;;
esac
xargs clang-format -n < "$dir/files" 2>&1 | grep 'warning:' > "$dir/loose"
check "not laid out as .clang-format says, see make format" "$dir/loose"

# it notices
printf 'int f(int a){return a;}\n' > "$dir/f.c"
cp .clang-format "$dir"
clang-format -n "$dir/f.c" 2>&1 | grep 'warning:' | head -n 1 > "$dir/seen"
exactly "a function in a line is seen" 1 "$dir/seen"
printf '%.101d\n%.120d"\n%.120d\n' 0 0 0 > "$dir/g.c"
overlong "$dir/g.c" > "$dir/seen"
exactly "101 columns, 121 with a string, and 120 without" 3 "$dir/seen"
printf '%.100d\n%.119d"\n' 0 0 > "$dir/g.c"
overlong "$dir/g.c" > "$dir/seen"
check "100 columns, and 120 with a string" "$dir/seen"
finish
