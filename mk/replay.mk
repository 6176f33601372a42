# What the compiler emits, compared with another commit: test/replay/README.md.
$(B)/test/replay/emit.o: ALL_CFLAGS += -Iruntime
$(B)/test/replay/emit: $(B)/test/replay/emit.o $(B)/libvkc.a
	$(CC) $(SANFLAGS) $(LDFLAGS) -o $@ $^ $(LIBS_VKC)

.PHONY: replay
replay: all $(B)/test/sweep/sweep  ## what the compiler emits, compared with a commit: BASE=..., REPLAY_GRAPHS=FOLDER
	@B=$(B) CC="$(CC)" MAKE="$(MAKE)" BASE=$(BASE) sh test/replay/run.sh $(REPLAY_GRAPHS)
test-programs: $(B)/test/replay/emit
