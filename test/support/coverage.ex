defmodule Nx.Vulkan.Test.Coverage do
  @moduledoc """
  The table of ops and types in `lib/COVERAGE.md`. Each cell is compiled for the portable baseline.
  """

  alias Nx.Defn.{Composite, Expr, Tree}
  alias Nx.Tensor, as: T
  alias Nx.Vulkan.{Bundle, Options, Serializer}
  alias Nx.Vulkan.Test.Cases

  @path Path.expand("../../lib/COVERAGE.md", __DIR__)
  def path, do: @path

  @groups [{:ops, "Ops"}, {:blocks, "Blocks"}, {:control, "Control flow and effects"}]

  @doc "`{group, name, cells}` for each row; a cell is `:compiled`, `:resolved`, `{:nx, reason}` or `{:ours, reason}`."
  def rows do
    cases =
      for({op, fun, operands} <- Cases.ops(), do: {:ops, op, fun, operands}) ++
        for({block, fun, operands} <- Cases.blocks(), do: {:blocks, block, fun, operands}) ++
        for {node, fun, operands} <- Cases.control(), do: {:control, node, fun, operands}

    cases
    |> Task.async_stream(
      fn {group, name, fun, operands} -> {group, name, Enum.map(Cases.types(), &cell(name, fun, operands, &1))} end,
      timeout: :infinity
    )
    |> Enum.map(fn {:ok, row} -> row end)
  end

  @doc "The page, from the rows."
  def page(rows) do
    {rows, {reasons, _}} = Enum.map_reduce(rows, {%{}, 0}, &note/2)

    tables =
      for {group, title} <- @groups,
          do: ["\n## #{title}\n\n", table(for {^group, name, cells} <- rows, do: {name, cells})]

    notes = for {reason, letter} <- Enum.sort_by(reasons, &elem(&1, 1)), do: "- #{letter}: #{reason}\n"
    IO.iodata_to_binary([head(), tables, "\n## What Nx refuses\n\n", notes, storage()])
  end

  defp cell(name, fun, operands, type) do
    templates = Enum.map(operands, &template(&1, type))
    expr = Nx.Defn.debug_expr_apply(fun, templates)

    if present?(Composite.flatten_list([expr]), name, MapSet.new()) do
      {graph, _} = Serializer.trace(fun, templates, name: "coverage")
      Bundle.compile(graph, %Options{cache_dir: ""}, nil)
      :compiled
    else
      :resolved
    end
  rescue
    e in [Nx.Vulkan.CompileError, Nx.Vulkan.Error] -> {:ours, Exception.message(e)}
    e -> {:nx, reason(Exception.message(e))}
  end

  defp template({shape, type}, _) when is_tuple(shape), do: Nx.template(shape, type)
  defp template(shape, type), do: Nx.template(shape, type)

  # Whether the expressions have a node of that op, or a block of that struct.
  defp present?([], _name, _seen), do: false

  defp present?([%T{data: %Expr{id: id, op: op, args: args}} = t | rest], name, seen) do
    cond do
      op == name or (op == :block and is_struct(hd(args), name)) ->
        true

      id in seen ->
        present?(rest, name, seen)

      true ->
        {_, operands} = Tree.apply_args(t, :scope, [], &{&1, [&1 | &2]})
        present?(operands ++ rest, name, MapSet.put(seen, id))
    end
  end

  # one reason for all types
  defp reason(message) do
    message
    |> String.split("\n")
    |> hd()
    |> String.replace(~r/^\S+\.ex:\d+: /, "")
    |> String.replace(~r/^Nx\.(LinAlg\.)?\w+\/\d+ /, "it ")
    |> String.replace(~r/\{:\w+, \d+\}/, "T")
    |> String.replace(~r/\b(c|f|s|u)(8|16|32|64|128)\b/, "T")
  end

  defp note({group, name, cells}, acc) do
    {cells, acc} =
      Enum.map_reduce(cells, acc, fn
        {:nx, reason}, {reasons, count} ->
          case reasons do
            %{^reason => letter} -> {letter, {reasons, count}}
            %{} -> {<<?a + count>>, {Map.put(reasons, reason, <<?a + count>>), count + 1}}
          end

        {:ours, _}, acc ->
          {"MISSING", acc}

        :compiled, acc ->
          {"+", acc}

        :resolved, acc ->
          {"=", acc}
      end)

    {{group, name, cells}, acc}
  end

  defp table(rows) do
    names = Enum.map(Cases.types(), &short/1)
    line = fn cells -> ["| ", Enum.intersperse(cells, " | "), " |\n"] end
    rule = line.(["---" | Enum.map(names, fn _ -> ":-:" end)])
    [line.(["" | names]), rule | for({name, cells} <- rows, do: line.([label(name) | cells]))]
  end

  defp label(name), do: name |> inspect() |> String.trim_leading(":") |> String.replace_prefix("Nx.Block.", "")
  defp short({:f8_e4m3fn, 8}), do: "e4m3"
  defp short({kind, size}), do: "#{kind}#{size}"

  defp head do
    """
    # Ops and types

    Made by `make coverage`; a test compares it with what the compiler does. Every callback of `Nx.Backend` that computes, every
    block, and the nodes of control flow, with operands of each type:

    - `+` compiles, for the portable baseline and so for every device
    - `=` is resolved by Nx before a compiler sees it, like the `floor` of an integer
    - a letter: Nx itself refuses it, in these words, with every backend

    Nothing else occurs: what Nx allows, compiles. e4m3 is `f8_e4m3fn`, f8 the type with five bits of exponent.
    """
  end

  @storage [
    init: "checks `:device`",
    constant: "all types; the number is rounded to nearest even",
    from_binary: "all types; elements under 8 bits take a byte on the device",
    to_binary: "all types; reads what was asked for",
    to_batched: "slices, lazily",
    inspect: "reads what is shown",
    backend_copy: "on the device; through the host between devices and backends",
    backend_transfer: "keeps the buffer within a device",
    backend_deallocate: "frees at once",
    from_pointer: "`:local`: memory of another tensor, or of the host with VK_EXT_external_memory_host; only read",
    to_pointer: "`:local`, where the host sees the device's memory"
  ]

  @doc "What is said about the callbacks that compute nothing."
  def storage_notes, do: @storage

  defp storage do
    lines = for {name, text} <- @storage, do: "| #{name} | #{text} |\n"
    ["\n## Storage\n\n| callback | |\n| --- | --- |\n", lines]
  end
end
