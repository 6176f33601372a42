defmodule Nx.Vulkan.Serializer.Reduce do
  @moduledoc false
  # Reductions, windows, contractions, sort, transforms. Every attribute is written out.

  alias Nx.Vulkan.Serializer.{Builder, Operand}

  @reduce [:sum, :product, :reduce_max, :reduce_min]
  @test [:all, :any]
  @arg [:argmax, :argmin]
  @window [:window_sum, :window_product, :window_max, :window_min]
  @scatter [:window_scatter_max, :window_scatter_min]
  @order [:sort, :argsort]
  @fourier [:fft, :ifft]

  @ops @reduce ++ @test ++ @arg ++ @window ++ @scatter ++ @order ++ @fourier ++ [:dot, :conv, :triangular_solve]

  def ops, do: @ops

  def lower(b, op, [t, opts], {type, dims}) when op in @reduce do
    {x, b} = Operand.as(b, t, type)
    Builder.node(b, Atom.to_string(op), [x], type, dims, reduce_attrs(t, opts))
  end

  def lower(b, op, [t, opts], {type, dims}) when op in @test do
    {x, b} = Operand.value(b, t)
    Builder.node(b, Atom.to_string(op), [x], type, dims, reduce_attrs(t, opts))
  end

  def lower(b, op, [t, opts], {type, dims}) when op in @arg do
    {x, b} = Operand.value(b, t)
    attrs = [axis: opts[:axis] || -1, tie_break: Atom.to_string(opts[:tie_break]), keep: opts[:keep_axis] || false]
    Builder.node(b, Atom.to_string(op), [x], type, dims, attrs)
  end

  def lower(b, op, [t, window, opts], {type, dims}) when op in @window do
    {x, b} = Operand.as(b, t, type)
    Builder.node(b, Atom.to_string(op), [x], type, dims, window_attrs(window, opts))
  end

  def lower(b, op, [t, source, init, window, opts], {type, dims}) when op in @scatter do
    {x, b} = Operand.as(b, t, type)
    {s, b} = Operand.as(b, source, type)
    {i, b} = Operand.as(b, init, type)
    {lo, hi} = Enum.unzip(opts[:padding])
    attrs = [window: Tuple.to_list(window), strides: opts[:strides], lo: lo, hi: hi]
    Builder.node(b, Atom.to_string(op), [x, s, i], type, dims, attrs)
  end

  def lower(b, :dot, [l, c1, b1, r, c2, b2], {type, dims}) do
    {x, b} = Operand.as(b, l, type)
    {y, b} = Operand.as(b, r, type)
    Builder.node(b, "dot", [x, y], type, dims, contract_a: c1, batch_a: b1, contract_b: c2, batch_b: b2)
  end

  def lower(b, :conv, [t, kernel, opts], {type, dims}) do
    {x, b} = Operand.as(b, t, type)
    {k, b} = Operand.as(b, kernel, type)
    {lo, hi} = Enum.unzip(opts[:padding])

    attrs = [
      strides: opts[:strides],
      lo: lo,
      hi: hi,
      input_dilation: opts[:input_dilation],
      kernel_dilation: opts[:kernel_dilation],
      feature_groups: opts[:feature_group_size],
      batch_groups: opts[:batch_group_size],
      input_permutation: opts[:input_permutation],
      kernel_permutation: opts[:kernel_permutation],
      output_permutation: opts[:output_permutation]
    ]

    Builder.node(b, "conv", [x, k], type, dims, attrs)
  end

  # `:conjugate` solves with the conjugate, which is not transposed; of a real matrix that is the matrix itself.
  # Types under 32 bits are solved in f32 and rounded once.
  def lower(b, :triangular_solve, [a, rhs, opts], {{kind, size} = type, dims}) do
    solved = if size < 32, do: {:f, 32}, else: type
    {x, b} = Operand.as(b, a, solved)
    {y, b} = Operand.as(b, rhs, solved)
    transform = opts[:transform_a]

    {x, b} =
      if transform == :conjugate and kind == :c,
        do: Builder.node(b, "conjugate", [x], type, Builder.dims(x)),
        else: {x, b}

    transform = if transform == :transpose, do: "transpose", else: "none"
    attrs = [left_side: opts[:left_side], lower: opts[:lower], transform: transform]
    {z, b} = Builder.node(b, "triangular_solve", [x, y], solved, dims, attrs)
    Builder.cast(b, z, type)
  end

  def lower(b, op, [t, opts], {type, dims}) when op in @order do
    {x, b} = Operand.value(b, t)
    attrs = [axis: opts[:axis], descending: opts[:direction] == :desc, stable: opts[:stable] || false]
    Builder.node(b, Atom.to_string(op), [x], type, dims, attrs)
  end

  # `eps` rounds small parts to zero in the binary backend only
  def lower(b, op, [t, opts], {type, dims}) when op in @fourier do
    {x, b} = Operand.as(b, t, type)
    Builder.node(b, Atom.to_string(op), [x], type, dims, axis: opts[:axis], length: opts[:length])
  end

  @doc "Axes and keep of a reduction of `t`."
  def reduce_attrs(t, opts) do
    all = Enum.to_list(Builder.axes(length(Builder.dims_of(t)), 0))
    [axes: Enum.sort(opts[:axes] || all), keep: opts[:keep_axes] || false]
  end

  def window_attrs(window, opts) do
    {lo, hi} = Enum.unzip(opts[:padding])
    [window: Tuple.to_list(window), strides: opts[:strides], lo: lo, hi: hi, dilations: opts[:window_dilations]]
  end
end
