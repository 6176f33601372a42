#!/bin/sh
# The folders of compiler/ use each other in one direction, as compiler/layers says: by their includes, and by the
# symbols of their objects. READMEs name the files of their folders. Files have at most 600 lines, functions 60, unless
# a reason is written down below.
set -u
cd "$(dirname "$0")/../.." || exit 2
: "${B:=_build}"
. test/cli/checks.sh

# Functions of over 60 lines, each with why: `name: why`, a line each.
long_functions='
'

# --- includes ---

# Of a tree: FILE INCLUDED for all includes between files of compiler/, and of runtime/.
includes() # ROOT
{
    (cd "$1" && grep -r -o -E '^#include "[^"]+"' --include='*.[ch]' compiler) |
        sed -E 's/^([^:]*):#include "(.*)"/\1 \2/'
}
# Which of them go upwards, to what is not there, or into runtime/.
misplaced() # LAYERS
{
    awk '
    function folder(path) { if (path in single) return path; sub(/\/[^\/]*$/, "", path); return path }
    FILENAME == ARGV[1] {
        if ($1 == "#" || NF == 0) next
        if ($1 == "runtime") { for (i = 2; i <= NF; i++) allowed["runtime/" $i] = 1; next }
        if ($1 ~ /\.h$/) { for (i = 1; i <= NF; i++) { single[$i] = 1; level[$i] = ++n } next }
        level[$1] = ++n
        next
    }
    {
        from = $1
        sub(/^compiler\//, "", from)
        if ($2 == "vkc.h" || $2 in allowed) next
        if (from ~ /^driver\/main/ && $2 == "runtime/vkr.h") next # the tool opens a device
        a = folder(from); b = folder($2)
        if (!(a in level)) print from ": its folder is not a layer"
        else if (!(b in level)) print from ": includes " $2 ", which is in no layer"
        else if (level[b] > level[a]) print from ": includes " $2 ", of a later layer"
    }' "$1" -
}
includes . > "$dir/includes"
at_least "includes that are looked at" 200 "$dir/includes"
misplaced compiler/layers < "$dir/includes" > "$dir/found"
check "includes against the order of compiler/layers" "$dir/found"

# --- symbols ---

symbol_uses "$B/compiler" compiler > "$dir/uses"
at_least "uses of symbols that are looked at" 1000 "$dir/uses"
awk '{ print "compiler/" $1, $2 }' "$dir/uses" | misplaced compiler/layers | sed 's/includes/uses/' > "$dir/found"
check "symbols used against the order of compiler/layers" "$dir/found"

# --- both notice ---

echo 'compiler/ir/ir.c plan/memplan.h' | misplaced compiler/layers > "$dir/found"
echo 'compiler/base/str.c runtime/vkr.h' | misplaced compiler/layers >> "$dir/found"
echo 'compiler/plan/group/group.h plan/planner.h' | misplaced compiler/layers >> "$dir/found"
echo 'compiler/plan/group/group.h plan/plan.h' | misplaced compiler/layers >> "$dir/found"
exactly "three of four made-up includes are misplaced" 3 "$dir/found"

# --- READMEs ---

# A folder's README names every file in it, and none that is not there.
sed -n 's/^\([a-z][a-z/]*\)  .*/\1/p' compiler/layers | grep -v -x runtime > "$dir/folders"
{ sed 's|^|compiler/|' "$dir/folders"; echo shaders; echo templates; } | while read -r folder; do
    [ -e "$folder/README.md" ] || { echo "$folder has no README.md"; continue; }
    find "$folder" -maxdepth 1 -type f ! -name README.md | sed 's/.*\///' | sort > "$dir/there"
    sed -n 's/^| \(.*\) | .*/\1/p' "$folder/README.md" | grep -o '`[^`]*`' | tr -d '`' |
        grep -v '/$' | sort > "$dir/named"
    comm -23 "$dir/there" "$dir/named" | sed "s|^|not in the README of $folder: |"
    comm -13 "$dir/there" "$dir/named" | sed "s|^|in the README of $folder and not there: |"
done > "$dir/found"
check "READMEs of folders" "$dir/found"
exactly "compiler/ has the folders of compiler/layers" "$(find compiler -mindepth 1 -type d | wc -l)" "$dir/folders"

# --- targets ---

# What kind of device a target is, is asked in target/ only; others ask its tuning.
kind='(->|[.])cpu\>|\<loop_limit\>'
find compiler -name '*.[ch]' ! -path 'compiler/target/*' ! -path compiler/vkc.h ! -path compiler/driver/main_host.c \
    -exec grep -nE "$kind" {} + > "$dir/found"
check "what kind of device it is, asked outside of target/" "$dir/found"
echo 'if (t->cpu && !t->loop_limit)' | grep -E "$kind" > "$dir/found"
exactly "such a question is seen" 1 "$dir/found"

# --- families, and text that was written ---

# A family is a row: nobody asks which one a kernel is of but the table of rows.
family='\<FAMILY_[A-Z_]+\>'
find compiler -name '*.[ch]' -exec grep -nE "$family" {} + | grep -vE '#(ifndef|define) VKC_FAMILY|FAMILY_##' > "$dir/found"
check "families by their names, outside of the table of rows" "$dir/found"
echo 'if (k->family == FAMILY_ROWS)' | grep -E "$family" > "$dir/found"
exactly "such a name is seen" 1 "$dir/found"

# What a kernel needs is data: nobody looks for words in the text that was generated.
search='\<(strstr|strtok|memmem|regexec|str_find)\('
find compiler/codegen compiler/fuse compiler/plan compiler/pack compiler/driver -name '*.[ch]' \
    -exec grep -nE "$search" {} + > "$dir/found"
check "searches of generated text" "$dir/found"
echo 'if (strstr(e->load, "nx_exp("))' | grep -E "$search" > "$dir/found"
exactly "such a search is seen" 1 "$dir/found"

# READMEs list what a profile says, and target/ who reads it, but for limits.
sed -n 's/^FACT(\([a-z_0-9]*\),.*/\1/p' compiler/target/facts.def > "$dir/facts"
sed -n 's/^FEATURE([A-Z0-9_]*, "\([a-z0-9_]*\)".*/\1/p' runtime/features.def > "$dir/features"
cat "$dir/facts" "$dir/features" | while read -r word; do
    sed -n '/^## Target profiles/,/^## Large/p' compiler/README.md | grep -q "\`$word\`" ||
        echo "compiler/README.md: $word"
done > "$dir/found"
{ cat "$dir/features"; grep -vE '^(max_|name|features|emulated)' "$dir/facts"; } | while read -r word; do
    grep -qE "^\|([^|]* )?$word[, ]" compiler/target/README.md || echo "compiler/target/README.md: $word"
done >> "$dir/found"
check "facts and features in READMEs" "$dir/found"
at_least "facts that are looked at" 10 "$dir/facts"
at_least "features that are looked at" 10 "$dir/features"

# --- names in generated text ---

# Nodes are n0, n1, ..., what is read for them v0 or w0: a name of ours like that may be declared twice.
# The functions of shaders/math/ have theirs to themselves.
{
    find compiler/codegen \( -name '*.[ch]' -o -name '*.def' \) | xargs grep -nE '"([^"]*[^%a-zA-Z_0-9"])?[nvw][0-9]+([^a-zA-Z_0-9"][^"]*)?"' |
        grep -vE '/\*.*"'
    find shaders templates -path shaders/math -prune -o -type f -name '*.[gc]*' -print | xargs grep -nwE '[nvw][0-9]+'
} > "$dir/found"
check "names in generated text that nodes could have" "$dir/found"

# --- sizes ---

find compiler runtime -name '*.[ch]' | sort > "$dir/files"
{ cat "$dir/files"; find test examples -name '*.[ch]'; } | xargs wc -l |
    awk '$1 > 600 && $2 != "total" { print $2 " has " $1 " lines" }' > "$dir/found"
check "files of over 600 lines" "$dir/found"
xargs awk '
    FNR == 1 { start = 0 }
    /^[a-z].*\(/ { name = $0; sub(/\(.*/, "", name); sub(/.*[ *]/, "", name) }
    /^\{/ { start = FNR }
    /^\}/ { if (start && FNR - start - 1 > 60) print name " " FILENAME " " FNR - start - 1; start = 0 }' \
    < "$dir/files" > "$dir/long"
while read -r name file lines; do
    echo "$long_functions" | grep -q "^$name: ." || echo "$file: $name has $lines lines"
done < "$dir/long" > "$dir/found"
check "functions of over 60 lines without a reason" "$dir/found"
echo "$long_functions" | sed -n 's/^\([a-z_]*\): .*/\1/p' | while read -r name; do
    grep -q "^$name " "$dir/long" || echo "$name is no longer so long"
done > "$dir/found"
check "reasons for functions that are not long" "$dir/found"

finish
