defmodule Nx.Vulkan.Container do
  @moduledoc false
  # What a call does with the structure of arguments and results, without building a structure on the way: containers
  # that are tuples or maps are walked here, step by step, and only those of other kinds by their protocol.

  alias Nx.Defn.Composite
  alias Nx.Tensor, as: T

  @doc """
  What arguments are, as a flat list that is equal for the arguments that one program serves. Each element says how
  many of those after it belong to it, so no two structures have the same list.
  """
  @spec key([Nx.Container.t()]) :: [term]
  def key(args), do: elements(args, [])

  defp elements([head | tail], acc), do: elements(tail, one(head, acc))
  defp elements([], acc), do: acc

  # without names and axes, as most tensors are: what looks the key up hashes all of it
  for rank <- 0..4 do
    defp one(%T{type: type, shape: shape, names: unquote(List.duplicate(nil, rank)), vectorized_axes: []}, acc),
      do: [{type, shape} | acc]
  end

  defp one(%T{type: type, shape: shape, names: names, vectorized_axes: axes}, acc),
    do: [{type, shape, names, axes} | acc]

  defp one(tuple, acc) when is_tuple(tuple), do: tuple |> Tuple.to_list() |> elements([tuple_size(tuple) | acc])

  defp one(map, acc) when is_map(map) and not is_struct(map),
    do: map |> :maps.to_list() |> pairs([{:map, map_size(map)} | acc])

  defp one(other, acc), do: [Composite.traverse(other, fn %T{} = t -> hd(one(t, [])) end) | acc]

  defp pairs([{key, value} | tail], acc), do: pairs(tail, one(value, [key | acc]))
  defp pairs([], acc), do: acc

  @doc "The template with the data that `make` has for each of `buffers`, one for each tensor, in order."
  @spec fill(Nx.Container.t(), [buffer], (buffer -> struct)) :: Nx.Container.t() when buffer: term
  def fill(template, buffers, make) do
    {result, []} = put(template, buffers, make)
    result
  end

  defp put(%T{} = hole, [buffer | rest], make), do: {%{hole | data: make.(buffer)}, rest}

  defp put(tuple, buffers, make) when is_tuple(tuple) do
    {list, rest} = tuple |> Tuple.to_list() |> puts(buffers, make, [])
    {List.to_tuple(list), rest}
  end

  defp put(container, buffers, make), do: Composite.traverse(container, buffers, &put(&1, &2, make))

  defp puts([%T{} = hole | holes], [buffer | rest], make, acc),
    do: puts(holes, rest, make, [%{hole | data: make.(buffer)} | acc])

  defp puts([hole | holes], buffers, make, acc) do
    {filled, rest} = put(hole, buffers, make)
    puts(holes, rest, make, [filled | acc])
  end

  defp puts([], rest, _make, acc), do: {Enum.reverse(acc), rest}
end
