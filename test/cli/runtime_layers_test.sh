#!/bin/sh
# The files of runtime/ use each other in one direction, as runtime/layers says: by their includes, and by the symbols
# of their objects. vkrun and the NIF see of the library what its header declares. README.md names the files in that
# order. A made-up violation of each kind is noticed.
set -u
cd "$(dirname "$0")/../.." || exit 2
: "${B:=_build}"
. test/cli/checks.sh

# FILE GROUP [itself] of every file that runtime/layers names, in its order; then `may GROUP FILE` for what a tool may
# use.
named()
{
    sed '/^#/d' runtime/layers | while read -r group names; do
        may=
        case " $names " in *"| "*) may=${names#*|} names=${names%|*} ;; esac
        for name in $names; do
            case $name in
            *.* | */) echo "$name $group itself" ;;
            *)
                for file in "$name.h" "$name.c"; do
                    [ ! -e "runtime/$file" ] || echo "$file $group"
                done
                ;;
            esac
        done
        for name in $may; do echo "may $group $name"; done
    done | awk '$1 == "may" || !seen[$1]++'
}
named > "$dir/named"
at_least "files that runtime/layers names" 80 "$dir/named"

# Of lines FILE USED those that go upwards, to what is in no layer, or past what a tool may use.
misplaced()
{
    awk '
    function unit(path) { return path ~ /^vk\// ? "vk/" : path }
    FILENAME == ARGV[1] {
        if ($1 == "may") { may[$2, $3] = 1; is_tool[$2] = 1 } else { level[$1] = ++n; group[$1] = $2 }
        next
    }
    {
        a = unit($1); b = unit($2)
        if (!(a in level)) { print a ": is in no layer"; next }
        if ((group[a], b) in may) next
        if (!(b in level)) print a ": uses " b ", which is in no layer"
        else if (group[a] in is_tool && group[a] != group[b]) print a ": uses " b ", which is not for " group[a]
        else if (level[b] > level[a] && !is_own(a, b)) print a ": uses " b ", which comes later"
    }
    function is_own(x, y) { sub(/\.[ch]$/, "", x); sub(/\.[ch]$/, "", y); return x == y }' "$dir/named" -
}

# --- includes ---

(cd runtime && grep -o -E '^#include "[^"]+"' ./*.[ch] vk/*.h) |
    sed -E -e 's/^\.\///' -e 's/^([^:]*):#include "(.*)"/\1 \2/' -e 's/^(vk\/[^ ]*) /\1 vk\//' > "$dir/includes"
at_least "includes that are looked at" 150 "$dir/includes"
misplaced < "$dir/includes" > "$dir/found"
check "includes against the order of runtime/layers" "$dir/found"

# --- symbols ---

# A tool may use what vkr.h declares, wherever that is defined: such a use counts as one of vkr.h.
symbol_uses "$B/runtime" runtime -maxdepth 1 > "$dir/uses"
at_least "uses of symbols that are looked at" 300 "$dir/uses"
as_files() # FILE DEFINED_IN SYMBOL to FILE USED
{
    awk 'FILENAME == ARGV[1] { if ($1 == "may") { may[$2, $3] = 1; tool[$2] = 1 } else group[$1] = $2; next }
    {
        header = $2
        sub(/c$/, "h", header)
        if (group[$1] in tool && $3 ~ /^vkr_/ && !(group[$2] in tool)) print $1, "vkr.h"
        else if ((group[$1], header) in may) print $1, header
        else print $1, $2
    }' "$dir/named" -
}
as_files < "$dir/uses" | misplaced | sort -u > "$dir/found"
check "symbols used against the order of runtime/layers" "$dir/found"

# --- all of it ---

(cd runtime && ls -d ./*.[ch] ./*.def vk/) | sed 's/^\.\///' | sort > "$dir/there"
grep -v '^may ' "$dir/named" | cut -d' ' -f1 | sort > "$dir/listed"
{
    comm -23 "$dir/there" "$dir/listed" | sed 's/^/not in runtime\/layers: /'
    comm -13 "$dir/there" "$dir/listed" | sed 's/^/in runtime\/layers and not there: /'
} > "$dir/found"
check "files of runtime/layers" "$dir/found"

# The files of the README's table. A header that has its C file's place need not be named.
in_table() # README
{
    sed -n 's/^| \(`.*\) | .*/\1/p' "$1" | grep -o '`[^`]*`' | tr -d '`'
}
awk '$1 != "may" && ($3 == "itself" || $1 ~ /\.c$/) { print $1 }' "$dir/named" > "$dir/to_name"
sed -n '/^## Reading order/,/^## B/p' runtime/README.md > "$dir/readme"
in_table "$dir/readme" | diff "$dir/to_name" - > "$dir/found"
check "README.md names the files in the order of runtime/layers" "$dir/found"

# --- violations are noticed ---

printf '%s\n' 'queue.c pool.h' 'gpu.h device.h' 'nif_run.c device.h' 'vkrun.c queue.h' 'spirv_check.c vk.h' \
    'made_up.c vkr.h' 'pool.c queue.h' 'nif_run.c vkr.h' 'slot.c slot.h' | misplaced > "$dir/found"
exactly "six of nine made-up includes are misplaced" 6 "$dir/found"
printf '%s\n' 'memory.c pool.c pool_free' 'vkrun.c queue.c queue_wait' 'vkrun.c device.c vkr_device_open' \
    'run.c pool.c pool_free' | as_files | misplaced > "$dir/found"
exactly "two of four made-up uses are misplaced" 2 "$dir/found"
sed 's/`queue.c`//' "$dir/readme" > "$dir/less"
in_table "$dir/less" | diff "$dir/to_name" - | grep '^[<>]' > "$dir/found"
exactly "a file that README.md leaves out" 1 "$dir/found"

finish
