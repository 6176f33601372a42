# The libraries as others get them. The archives in $(B) itself are for our own programs, which use more than the
# headers declare. In these every other name is local, so that a program may have a pool_alloc of its own: what is
# hidden in the one object that an archive holds becomes local, by objcopy, or on macOS by the linker.
ABI := $(shell sed -n 's/^.define VKR_ABI \([0-9]*\)$$/\1/p' runtime/vkr.h)
OBJCOPY ?= objcopy
DARWIN := $(filter Darwin,$(shell uname -s))
SONAME := libvkr$(if $(DARWIN),.$(ABI).dylib,.so.$(ABI))
SOLINK := libvkr$(if $(DARWIN),.dylib,.so)
SOFLAG := $(if $(DARWIN),-install_name$(,)@rpath/,-soname$(,))$(SONAME)

$(B)/lib/libvkc.a: $(B)/lib/vkc.o
$(B)/lib/libvkr.a: $(B)/lib/vkr.o
$(B)/lib/vkc.o: $(call objects,$(VKC_SRC)) $(B)/embedded.o $(B)/sources.o
$(B)/lib/vkr.o: $(call objects,$(VKR_SRC))
$(B)/lib/vkc.o $(B)/lib/vkr.o:
	@mkdir -p $(@D)
	$(CC) -r -nostdlib -o $@ $^
	$(if $(DARWIN),,$(OBJCOPY) --localize-hidden $@)
$(B)/solib/$(SONAME): $(call objects,$(VKR_SRC))
	@mkdir -p $(@D)
	$(CC) -shared $(SANFLAGS) $(LDFLAGS) -Wl,$(SOFLAG) -o $@ $^ $(LIBS_VKR)
$(B)/solib/$(SOLINK): $(B)/solib/$(SONAME)
	ln -sf $(SONAME) $@
$(B)/examples/digits/train: examples/digits/train.c $(B)/lib/libvkr.a
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) -Iruntime $(LDFLAGS) -o $@ $< $(B)/lib/libvkr.a $(LIBS_VKR)

.PHONY: runtime install-runtime uninstall
runtime: $(B)/vkrun                     ## libvkr, vkrun and the C example: needs a C compiler and no package
runtime: $(B)/lib/libvkr.a $(B)/solib/$(SOLINK) $(B)/examples/digits/train $(B)/pkgconfig/vkr.pc
