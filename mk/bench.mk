# The speed table: test/bench/gpu/README.md. The first half needs Elixir and shaderc and no GPU, the second the reverse.
#   TARGET=nvidia for which bundles are (default: the device at hand); SMALL=1 for sizes that a CPU can do;
#   PYTHON=/usr/bin/python3 one that has NumPy; BENCH='--only=matmul --no-peers' options of bench_gpu.py
PYTHON ?= python3
.PHONY: bench-gpu bench-gpu-pack
bench-gpu-pack: all                     ## the folder that bench-gpu runs, for another machine: TARGET=nvidia
	@rm -rf $(B)/bench-gpu && mkdir -p $(B)/bench-gpu
	@ERL_LIBS=$${ERL_LIBS:-/usr/local/lib/elixir-libs} MIX_ENV=test SMALL=$(SMALL) \
	  mix run --no-start test/bench/peers.exs $(B)/bench-gpu/graphs
	@$(PYTHON) test/bench/gpu/pack.py $(B) $(B)/bench-gpu $(B)/bench-gpu/graphs $(or $(TARGET),host)
bench-gpu: bench-gpu-pack               ## the speed table beside XLA and torch: table.md, results.jsonl, roofline.svg
	@$(PYTHON) $(B)/bench-gpu/bench_gpu.py $(BENCH)
