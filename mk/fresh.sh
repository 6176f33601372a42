#!/bin/sh
# fresh.sh SUITE ...: in an empty Debian of each suite, with a clone of HEAD, runs the README's commands.
# Root, debootstrap and a network are needed. The mirror is the one of this machine's apt. The empty systems
# are kept in _build/fresh; logs are _build/fresh/SUITE.log. `make` is what the README asks for beforehand.
set -u
cd "$(dirname "$0")/.." || exit 2
cache=$PWD/_build/fresh
failures=0
mirror=$(cat /etc/apt/sources.list /etc/apt/sources.list.d/*.list /etc/apt/sources.list.d/*.sources 2> /dev/null |
    sed -n -E -e 's/^URIs: *([^ ]*).*/\1/p' -e 's/^deb +(\[[^]]*\] +)?([^ ]+) .*/\2/p' | grep -E '/debian/?$' | head -n 1)
mkdir -p "$cache"
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
    else
        tar -C "$root" -xzf "$cache/$suite.tar.gz"
    fi
    git clone -q --no-hardlinks . "$root/src"
    rm -f "$root/etc/resolv.conf"
    cp /etc/resolv.conf "$root/etc/resolv.conf"
    mount -t proc proc "$root/proc"
    : > "$log"
    for command in 'apt-get update && apt-get install -y --no-install-recommends make' 'make demo' 'make test'; do
        start=$(date +%s)
        chroot "$root" /usr/bin/env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin sh -c "cd /src && { $command; }" >> "$log" 2>&1
        status=$?
        echo "$suite: $command: exit status $status after $(($(date +%s) - start)) s: $(tail -n 1 "$log")"
        [ $status = 0 ] || failures=$((failures + 1))
    done
    umount "$root/proc"
    if mountpoint -q "$root/proc"; then
        echo "$suite: $root is still mounted and was left"
    else
        rm -rf "$root"
    fi
    grep -E 'NOT RUN' "$log" | sort -u | sed "s/^/$suite: /"
done
[ $failures = 0 ]
