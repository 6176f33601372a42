# Faults put into the sources, to see whether the tests notice. test/mutate/README.md says how.
.PHONY: mutate
mutate:                                 ## faults in the sources: what the tests notice of them; MUTATE="--area=run --jobs=2 --time=600"
	@CC="$(CC)" python3 test/mutate/mutate.py $(MUTATE)
