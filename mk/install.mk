# `make install`, and the pkg-config files. The one in _build/pkgconfig uses the archive where it was built.
# `install-runtime` is the part that a C compiler alone can build. `uninstall` takes the same PREFIX and DESTDIR.
pc = sed 's|@PREFIX@|$(2)|; s|@LIBDIR@|$(3)|; s|@INCLUDEDIR@|$(4)|; s|@VERSION@|$(VERSION)|; \
     s|@LIBS_VKR@|$(LIBS_VKR)|; s|@LIBS_VKC@|$(LIBS_VKC)|' mk/$(1).pc.in
to := $(DESTDIR)$(PREFIX)

install: all install-runtime            ## to $(DESTDIR)$(PREFIX): tools, libraries, headers, pkg-config files
	@install -m 755 $(B)/vkcompile $(to)/bin
	@install -m 644 $(B)/lib/libvkc.a $(to)/lib
	@install -m 644 compiler/vkc.h $(to)/include
	@$(call pc,vkc,$(PREFIX),$${prefix}/lib,$${prefix}/include) > $(to)/lib/pkgconfig/vkc.pc
	@echo "installed to $(to): bin/vkcompile lib/libvkc.a include/vkc.h lib/pkgconfig/vkc.pc"
install-runtime: runtime                ## the same without the compiler: libvkr and vkrun
	@install -d $(to)/bin $(to)/include $(to)/lib/pkgconfig
	@install -m 755 $(B)/vkrun $(to)/bin
	@install -m 644 $(B)/lib/libvkr.a $(to)/lib
	@install -m 755 $(B)/solib/$(SONAME) $(to)/lib
	@ln -sf $(SONAME) $(to)/lib/$(SOLINK)
	@install -m 644 runtime/vkr.h $(to)/include
	@$(call pc,vkr,$(PREFIX),$${prefix}/lib,$${prefix}/include) > $(to)/lib/pkgconfig/vkr.pc
	@echo "installed to $(to): bin/vkrun include/vkr.h lib/libvkr.a lib/$(SONAME) lib/$(SOLINK) lib/pkgconfig/vkr.pc"
uninstall:                              ## what both have installed, and no folder
	rm -f $(addprefix $(to)/,bin/vkcompile bin/vkrun lib/libvkc.a lib/libvkr.a lib/$(SONAME) lib/$(SOLINK) \
	  include/vkc.h include/vkr.h lib/pkgconfig/vkc.pc lib/pkgconfig/vkr.pc)

$(B)/pkgconfig/vkr.pc: mk/vkr.pc.in $(B)/lib/libvkr.a
	@mkdir -p $(@D)
	@$(call pc,vkr,$(CURDIR),$${prefix}/$(B)/lib,$${prefix}/runtime) > $@
