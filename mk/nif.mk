# The NIF: both libraries in one shared object that exports nif_init and nothing else. Mix says where it goes and
# which headers it is for (mk/nif.exs); by default those are the headers of the erl on the path.
# not in a folder called priv: Mix copies that one over what it builds itself
NIF ?= $(B)/nx_vulkan.so
ERTS_INCLUDE_DIR ?= $(shell erl -noshell -eval 'io:format("~s/erts-~s/include", [code:root_dir(), erlang:system_info(version)]), halt().' 2>/dev/null)
exports := $(if $(filter Darwin,$(shell uname -s)),-undefined dynamic_lookup -Wl$(,)-exported_symbol$(,)_nif_init,-Wl$(,)--version-script=mk/nif.map)

nif: $(NIF)                             ## the library that Elixir loads
$(call objects,$(NIF_SRC)): ALL_CFLAGS += -I$(ERTS_INCLUDE_DIR)
$(NIF): $(call objects,$(NIF_SRC)) mk/nif.map $(LIBRARIES)
	@mkdir -p $(@D)
	$(CC) -shared $(SANFLAGS) $(LDFLAGS) -o $@ $(filter-out %.map,$^) $(LINKED) $(LIBS_VKC) $(LIBS_VKR) $(exports)
