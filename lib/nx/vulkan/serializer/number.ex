defmodule Nx.Vulkan.Serializer.Number do
  @moduledoc false
  # Numbers as bits: how a value of each Nx type is stored. Floats round to nearest even from the exact
  # value; `Nx.BinaryBackend` truncates bf16 and f8, so it is not used here.

  import Bitwise

  # kind, exponent bits, mantissa bits, whether the top exponent holds infinity
  @formats %{
    {:f, 64} => {11, 52, true},
    {:f, 32} => {8, 23, true},
    {:f, 16} => {5, 10, true},
    {:bf, 16} => {8, 7, true},
    {:f, 8} => {5, 2, true},
    {:f8_e4m3fn, 8} => {4, 3, false}
  }

  @type number_like :: number | Complex.t() | :nan | :infinity | :neg_infinity

  @doc "Bits of `number` as an element of `type`; the value must be representable in the type's kind."
  @spec bits(number_like, Nx.Type.t()) :: non_neg_integer
  def bits(number, {kind, size}) when kind in [:s, :u] and is_integer(number) do
    width = max(size, 8)
    low = number &&& (1 <<< size) - 1

    # an element under 8 bits takes a byte, sign-extended
    if kind == :s and size < 8 and low >>> (size - 1) == 1,
      do: (low ||| bnot((1 <<< size) - 1)) &&& (1 <<< width) - 1,
      else: low
  end

  def bits(number, {:c, size}) do
    half = {:f, div(size, 2)}
    {re, im} = complex_parts(number)
    bits(im, half) <<< div(size, 2) ||| bits(re, half)
  end

  def bits(number, type), do: float_bits(number, Map.fetch!(@formats, type))

  @doc "The same as a hexadecimal string, most significant digit first, two digits a byte."
  @spec hex(non_neg_integer, Nx.Type.t()) :: binary
  def hex(bits, {_, size}) do
    bits
    |> Integer.to_string(16)
    |> String.downcase()
    |> String.pad_leading(div(max(size, 8), 4), "0")
  end

  @doc "The value that stored float bits stand for; exact."
  @spec decode(non_neg_integer, Nx.Type.t()) :: float | :nan | :infinity | :neg_infinity
  def decode(bits, type) do
    {exp_bits, man_bits, inf?} = Map.fetch!(@formats, type)
    bias = (1 <<< (exp_bits - 1)) - 1
    top = (1 <<< exp_bits) - 1
    man = bits &&& (1 <<< man_bits) - 1
    exp = bits >>> man_bits &&& top
    negative? = (bits >>> (exp_bits + man_bits) &&& 1) == 1

    cond do
      exp == top and inf? and man != 0 -> :nan
      exp == top and inf? -> if negative?, do: :neg_infinity, else: :infinity
      exp == top and man == (1 <<< man_bits) - 1 -> :nan
      exp == 0 -> sign(negative?, scale(man, 1 - bias - man_bits))
      true -> sign(negative?, scale(man ||| 1 <<< man_bits, exp - bias - man_bits))
    end
  end

  @doc "The value of a number constant of type `from` as a constant of type `to`, or nil where that is not exact arithmetic."
  @spec convert(number_like, Nx.Type.t(), Nx.Type.t()) :: number_like | nil
  def convert(number, from, to) do
    cond do
      from == to -> number
      integer?(from) and integer?(to) and is_integer(number) -> wrap(number, from)
      integer?(from) and is_integer(number) and abs(wrap(number, from)) <= 1 <<< 53 -> wrap(number, from) * 1.0
      float?(from) and (float?(to) or complex?(to)) -> decode(bits(number, from), from)
      true -> nil
    end
  end

  @doc "An integer as its type stores it."
  @spec wrap(integer, Nx.Type.t()) :: integer
  def wrap(number, {kind, size}) do
    low = number &&& (1 <<< size) - 1
    if kind == :s and low >>> (size - 1) == 1, do: low - (1 <<< size), else: low
  end

  @doc "Unpacks bit-packed elements under 8 bits, first element in the high bits, to a byte each."
  @spec unpack(bitstring, Nx.Type.t()) :: binary
  def unpack(data, {:s, size}) when size < 8, do: for(<<x::signed-size(size) <- data>>, into: <<>>, do: <<x::8>>)
  def unpack(data, {:u, size}) when size < 8, do: for(<<x::size(size) <- data>>, into: <<>>, do: <<x::8>>)
  def unpack(data, _type), do: data

  @doc "The reverse of `unpack/2`."
  @spec pack(binary, Nx.Type.t()) :: bitstring
  def pack(data, {kind, size}) when kind in [:s, :u] and size < 8,
    do: for(<<_::size(8 - size), x::size(size) <- data>>, into: <<>>, do: <<x::size(size)>>)

  def pack(data, _type), do: data

  @doc "Bytes of a dense tensor on the device: an element under 8 bits takes one."
  @spec bytes(Nx.Type.t(), [pos_integer]) :: pos_integer
  def bytes({_, size}, dims), do: Enum.product(dims) * div(max(size, 8), 8)

  defp integer?({kind, _}), do: kind in [:s, :u]
  defp float?({kind, _}), do: kind in [:f, :bf, :f8_e4m3fn]
  defp complex?({kind, _}), do: kind == :c

  defp complex_parts(%Complex{re: re, im: im}), do: {re, im}
  defp complex_parts(number), do: {number, 0.0}

  # unary minus loses the sign of zero on some releases of OTP
  defp sign(true, x), do: x * -1.0
  defp sign(false, x), do: x

  # m * 2^e for m below 2^53: the bits are assembled, because the result may be subnormal
  defp scale(0, _e), do: 0.0

  defp scale(m, e) do
    <<x::float-64>> = <<encode(m, e, {11, 52, true})::64>>
    x
  end

  defp float_bits(:nan, {e, m, true}), do: ((1 <<< e) - 1) <<< m ||| 1 <<< (m - 1)
  defp float_bits(:nan, {e, m, false}), do: (1 <<< (e + m)) - 1
  defp float_bits(:infinity, format), do: largest(format)
  defp float_bits(:neg_infinity, {e, m, _} = format), do: 1 <<< (e + m) ||| largest(format)

  defp float_bits(number, {e, m, _} = format) when is_integer(number) do
    if number < 0, do: 1 <<< (e + m) ||| encode(-number, 0, format), else: encode(number, 0, format)
  end

  defp float_bits(number, {e, m, _} = format) when is_float(number) do
    <<negative::1, exp::11, man::52>> = <<number::float-64>>
    man = if exp == 0, do: man, else: man ||| 1 <<< 52
    negative <<< (e + m) ||| encode(man, max(exp, 1) - 1075, format)
  end

  defp largest({e, m, true}), do: ((1 <<< e) - 1) <<< m
  defp largest({e, m, false}), do: (1 <<< (e + m)) - 2

  # Nearest even of man * 2^exp (man >= 0) in a format, without its sign.
  defp encode(0, _exp, _format), do: 0

  defp encode(man, exp, {e, m, _} = format) do
    top = exp + length(Integer.digits(man, 2)) - 1
    least = 2 - (1 <<< (e - 1))
    unit = max(top, least) - m
    steps = shift_even(man, exp - unit)
    bits = if top < least, do: steps, else: ((top - least) <<< m) + steps
    min(bits, largest(format))
  end

  defp shift_even(man, shift) when shift >= 0, do: man <<< shift

  defp shift_even(man, shift) do
    quotient = man >>> -shift
    rest = man - (quotient <<< -shift)
    half = 1 <<< (-shift - 1)

    if rest > half or (rest == half and (quotient &&& 1) == 1), do: quotient + 1, else: quotient
  end
end
