#!/bin/sh
# `make runtime`: builds with a C compiler and make alone; what the libraries export, and that a program may have the
# same names; the sizes that VKR_ABI stands for; installed and uninstalled; Python through ctypes; our excerpt of
# Vulkan's headers against Khronos's.
set -u
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
: "${B:=$root/_build}" "${CC:=cc}" "${MAKE:=make}"
case $B in /*) ;; *) B=$root/$B ;; esac
passed=0
failed=0
skipped=0
[ -z "${SAN:-}" ] || { echo "a sanitized library needs its compiler's runtime in what loads it"; exit 77; }
[ "$(uname -s)" != Darwin ] || { echo "nm, readelf and the names of shared libraries are those of ELF here"; exit 77; }
unset MAKEFLAGS MFLAGS MAKELEVEL

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

not_run()
{
    echo "NOT RUN: $1"
    skipped=$((skipped + 1))
}

# --- with a C compiler, make, and the standard utilities ---

mkdir "$dir/bin"
for program in $CC gcc "$(uname -m)-linux-gnu-gcc" as ld ar nm objcopy make gmake sh awk cat cksum cut find grep \
    install ln mkdir mv od rm sed sort tr uname xargs; do
    path=$(command -v "$program") && ln -s "$path" "$dir/bin/" 2> /dev/null
done
cd "$root" || exit 1
b=$dir/build
build()
{
    env -u PKG_CONFIG_PATH PATH="$dir/bin" "$MAKE" -s CC="$CC" CFLAGS=-O1 B="$b" PREFIX="$dir/prefix" "$@"
}
check "make runtime with a C compiler and make alone" build runtime
check "its headers are our own and the C library's" \
    sh -c '! find "$1" -name "*.d" | xargs grep -h -E "vulkan_core|json-c|shaderc"' sh "$b"
"$b/vkrun" --version > "$dir/version" 2>&1
check "vkrun runs" grep -q '^vkrun [0-9]' "$dir/version"

# --- what is exported, and what a program relies on ---

sed -n 's/^[a-z].*[ *]\(vkr_[a-z_]*\)(.*/\1/p' runtime/vkr.h | sort > "$dir/declared"
check "vkr.h declares functions" test "$(wc -l < "$dir/declared")" -ge 30
# _init and _fini are musl's
nm -D --defined-only "$b/solib/libvkr.so" | awk '$3 !~ /^_(init|fini)$/ { print $3 }' | sort > "$dir/exported"
check "the shared library exports what vkr.h declares" diff "$dir/declared" "$dir/exported"
nm -g --defined-only "$b/lib/libvkr.a" | awk 'NF == 3 { print $3 }' | sort > "$dir/exported"
check "the archive exports what vkr.h declares" diff "$dir/declared" "$dir/exported"
if [ -e "$B/lib/libvkc.a" ]; then
    sed -n 's/^[a-z].*[ *]\(vkc_[a-z_]*\)[(\[].*/\1/p' compiler/vkc.h | sort > "$dir/declared"
    nm -g --defined-only "$B/lib/libvkc.a" | awk 'NF == 3 { print $3 }' | sort > "$dir/exported"
    check "libvkc's archive exports what vkc.h declares" diff "$dir/declared" "$dir/exported"
else
    not_run "what libvkc.a exports, because $B/lib/libvkc.a was not built"
fi
abi=$(sed -n 's/^#define VKR_ABI //p' runtime/vkr.h)
readelf -d "$b/solib/libvkr.so" > "$dir/dynamic"
check "the soname ends in VKR_ABI" grep -q "SONAME.*\[libvkr.so.$abi\]" "$dir/dynamic"
check "the shared library needs the C library only" \
    sh -c '! grep NEEDED "$1" | grep -v -E "\[(libc|libm|libdl|libpthread|ld-linux)[^]]*\]"' sh "$dir/dynamic"
compile()
{
    $CC -std=c11 -Wall -Wextra -Werror -I"$dir/prefix/include" "$@"
}
check "make install-runtime" build install-runtime
check "a program with a pool_alloc of its own links" \
    compile -o "$dir/own_names" test/cli/own_names.c "$dir/prefix/lib/libvkr.a" -ldl -lm -pthread
check "and runs" "$dir/own_names"
if [ "$(getconf LONG_BIT)" = 64 ]; then
    "$dir/own_names" --abi > "$dir/abi"
    check "structures differ from test/cli/abi: raise VKR_ABI, and write the table anew" diff test/cli/abi "$dir/abi"
else
    not_run "the sizes of structures, because test/cli/abi has those of 64-bit systems"
fi

# --- installed ---

find "$dir/prefix" ! -type d | sed "s|$dir/prefix/||" | sort > "$dir/installed"
printf '%s\n' bin/vkrun include/vkr.h lib/libvkr.a lib/libvkr.so "lib/libvkr.so.$abi" lib/pkgconfig/vkr.pc |
    sort > "$dir/expected"
check "what make install-runtime installs" diff "$dir/expected" "$dir/installed"
if command -v pkg-config > /dev/null; then
    flags()
    {
        PKG_CONFIG_PATH=$dir/prefix/lib/pkgconfig pkg-config --cflags --libs "$@" vkr
    }
    # shellcheck disable=SC2046
    check "a program links through pkg-config" $CC -std=c11 -o "$dir/dynamic" test/cli/own_names.c $(flags)
    check "with the shared library" env LD_LIBRARY_PATH="$dir/prefix/lib" "$dir/dynamic"
    check "which it was linked with" sh -c 'readelf -d "$1" | grep -q "NEEDED.*libvkr.so.$2"' sh "$dir/dynamic" "$abi"
else
    not_run "linking through pkg-config, which is missing"
fi
check "make uninstall" build uninstall
check "nothing is left" test -z "$(find "$dir/prefix" ! -type d)"

# --- the example, and Python ---

make_bundle()
{
    [ -x "$B/vkcompile" ] && "$B/vkcompile" --quiet --target=host test/graphs/sigmoid4.json -o "$dir/model.vkb"
}
if make_bundle 2> "$dir/log"; then
    printf '\000\000\200\077\000\000\000\300\000\000\000\077\000\000\000\000' > "$dir/in.bin" # 1, -2, 0.5, 0
    check "vkrun runs a bundle" sh -c 'cd "$1" && build/vkrun --cache "" model.vkb 0=in.bin --out .' sh "$dir"
    if command -v python3 > /dev/null; then
        check "Python runs a bundle through ctypes" \
            python3 test/cli/vkr_ctypes.py "$b/solib/libvkr.so.$abi" "$dir/model.vkb" "$dir/in.bin" "$dir/python.bin"
        # the data of an .npy file come last
        check "with vkrun's result" sh -c 'tail -c 16 "$1"/*.npy | cmp - "$1/python.bin"' sh "$dir"
    else
        not_run "Python through ctypes, because python3 is missing"
    fi
else
    not_run "bundles, with vkrun and Python, because vkcompile made none for a device here: $(tail -n 1 "$dir/log")"
fi

# --- our excerpt of Vulkan's headers ---

if echo '#include <vulkan/vulkan.h>' | $CC -E -x c - > /dev/null 2>&1; then
    for file in runtime/*.c; do
        case $file in runtime/nif*) continue ;; esac
        for define in -UVKR_SYSTEM_VULKAN -DVKR_SYSTEM_VULKAN; do
            $CC -std=c11 -D_POSIX_C_SOURCE=200809L -O1 $define -c "$file" -o "$dir/$define.o" || echo "$file $define"
        done
        cmp "$dir/-UVKR_SYSTEM_VULKAN.o" "$dir/-DVKR_SYSTEM_VULKAN.o"
    done > "$dir/differ" 2>&1
    check "the code is the same with Khronos's Vulkan headers" sh -c '! grep . "$1"' sh "$dir/differ"
else
    not_run "the excerpt of Vulkan's headers, because vulkan/vulkan.h is missing (Debian: libvulkan-dev)"
fi

echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]
