# Tests that make each allocation of the libraries fail: test/oom/README.md. They have libraries of their own, whose
# allocations go through test/oom/oom.c, and whose arena has a block for each of its allocations.
OOM := $(B)/test/oom
OOM_LIB := $(patsubst %.c,$(OOM)/%.o,$(sort $(VKC_SRC) $(VKR_SRC)))
OOM_SHARED := $(call objects,$(filter-out %_test.c,$(wildcard test/oom/*.c)))
OOM_TESTS := $(patsubst %.c,$(B)/%,$(wildcard test/oom/*_test.c))
# oom.c walks over the frames of who allocates
OOM_FRAMES := -fno-inline -fno-omit-frame-pointer -fno-optimize-sibling-calls
OOM_FLAGS := -DARENA_BLOCK=16 -include test/oom/redirect.h $(OOM_FRAMES)
$(addprefix $(OOM)/,compiler/base/arena.o compiler/base/str.o runtime/error.o): OOM_FLAGS += -DOOM_NO_PLACES
$(OOM_SHARED) $(OOM_TESTS:=.o): ALL_CFLAGS += -Iruntime
$(OOM_LIB): $(OOM)/%.o: %.c Makefile mk/oom.mk
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) $(OOM_FLAGS) -c -o $@ $<
# What allocates and is not in redirect.h may not be used.
OOM_UNKNOWN := malloc calloc realloc reallocarray strdup strndup aligned_alloc posix_memalign memalign mmap fopen \
               fdopen freopen tmpfile open_memstream fmemopen opendir fdopendir scandir getline getdelim asprintf \
               vasprintf realpath pthread_create
$(OOM)/checked: $(OOM_LIB)
	@if nm -u $^ | grep -w -E '$(subst $() ,|,$(strip $(OOM_UNKNOWN)))'; then \
	  echo 'test/oom/redirect.h does not have it'; exit 1; fi
	@touch $@
$(OOM_TESTS): $(B)/%: $(B)/%.o $(OOM_SHARED) $(KEEP_LOADED) $(B)/test/libtest.a $(OOM_LIB) $(B)/embedded.o \
               $(B)/sources.o $(OOM)/checked
	$(CC) $(SANFLAGS) $(SAN_LINK) $(LDFLAGS) -o $@ $(filter %.o,$^) $(B)/test/libtest.a $(LIBS_VKC) $(LIBS_VKR)
test-programs: $(OOM_TESTS)
