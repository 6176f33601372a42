#!/bin/sh
# The C sources are laid out as .clang-format says (make format does it). No line is longer than 100 columns, or 120
# with a string, which clang-format does not break, or in a table of rows (*.def).
set -u
cd "$(dirname "$0")/../.." || exit 2
dir=$(mktemp -d) || exit 2
trap 'rm -rf "$dir"' EXIT
passed=0 failed=0
check() # WHAT FILE: passes if the file is empty
{
    if [ -s "$2" ]; then
        failed=$((failed + 1))
        echo "FAILED: $1"
        sed 's/^/    /' "$2" | head -20
    else
        passed=$((passed + 1))
    fi
}
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
*) echo "skipped: clang-format 14, which decides on the layout, is not here"
   echo "$passed passed, $failed failed, 1 skipped"
   [ $failed = 0 ]
   exit ;;
esac
xargs clang-format -n < "$dir/files" 2>&1 | grep 'warning:' > "$dir/loose"
check "not laid out as .clang-format says, see make format" "$dir/loose"

# it notices
printf 'int f(int a){return a;}\n' > "$dir/f.c"
cp .clang-format "$dir"
clang-format -n "$dir/f.c" 2>&1 | grep -q 'warning:' || echo "a function in a line passes" > "$dir/blind"
printf '%.101d\n%.120d"\n%.120d\n' 0 0 0 > "$dir/g.c"
overlong "$dir/g.c" | grep -c . | grep -q -x 3 || echo "101 columns, 121 with a string and 120 without pass" >> "$dir/blind"
printf '%.100d\n%.119d"\n' 0 0 > "$dir/g.c"
overlong "$dir/g.c" >> "$dir/blind"
touch "$dir/blind"
check "what is laid out otherwise is not seen" "$dir/blind"
echo "$passed passed, $failed failed, 0 skipped"
[ $failed = 0 ]
