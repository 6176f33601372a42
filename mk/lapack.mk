# LAPACK's test ratios of what is compiled, on the device at hand: test/lapack/README.md. It needs libtmglib.
LAPACK := $(B)/test/lapack/lapack
LAPACK_OBJECTS := $(call objects,$(wildcard test/lapack/*.c) runtime/npy.c)
LIBS_LAPACK ?= -ltmglib -llapack -lblas
$(LAPACK_OBJECTS): ALL_CFLAGS += -Iruntime
$(LAPACK): $(LAPACK_OBJECTS) $(KEEP_LOADED) $(B)/libvkr.a
	$(CC) $(SANFLAGS) $(SAN_LINK) $(LDFLAGS) -o $@ $^ $(LIBS_LAPACK) $(LIBS_VKR)

.PHONY: lapack
lapack: all $(LAPACK)                   ## LAPACK's test ratios of every decomposition, type and size; LAPACK_PART=small, 3/50
	@B=$(B) sh test/lapack/run.sh $(or $(LAPACK_PART),small)
