defmodule Nx.Vulkan.CoverageTest do
  use ExUnit.Case, async: true

  alias Nx.Vulkan.Test.{Cases, Coverage}

  test "every callback of a backend has a row" do
    callbacks = for {name, _} <- Nx.Backend.behaviour_info(:callbacks), name != :block, do: name
    ops = for {op, _, _} <- Cases.ops(), do: op
    assert Enum.sort(ops ++ Keyword.keys(Coverage.storage_notes())) == Enum.sort(callbacks)
  end

  test "every block has a row" do
    {:ok, modules} = :application.get_key(:nx, :modules)
    blocks = for module <- modules, String.starts_with?(Atom.to_string(module), "Elixir.Nx.Block."), do: module
    assert Enum.sort(for {block, _, _} <- Cases.blocks(), do: block) == Enum.sort(blocks)
  end

  @tag :native
  test "what Nx allows compiles, and lib/COVERAGE.md says so" do
    rows = Coverage.rows()

    missing =
      for {_, name, cells} <- rows, {{:ours, reason}, type} <- Enum.zip(cells, Cases.types()), do: {name, type, reason}

    assert missing == []
    assert Coverage.page(rows) == File.read!(Coverage.path()), "lib/COVERAGE.md is stale: make coverage"
  end
end
