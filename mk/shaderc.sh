#!/bin/sh
# shaderc.sh CC FOLDER: prints the make variable SHADERC_LIBS, how shaderc links here. It is found by
# linking a program and a shared library, and by compiling a shader with the program. The static library
# comes first: it needs nothing on the machine that the result runs on, and its names stay inside the NIF.
# Debian 12 needs all of the first list (its shared library lacks symbols); Debian 13 has merged some.
set -u
cc=$1
try=$2/shaderc_try
trap 'rm -f "$try" "$try.c" "$try.so"' EXIT
echo 'int main(void) { return 0; }' > "$try.c"
if ! $cc -o "$try" "$try.c"; then
    echo "'$cc' does not compile a program in C. Debian: apt-get install gcc g++ libc6-dev" >&2
    exit 1
fi
cat > "$try.c" << 'END'
#include <shaderc/shaderc.h>
int main(void)
{
    static const char text[] = "#version 450\nlayout(local_size_x = 1) in; void main() {}";
    shaderc_compiler_t c = shaderc_compiler_initialize();
    shaderc_compilation_result_t r = shaderc_compile_into_spv(c, text, sizeof text - 1, shaderc_compute_shader, "try", "main", 0);
    return shaderc_result_get_compilation_status(r) != shaderc_compilation_status_success;
}
END
cpp='-lstdc++ -lm'
case $(uname -s) in Darwin | FreeBSD) cpp='-lc++ -lm' ;; esac
for libs in \
    "-lshaderc_combined -lglslang -lMachineIndependent -lOSDependent -lHLSL -lOGLCompiler -lGenericCodeGen -lSPIRV -lSPIRV-Tools-opt -lSPIRV-Tools $cpp" \
    "-lshaderc_combined -lglslang -lSPIRV-Tools-opt -lSPIRV-Tools $cpp" \
    "-lshaderc_combined $cpp" \
    "-lshaderc"; do
    # shellcheck disable=SC2086
    if $cc -shared -fPIC -o "$try.so" "$try.c" $libs -pthread 2> /dev/null &&
        $cc -o "$try" "$try.c" $libs -pthread 2> /dev/null && "$try"; then
        echo "SHADERC_LIBS := $libs"
        exit 0
    fi
done
echo "shaderc: no library that links was found. Debian: apt-get install g++ libshaderc-dev glslang-dev spirv-tools" >&2
echo "NO_SHADERC=1 builds a compiler that makes no bundles; make runtime what runs them" >&2
exit 1
