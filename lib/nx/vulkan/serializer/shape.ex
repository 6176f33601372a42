defmodule Nx.Vulkan.Serializer.Shape do
  @moduledoc false
  # Movement, slices, gather and scatter. Axes are sorted, starts are either all fixed or all computed.

  alias Nx.Vulkan.Serializer.{Builder, Operand}

  @ops [:reshape, :squeeze, :broadcast, :transpose, :reverse, :pad, :concatenate, :stack, :slice, :put_slice] ++
         [:gather, :indexed_add, :indexed_put]

  def ops, do: @ops

  def lower(b, op, [t | _], {type, dims}) when op in [:reshape, :squeeze] do
    {x, b} = Operand.as(b, t, type)
    Builder.reshape(b, x, dims)
  end

  def lower(b, :broadcast, [t, _shape, axes], {type, dims}) do
    {x, b} = Operand.as(b, t, type)
    {x, axes, b} = once(b, x, axes)

    # the axes of as many dimensions are all of them in order
    if Builder.dims(x) == dims, do: {x, b}, else: Builder.node(b, "broadcast", [x], type, dims, axes: axes)
  end

  def lower(b, :transpose, [t, axes], {type, dims}) do
    {x, b} = Operand.as(b, t, type)
    Builder.node(b, "transpose", [x], type, dims, axes: axes)
  end

  def lower(b, :reverse, [t, axes], {type, dims}) do
    {x, b} = Operand.as(b, t, type)
    if axes == [], do: {x, b}, else: Builder.node(b, "reverse", [x], type, dims, axes: Enum.sort(axes))
  end

  def lower(b, :pad, [t, value, config], {type, dims}) do
    {x, b} = Operand.as(b, t, type)
    {v, b} = Operand.as(b, value, type)
    {lo, hi, interior} = unzip3(config)
    Builder.node(b, "pad", [x, v], type, dims, lo: lo, hi: hi, interior: interior)
  end

  def lower(b, op, [tensors, axis], {type, dims}) when op in [:concatenate, :stack] do
    {xs, b} = Enum.map_reduce(tensors, b, &Operand.as(&2, &1, type))
    Builder.node(b, Atom.to_string(op), xs, type, dims, axis: axis)
  end

  def lower(b, :slice, [t, starts, lengths, strides], {type, dims}) do
    {x, b} = Operand.as(b, t, type)
    fixed = Enum.map(starts, &Operand.integer/1)

    if Enum.all?(fixed) do
      starts = Enum.zip_with([fixed, lengths, Builder.dims(x)], fn [s, n, dim] -> s |> max(0) |> min(dim - n) end)
      Builder.node(b, "slice", [x], type, dims, starts: starts, lengths: lengths, strides: strides)
    else
      {starts, b} = starts(b, starts)
      Builder.node(b, "dynamic_slice", [x | starts], type, dims, lengths: lengths, strides: strides)
    end
  end

  def lower(b, :put_slice, [t, starts, slice], {type, dims}) do
    {x, b} = Operand.as(b, t, type)
    {s, b} = Operand.as(b, slice, type)
    {starts, b} = starts(b, starts)
    Builder.node(b, "put_slice", [x, s | starts], type, dims)
  end

  def lower(b, :gather, [t, indices, opts], {type, dims}) do
    {x, b} = Operand.as(b, t, type)
    {i, b} = Operand.value(b, indices)
    Builder.node(b, "gather", [x, i], type, dims, axes: opts[:axes])
  end

  def lower(b, op, [t, indices, updates, opts], {type, dims}) when op in [:indexed_add, :indexed_put] do
    {x, b} = Operand.as(b, t, type)
    {i, b} = Operand.value(b, indices)
    {u, b} = Operand.as(b, updates, type)
    # those of vectorized tensors come in another shape
    rest = for {d, axis} <- Enum.with_index(dims), axis not in opts[:axes], do: d
    {u, b} = Builder.reshape(b, u, Enum.drop(Builder.dims(i), -1) ++ rest)
    Builder.node(b, Atom.to_string(op), [x, i, u], type, dims, axes: opts[:axes])
  end

  # Nx puts axes of size 1 between those of a vectorized operand and its own, and may name an axis of the result for
  # both: {rows, 1, 3} by [0, 1, 1] is {rows, 3} by [0, 1].
  defp once(b, x, axes) do
    named = axes |> Enum.zip(Builder.dims(x)) |> Enum.chunk_by(&elem(&1, 0)) |> Enum.map(&List.last/1)
    {axes, dims} = Enum.unzip(named)
    {x, b} = Builder.reshape(b, x, dims)
    {x, axes, b}
  end

  defp starts(b, starts) do
    Enum.map_reduce(starts, b, fn
      i, b when is_integer(i) -> Builder.constant(b, i, {:s, 64}, [])
      t, b -> Operand.value(b, t)
    end)
  end

  defp unzip3(config) do
    {for({lo, _, _} <- config, do: lo), for({_, hi, _} <- config, do: hi), for({_, _, i} <- config, do: i)}
  end
end
