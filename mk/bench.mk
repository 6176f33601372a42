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

# The same for the CPU device, beside NumPy and its BLAS: test/bench/cpu/README.md. What is set of OpenBLAS's choice of
# kernels is left out, so that it takes those of the processor. BENCH='--only=svd --rounds=9'
.PHONY: bench-cpu
bench-cpu: all                          ## lavapipe beside NumPy, OpenBLAS and LAPACK in one run
	@ERL_LIBS=$${ERL_LIBS:-/usr/local/lib/elixir-libs} MIX_ENV=test CPU=1 SMALL= \
	  mix run --no-start test/bench/peers.exs $(B)/bench-cpu
	@env -u OPENBLAS_CORETYPE -u OPENBLAS_L2_SIZE $(if $(filter python3,$(PYTHON)),/usr/bin/python3,$(PYTHON)) \
	  test/bench/cpu/bench_cpu.py $(B) $(B)/bench-cpu $(BENCH)
