# `make install`, and the pkg-config files. The one in _build/pkgconfig uses the library where it was built.
pc = sed 's|@PREFIX@|$(2)|; s|@LIBDIR@|$(3)|; s|@INCLUDEDIR@|$(4)|; s|@VERSION@|$(VERSION)|; s|@LIBS_VKR@|$(LIBS_VKR)|; s|@LIBS_VKC@|$(LIBS_VKC)|' mk/$(1).pc.in
to := $(DESTDIR)$(PREFIX)

install: all                            ## to $(DESTDIR)$(PREFIX): tools, libraries, headers, pkg-config files
	install -d $(to)/bin $(to)/include $(to)/lib/pkgconfig
	install -m 755 $(B)/vkcompile $(B)/vkrun $(to)/bin
	install -m 644 $(B)/libvkc.a $(B)/libvkr.a $(to)/lib
	install -m 644 compiler/vkc.h runtime/vkr.h $(to)/include
	$(call pc,vkr,$(PREFIX),$${prefix}/lib,$${prefix}/include) > $(to)/lib/pkgconfig/vkr.pc
	$(call pc,vkc,$(PREFIX),$${prefix}/lib,$${prefix}/include) > $(to)/lib/pkgconfig/vkc.pc

$(B)/pkgconfig/vkr.pc: mk/vkr.pc.in $(B)/libvkr.a
	@mkdir -p $(@D)
	$(call pc,vkr,$(CURDIR),$${prefix}/$(B),$${prefix}/runtime) > $@
