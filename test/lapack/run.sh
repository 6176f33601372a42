#!/bin/sh
# test/lapack/run.sh PART: makes the programs of programs.exs, compiles them and measures LAPACK's ratios of each. Prints
# the worst of every operation and type, then "N passed, N failed, N skipped".
set -u
cd "$(dirname "$0")/../.." || exit 2
: "${B:=_build}" "${LAPACK_TARGET:=host}"
folder=$B/lapack/$(echo "$1" | tr / -)
rm -rf "$folder"
mkdir -p "$folder"
: "${ERL_LIBS=/usr/local/lib/elixir-libs}"
export ERL_LIBS
MIX_ENV=test mix run --no-start test/lapack/programs.exs "$folder" "$1" || exit 1
for graph in "$folder"/*.json; do
    echo "$graph"
done | xargs -P "$(getconf _NPROCESSORS_ONLN || echo 1)" -I FILE sh -c \
    '"$0"/vkcompile --quiet --target="$1" "$2" -o "${2%.json}.vkb" || echo "$2: does not compile"' \
    "$B" "$LAPACK_TARGET" FILE > "$folder/compile.log" 2>&1
cat "$folder/compile.log"
"$B/test/lapack/lapack" "$folder"/*.vkb > "$folder/report.txt"
status=$?
grep -q 'does not compile' "$folder/compile.log" && status=1
cat "$folder/report.txt"
exit $status
