#!/bin/sh
# compiler/TOUR.md: its commands (`    $ ...`) print what stands below them, where `...` is any number of lines; its
# sections are the folders of compiler/, in their order; the files that it names are there.
root=$(cd "$(dirname "$0")/../.." && pwd)
tour=${1:-$root/compiler/TOUR.md}
tools=$(cd "$root" && cd "${B:=_build}" && pwd) || exit 2
dir=$(mktemp -d) || exit 2
trap 'rm -rf "$dir"' EXIT
passed=0 failed=0 skipped=0
fail() # WHAT FILE
{
    failed=$((failed + 1))
    echo "FAILED: $1"
    sed 's/^/    /' "$2"
}

# what the commands see: the sources, and a place for what they write
mkdir "$dir/at" "$dir/at/_build"
for entry in "$root"/*; do
    [ "$(basename "$entry")" = _build ] || ln -s "$entry" "$dir/at"
done
PATH=$tools:$PATH
export PATH LC_ALL=C

# N.command, N.expected
awk -v out="$dir" '
    function close_block() { if (n) { close(out "/" n ".command"); close(out "/" n ".expected") } }
    /^    \$ / {
        close_block(); n++; blank = 0; inside = 1
        print substr($0, 7) > (out "/" n ".command")
        printf "" > (out "/" n ".expected")
        next
    }
    inside && /^$/ { blank++; next }
    inside && /^    / {
        for (; blank; blank--) print "" > (out "/" n ".expected")
        print substr($0, 5) > (out "/" n ".expected")
        next
    }
    { inside = 0 }' "$tour"

# Whether the lines of the second file are those of the first, whose `...` are any lines. Between two of those stands
# what comes next, wherever it is; what follows the last one ends the file.
same() # EXPECTED FOUND
{
    awk '
    NR == FNR { want[++w] = $0; next }
    { got[++g] = $0 }
    function matches(from, to, at,    i) {
        for (i = from; i <= to; i++) if (want[i] != got[at + i - from]) return 0
        return 1
    }
    END {
        if (!w) exit g > 0
        at = 1
        for (from = 1; from <= w + 1; from = to + 2) {
            for (to = from - 1; to < w && want[to + 1] !~ /^ *\.\.\.$/; to++);
            length_of = to - from + 1
            if (from == 1) first = last = 1; else { first = at; last = g - length_of + 1 }
            if (to == w) { if (from == 1) last = (g == w); else first = last }
            for (i = first; i <= last && !(i + length_of - 1 <= g && i >= at && matches(from, to, i)); i++);
            if (i > last) exit 1
            at = i + length_of
            if (to == w) exit 0
        }
    }' "$1" "$2"
}

n=1
while [ -e "$dir/$n.command" ]; do
    (cd "$dir/at" && sh "$dir/$n.command") > "$dir/found" 2>&1
    if grep -q 'built without shaderc' "$dir/found"; then
        skipped=$((skipped + 1))
        echo "NOT RUN: $(cat "$dir/$n.command"), because this vkcompile was built without shaderc"
    elif same "$dir/$n.expected" "$dir/found"; then
        passed=$((passed + 1))
    else
        diff "$dir/$n.expected" "$dir/found" > "$dir/diff"
        fail "$(cat "$dir/$n.command")" "$dir/diff"
    fi
    n=$((n + 1))
done
[ $n -gt 10 ] || { echo "$((n - 1)) commands" > "$dir/few"; fail "too few commands are found" "$dir/few"; }

sed -n 's/^## \(.*\)\/$/\1/p' "$tour" > "$dir/sections"
sed -n 's/^\([a-z][a-z/]*\)  .*/\1/p' "$root/compiler/layers" | diff - "$dir/sections" > "$dir/order"
if [ -s "$dir/order" ]; then
    fail "its sections are not the folders of compiler/layers" "$dir/order"
else
    passed=$((passed + 1))
fi

grep -v '^    ' "$tour" | grep -o '`[A-Za-z_/.]*/[a-z_]*\.[a-z]*`' | tr -d '`' | while read -r file; do
    [ -e "$root/compiler/$file" ] || [ -e "$root/$file" ] || echo "$file"
done > "$dir/missing"
if [ -s "$dir/missing" ]; then
    fail "files that are not there" "$dir/missing"
else
    passed=$((passed + 1))
fi

# it notices
printf 'a\nb\nc\nd\n' > "$dir/found"
blind=
for want in 'a\nb\nc\nd\n' 'a\n...\nd\n' '...\nb\n  ...\n' '...\n' 'a\n...\nb\n...\nc\nd\n'; do
    printf "$want" > "$dir/want"
    same "$dir/want" "$dir/found" || blind="$blind [$want is refused]"
done
for want in 'a\nb\nc\n' 'a\n...\nc\n' '...\nb\n' 'b\n...\n' '...\nc\n...\nb\n...\n' '...\nx\n...\n' '' \
            'a\nb\nc\nd\ne\n' 'a\n...\na\nb\nc\nd\n' 'a\nb\nc\nd\n...\nd\n'; do
    printf "$want" > "$dir/want"
    ! same "$dir/want" "$dir/found" || blind="$blind [$want is accepted]"
done
if [ -n "$blind" ]; then
    echo "$blind" > "$dir/blind"
    fail "outputs are compared otherwise than said above" "$dir/blind"
else
    passed=$((passed + 1))
fi
echo "$passed passed, $failed failed, $skipped skipped"
[ $failed = 0 ]
