#!/bin/sh
# fresh.sh SUITE ...: in an empty Debian of each suite, with a clone of HEAD, runs the README's commands, and makes an
# application that depends on it. Then, in another that gets the Vulkan loader and a driver only, runs a bundle of the
# first, which must give the same bits.
# Root, debootstrap and a network are needed. The mirror is the one of this machine's apt. The empty systems
# are kept in _build/fresh; logs are _build/fresh/SUITE.log. `make` is what the README asks for beforehand.
set -u
cd "$(dirname "$0")/.." || exit 2
cache=$PWD/_build/fresh
failures=0
mirror=$(cat /etc/apt/sources.list /etc/apt/sources.list.d/*.list /etc/apt/sources.list.d/*.sources 2> /dev/null |
    sed -n -E -e 's/^URIs: *([^ ]*).*/\1/p' -e 's/^deb +(\[[^]]*\] +)?([^ ]+) .*/\2/p' | grep -E '/debian/?$' | head -n 1)
mkdir -p "$cache"

in_root() # ROOT COMMAND
{
    chroot "$1" /usr/bin/env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin sh -c "$2"
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

# A bundle in a system with libvulkan and a driver, and without shaderc, json-c or Erlang.
run_bare() # ROOT
{
    bare=$(mktemp -d) start=$(date +%s) run='vkrun --random 1 --out out step.vkb'
    unpack "$bare"
    mkdir -p "$bare/bundle/out" "$1/src/_build/out"
    {
        in_root "$1" "cd /src/_build && ./vkcompile --quiet ../test/graphs/mlp_value_and_grad.json -o step.vkb && ./$run" &&
            cp "$1/src/_build/vkrun" "$1/src/_build/step.vkb" "$bare/bundle/" &&
            in_root "$bare" 'apt-get update && apt-get install -y --no-install-recommends libvulkan1 mesa-vulkan-drivers' &&
            ! in_root "$bare" 'dpkg -l | grep -E "^ii +(libshaderc|libjson-c|erlang|glslang)"' &&
            in_root "$bare" "cd /bundle && ./$run" &&
            diff -r "$bare/bundle/out" "$1/src/_build/out"
    } >> "$log" 2>&1
    done_with "$run, with a loader and a driver only" $? "$start"
    discard "$bare"
}

# New applications with the project as a git dependency and with Mix.install, where the suite's Elixir is new enough.
# Nx, which Debian does not have, is the one of this machine.
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
        in_root "$1" 'cd /src && ERL_LIBS=/opt/elixir-libs sh test/cli/install_test.sh' >> "$log" 2>&1
        done_with "new applications, with Elixir $version" $? "$start"
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
    discard "$root"
    grep -E 'NOT RUN' "$log" | sort -u | sed "s/^/$suite: /"
done
[ $failures = 0 ]
