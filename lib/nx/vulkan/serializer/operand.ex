defmodule Nx.Vulkan.Serializer.Operand do
  @moduledoc false
  # From an expression to its value in the function under construction, converted to what a node needs.
  # Constants, literals, iota and eye belong to no scope: every function makes its own.

  alias Nx.Defn.{Composite, Expr}
  alias Nx.Tensor, as: T
  alias Nx.Vulkan.Serializer.{Builder, Number}

  @free [:constant, :tensor, :iota, :eye]

  @doc "Whether an op is made anew in every function that uses it."
  def free?(%T{data: %Expr{op: op}}), do: op in @free

  @doc "The node and output that an expression stands for: `elem` and `metadata` have none of their own."
  @spec resolve(T.t()) :: {T.t(), non_neg_integer}
  def resolve(%T{data: %Expr{op: :metadata, args: [%T{} = inner, _]}}), do: resolve(inner)
  def resolve(%T{data: %Expr{op: :elem, args: [tuple, i]}}), do: resolve_elem(tuple, i)
  def resolve(%T{data: %Expr{}} = t), do: {t, 0}

  defp resolve_elem(%T{data: %Expr{op: :metadata, args: [inner, _]}}, i) do
    case inner do
      %T{} -> resolve_elem(inner, i)
      composite -> composite |> leaves() |> Enum.at(i) |> resolve()
    end
  end

  defp resolve_elem(t, i), do: {t, i}

  @doc "Where an expression comes from, if its metadata says so: `:loc`, or Axon's layer."
  @spec label(T.t()) :: binary | nil
  def label(%T{data: %Expr{op: :metadata, args: [inner, metadata]}}) do
    case metadata do
      %{loc: loc} when is_binary(loc) -> loc
      %{axon_layer: layer} -> "axon #{inspect(layer)}"
      _ -> if is_struct(inner, T), do: label(inner)
    end
  end

  def label(%T{data: %Expr{op: :elem, args: [tuple, _]}}), do: label(tuple)
  def label(_), do: nil

  @doc "The tensors of a container, in order."
  def leaves(composite), do: Composite.flatten_list([composite])

  @doc "The value of an expression."
  @spec value(Builder.t(), T.t()) :: {Builder.value(), Builder.t()}
  def value(b, t) do
    {t, output} = resolve(t)
    if free?(t), do: create(b, t), else: lookup(b, {t.data.id, output}, t)
  end

  @doc "The values of a list of expressions."
  def values(b, list), do: Enum.map_reduce(list, b, &value(&2, &1))

  @doc "The value in another type."
  def as(b, t, type), do: fit(b, t, type, nil)

  @doc "The value in another type, broadcast to `dims` by aligning the trailing axes; nil dims leave them alone."
  def fit(b, t, type, dims) do
    {node, output} = resolve(t)

    with %T{data: %Expr{op: :constant, args: [number]}, type: from} when output == 0 <- node,
         converted when converted != nil <- Number.convert(number, from, type) do
      Builder.constant(b, converted, type, dims || Builder.dims_of(node))
    else
      _ ->
        {value, b} = value(b, t)
        {value, b} = Builder.cast(b, value, type)
        if dims, do: Builder.broadcast(b, value, dims), else: {value, b}
    end
  end

  @doc "The integer that an expression is, or nil."
  def integer(i) when is_integer(i), do: i

  def integer(t) do
    case resolve(t) do
      {%T{data: %Expr{op: :constant, args: [number]}, type: type}, 0} when is_integer(number) ->
        Number.wrap(number, type)

      _ ->
        nil
    end
  end

  defp lookup(b, key, t) do
    case b.func.env do
      %{^key => {:parameter, index}} ->
        Builder.parameter(b, index)

      %{^key => value} ->
        {value, b}

      %{} ->
        raise Nx.Vulkan.CompileError,
          op: t.data.op,
          message:
            "#{t.data.op} is used in a scope that cannot see it. Pass every variable that the body of a " <>
              "while, an anonymous function or a block needs as an argument"
    end
  end

  defp create(b, %T{data: %Expr{op: :constant, args: [number]}} = t) do
    {type, dims} = Builder.spec(t)
    Builder.constant(b, number, type, dims)
  end

  defp create(b, %T{data: %Expr{id: id, op: :tensor, args: [tensor]}}) do
    {type, dims} = Builder.spec(tensor)
    data = fn -> tensor |> whole!() |> Nx.to_binary() |> Number.unpack(type) end

    if dims == [] do
      data = data.()
      size = bit_size(data)
      <<bits::little-size(size)>> = data
      Builder.bits(b, bits, type, dims)
    else
      Builder.literal(b, id, data, type, dims)
    end
  end

  defp create(b, %T{data: %Expr{op: :iota, args: [axis]}} = t) do
    {type, dims} = Builder.spec(t)
    Builder.node(b, "iota", [], type, dims, axis: axis || -1)
  end

  defp create(b, %T{data: %Expr{op: :eye}} = t) do
    {type, dims} = Builder.spec(t)
    Builder.node(b, "eye", [], type, dims)
  end

  # Nx 0.13 makes a tensor with no data of a constant that it transforms: Nx.fft(Nx.tensor([1.0])).
  defp whole!(%T{data: %Nx.BinaryBackend{state: state}} = tensor) do
    if bit_size(state) < tensor |> Nx.devectorize() |> Nx.byte_size() |> Kernel.*(8) do
      raise Nx.Vulkan.CompileError,
        op: :tensor,
        type: tensor.type,
        message:
          "a constant of type #{inspect(tensor.type)} and shape #{inspect(tensor.shape)} has no data. Nx loses that " <>
            "of a transform of length 1, such as Nx.fft of a constant: pass what is transformed as an argument"
    end

    tensor
  end

  defp whole!(tensor), do: tensor
end
