defmodule Nx.Vulkan.Serializer.Elementwise do
  @moduledoc false
  # Element-wise ops. Nx leaves operands in the user's types and shapes; here each becomes explicit:
  #
  #   * arithmetic: both operands in the result's type
  #   * comparisons: both in `Nx.Type.merge/2` of the two; u64 with a signed type compares exactly (below)
  #   * logical ops: each tested against zero in its own type
  #   * select: the predicate stays, the branches take the result's type; clip: all three do
  #
  # A u64 and a signed integer merge to s64, where 2^63 and above turn negative. So `a < s` for u64 `a` is
  # written as `s >= 0 and a < u64(s)`, and the other five likewise.
  #
  # `atan2(y, x)` of complex numbers is `-i log((x + iy) / sqrt(x^2 + y^2))`, and that of their real parts where
  # both are real; Nx's binary backend knows only the latter.

  alias Nx.Vulkan.Serializer.{Builder, Operand}

  @same_unary [:exp, :expm1, :log, :log1p, :sigmoid, :cos, :sin, :tan, :cosh, :sinh, :tanh, :acos, :asin, :atan] ++
                [:acosh, :asinh, :atanh, :sqrt, :rsqrt, :cbrt, :erf, :erfc, :erf_inv, :negate, :sign, :floor, :ceil] ++
                [:round, :bitwise_not, :population_count, :count_leading_zeros, :conjugate]
  @any_unary [:is_nan, :is_infinity, :real, :imag]
  @same_binary [:add, :subtract, :multiply, :divide, :quotient, :remainder, :pow, :atan2, :max, :min] ++
                 [:bitwise_and, :bitwise_or, :bitwise_xor, :left_shift, :right_shift]
  @compare [:equal, :not_equal, :greater, :less, :greater_equal, :less_equal]
  @logical [:logical_and, :logical_or, :logical_xor]

  @ops @same_unary ++ @any_unary ++ @same_binary ++ @compare ++ @logical ++ [:abs, :as_type, :bitcast, :select, :clip]

  def ops, do: @ops

  @doc "Adds the nodes of one op. `spec` is type and dims of the result."
  def lower(b, op, [t], {type, dims}) when op in @same_unary do
    {x, b} = Operand.as(b, t, type)
    Builder.node(b, Atom.to_string(op), [x], type, dims)
  end

  def lower(b, op, [t], {type, dims}) when op in @any_unary do
    {x, b} = Operand.value(b, t)
    Builder.node(b, Atom.to_string(op), [x], type, dims)
  end

  def lower(b, :abs, [t], {type, dims}) do
    {x, b} = Operand.value(b, t)
    {x, b} = if match?({:c, _}, Builder.type(x)), do: {x, b}, else: Builder.cast(b, x, type)
    Builder.node(b, "abs", [x], type, dims)
  end

  def lower(b, :as_type, [t], {type, _dims}), do: Operand.as(b, t, type)

  def lower(b, :bitcast, [t], {type, dims}) do
    case Operand.value(b, t) do
      {{_, _, ^type, _} = x, b} -> {x, b}
      {x, b} -> Builder.node(b, "bitcast", [x], type, dims)
    end
  end

  def lower(b, :atan2, [l, r], {{:c, size} = type, dims}) do
    {y, b} = Operand.fit(b, l, type, dims)
    {x, b} = Operand.fit(b, r, type, dims)
    {complex, b} = complex_angle(b, y, x, type, dims)
    {real, b} = real_angle(b, y, x, {:f, div(size, 2)}, dims)
    {real, b} = Builder.cast(b, real, type)
    {test, b} = Enum.map_reduce([y, x], b, &real?(&2, &1, size, dims))
    {both, b} = Builder.node(b, "logical_and", test, {:u, 8}, dims)
    Builder.node(b, "select", [both, real, complex], type, dims)
  end

  def lower(b, op, [l, r], {type, dims}) when op in @same_binary do
    {x, b} = Operand.fit(b, l, type, dims)
    {y, b} = Operand.fit(b, r, type, dims)
    Builder.node(b, Atom.to_string(op), [x, y], type, dims)
  end

  def lower(b, op, [l, r], {type, dims}) when op in @compare do
    case {l.type, r.type} do
      {{:u, 64}, {:s, _}} -> compare_unsigned(b, op, l, r, dims)
      {{:s, _}, {:u, 64}} -> compare_unsigned(b, mirror(op), r, l, dims)
      {left, right} -> compare(b, op, l, r, Nx.Type.merge(left, right), {type, dims})
    end
  end

  def lower(b, op, [l, r], {type, dims}) when op in @logical do
    {x, b} = Operand.fit(b, l, l.type, dims)
    {y, b} = Operand.fit(b, r, r.type, dims)
    Builder.node(b, Atom.to_string(op), [x, y], type, dims)
  end

  def lower(b, :select, [pred, on_true, on_false], {type, dims}) do
    {p, b} = Operand.fit(b, pred, pred.type, dims)
    {x, b} = Operand.fit(b, on_true, type, dims)
    {y, b} = Operand.fit(b, on_false, type, dims)
    Builder.node(b, "select", [p, x, y], type, dims)
  end

  def lower(b, :clip, [t, min, max], {type, dims}) do
    {x, b} = Operand.fit(b, t, type, dims)
    {lo, b} = Operand.fit(b, min, type, dims)
    {hi, b} = Operand.fit(b, max, type, dims)
    Builder.node(b, "clip", [x, lo, hi], type, dims)
  end

  defp complex_angle(b, y, x, type, dims) do
    node = fn b, op, ins -> Builder.node(b, op, ins, type, dims) end
    {i, b} = Builder.constant(b, Complex.new(0.0, 1.0), type, dims)
    {iy, b} = node.(b, "multiply", [i, y])
    {sum, b} = node.(b, "add", [x, iy])
    {xx, b} = node.(b, "multiply", [x, x])
    {yy, b} = node.(b, "multiply", [y, y])
    {squares, b} = node.(b, "add", [xx, yy])
    {root, b} = node.(b, "sqrt", [squares])
    {unit, b} = node.(b, "divide", [sum, root])
    {log, b} = node.(b, "log", [unit])
    {log_i, b} = node.(b, "multiply", [i, log])
    node.(b, "negate", [log_i])
  end

  defp real_angle(b, y, x, type, dims) do
    {y, b} = Builder.node(b, "real", [y], type, dims)
    {x, b} = Builder.node(b, "real", [x], type, dims)
    Builder.node(b, "atan2", [y, x], type, dims)
  end

  defp real?(b, z, size, dims) do
    half = {:f, div(size, 2)}
    {imag, b} = Builder.node(b, "imag", [z], half, dims)
    {zero, b} = Builder.constant(b, 0.0, half, dims)
    Builder.node(b, "equal", [imag, zero], {:u, 8}, dims)
  end

  defp compare(b, op, l, r, common, {type, dims}) do
    {x, b} = Operand.fit(b, l, common, dims)
    {y, b} = Operand.fit(b, r, common, dims)
    Builder.node(b, Atom.to_string(op), [x, y], type, dims)
  end

  # `u` is u64 and `s` signed
  defp compare_unsigned(b, op, u, s, dims) do
    u8 = {:u, 8}

    if (constant = Operand.integer(s)) && constant >= 0 do
      compare(b, op, u, s, {:u, 64}, {u8, dims})
    else
      {inside, b} = compare(b, op, u, s, {:u, 64}, {u8, dims})
      {y, b} = Operand.fit(b, s, s.type, dims)
      {zero, b} = Builder.constant(b, 0, s.type, dims)

      if op in [:equal, :less, :less_equal] do
        {positive, b} = Builder.node(b, "greater_equal", [y, zero], u8, dims)
        Builder.node(b, "logical_and", [positive, inside], u8, dims)
      else
        {negative, b} = Builder.node(b, "less", [y, zero], u8, dims)
        Builder.node(b, "logical_or", [negative, inside], u8, dims)
      end
    end
  end

  defp mirror(:greater), do: :less
  defp mirror(:less), do: :greater
  defp mirror(:greater_equal), do: :less_equal
  defp mirror(:less_equal), do: :greater_equal
  defp mirror(op), do: op
end
