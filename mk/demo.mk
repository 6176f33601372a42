# What shows and measures, and the check on machines with nothing on them.
demo:                                   ## installs what is missing, builds, trains a network on digits
	@.ci/packages build || echo "Going on with what is there."
	@$(MAKE) -s $(PARALLEL) all $(B)/pkgconfig/vkr.pc
	@CC="$(CC)" MAKE="$(MAKE)" SANFLAGS="$(SANFLAGS)" sh examples/digits/demo.sh $(B)
check-fresh:                            ## the README's commands in empty Debian 12 and 13 systems; as root
	sh mk/fresh.sh trixie bookworm
bench: all $(B)/test/bench/bench $(B)/test/bench/calls ## kernels, bytes, compile time and latency on this machine's device
	@$(B)/test/bench/bench $(sort $(wildcard test/graphs/*.json))
