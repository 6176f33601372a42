# The sweep: sizes around every threshold of every schedule, device against interpreter. See test/sweep/README.md.
SWEEP := $(B)/test/sweep/sweep
$(SWEEP).o: ALL_CFLAGS += -Iruntime
$(SWEEP): $(SWEEP).o $(KEEP_LOADED) $(B)/test/libtest.a $(LIBRARIES)
	$(CC) $(SANFLAGS) $(SAN_LINK) $(LDFLAGS) -o $@ $^ $(LINKED) $(LIBS_VKC) $(LIBS_VKR)

.PHONY: sweep
test-programs: $(SWEEP)
sweep: $(SWEEP)                         ## every kernel family at the sizes around its thresholds, up to an hour; SWEEP_OPTIONS=--seed=3: a part
	$(SWEEP) $(SWEEP_OPTIONS)
