# What the tests of the sources share: layers_test, runtime_layers_test, format_test and libc_test. They source it, from
# the root. It makes a folder for scratch files, $dir, which is removed at the end.
dir=$(mktemp -d) || exit 2
trap 'rm -rf "$dir"' EXIT
passed=0 failed=0 skipped=0

check() # WHAT FILE: passes if the file is empty
{
    if [ -s "$2" ]; then
        failed=$((failed + 1))
        echo "FAILED: $1"
        sed 's/^/    /' "$2" | head -n 40
    else
        passed=$((passed + 1))
    fi
}

# A check that reads lines passes without any: these pass if enough lines were found, or as many as are known.
at_least() # WHAT COUNT FILE
{
    awk -v least="$2" 'END { if (NR < least) print "there are " NR }' "$3" > "$dir/count"
    check "$1" "$dir/count"
}
exactly() # WHAT COUNT FILE
{
    awk -v want="$2" 'END { if (NR != want) print "there are " NR ", and not " want }' "$3" > "$dir/count"
    check "$1" "$dir/count"
}

# Which symbols the objects of a folder use of each other: lines USER DEFINED_IN SYMBOL, with the paths of the C files
# in SOURCES. Objects that are older than their source, or whose source is gone, are left out: they say what was.
symbol_uses() # OBJECTS SOURCES [OPTION OF find ...]
{
    objects=$1 sources=$2
    shift 2
    find "$objects" "$@" -name '*.o' | sort | while read -r object; do
        file=${object#"$objects"/}
        file=${file%.o}.c
        [ -e "$sources/$file" ] || continue
        [ -z "$(find "$sources/$file" -newer "$object")" ] || continue
        nm "$object" | awk -v file="$file" '
            NF == 3 && $2 ~ /^[TDRBC]$/ { print "D", $3, file }
            NF == 2 && $1 == "U" { print "U", $2, file }'
    done | awk '
        $1 == "D" { at[$2] = $3; next }
        { symbol[++n] = $2; user[n] = $3 }
        END {
            for (i = 1; i <= n; i++)
                if (symbol[i] in at && at[symbol[i]] != user[i]) print user[i], at[symbol[i]], symbol[i]
        }' | sort -u
}

finish() # the last line of a test, and its status
{
    echo "$passed passed, $failed failed, $skipped skipped"
    [ "$failed" -eq 0 ]
}
