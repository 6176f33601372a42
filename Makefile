# Builds libvkc and vkcompile (compiler/), libvkr and vkrun (runtime/), the NIF, and runs the tests.
# `make help` lists the targets. Everything built goes to _build/.
#   SAN=1 address and undefined behaviour sanitizers; CC=clang; NOWERROR=1; VALIDATE=1 for the tests
#   NO_SHADERC=1 a compiler that stops at GLSL, for C libraries that shaderc is not built with: CC=musl-gcc
#   SHARED=1 programs that take the libraries as shared objects (make mutate links these only)

PREFIX ?= /usr/local
CC ?= cc
CFLAGS ?= -O2 -g
, := ,
SUFFIX := $(if $(findstring clang,$(CC)),/clang)$(if $(findstring musl,$(CC)),/musl)$(if $(SAN),/san)
SUFFIX := $(SUFFIX)$(if $(SHARED),/shared)$(if $(NO_SHADERC),/no_shaderc)
B := _build$(SUFFIX)
VERSION := $(shell sed -n 's/^.define VKR_VERSION "\(.*\)"/\1/p' runtime/vkr.h)

WARN := -Wall -Wextra -Wpedantic -Wshadow $(if $(NOWERROR),,-Werror)
SANFLAGS := $(if $(SAN),-fsanitize=address$(,)undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer)
ALL_CFLAGS = -std=c11 -D_POSIX_C_SOURCE=200809L $(WARN) -fPIC -pthread -MMD -MP $(CFLAGS) $(SANFLAGS)

# Shaderc is looked for unless all goals do without it.
WITHOUT_SHADERC := clean help folder demo test check-fresh mutate runtime install-runtime uninstall $(B)/vkrun \
                   $(B)/lib/libvkr% $(B)/solib/%
ifneq ($(if $(NO_SHADERC),,$(filter-out $(WITHOUT_SHADERC),$(or $(MAKECMDGOALS),all))),)
include $(B)/shaderc.mk                 # SHADERC_LIBS: how it links here, found by mk/shaderc.sh
endif
LIBS_VKC = $(SHADERC_LIBS) -lm -pthread
LIBS_VKR = -ldl -lm -pthread
# What programs are linked with. Nothing has to be linked again when a shared library changes. They find it from where
# they are, so that a copy of the tree has its own: in $(B) and $(B)/test/NAME.
LIBRARIES := $(if $(SHARED),| $(B)/libvkc.so $(B)/libvkr.so,$(B)/libvkc.a $(B)/libvkr.a)
LINKED := $(if $(SHARED),-L$(B) '-Wl$(,)-rpath$(,)$$ORIGIN:$$ORIGIN/../..' -lvkc -lvkr)

COMPILER := $(sort $(shell find compiler -name '*.c'))
RUNTIME := $(wildcard runtime/*.c)
VKCOMPILE_SRC := $(filter compiler/driver/main%,$(COMPILER))
VKRUN_SRC := $(filter runtime/vkrun% runtime/npy%,$(RUNTIME))
NIF_SRC := $(filter runtime/nif%,$(RUNTIME))
KEEP_LOADED := $(if $(SAN),$(B)/test/keep_loaded.o) # in programs, test/keep_loaded.c says why
SAN_LINK := $(if $(SAN),-Wl$(,)--export-dynamic-symbol=dlclose)
VKC_SRC := $(filter-out $(VKCOMPILE_SRC) compiler/pack/spirv$(if $(NO_SHADERC),,_none).c,$(COMPILER)) \
	runtime/bundle.c runtime/bundle_kernels.c runtime/bundle_reader.c runtime/private_folder.c runtime/sha256.c
VKR_SRC := $(filter-out $(VKRUN_SRC) $(NIF_SRC),$(RUNTIME))
EMBED := $(sort $(wildcard templates/*.comp $(addprefix shaders/,*.glsl math/*.glsl math/INDEX)))
objects = $(patsubst %.c,$(B)/%.o,$(1))
# What the libraries export is what vkc.h and vkr.h declare. Programs that take them as shared objects, see SHARED, use
# the rest, too.
ifndef SHARED
$(sort $(call objects,$(VKC_SRC) $(VKR_SRC))) $(B)/embedded.o $(B)/sources.o: ALL_CFLAGS += -fvisibility=hidden
endif

.PHONY: all lib tools nif install test demo bench check-fresh format sizes clean folder help
all: lib tools                          ## the libraries and the tools (default)
lib: $(B)/lib/libvkc.a $(B)/lib/libvkr.a $(B)/solib/libvkr.so ## libvkc.a, libvkr.a and libvkr.so
tools: $(B)/vkcompile $(B)/vkrun        ## vkcompile and vkrun

# Files of compiler/ are included by their path there: "ir/ir.h".
$(B)/compiler/%.o $(B)/test/%.o: ALL_CFLAGS += -iquote . -iquote compiler
$(B)/%.o: %.c Makefile
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) -c -o $@ $<
$(B)/embedded.o $(B)/sources.o: %.o: %.c Makefile
	$(CC) $(ALL_CFLAGS) -iquote . -iquote compiler -c -o $@ $<
# Part of the cache's key: another compiler, whatever its version says, finds none of this one's bundles.
$(B)/sources.c: $(sort $(COMPILER) $(shell find compiler -name '*.h' -o -name '*.def') runtime/bundle.h)
	@mkdir -p $(@D)
	@cat $^ | cksum | awk '{ print "extern const char vkc_sources[];\nconst char vkc_sources[] = \"" $$1 "-" $$2 "\";" }' > $@
$(B)/embedded.c: mk/embed.sh mk/library.awk $(EMBED) shaders/math/widen.sed
	@mkdir -p $(@D)
	@sh mk/embed.sh $(EMBED) > $@
$(B)/shaderc.mk: mk/shaderc.sh
	@mkdir -p $(@D)
	@sh mk/shaderc.sh "$(CC)" $(@D) > $@.tmp && mv $@.tmp $@

$(B)/libvkc.a: $(call objects,$(VKC_SRC)) $(B)/embedded.o $(B)/sources.o
$(B)/libvkr.a: $(call objects,$(VKR_SRC))
%.a:
	@rm -f $@
	ar rcsD $@ $(filter %.o,$^)
$(B)/libvkc.so: $(call objects,$(VKC_SRC)) $(B)/embedded.o $(B)/sources.o
	$(CC) -shared $(SANFLAGS) $(LDFLAGS) -Wl,-soname,$(@F) -o $@ $^ $(LIBS_VKC)
$(B)/libvkr.so: $(call objects,$(VKR_SRC))
	$(CC) -shared $(SANFLAGS) $(LDFLAGS) -Wl,-soname,$(@F) -o $@ $^ $(LIBS_VKR)
$(B)/vkcompile: $(call objects,$(VKCOMPILE_SRC)) $(KEEP_LOADED) $(LIBRARIES)
	$(CC) $(SANFLAGS) $(SAN_LINK) $(LDFLAGS) -o $@ $^ $(LINKED) $(LIBS_VKC) $(LIBS_VKR)
$(B)/vkrun: $(call objects,$(VKRUN_SRC)) $(KEEP_LOADED) $(or $(filter |,$(LIBRARIES)),$(B)/libvkr.a) \
             $(filter %.so,$(LIBRARIES))
	$(CC) $(SANFLAGS) $(SAN_LINK) $(LDFLAGS) -o $@ $^ $(LINKED) $(LIBS_VKR)

include $(wildcard mk/*.mk)

sizes: $(B)/libvkc.a $(B)/libvkr.a      ## files over 600 lines, bytes of the stripped libraries
	@find compiler runtime -name '*.[ch]' | xargs wc -l | awk '$$1 > 600 && $$2 != "total"'
	@for lib in libvkc libvkr; do strip --strip-unneeded -o $(B)/$$lib.stripped $(B)/$$lib.a; \
	  size -t $(B)/$$lib.stripped | awk -v n=$$lib 'END { print n ": " $$4 " bytes" }'; rm -f $(B)/$$lib.stripped; done
clean:                                  ## remove what was built
	rm -rf _build/[!f]* priv
folder:                                 ## prints where what is built with these settings goes
	@echo $(B)
help:                                   ## this list
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1|\2/p' Makefile mk/*.mk | awk -F'|' '{ printf "%-20s %s\n", $$1, $$2 }'
	@sed -n 's/^#   \(.*\)/  \1/p' Makefile

-include $(shell find $(B) \( -name fresh -o -path $(B)/mutate -o -path $(B)/replay \) -prune -o -type f -name '*.d' -print 2>/dev/null)
