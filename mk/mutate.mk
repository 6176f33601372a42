# Faults put into the sources, to see whether the tests notice. test/mutate/README.md says how.
.PHONY: mutate
mutate:                                 ## faults in the sources, which tests notice; MUTATE="--area=run --jobs=2"
	@CC="$(CC)" python3 test/mutate/mutate.py $(MUTATE)
