#!/bin/sh
# demo.sh FOLDER: compiles the graphs of this folder for this machine's device and trains, in C and, where
# Nx and Axon are, with Axon.Loop. `make demo` calls it. What it makes is in FOLDER/demo.
set -eu
here=examples/digits b=$1 out=$1/demo
cd "$(dirname "$0")/../.."
mkdir -p "$out"
times=
for graph in init_adamw step_adamw eval; do
    "$b/vkcompile" --target=host --stats "$here/$graph.json" -o "$out/$graph.vkb" > "$out/$graph.stats"
    times="$times $(sed -n 's/^time, ms .* total \(.*\)/\1/p' "$out/$graph.stats")"
done
echo "compiled init, step and eval:$times ms"
gzip -dc $here/data/digits.csv.gz > "$out/digits.csv"
libvkr=$(PKG_CONFIG_PATH=$b/pkgconfig pkg-config --static --cflags --libs vkr)
# shellcheck disable=SC2086
${CC:-cc} -std=c11 -D_POSIX_C_SOURCE=200809L -Wall -Wextra -O2 ${SANFLAGS:-} -o "$out/train" $here/train.c $libvkr
"$out/train" "$out/init_adamw.vkb" "$out/step_adamw.vkb" "$out/eval.vkb" "$out/digits.csv" "$out/loss.svg"
echo "the loss of every step: $out/loss.svg"

libraries=/usr/local/lib/elixir-libs # where Nx and its friends may be installed
[ -n "${ERL_LIBS:-}" ] || ! [ -d $libraries ] || export ERL_LIBS=$libraries
if command -v mix > /dev/null && elixir -e 'unless Version.match?(System.version(), "~> 1.17") and Code.ensure_loaded?(Axon) and Code.ensure_loaded?(Nx), do: System.halt(1)'; then
    echo "The same model with Axon.Loop and compiler: Nx.Vulkan.Compiler"
    ${MAKE:-make} -s nif
    mix run $here/train.exs
else
    echo "NOT RUN: the same model with Axon.Loop, because Elixir 1.17 with Nx and Axon is not there."
fi
