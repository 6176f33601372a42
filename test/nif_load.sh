#!/bin/sh
# nif_load.sh FILE: the NIF at FILE.so loads into a BEAM, found out with Erlang alone. A module that lacks
# the NIF's functions is refused only after the library was loaded, all its symbols bound.
cat > "${TMPDIR:-/tmp}/nif_load.$$" << 'END'
main([Path]) ->
    Text = ["-module('Elixir.Nx.Vulkan.NIF').", "-export([load/1]).", "load(Path) -> erlang:load_nif(Path, 0)."],
    Forms = [begin {ok, T, _} = erl_scan:string(L), {ok, F} = erl_parse:parse_form(T), F end || L <- Text],
    {ok, Module, Code} = compile:forms(Forms, []),
    {module, Module} = code:load_binary(Module, "none", Code),
    case Module:load(Path) of
        {error, {bad_lib, _}} -> io:format("1 passed, 0 failed, 0 skipped~n");
        Other -> io:format("~p~n0 passed, 1 failed, 0 skipped~n", [Other]), halt(1)
    end.
END
printf '#!/usr/bin/env escript\n' | cat - "${TMPDIR:-/tmp}/nif_load.$$" > "${TMPDIR:-/tmp}/nif_load.$$.escript"
escript "${TMPDIR:-/tmp}/nif_load.$$.escript" "$1"
status=$?
rm -f "${TMPDIR:-/tmp}/nif_load.$$" "${TMPDIR:-/tmp}/nif_load.$$.escript"
exit $status
