defmodule Nx.Vulkan.Test.Random.Elementwise do
  @moduledoc "Statements that work element by element."

  import Nx.Vulkan.Test.Random.Build
  alias Nx.Vulkan.Test.Random.{Draw, Values}

  @doc "`{weight, name, fun}` of every kind of statement."
  def table do
    [
      {8, :unary_float, &unary_float/0},
      {3, :unary_int, &unary_int/0},
      {3, :unary_any, &unary_any/0},
      {10, :arithmetic, &arithmetic/0},
      {4, :float_binary, &float_binary/0},
      {4, :int_binary, &int_binary/0},
      {4, :compare, &compare/0},
      {2, :logical, &logical/0},
      {4, :select, &select/0},
      {2, :clip, &clip/0},
      {5, :as_type, &as_type/0},
      {2, :bitcast, &bitcast/0},
      {2, :complex, &complex/0},
      {2, :constant, &constant/0}
    ]
  end

  @total ~w(exp expm1 sigmoid cos sin tan cosh sinh tanh atan asinh cbrt)a
  @partial ~w(log log1p sqrt rsqrt acos asin acosh atanh)a
  @real ~w(erf erfc erf_inv floor ceil round)a

  defp unary_float do
    case Draw.int(4) do
      0 -> nx(Draw.one(@total), [numeric()])
      1 -> partial(numeric())
      2 -> nx(Draw.one(@real), [float()])
      3 -> nx(Draw.one(~w(negate abs sign)a), [numeric()])
    end
  end

  # half of the time, the operand is brought to where the function is defined
  defp partial(v) do
    op = Draw.one(@partial)

    cond do
      Draw.flag() -> nx(op, [v])
      op in [:acos, :asin, :atanh] -> nx(op, [nx(:multiply, [nx(:sin, [v]), 0.9])])
      op == :acosh -> nx(op, [nx(:add, [nx(:abs, [v]), 1.0])])
      true -> nx(op, [nx(:add, [nx(:abs, [v]), 0.5])])
    end
  end

  defp unary_int, do: nx(Draw.one(~w(negate bitwise_not population_count count_leading_zeros sign abs)a), [int()])

  defp unary_any, do: nx(Draw.one(~w(is_nan is_infinity logical_not negate sign)a), [any()])

  defp arithmetic do
    v = any()
    op = Draw.one(~w(add multiply subtract max min)a)
    op = if complex?(v) and op in [:max, :min], do: :multiply, else: op
    binary(op, v, partner(v))
  end

  defp float_binary do
    v = any()
    op = Draw.one(~w(divide pow atan2 remainder)a)
    v = if op in [:atan2, :remainder], do: real(), else: v

    w =
      cond do
        op == :pow and int?(v) -> nx(:remainder, [nx(:abs, [int()]), 4])
        op == :pow and Draw.flag() -> Draw.one([2, 3, 0.5, -1, 0, 1, 2.5])
        op in [:atan2, :remainder] -> partner(v, &real?/1)
        true -> partner(v)
      end

    v = if op == :pow and not int?(v) and real?(v) and Draw.flag(), do: nx(:abs, [v]), else: v
    binary(op, v, w)
  end

  defp int_binary do
    op = Draw.one(~w(bitwise_and bitwise_or bitwise_xor quotient left_shift right_shift remainder)a)
    v = int()

    w =
      case {op, Draw.int(3)} do
        {_, 0} -> Draw.one([1, 2, 3, 7])
        {op, _} when op in [:left_shift, :right_shift] -> nx(:bitwise_and, [int(), 15])
        {op, _} when op in [:quotient, :remainder] -> nx(:add, [nx(:bitwise_and, [int(), 6]), 1])
        _ -> partner(v, &int?/1)
      end

    binary(op, v, w)
  end

  defp compare do
    v = any()
    op = Draw.one(~w(less equal greater not_equal less_equal greater_equal)a)
    op = if complex?(v), do: :equal, else: op
    binary(op, v, partner(v, &(complex?(v) or real?(&1))))
  end

  defp logical do
    v = any()
    binary(Draw.one(~w(logical_and logical_or logical_xor)a), v, partner(v))
  end

  # Either way round; constants go on the left, too. Exponents of integers stay where they are small, since Nx
  # computes the whole power before it wraps it: that of 3 and 2^32 - 1 had not ended after ten minutes.
  defp binary(op, v, w) do
    if Draw.flag(4) and not (op == :pow and int?(v)), do: nx(op, [w, v]), else: nx(op, [v, w])
  end

  @doc "A value that broadcasts with `v`, or a number."
  def partner(v, pred \\ fn _ -> true end) do
    case Draw.int(5) do
      4 -> number(v)
      _ -> find(&(pred.(&1) and compatible?(&1, v))) || number(v)
    end
  end

  def number(v) do
    if int?(v), do: Draw.one([1, 2, 0, 3, -1, 5, 100]), else: Draw.one([1.0, 2, 0.5, -1.5, 0.0, -1, 3, 0.1, 1.0e-3])
  end

  defp compatible?(v, w) do
    Enum.zip(Enum.reverse(Tuple.to_list(shape(v))), Enum.reverse(Tuple.to_list(shape(w))))
    |> Enum.all?(fn {a, b} -> a == b or a == 1 or b == 1 end)
  end

  defp select do
    v = any()
    p = find(&(shape(&1) == shape(v))) || any(&(rank(&1) == 0))
    p = if Draw.flag(3), do: p, else: predicate(p)
    nx(:select, Draw.shuffle([v, partner(v)]) |> then(&[p | &1]))
  end

  @doc "A comparison of the value with a number."
  def predicate(v), do: if(complex?(v), do: nx(:equal, [v, 0]), else: nx(:greater, [v, number(v)]))

  defp clip do
    v = real()
    bounds = if int?(v), do: [[0, 3], [-2, 2], [1, 100]], else: [[-1.0, 1.0], [0.0, 2.5], [0.5, 0.25]]

    case find(&(rank(&1) == 0 and real?(&1))) do
      nil -> nx(:clip, [v | Draw.one(bounds)])
      w -> nx(:clip, [v, w, nx(:add, [w, 1])])
    end
  end

  defp as_type, do: as(any(), if(Draw.flag(), do: Draw.one(types()), else: Draw.one(Values.types())))

  defp bitcast do
    v = any(&real?/1)
    width = elem(type(v), 1)
    to = Enum.filter(Values.types(), fn {kind, w} -> w == width and kind != :c end)
    nx(:bitcast, [v, Draw.one(to)])
  end

  defp complex do
    case Draw.int(4) do
      0 -> nx(:real, [any(&complex?/1)])
      1 -> nx(:imag, [any(&complex?/1)])
      2 -> nx(:conjugate, [any()])
      3 -> float() |> then(&nx(:complex, [&1, partner(&1, fn w -> float?(w) end)]))
    end
  end

  # what is known when the program is compiled
  defp constant do
    type = Draw.one(types())

    case Draw.int(4) do
      0 -> nx(:iota, [new_shape(Draw.int(1, 3)), [type: type]])
      1 -> new_shape(Draw.int(1, 3)) |> then(&nx(:iota, [&1, [type: type, axis: Draw.int(tuple_size(&1))]]))
      2 -> nx(:eye, [new_shape(Draw.int(2, 3)), [type: type]])
      3 -> literal(type)
    end
  end

  defp literal(type) do
    t = Values.tensor(type, {Draw.int(1, 6)}, Draw.one([:simple, :ordinary]), Draw.int(1000))
    call(Nx.Vulkan.Test.Random.Values, :literal, [Nx.to_binary(t), type])
  end
end
