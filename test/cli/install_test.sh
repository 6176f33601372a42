#!/bin/sh
# The project as a dependency: a git dependency and Mix.install load at the first run, the native library is built
# anew when its sources change and left alone when they do not, and what is missing is said. Nx comes from ERL_LIBS,
# and nothing from a network. What is tested is the working tree, whether or not it is committed.
set -u
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
passed=0
failed=0
skipped=0

for program in git mix make "${CC:-cc}"; do
    command -v "${program%% *}" > /dev/null || { echo "$program is missing"; exit 77; }
done
git -C "$root" rev-parse --git-dir > "$dir/log" 2>&1 || { echo "the sources are not in a git checkout"; exit 77; }
elixir -e 'unless Version.match?(System.version(), "~> 1.17") and Code.ensure_loaded?(Nx), do: System.halt(1)' ||
    { echo "no Elixir 1.17 with Nx on ERL_LIBS=${ERL_LIBS:-}"; exit 77; }
[ -z "${SAN:-}" ] || { echo "what Mix builds has no sanitizers"; exit 77; }

unset NX_VULKAN_NIF NX_VULKAN_SKIP_NIF MIX_ENV MAKEFLAGS MFLAGS MAKELEVEL B
# the library is built four times
export MIX_INSTALL_DIR="$dir/installs" XDG_CACHE_HOME="$dir/cache" CFLAGS=-O0
if command -v ccache > /dev/null; then
    : "${CCACHE_DIR:=$root/_build/ccache}"
    export CC="ccache ${CC:-cc}" CCACHE_DIR CCACHE_BASEDIR="$dir" CCACHE_NOHASHDIR=1
fi

# check NAME COMMAND...: the command succeeds
check()
{
    name=$1
    shift
    if "$@" > "$dir/log" 2>&1; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "$name:"
        cat "$dir/log"
    fi
}

# said STATUS TEXT COMMAND...: the command ends with status 0, or with another where STATUS is 1, and its output has
# the text, or does not have it where that begins with -
said()
{
    status=$1 text=$2
    shift 2
    "$@" > "$dir/said" 2>&1
    found=$?
    [ "$found" = 0 ] || found=1
    case $text in
    -*) ! grep -q -- "${text#-}" "$dir/said" ;;
    *) grep -q -- "$text" "$dir/said" ;;
    esac && [ "$found" = "$status" ] || { cat "$dir/said"; return 1; }
}

says()
{
    text=$1
    shift
    check "$* says '$text'" said 0 "$text" "$@"
}

refuses()
{
    text=$1
    shift
    check "$* fails with '$text'" said 1 "$text" "$@"
}

silent()
{
    check "$* does not build the native library" said 0 "-native library" "$@"
}

commit()
{
    git -C "$dir/repo" add -A
    git -C "$dir/repo" -c user.name=test -c user.email=test@localhost commit -q -m "$1"
}

# change FILE: a comment at its end; the files of shaders/, of templates/ and of C have the same ones
change()
{
    printf '// changed\n' >> "$1"
}

mkdir "$dir/repo" "$dir/app"
(cd "$root" && git ls-files -co --exclude-standard | while read -r f; do [ ! -e "$f" ] || echo "$f"; done |
    tar -T - -cf - | tar -C "$dir/repo" -xf -)
git -C "$dir/repo" init -q
commit "the working tree"

# --- a new application with a git dependency ---

cat > "$dir/app/mix.exs" << END
defmodule App.MixProject do
  use Mix.Project

  # Nx is on ERL_LIBS, which Mix leaves out unless told otherwise
  def project do
    [app: :app, version: "0.1.0", prune_code_paths: false, deps: [{:nx_vulkan, git: "file://$dir/repo"}]]
  end
end
END
cat > "$dir/first.exs" << 'END'
case Nx.Vulkan.devices() do
  [] -> IO.puts("no device")
  _ -> IO.puts("the sum is #{Nx.to_number(Nx.Defn.jit(&Nx.sum/1, compiler: Nx.Vulkan.Compiler).(Nx.tensor([41, 6])))}")
end
END
cat > "$dir/op.exs" << 'END'
IO.puts(Enum.find(Nx.Vulkan.NIF.list_ops(), &String.starts_with?(&1, "add\t")))
END
cd "$dir/app" || exit 1
check "mix deps.get" mix deps.get
mix run "$dir/first.exs" > "$dir/said" 2>&1
if grep -q "no device" "$dir/said"; then
    echo "NOT RUN: the first jit, because there is no Vulkan device"
    skipped=$((skipped + 1))
else
    check "the first run of a new application" grep -q 'the sum is 47' "$dir/said"
    [ "$failed" = 0 ] || cat "$dir/said"
fi
silent mix run "$dir/op.exs"

sed -i 's/"Sum. Integers wrap."/"Sum, changed."/' "$dir/repo/compiler/ir/ops.def"
commit "a source changes"
silent mix run "$dir/op.exs"
check "mix deps.update" mix deps.update nx_vulkan
says 'Sum, changed' mix run "$dir/op.exs"

# --- the checkout itself: make decides what is stale ---

cd "$dir/repo" || exit 1
CC=/no/compiler refuses "'/no/compiler' does not compile" mix compile
CC=/no/compiler refuses 'apt-get install --no-install-recommends gcc' mix compile
says 'Compiling the native library' mix compile
silent mix compile
MIX_ENV=test says 'true' mix run -e 'IO.inspect(Nx.Vulkan.NIF.loaded?())'
# what make builds for itself Mix must not take for its own; a text so long that the library's size is another
check "make nif" make -s nif
sed -i "s/Sum, changed/Sum, changed again $(printf '%3900s' '' | tr ' ' x)/" compiler/ir/ops.def
says 'Compiling the native library' mix compile
silent mix compile
says 'Sum, changed again' mix run "$dir/op.exs"
for file in runtime/vkr.h compiler/ir/ops.c shaders/prelude.glsl \
    "$(find templates -name '*.comp' | sort | head -n 1)"; do
    change "$file"
    says 'Compiling the native library' mix compile
    silent mix compile
done
says 'Sum, changed again' mix run "$dir/op.exs"

# --- what is missing is said ---

library=$dir/repo/_build/dev/lib/nx_vulkan/priv/nx_vulkan
cat > "$dir/devices.exs" << 'END'
Nx.Vulkan.devices()
END
cat > "$dir/export.exs" << 'END'
Nx.Vulkan.export("graph.json", &Nx.sin/1, [Nx.template({2}, :f32)])
END
sed -i 's/@version "0.1.0"/@version "0.1.1"/' mix.exs
NX_VULKAN_NIF=$library refuses 'was built for another version of nx_vulkan than 0.1.1' mix run "$dir/devices.exs"
git checkout -q mix.exs
export MIX_ENV=prod
mkdir "$dir/bin"
for folder in $(echo "$PATH" | tr : ' '); do
    for program in "$folder"/*; do
        case ${program##*/} in
        make | gmake) ;;
        *) [ -e "$dir/bin/${program##*/}" ] || ln -s "$program" "$dir/bin/" ;;
        esac
    done
done
PATH=$dir/bin MAKE=make refuses 'there is no make' mix compile
NX_VULKAN_SKIP_NIF=1 silent mix compile
NX_VULKAN_SKIP_NIF=1 check "JSON without native code" mix run "$dir/export.exs"
check "the graph is there" grep -q '"op":"sin"' graph.json
NX_VULKAN_SKIP_NIF=1 refuses 'mix deps.compile nx_vulkan --force' mix run "$dir/devices.exs"
unset MIX_ENV

# --- Mix.install ---

cd "$dir" || exit 1
{
    echo "Mix.install([{:nx_vulkan, git: \"file://$dir/repo\"}])"
    cat "$dir/first.exs" "$dir/op.exs"
} > "$dir/install.exs"
says 'Sum, changed' elixir "$dir/install.exs"
[ "$skipped" != 0 ] || check "the first run of Mix.install" grep -q 'the sum is 47' "$dir/said"

# --- the package ---

if mix hex.build --help > "$dir/log" 2>&1 || mix help hex.build > "$dir/log" 2>&1; then
    cd "$dir/repo" || exit 1
    git checkout -q . && rm -f graph.json
    check "mix hex.build" env HEX_OFFLINE=1 mix hex.build --output "$dir/package.tar"
    tar -C "$dir" -xf "$dir/package.tar"
    tar -tzf "$dir/contents.tar.gz" | sort > "$dir/contents"
    git ls-files | grep -v -E '^\.ci/|^\.gitignore$' | sort > "$dir/expected"
    check "the package holds the sources and nothing else" diff "$dir/expected" "$dir/contents"
    check "the package requires Nx" grep -q '<<"nx">>' "$dir/metadata.config"
    check "mix hex.build --unpack" env HEX_OFFLINE=1 mix hex.build --unpack --output "$dir/package"
    cd "$dir/package" || exit 1
    # what begins as ELF, Mach-O and archives do
    find . -type f | while read -r file; do
        case $(od -An -tx1 -N4 "$file") in " 7f 45 4c 46" | " cf fa ed fe" | " 21 3c 61 72") echo "$file" ;; esac
    done > "$dir/binaries"
    check "no file of the package is a binary" test ! -s "$dir/binaries"
    MIX_ENV=test says 'Compiling the native library' mix compile
    says ' 0 failures' mix test test/options_test.exs test/cache_key_test.exs test/number_test.exs
    check "and all that the device allows ran" sh -c '! grep -q "no native library" "$1"' sh "$dir/said"
    find . -name '*.o' | grep -v '^./_build/' > "$dir/binaries"
    check "objects are in _build" test ! -s "$dir/binaries"

    # --- another name for the application ---

    library=$PWD/_build/test/lib/nx_vulkan/priv/nx_vulkan
    sed -i 's/@app :nx_vulkan/@app :vulkan_of_another_name/' mix.exs
    cat > "$dir/named.exs" << 'END'
Application.put_env(:vulkan_of_another_name, :device, "nobody's device")
Nx.Vulkan.Device.fetch!()
END
    export NX_VULKAN_NIF="$library"
    [ "$skipped" != 0 ] || refuses "nobody's device" mix run "$dir/named.exs"
    says vulkan_of_another_name mix run -e 'IO.inspect(Application.get_application(Nx.Vulkan))'
    unset NX_VULKAN_NIF
else
    echo "NOT RUN: the package, because Hex is missing"
    skipped=$((skipped + 1))
fi

echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]
