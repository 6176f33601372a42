defmodule Nx.Vulkan.Test.Random.Flaws do
  @moduledoc """
  Where `Nx.BinaryBackend` 0.13.1 is known to be wrong or imprecise, by statement. What is listed here is not
  compared with Nx; the comparison of the device with the interpreter is not affected.
  """

  alias Nx.Vulkan.Serializer.Number
  alias Nx.Vulkan.Test.Random.{Program, Values}

  @complex ~w(asin acos atan asinh acosh atanh log log1p sqrt rsqrt cbrt pow divide tanh tan sigmoid)a

  # Erlang's comparisons take -0.0 for 0.0, and its integers have one zero; solutions start sums from one.
  @equal_zeros ~w(abs conv round ceil floor max min reduce_max reduce_min window_max window_min cumulative_max
                  cumulative_min triangular_solve)a

  # What is converted to the type of the result before it is computed with, and what loses digits if it is not.
  @converted ~w(add subtract multiply divide remainder pow atan2 max min clip sin cos tan variance standard_deviation)a

  @compared ~w(equal not_equal greater greater_equal less less_equal)a

  # Cut off instead of rounded, so that the greatest number stands where the next one, infinity, should.
  @cut [{:bf, 16}, {:f, 8}]

  # The parts of transforms up to here become 0: the default of :eps of `Nx.fft/2`, whatever the result's magnitude is.
  @cleaned 1.0e-10

  @doc "ULP that the binary backend is off at most, because it cuts bf16 and f8 off instead of rounding."
  def slack(_program, outputs) do
    if Enum.any?(outputs, &(&1.type in [{:bf, 16}, {:f, 8}, {:f8_e4m3fn, 8}])), do: 1.0, else: 0.0
  end

  @doc """
  What Nx `found` for a program of one statement, as stored bytes, with the elements replaced by those of the tensors
  `wanted` for which the difference is a known one: the sign of a zero, digits that a formula loses, small parts of a
  transform that became 0, the greatest number for infinity.
  """
  def mended(program, found, wanted) do
    signless? = Enum.any?(Program.calls(program), &(&1 in @equal_zeros)) or partless?(program)
    cleaned? = match?([{_, Nx, op, _}] when op in [:fft, :ifft], program.statements)

    Enum.zip_with(found, wanted, fn data, %{type: {kind, width}} = tensor ->
      loss = loss(program, tensor)

      case kind do
        _ when not signless? and not cleaned? and loss == nil and tensor.type not in @cut -> data
        :c -> mended(data, Values.stored(tensor), {:f, div(width, 2)}, {signless?, cleaned?, loss})
        _ when kind in [:s, :u] -> data
        _ -> mended(data, Values.stored(tensor), tensor.type, {signless?, cleaned?, loss})
      end
    end)
  end

  defp mended(found, wanted, {_, width} = type, {signless?, cleaned?, loss}) do
    pairs =
      Enum.zip(for(<<bits::little-size(width) <- found>>, do: bits), for(<<b::little-size(width) <- wanted>>, do: b))

    for {{f, w}, i} <- Enum.with_index(pairs), into: <<>> do
      {x, y} = {Number.decode(f, type), Number.decode(w, type)}

      known? =
        cond do
          not is_number(x) -> false
          not is_number(y) -> type in @cut and y in [:infinity, :neg_infinity] and f == w - 1
          signless? and x == 0 and y == 0 -> true
          cleaned? and f == 0 and within?(abs(y) - @cleaned, loss, i, y, type) -> true
          true -> loss != nil and within?(abs(x - y), loss, i, y, type)
        end

      <<if(known?, do: w, else: f)::little-size(width)>>
    end
  end

  # Both sides are rounded to the type beyond what the formula loses.
  defp within?(off, loss, i, y, type), do: off <= if(loss, do: loss.(i), else: 0) + abs(y) * 2.0 ** (1 - digits(type))

  # An infinite real number is an atom, without an imaginary part of 0 that would make 0 of -0.
  defp partless?(%{statements: [{_, Nx, op, _}], inputs: [x, y]}) when op in [:add, :subtract] do
    case Enum.split_with([x, y], &match?({:c, _}, &1.type)) do
      {[_], [real]} -> not_finite?(real)
      _ -> false
    end
  end

  defp partless?(_), do: false

  # What formulas in f64 may be off, for each part of a result, or nil where that is nothing to speak of.

  # A sum of two exponentials, or of one and 1, each off by a few units of f64 however small the sum is.
  defp loss(%{statements: [{_, Nx, op, _}], inputs: [%{type: {kind, _}} = x]}, _)
       when op == :expm1 or (op in [:sinh, :cosh] and kind == :c) do
    parts = if kind == :c, do: 2, else: 1
    exponents = x |> reals() |> Enum.take_every(parts) |> List.to_tuple()

    fn i ->
      x = elem(exponents, div(i, parts))
      x = if op == :expm1, do: max(x, 0), else: abs(x)
      2.0 ** -50 * :math.exp(min(x, 700))
    end
  end

  # 1 is added first; half a unit of the sum is one of the logarithm.
  defp loss(%{statements: [{_, Nx, :log1p, _}]}, _), do: fn _ -> 2.0 ** -52 end

  # The power 1 / 3 is off by a part of 2^-54, and so by as much times the logarithm is the result.
  defp loss(%{statements: [{_, Nx, :cbrt, _}], inputs: [x]}, %{type: {:f, 64}}) do
    numbers = x |> reals() |> List.to_tuple()

    fn i ->
      x = abs(elem(numbers, i))
      if x == 0, do: 0.0, else: 2.0 ** -53 * (1 + abs(:math.log(x))) * :math.pow(x, 1 / 3)
    end
  end

  # Each number is turned by an angle that is not reduced: 2 pi i k / n of the odd n that halving ends with, pi k^2 / n
  # from 1024 on. The unit of f64 grows with it.
  defp loss(%{statements: [{_, Nx, op, args}], inputs: [%{type: type} = x]}, %{shape: shape})
       when op in [:fft, :ifft] and type in [{:f, 64}, {:c, 128}] do
    axis = Enum.find(args, [], &Keyword.keyword?/1)[:axis] || -1
    n = elem(shape, if(axis < 0, do: axis + tuple_size(shape), else: axis))
    turned = if n < 1024, do: odd(n), else: n
    numbers = numbers(x)

    if odd(n) > 1 and Enum.all?(numbers, &is_number/1) do
      most = 2.0 ** -48 * turned * Enum.sum_by(numbers, &abs/1) / if(op == :ifft, do: n, else: 1)
      fn _ -> most end
    end
  end

  # Sums are added up one by one, in f64. With u = 2^-53 n terms lose up to n u sum |x|; the quotient of a mean is worth
  # another u on each side. The sums of narrower types lose no digit that they have.
  defp loss(%{statements: [{_, Nx, op, args}], inputs: [%{type: type} = x]}, wanted)
       when op in [:sum, :mean] and type in [{:f, 64}, {:c, 128}] do
    n = terms(x, wanted)
    losses = List.to_tuple(magnitudes(x, args, (n + 2) * 2.0 ** -53 / if(op == :mean, do: n, else: 1)))
    &elem(losses, &1)
  end

  # The mean of squares v = sum (x - m)^2 / n loses n u v by adding up, and 2 u v for each difference, 1 for each
  # square and for the quotient on either side. The means m of both sides are up to d apart, which adds d^2 and, as
  # neither side's differences have a mean above d / 2, another d^2. The root loses half of that part of it, or all
  # where v is less.
  defp loss(%{statements: [{_, Nx, op, args}], inputs: [%{type: {:f, 64}} = x]}, wanted)
       when op in [:variance, :standard_deviation] do
    n = terms(x, wanted)
    apart = magnitudes(x, args, (n + 4) * 2.0 ** -53 / n)

    losses =
      Enum.zip_with(apart, reals(wanted), fn d, y ->
        moved =
          cond do
            op == :variance -> 2 * min(d, 1.0e150) ** 2
            y > d -> 2 * d * (d / y)
            true -> 1.5 * d
          end

        (n + 8) * 2.0 ** -53 * y + moved
      end)

    losses = List.to_tuple(losses)
    &elem(losses, &1)
  end

  defp loss(_, _), do: nil

  # How many numbers one element is made of, and their magnitudes times `part`, added up. The parts of complex numbers
  # are added up by themselves.
  defp terms(x, %{shape: shape}), do: div(Nx.size(x), Nx.size(shape))

  defp magnitudes(%{type: {kind, _}} = x, args, part) do
    opts = Enum.find(args, [], &Keyword.keyword?/1)
    parts = if kind == :c, do: [Nx.real(x), Nx.imag(x)], else: [x]
    sums = for x <- parts, do: x |> Nx.abs() |> Nx.multiply(part) |> Nx.sum(opts) |> reals()
    sums |> Enum.zip_with(& &1) |> List.flatten()
  end

  # What is not finite is not compared by size.
  defp reals(%{type: {kind, _}} = x) when kind in [:s, :u], do: Nx.to_flat_list(Nx.devectorize(x))
  defp reals(x), do: Enum.map(numbers(x), &if(is_number(&1), do: &1, else: 0.0))

  defp odd(n) when rem(n, 2) == 0, do: odd(div(n, 2))
  defp odd(n), do: n

  @doc """
  The reason why the results of a program of one statement, tensors like `outputs`, cannot be compared with Nx, or nil.
  """
  def flaw(%{statements: [{_, module, function, args}], inputs: inputs} = program, outputs) do
    opts = Enum.find(args, [], &Keyword.keyword?/1)

    case Program.calls(program) do
      [_] ->
        eights(inputs) || mixed(function, args, inputs) || wide(function, inputs, outputs) ||
          many(function, inputs, outputs) || of(module, function, args, inputs, opts)

      # what the operands of inner statements are is not known
      [_ | inner] ->
        complex? = Enum.any?(inputs, &match?({:c, _}, &1.type)) or Enum.any?(inner, &(&1 in [:complex, :fft, :ifft]))

        eights(inputs) || folded(function, inputs) || of(module, function, args, inputs, opts) ||
          Enum.find_value(inner, &(inner(&1, complex?) || limits(&1, inputs) || derived(function, &1)))
    end
  end

  @doc """
  Whether an error of the compiler is about a graph that Nx made wrongly: a broadcast of a broadcast has the axes of the
  inner one, and a constant that was transformed has no data.
  """
  def traced?(text), do: text =~ ~r/broadcast: axis \d+ of \S+ becomes axis|a transform of length 1/

  # u64 and signed integers give s64, and are to be converted first. The bounds of clip are s32 where they are numbers.
  defp mixed(op, args, inputs) do
    numbers = if op == :clip, do: for(x <- args, is_integer(x), do: {:s, 32}), else: []
    kinds = Enum.map(inputs, & &1.type) ++ numbers
    mixed? = {:u, 64} in kinds and Enum.any?(kinds, &match?({:s, _}, &1))
    if mixed? and op in [:clip, :max, :min, :quotient, :remainder, :right_shift], do: "computes before it converts"
  end

  # 0 and subnormal numbers of eight bits are decoded as if they were normal
  defp eights(inputs), do: if(Enum.any?(inputs, &(&1.type in [{:f, 8}, {:f8_e4m3fn, 8}])), do: "numbers of eight bits")

  # Integers that the type of the result cannot hold are to be rounded to it first, as XLA does.
  defp wide(op, inputs, [%{type: {kind, _} = type}]) when op in @converted and kind not in [:s, :u],
    do: if(rounded?(inputs, type), do: "computes with integers before it converts them")

  defp wide(op, inputs, _) when op in @compared do
    type = inputs |> Enum.map(& &1.type) |> Enum.reduce(&Nx.Type.merge/2)
    if not integer?(type) and rounded?(inputs, type), do: "compares integers before it converts them"
  end

  defp wide(_, _, _), do: nil

  defp rounded?(inputs, type) do
    limit = 2 ** digits(type)

    Enum.any?(
      inputs,
      &(integer?(&1.type) and Enum.any?(Nx.to_flat_list(Nx.devectorize(&1)), fn x -> abs(x) > limit end))
    )
  end

  # So is the number of elements that a mean divides by: in f16 65,520 and more are infinity.
  defp many(op, [x], [%{type: {kind, _} = type} = out])
       when op in [:mean, :variance, :standard_deviation] and kind in [:f, :bf] do
    n = terms(x, out) * 1.0
    if Number.decode(Number.bits(n, type), type) == :infinity, do: "divides by more than the type's greatest number"
  end

  defp many(_, _, _), do: nil

  defp digits({:c, width}), do: digits({:f, div(width, 2)})
  defp digits({:f, 64}), do: 53
  defp digits({:f, 32}), do: 24
  defp digits({:f, 16}), do: 11
  defp digits({:bf, 16}), do: 8
  defp digits({:f, 8}), do: 3
  defp digits({:f8_e4m3fn, 8}), do: 4

  defp of(Nx, :as_type, [_, type], [x], _) do
    if integer?(type) and not integer?(x.type) and Enum.any?(numbers(x), &beyond?(&1, type)),
      do: "wraps what is out of range instead of saturating"
  end

  defp of(Nx, op, _, [x], _) when op in [:argmax, :argmin], do: nans(x, "takes the last NaN, not the first")
  defp of(Nx, :sign, _, [%{type: {:c, _}}], _), do: "compares complex numbers as terms"
  defp of(Nx, :sign, _, [x], _), do: if(not_finite?(x), do: "gives 1 for NaN and negative infinity")
  defp of(Nx, :clip, _, [x | _], _), do: nans(x, "takes NaN for the least")

  defp of(Nx, op, _, inputs, _) when op in @complex do
    if Enum.any?(inputs, &match?({:c, _}, &1.type)), do: "branch cuts and special values", else: limits(op, inputs)
  end

  defp of(Nx, op, _, [%{type: {:c, _}} = x], _) when op in [:exp, :expm1, :sin, :cos, :sinh, :cosh],
    do: if(not_finite?(x), do: "has no limits at infinity")

  defp of(Nx, :atan2, _, inputs, _), do: if(Enum.any?(inputs, &not_finite?/1), do: "loses the sign at infinity")
  defp of(Nx, :abs, _, [%{type: {:c, _}} = x], _), do: nans(x, "takes a NaN part for an infinite one")

  defp of(Nx, :conjugate, _, [%{type: {kind, _}} = x], _) when kind != :c,
    do: if(not_finite?(x), do: "gives infinities and NaN a part of 0, not -0")

  defp of(Nx, :pad, [{:v, v}, value | _], inputs, _), do: mixed_padding(v, value, inputs)

  defp of(Nx, :conv, _, inputs, _),
    do: if(Enum.any?(inputs, &not_finite?/1), do: "what is not finite meets the padding's zeros")

  defp of(Nx, op, _, inputs, opts) when op in [:window_scatter_max, :window_scatter_min] do
    if Keyword.get(opts, :padding, :valid) != :valid,
      do: "selects padding",
      else:
        folded(:reduce, inputs) ||
          nans(hd(inputs), "passes over NaN, unless it is the first; XLA over what was before NaN")
  end

  defp of(Nx, op, _, [x], opts) when op in [:fft, :ifft] do
    if tuple_size(x.shape) > 2 and opts[:axis] != tuple_size(x.shape) - 1, do: "turns the axes the wrong way back"
  end

  defp of(Nx, op, _, inputs, _)
       when op in [:all, :any, :logical_and, :logical_or, :logical_xor, :logical_not, :equal, :not_equal] do
    if Enum.any?(inputs, &match?({:c, _}, &1.type)), do: "compares complex numbers as terms"
  end

  defp of(Nx, :select, _, [%{type: {:c, _}} | _], _), do: "takes complex zero for true"
  defp of(Nx, :erf_inv, _, [%{type: {:f, 64}}], _), do: "has seven digits"
  defp of(Nx.Random, :normal, _, _, opts), do: if(opts[:type] == {:f, 64}, do: "erf_inv has seven digits")
  defp of(_, _, _, _, _), do: nil

  defp limits(op, inputs) do
    if op in [:pow, :tanh] and Enum.any?(inputs, &not_finite?/1),
      do: "infinite powers whatever the base, no limits of tanh"
  end

  # Functions of elements get Elixir's numbers, and take them for s32, f32 or c64.
  defp folded(op, inputs) when op in [:reduce, :window_reduce] do
    cond do
      Enum.any?(inputs, &(&1.type in [{:f, 64}, {:s, 64}, {:u, 64}, {:u, 32}, {:c, 128}])) -> "folds in default types"
      Enum.any?(inputs, &(&1.type in @cut)) -> "cuts every step off"
      true -> nil
    end
  end

  defp folded(_, _), do: nil

  # The padding is written with the tensor's type, whatever it was, and what merged types give is not that.
  defp mixed_padding(_, {:v, _}, [x, y]), do: if(x.type != y.type, do: "does not convert the padding")
  defp mixed_padding(_, {:v, _}, [_]), do: nil
  defp mixed_padding(_, _number, [x]), do: if(x.type not in [{:f, 32}, {:s, 32}], do: "does not convert the padding")

  @inner ~w(as_type argmax argmin sign clip round ceil floor conv pad erf_inv reduce window_reduce window_scatter_max
            window_scatter_min)a
  defp inner(op, complex?), do: if(op in @inner or (complex? and op in @complex), do: "calls #{op}")

  # The derivative of a maximum of windows is a scatter, with the windows' padding.
  defp derived(:gradient, op) when op in [:window_max, :window_min], do: "selects padding"
  defp derived(_, _), do: nil

  defp integer?({kind, _}), do: kind in [:s, :u]
  defp nans(x, reason), do: if(not integer?(x.type) and :nan in numbers(x), do: reason)
  defp not_finite?(x), do: not integer?(x.type) and Enum.any?(numbers(x), &is_atom/1)

  defp beyond?(x, _) when is_atom(x), do: true
  defp beyond?(x, {:u, width}), do: x <= -1 or x >= 2.0 ** width
  defp beyond?(x, {:s, width}), do: x <= -1 - 2.0 ** (width - 1) or x >= 2.0 ** (width - 1)

  @doc "The numbers of a float tensor, of a complex one all parts."
  def numbers(%{type: {:c, width}} = t), do: parts(Values.stored(t), {:f, div(width, 2)})
  def numbers(t), do: parts(Values.stored(t), t.type)

  defp parts(data, {_, width} = type), do: for(<<bits::little-size(width) <- data>>, do: Number.decode(bits, type))
end
