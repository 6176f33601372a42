# How compile time and memory grow with the graph: test/scale/README.md.
.PHONY: scale
scale: $(B)/vkcompile                   ## CPU seconds and memory of compiles from 1,000 to 100,000 nodes, with exponents
	@python3 test/scale/measure.py $(B)/vkcompile $(SCALE_NODES)
