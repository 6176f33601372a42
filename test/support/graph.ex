defmodule Nx.Vulkan.Test.Graph do
  @moduledoc "Serialized functions as Elixir terms."

  alias Nx.Vulkan.Serializer

  @doc "The JSON of a function, decoded: maps with string keys."
  def of(fun, templates, opts \\ []) do
    {graph, _} = Serializer.trace(fun, templates, opts)
    decode(IO.iodata_to_binary(graph.json))
  end

  @doc "The nodes of function `index`."
  def nodes(graph, index \\ 0), do: Enum.at(graph["funcs"], index)["nodes"]

  @doc "The names of the ops of function `index`, in order, without parameters and constants."
  def ops(graph, index \\ 0) do
    for %{"op" => op} <- nodes(graph, index), op not in ["parameter", "constant"], do: op
  end

  @doc "The only node with that op, in any function."
  def node(graph, op) do
    [node] = for func <- graph["funcs"], %{"op" => ^op} = node <- func["nodes"], do: node
    node
  end

  @doc "Type and shape of an input of a node of function `index`."
  def input(graph, node, i, index \\ 0) do
    [id, output] = Enum.at(node["ins"], i)
    %{"type" => type, "shape" => shape} = graph |> nodes(index) |> Enum.at(id) |> Map.fetch!("outs") |> Enum.at(output)
    {type, shape}
  end

  @doc "Decodes JSON without floats, which the graph has none of."
  def decode(text) do
    {value, ""} = value(text)
    value
  end

  defp value("{" <> rest), do: object(rest, %{})
  defp value("[" <> rest), do: list(rest, [])
  defp value("\"" <> rest), do: string(rest, "")
  defp value("true" <> rest), do: {true, rest}
  defp value("false" <> rest), do: {false, rest}
  defp value(text), do: Integer.parse(text)

  defp object("}" <> rest, acc), do: {acc, rest}
  defp object("," <> rest, acc), do: object(rest, acc)

  defp object("\"" <> rest, acc) do
    {key, ":" <> rest} = string(rest, "")
    {value, rest} = value(rest)
    object(rest, Map.put(acc, key, value))
  end

  defp list("]" <> rest, acc), do: {Enum.reverse(acc), rest}
  defp list("," <> rest, acc), do: list(rest, acc)

  defp list(text, acc) do
    {value, rest} = value(text)
    list(rest, [value | acc])
  end

  defp string("\"" <> rest, acc), do: {acc, rest}

  defp string("\\u" <> <<hex::binary-4, rest::binary>>, acc),
    do: string(rest, acc <> <<String.to_integer(hex, 16)::utf8>>)

  defp string("\\" <> <<c::utf8, rest::binary>>, acc), do: string(rest, acc <> <<c::utf8>>)
  defp string(<<c::utf8, rest::binary>>, acc), do: string(rest, acc <> <<c::utf8>>)
end
