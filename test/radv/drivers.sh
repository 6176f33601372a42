#!/bin/sh
# drivers.sh: newer Mesa for tests, next to the one that is installed and without touching it. From Debian's backports,
# unpacked into _build/fresh/mesa/backports, where radeon_icd.json and lvp_icd.json are for VK_DRIVER_FILES; and
# Debian 13's in a small system of its own, _build/fresh/mesa/trixie, which takes root and debootstrap.
set -u
cd "$(dirname "$0")/../.." || exit 2
fresh=$PWD/_build/fresh/mesa
mirror=$(cat /etc/apt/sources.list /etc/apt/sources.list.d/*.list /etc/apt/sources.list.d/*.sources 2> /dev/null |
    sed -n -E -e 's/^URIs: *([^ ]*).*/\1/p' -e 's/^deb +(\[[^]]*\] +)?([^ ]+) .*/\2/p' | grep -E '/debian/?$' | head -n 1)
: "${mirror:?no Debian mirror in the sources of apt}"
mkdir -p "$fresh/apt/lists/partial" "$fresh/apt/cache/archives/partial"

backports()
{
    [ -e "$fresh/backports/radeon_icd.json" ] && return
    echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $mirror bookworm-backports main" \
        > "$fresh/apt/sources.list"
    set -- -q -o "Dir::Etc::sourcelist=$fresh/apt/sources.list" -o Dir::Etc::sourceparts=- \
        -o "Dir::State::lists=$fresh/apt/lists" -o "Dir::Cache=$fresh/apt/cache" -o APT::Sandbox::User=root
    apt-get "$@" update && (cd "$fresh/apt" && apt-get "$@" download mesa-vulkan-drivers/bookworm-backports) || return
    rm -rf "$fresh/backports"
    dpkg -x "$fresh"/apt/mesa-vulkan-drivers_*.deb "$fresh/backports" || return
    libraries=$(dirname "$(find "$fresh/backports" -name libvulkan_lvp.so)")
    for driver in lvp radeon; do
        sed "s#\"libvulkan_#\"$libraries/libvulkan_#" "$fresh/backports/usr/share/vulkan/icd.d/${driver}_icd.json" \
            > "$fresh/backports/${driver}_icd.json" || return
    done
}

trixie()
{
    [ -e "$fresh/trixie/usr/share/vulkan/icd.d/radeon_icd.json" ] && return
    rm -rf "$fresh/trixie"
    debootstrap --variant=minbase --include=libvulkan1,mesa-vulkan-drivers trixie "$fresh/trixie" "$mirror" \
        > "$fresh/trixie.log" 2>&1
}

status=0
backports || { status=1; echo "Mesa of bookworm-backports cannot be had" >&2; }
trixie || { status=1; echo "no Mesa of Debian 13: it takes root, debootstrap, a network; $fresh/trixie.log" >&2; }
exit $status
