#!/bin/sh
# The C sources are laid out as .clang-format says (make format does it), and no line is longer than 100 columns, but
# for strings, which are not broken.
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

xargs awk 'length > 100 && !/"/ { print FILENAME ":" FNR ": " length " columns" }' < "$dir/files" > "$dir/long"
check "lines of over 100 columns" "$dir/long"

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
touch "$dir/blind"
check "what is laid out otherwise is not seen" "$dir/blind"
echo "$passed passed, $failed failed, 0 skipped"
[ $failed = 0 ]
