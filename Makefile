# Builds libvkc and vkcompile (compiler/), libvkr and vkrun (runtime/), the NIF, and runs the tests.
# `make help` lists the targets. Everything built goes to _build/ (priv/ for the NIF).

CC ?= cc
B := _build$(if $(SAN),/san)
WARN := -std=c11 -Wall -Wextra -Wpedantic -Wshadow $(if $(NOWERROR),,-Werror)
SANFLAGS := $(if $(SAN),-fsanitize=address$(comma)undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer)
comma := ,
CFLAGS ?= -O2 -g
ALL_CFLAGS = $(WARN) -D_POSIX_C_SOURCE=200809L -fPIC -pthread -MMD -MP $(CFLAGS) $(if $(SAN),-fsanitize=address,) $(if $(SAN),-fsanitize=undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer) $(EXTRA_CFLAGS)
LDSAN := $(if $(SAN),-fsanitize=address -fsanitize=undefined)

# shaderc: Debian 12's shared library lacks symbols, so the static one with its companions is used where
# the shared one does not link. compiler/shaderc.mk is made by asking the linker.
SHADERC_STATIC := -lshaderc_combined -lglslang -lMachineIndependent -lOSDependent -lHLSL -lOGLCompiler -lGenericCodeGen -lSPIRV -lSPIRV-Tools-opt -lSPIRV-Tools -lstdc++ -lm
SHADERC_SHORT := -lshaderc_combined -lSPIRV-Tools-opt -lSPIRV-Tools -lstdc++ -lm
SHADERC_SHARED := -lshaderc
-include $(B)/shaderc.mk
LIBS_VKC = $(SHADERC_LIBS) -ljson-c -lm -pthread
LIBS_VKR = -ldl -lm -pthread

MAIN_SRC := $(wildcard compiler/main*.c)
VKC_SRC := $(filter-out $(MAIN_SRC),$(wildcard compiler/*.c))
VKR_SRC := $(filter-out runtime/vkrun.c runtime/vkrun_%.c runtime/npy.c $(wildcard runtime/nif*.c),$(wildcard runtime/*.c))
VKRUN_SRC := $(wildcard runtime/vkrun*.c) $(wildcard runtime/npy.c)
NIF_SRC := $(wildcard runtime/nif*.c)
FORMAT_OBJ := $(B)/runtime/bundle.o $(B)/runtime/sha256.o
VKC_OBJ := $(VKC_SRC:%.c=$(B)/%.o) $(B)/embedded.o
VKR_OBJ := $(VKR_SRC:%.c=$(B)/%.o)
EMBED := $(sort $(wildcard templates/*.comp templates/*.glsl templates/math/*.glsl templates/math/INDEX shaders/*.comp))

.PHONY: all lib tools nif clean help
all: lib tools
lib: $(B)/libvkc.a $(B)/libvkr.a
tools: $(B)/vkcompile $(B)/vkrun

$(B)/%.o: %.c
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) -c -o $@ $<

# templates/ and shaders/ as arrays of bytes: C promises string literals of 4,095 characters only
$(B)/embedded.c: $(EMBED) Makefile
	@mkdir -p $(@D)
	@{ echo '#include <stddef.h>'; n=0; \
	  for f in $(EMBED); do echo "static const char file_$$n[] = {"; od -An -v -tu1 "$$f" | sed 's/  */,/g; s/^,//; s/$$/,/'; echo '0};'; n=$$((n+1)); done; \
	  echo 'const struct embedded { const char *name; const char *text; } vkc_embedded[];'; \
	  echo 'const struct embedded vkc_embedded[] = {'; n=0; \
	  for f in $(EMBED); do name=$${f#templates/}; name=$${name#shaders/}; echo "{\"$$name\", file_$$n},"; n=$$((n+1)); done; \
	  echo '{NULL, NULL}};'; } | sed '/vkc_embedded\[\];$$/d' | sed 's/^const struct embedded vkc_embedded/const struct embedded { const char *name; const char *text; } vkc_embedded/' > $@
$(B)/embedded.o: $(B)/embedded.c
	$(CC) $(ALL_CFLAGS) -c -o $@ $<

$(B)/libvkc.a: $(VKC_OBJ) $(FORMAT_OBJ)
	rm -f $@; ar rcs $@ $^
$(B)/libvkr.a: $(VKR_OBJ)
	rm -f $@; ar rcs $@ $^

$(B)/shaderc.mk:
	@mkdir -p $(@D)
	@echo 'int shaderc_compiler_initialize(void); int main(void) { return shaderc_compiler_initialize == 0; }' | sed 's/int shaderc_compiler_initialize(void)/void *shaderc_compiler_initialize(void)/; s/return shaderc_compiler_initialize == 0/return shaderc_compiler_initialize() == 0/' > $(@D)/try.c
	@for libs in "$(SHADERC_STATIC)" "$(SHADERC_SHORT)" "$(SHADERC_SHARED)"; do \
	  if $(CC) -o $(@D)/try $(@D)/try.c $$libs -pthread >/dev/null 2>&1 && $(@D)/try; then echo "SHADERC_LIBS := $$libs" > $@; exit 0; fi; done; \
	  echo "no shaderc that links was found: install libshaderc-dev, glslang-dev and spirv-tools' libraries" >&2; exit 1

$(B)/vkcompile: $(MAIN_SRC:%.c=$(B)/%.o) $(B)/libvkc.a $(B)/libvkr.a
	$(CC) $(LDSAN) -o $@ $^ $(LIBS_VKC) $(LIBS_VKR)
$(B)/vkrun: $(VKRUN_SRC:%.c=$(B)/%.o) $(B)/libvkr.a
	$(CC) $(LDSAN) -o $@ $^ $(LIBS_VKR)

clean:
	rm -rf _build priv/*.so

-include $(shell find $(B) -name '*.d' 2>/dev/null)
