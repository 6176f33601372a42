#!/bin/sh
# fresh.sh SUITE ...: in an empty Debian of each suite, with a clone of HEAD, runs the README's commands, and makes an
# application that depends on it; where its Elixir is new enough, ends runs on its driver, too (hang_test.exs). Then, in
# others: runs a bundle of the first where there are the Vulkan loader and a driver only, which must give the same bits;
# does `make runtime` where there are gcc and make only; and runs a release of an application, with a loader and a
# driver only.
# Root, debootstrap and a network are needed. The mirror is the one of this machine's apt. The empty systems
# are kept in _build/fresh; logs are _build/fresh/SUITE.log. `make` is what the README asks for beforehand.
set -u
cd "$(dirname "$0")/.." || exit 2
cache=$PWD/_build/fresh
failures=0
mirror=$(cat /etc/apt/sources.list /etc/apt/sources.list.d/*.list /etc/apt/sources.list.d/*.sources 2> /dev/null |
    sed -n -E -e 's/^URIs: *([^ ]*).*/\1/p' -e 's/^deb +(\[[^]]*\] +)?([^ ]+) .*/\2/p' | grep -E '/debian/?$' | head -n 1)
mkdir -p "$cache"

# Suites may take long: whoever looks at empty systems has other work to do meanwhile.
in_root() # ROOT COMMAND
{
    chroot "$1" /usr/bin/env -i HOME=/root SUITE_LIMIT=4500 PATH=/usr/sbin:/usr/bin:/sbin:/bin sh -c "$2"
}

unpack() # ROOT
{
    tar -C "$1" -xzf "$cache/$suite.tar.gz"
    rm -f "$1/etc/resolv.conf"
    cp /etc/resolv.conf "$1/etc/resolv.conf"
    mount -t proc proc "$1/proc"
}

discard() # ROOT
{
    umount "$1/proc"
    if mountpoint -q "$1/proc"; then
        echo "$suite: $1 is still mounted and was left"
    else
        rm -rf "$1"
    fi
}

# Prints what was done, for how long, with the log's last line, and counts a failure.
done_with() # COMMAND STATUS START
{
    echo "$suite: $1: exit status $2 after $(($(date +%s) - $3)) s: $(tail -n 1 "$log")"
    [ "$2" = 0 ] || failures=$((failures + 1))
}

driver='apt-get update && apt-get install -y --no-install-recommends libvulkan1 mesa-vulkan-drivers'
without_compilers='dpkg -l | grep -E "^ii +(gcc|g[+][+]|clang|make|libshaderc|libjson-c|erlang|elixir|glslang|spirv-tools) "'

# A bundle in a system with libvulkan and a driver, and nothing that compiles.
run_bare() # ROOT
{
    bare=$(mktemp -d) start=$(date +%s) run='vkrun --random 1 --out out step.vkb'
    unpack "$bare"
    mkdir -p "$bare/bundle/out" "$1/src/_build/out"
    {
        in_root "$1" "cd /src/_build && ./vkcompile --quiet ../test/graphs/mlp_value_and_grad.json -o step.vkb && ./$run" &&
            cp "$1/src/_build/vkrun" "$1/src/_build/step.vkb" "$bare/bundle/" &&
            in_root "$bare" "$driver" &&
            ! in_root "$bare" "$without_compilers" &&
            in_root "$bare" "cd /bundle && ./$run" &&
            diff -r "$bare/bundle/out" "$1/src/_build/out"
    } >> "$log" 2>&1
    done_with "$run, with a loader and a driver only" $? "$start"
    discard "$bare"
}

# libvkr, vkrun and the example with gcc and make alone; then the bundle of run_bare with that vkrun.
run_runtime() # ROOT
{
    small=$(mktemp -d) start=$(date +%s)
    unpack "$small"
    {
        git clone -q --no-hardlinks . "$small/src" && cp "$1/src/_build/step.vkb" "$small/" && mkdir "$small/out" &&
            in_root "$small" 'apt-get update && apt-get install -y --no-install-recommends gcc libc6-dev make' &&
            ! in_root "$small" 'dpkg -l | grep -E "^ii +(g[+][+]|pkg-config|pkgconf|libvulkan|python3|elixir)"' &&
            in_root "$small" 'cd /src && make runtime && sh test/cli/runtime_test.sh' &&
            in_root "$small" "$driver" &&
            in_root "$small" 'src/_build/vkrun --random 1 --out out step.vkb' &&
            diff -r "$small/out" "$1/src/_build/out"
    } >> "$log" 2>&1
    done_with "make runtime, with gcc and make only" $? "$start"
    discard "$small"
}

# A release of an application in a system with libvulkan and a driver, and no compiler, Erlang or Elixir.
run_release() # ROOT
{
    bare=$(mktemp -d) start=$(date +%s)
    unpack "$bare"
    mkdir -p "$1/release/lib"
    cat > "$1/release/mix.exs" << 'END'
defmodule App.MixProject do
  use Mix.Project

  def project, do: [app: :app, version: "0.1.0", prune_code_paths: false, deps: [{:nx_vulkan, path: "/src"}]]
  def application, do: [extra_applications: [:logger, :nx_vulkan]]
end
END
    cat > "$1/release/lib/app.ex" << 'END'
defmodule App do
  def sum do
    {:ok, _} = Application.ensure_all_started(:nx_vulkan)
    sum = Nx.Defn.jit(&Nx.sum/1, compiler: Nx.Vulkan.Compiler).(Nx.tensor([41, 6]))
    IO.puts("the sum is #{Nx.to_number(sum)}")
  end
end
END
    {
        in_root "$1" 'cd /release && MIX_ENV=prod ERL_LIBS=/opt/elixir-libs mix release' &&
            cp -R "$1/release/_build/prod/rel/app" "$bare/app" &&
            in_root "$bare" "$driver" && ! in_root "$bare" "$without_compilers" &&
            in_root "$bare" '/app/bin/app eval App.sum > /sum && grep "the sum is 47" /sum'
    } >> "$log" 2>&1
    done_with "a release, with a loader and a driver only" $? "$start"
    discard "$bare"
}

# New applications with the project as a git dependency and with Mix.install, and its package, where the suite's Elixir
# is new enough. Nx and Hex, which Debian does not have, are those of this machine.
run_application() # ROOT
{
    start=$(date +%s) nx=
    for folder in $(echo "${ERL_LIBS:-/usr/local/lib/elixir-libs}" | tr : ' '); do
        for ebin in "$folder"/nx/ebin "$folder"/nx-*/ebin; do [ -z "$nx" ] && [ -d "$ebin" ] && nx=$folder; done
    done
    in_root "$1" 'apt-get install -y --no-install-recommends elixir erlang-dev git' >> "$log" 2>&1 || {
        done_with "apt-get install elixir" 1 "$start"
        return
    }
    version=$(in_root "$1" 'elixir --short-version')
    new_enough='unless Version.match?(System.version(), "~> 1.17"), do: System.halt(1)'
    if ! in_root "$1" "elixir -e '$new_enough'" >> "$log" 2>&1; then
        echo "$suite: NOT RUN: a new application, because its Elixir is $version and Nx needs 1.17"
    elif [ -z "$nx" ]; then
        echo "$suite: NOT RUN: a new application, because this machine has no Nx on ERL_LIBS"
    else
        mkdir -p "$1/opt/elixir-libs"
        cp -RL "$nx"/. "$1/opt/elixir-libs/"
        archives=${MIX_HOME:-$HOME/.mix}/archives
        mkdir -p "$1/root/.mix" && if [ -d "$archives" ]; then cp -RL "$archives" "$1/root/.mix/"; fi
        in_root "$1" 'cd /src && ERL_LIBS=/opt/elixir-libs sh test/cli/install_test.sh' >> "$log" 2>&1
        done_with "new applications, with Elixir $version" $? "$start"
        start=$(date +%s)
        in_root "$1" 'cd /src && ERL_LIBS=/opt/elixir-libs test/run elixir:test/hang_test.exs' >> "$log" 2>&1
        done_with "test/run elixir:test/hang_test.exs" $? "$start"
        run_release "$1"
    fi
}

for suite in "$@"; do
    root=$(mktemp -d) log=$cache/$suite.log
    if ! [ -s "$cache/$suite.tar.gz" ]; then
        debootstrap --variant=minbase "$suite" "$root" "${mirror:?no Debian mirror in the sources of apt}" > "$log" 2>&1 &&
            tar -C "$root" -czf "$cache/$suite.tar.gz" . || {
            echo "$suite: debootstrap failed, see $log"
            failures=$((failures + 1))
            rm -rf "$root"
            continue
        }
    fi
    rm -rf "$root"
    root=$(mktemp -d)
    unpack "$root"
    git clone -q --no-hardlinks . "$root/src"
    : > "$log"
    for command in 'apt-get update && apt-get install -y --no-install-recommends make' 'make demo' 'make test'; do
        start=$(date +%s)
        in_root "$root" "cd /src && { $command; }" >> "$log" 2>&1
        done_with "$command" $? "$start"
    done
    run_application "$root"
    run_bare "$root"
    run_runtime "$root"
    discard "$root"
    grep -E 'NOT RUN' "$log" | sort -u | sed "s/^/$suite: /"
done
[ $failures = 0 ]
