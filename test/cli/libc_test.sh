#!/bin/sh
# What the libraries, the tools and the NIF use of the C library is in the table libc_symbols, with the standard that
# has it: names that the objects leave undefined, headers, and what is beyond POSIX.1-2008.
set -u
export LC_ALL=C
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
: "${B:=$root/_build}"
case $B in /*) ;; *) B=$root/$B ;; esac
table=$here/libc_symbols
[ -z "${SAN:-}" ] || { echo "sanitizers put calls of their own into the objects"; exit 77; }
command -v nm > /dev/null || { echo "nm is missing"; exit 77; }
cd "$root" || exit 1
. test/cli/checks.sh
grep -v '^#' "$table" | cut -d ' ' -f 1 | sort > "$dir/rows"
uniq -d "$dir/rows" > "$dir/twice"
check "rows that are there twice" "$dir/twice"
grep -v -E '^(#|[^ ]+ (C11|POSIX|common|POSIX\.1-2008, option .*|made: .*|extension: .*)$)' "$table" > "$dir/unknown"
check "rows with no standard" "$dir/unknown"

# --- the objects ---

set -- "$B/libvkr.a" "$B/libvkc.a"
for object in "$B"/compiler/driver/main*.o "$B"/runtime/vkrun*.o "$B"/runtime/npy.o "$B"/runtime/nif*.o; do
    if [ -e "$object" ]; then set -- "$@" "$object"; fi
done
for file in "$@"; do nm "$file"; done > "$dir/nm" 2> "$dir/err"
check "nm" "$dir/err"
awk 'NF == 3 { print $3 }' "$dir/nm" | sort -u > "$dir/defined"
# hardened builds check the sizes of some (__printf_chk), and have functions that end the program
awk 'NF == 2 && $1 ~ /^[Uw]$/ { print $2 }' "$dir/nm" | grep -v -E '^(enif_|shaderc_|__stack_chk_fail)' |
    sed -E 's/^__isoc(99|23)_//; s/^__(.*)_chk$/\1/' | sort -u | comm -23 - "$dir/defined" > "$dir/used"
at_least "names that are looked at" 80 "$dir/used"
comm -23 "$dir/used" "$dir/rows" > "$dir/new"
check "used, and not in test/cli/libc_symbols" "$dir/new"

# --- the sources ---

sources=$(find runtime compiler -name "*.[ch]")
# shellcheck disable=SC2086
cat $sources > "$dir/source"
sed -n 's/^#include \(<[^>]*>\).*/\1/p' "$dir/source" | sort -u |
    grep -v -x -E '<(erl_nif|sanitizer/asan_interface|shaderc/shaderc|vulkan/vulkan)\.h>' |
    comm -23 - "$dir/rows" > "$dir/new"
check "headers that are not in test/cli/libc_symbols" "$dir/new"
systems='__(linux|APPLE|FreeBSD|NetBSD|OpenBSD|GLIBC|MUSL)__'
grep -E -n "#define _(GNU|DEFAULT|BSD|DARWIN|XOPEN|NETBSD)_?[A-Z_]*SOURCE|$systems" "$dir/source" > "$dir/found"
check "the code asks for more than POSIX, or for a system" "$dir/found"

# A row of what is beyond POSIX names every file that has the word, and no other.
grep -E '^[^ ]+ extension: ' "$table" | while read -r word kind rest; do
    echo "$kind" > "$dir/kind"
    echo "${rest%%: *}" | tr ' ' '\n' | sort > "$dir/named"
    grep -l -F "\"$word" $sources | sort > "$dir/in"
    case $word in [_a-z]*) grep -l -w -F "$word" $sources | sort > "$dir/in" ;; esac
    diff "$dir/named" "$dir/in"
    case $word in
    _*) xargs grep -L "^#ifdef $word" < "$dir/in" ;;
    [a-z]*) xargs grep -L "^__attribute__((weak)) .*$word(" < "$dir/in" ;; # a function, null where it is missing
    esac
done > "$dir/found"
check "what is beyond POSIX is elsewhere than the table says, or has no #ifdef or weak reference" "$dir/found"
grep -o -w -E '_SC_[A-Z_]+' "$dir/source" | sort -u |
    grep -v -x -F -e _SC_PAGESIZE -e _SC_NPROCESSORS_ONLN > "$dir/found"
check "values of sysconf that POSIX lacks, or that nobody has looked up" "$dir/found"

finish
