# The tests. A *_test.c or *_fuzz.c is a program; the other files next to them are shared, as libtest.a, and so are the
# cases of the sweep.
# test/runtime and test/numerics have Makefiles of their own. test/run runs them all.
TEST_ALL := $(wildcard $(patsubst %,test/%/*.c,front passes fuzz e2e watch machine shaders))
TEST_SRC := $(filter-out test/fuzz/bundle_fuzz.c $(if $(NO_SHADERC),test/shaders/sizes_test.c),$(filter %_test.c %_fuzz.c,$(TEST_ALL)))
TEST_SHARED := $(call objects,$(filter-out %_test.c %_fuzz.c,$(TEST_ALL)) runtime/npy.c compiler/driver/main_host.c \
	$(filter-out test/sweep/sweep.c,$(wildcard test/sweep/*.c)))
TESTS := $(TEST_SRC:%.c=$(B)/%) $(B)/test/bench/bench $(B)/test/bench/calls \
	$(B)/test/random/oracle
$(TESTS:=.o) $(TEST_SHARED): ALL_CFLAGS += -Iruntime
$(B)/test/libtest.a: $(TEST_SHARED) mk/test.mk # whose list it is
$(TESTS): $(B)/%: $(B)/%.o $(KEEP_LOADED) $(B)/test/libtest.a $(LIBRARIES)
	$(CC) $(SANFLAGS) $(SAN_LINK) $(LDFLAGS) -o $@ $^ $(LINKED) $(LIBS_VKC) $(LIBS_VKR)

# One job a core, unless there was a -j.
PARALLEL = $(if $(findstring -j,$(MAKEFLAGS)),,-j$(shell getconf _NPROCESSORS_ONLN || echo 1))
.PHONY: check format test test-all test-programs tsan fuzz coverage bless
QUICK := front passes fuzz cli/format cli/vkcompile cli/tour runtime/bundle_test runtime/npy_test runtime/plan_test e2e/structure mutate
check: all                              ## builds what changed, runs what compiles nothing for a device: under a minute
	@B=$(B) CC="$(CC)" SAN=$(SAN) NO_SHADERC=$(NO_SHADERC) MAKE="$(MAKE)" FUZZ_ROUNDS=20 test/run $(QUICK)
format:                                 ## lays out the C sources as .clang-format says; clang-format 14
	find compiler runtime test examples -path runtime/vk -prune -o -name '*.[ch]' -print | xargs clang-format -i
test:                                   ## installs what is missing, runs every suite; `test/run NAME ...` runs some
	@.ci/packages test || echo "Going on with what is there."
	@$(MAKE) --no-print-directory $(PARALLEL) test-all
test-all: test-programs
	@B=$(B) CC="$(CC)" SAN=$(SAN) VALIDATE=$(VALIDATE) MAKE="$(MAKE)" test/run
test-programs: all $(TESTS)
FUZZ_GRAPH ?= test/graphs/digits_step_sgd.json
FUZZ_ROUNDS ?= 10000
fuzz: test-programs                     ## with SAN=1: a graph and its bundle, every truncation and 10,000 corruptions
	@$(MAKE) -s -C test/runtime B=$(CURDIR)/$(B)/test/runtime CC="$(CC)" SAN=$(SAN) all
	$(B)/test/fuzz/json_fuzz $(FUZZ_ROUNDS) $(FUZZ_GRAPH)
	$(B)/vkcompile --quiet $(FUZZ_GRAPH) -o $(B)/fuzz.vkb
	$(B)/test/runtime/bundle_fuzz $(B)/fuzz.vkb $(FUZZ_ROUNDS)
coverage: nif                           ## rewrite lib/COVERAGE.md, the table of ops and types
	ERL_LIBS=$${ERL_LIBS:-/usr/local/lib/elixir-libs} MIX_ENV=test mix run test/coverage.exs
bless: test-programs                    ## rewrite the golden files and the tables of costs, for review in git diff
	$(B)/test/front/golden_test --bless test/ir/*.t test/errors/*.t
	$(B)/test/passes/golden_test --bless test/passes/golden/*.t
	$(B)/test/passes/cost_test --bless test/graphs/*.json
	$(B)/test/passes/case_cost_test --bless
tsan:                                   ## the runtime's tests with threads, under the thread sanitizer
	@$(MAKE) -s -C test/runtime B=$(CURDIR)/_build/tsan CC="$(CC)" TSAN=1 check-threads
numerics:                               ## errors of every function, type and device in a table; FULL=1 tries every float, for hours
	@$(MAKE) -s -C test/numerics OUT="$(CURDIR)/$(B)/test/numerics" CC="$(CC)" SHADERC="$(SHADERC_LIBS)"
	@$(B)/test/numerics/numerics --device=all --table $(if $(FULL),--stride=1 --count=2000000,--stride=499 --count=50000)
