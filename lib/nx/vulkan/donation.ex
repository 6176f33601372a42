defmodule Nx.Vulkan.Donation do
  @moduledoc false
  # Which output takes over the memory of which input.

  alias Nx.Vulkan.Serializer.{Builder, Operand}

  @doc """
  Pairs of flat input and output index.

  `donate` lists positions of arguments, all of whose tensors are given away, or pairs `{input, output}` of
  flat indices. A tensor goes to the first free output of its type and shape, in order; one that fits no
  output is not donated.
  """
  @spec pairs([Nx.Container.t()], Nx.Container.t(), [non_neg_integer | {non_neg_integer, non_neg_integer}]) ::
          [{non_neg_integer, non_neg_integer}]
  def pairs(_args, _outputs, []), do: []

  def pairs(args, outputs, donate) do
    outputs = outputs |> Operand.leaves() |> Enum.map(&Builder.spec/1) |> Enum.with_index()
    count = args |> Enum.map(&length(Operand.leaves(&1))) |> Enum.sum()
    fixed = Enum.filter(donate, &is_tuple/1)

    for {input, output} <- fixed, input not in 0..(count - 1)//1 or output not in 0..(length(outputs) - 1)//1 do
      raise ArgumentError,
            "donation {#{input}, #{output}} is out of range: there are #{count} inputs and #{length(outputs)} outputs"
    end

    {inputs, _} =
      args
      |> Enum.with_index()
      |> Enum.map_reduce(0, fn {arg, position}, first ->
        specs = arg |> Operand.leaves() |> Enum.map(&Builder.spec/1)
        {{position, Enum.with_index(specs, first)}, first + length(specs)}
      end)

    positions = Enum.filter(donate, &is_integer/1)

    for position <- positions, position not in 0..(length(args) - 1)//1 do
      raise ArgumentError, "cannot donate argument #{position}: the function has #{length(args)} arguments of tensors"
    end

    taken = MapSet.new(fixed, &elem(&1, 1))
    given = MapSet.new(fixed, &elem(&1, 0))

    {pairs, _} =
      for {position, specs} <- inputs, position in positions, {spec, input} <- specs, input not in given do
        {spec, input}
      end
      |> Enum.flat_map_reduce(taken, fn {spec, input}, taken ->
        case Enum.find(outputs, fn {out, i} -> out == spec and i not in taken end) do
          {_, output} -> {[{input, output}], MapSet.put(taken, output)}
          nil -> {[], taken}
        end
      end)

    fixed ++ pairs
  end
end
