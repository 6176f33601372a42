defmodule Nx.Vulkan.Serializer.NumberTest do
  use ExUnit.Case, async: true

  alias Nx.Vulkan.Serializer.Number

  test "floats of 32 and 64 bits are Erlang's" do
    :rand.seed(:exsss, {1, 2, 3})

    for _ <- 1..2000 do
      x = (:rand.uniform() - 0.5) * :math.pow(2, :rand.uniform(300) - 150)
      <<bits::64>> = <<x::float-64>>
      assert Number.bits(x, {:f, 64}) == bits
      assert Number.decode(bits, {:f, 64}) == x

      if abs(x) < 3.0e38 do
        <<bits::32>> = <<x::float-32>>
        assert Number.bits(x, {:f, 32}) == bits
      end
    end

    assert Number.bits(1.0e300, {:f, 32}) == 0x7F800000
    assert Number.bits(1.0e-45, {:f, 32}) == 1
    assert Number.bits(5.0e-324, {:f, 64}) == 1
    assert Number.bits(-0.0, {:f, 32}) == 0x80000000
  end

  test "every value of the narrow types comes back" do
    for {type, width} <- [{{:f, 16}, 16}, {{:bf, 16}, 16}, {{:f, 8}, 8}, {{:f8_e4m3fn, 8}, 8}],
        bits <- 0..(2 ** width - 1),
        value = Number.decode(bits, type),
        value != :nan do
      assert Number.bits(value, type) == bits
    end
  end

  test "integers as floats are the floats of their value" do
    for type <- [{:f, 64}, {:f, 32}, {:f, 16}, {:bf, 16}, {:f, 8}, {:f8_e4m3fn, 8}, {:c, 64}, {:c, 128}],
        n <- Enum.concat(-20..20, [-65_537, 2_147_483_647, 9_007_199_254_740_993]) do
      assert Number.bits(n, type) == Number.bits(n / 1, type)
    end
  end

  test "infinities and what rounds to them" do
    for {type, largest, infinity} <- [
          {{:f, 64}, 1.7976931348623157e308, 0x7FF0000000000000},
          {{:f, 32}, 3.4028234663852886e38, 0x7F800000},
          {{:f, 16}, 65_504.0, 0x7C00},
          {{:bf, 16}, 3.3895313892515355e38, 0x7F80},
          {{:f, 8}, 57_344.0, 0x7C}
        ] do
      {_, size} = type
      sign = 2 ** (size - 1)
      assert Number.bits(:infinity, type) == infinity
      assert Number.bits(:neg_infinity, type) == sign + infinity
      assert Number.decode(infinity, type) == :infinity
      assert Number.decode(sign + infinity, type) == :neg_infinity
      assert Number.bits(largest, type) == infinity - 1
      assert Number.decode(infinity - 1, type) == largest
      assert Number.decode(infinity + 1, type) == :nan
      assert Number.decode(Number.bits(:nan, type), type) == :nan

      # the least that rounds to infinity is halfway to the number that would follow
      unless size == 64 do
        above = 2 * largest - Number.decode(infinity - 2, type)
        half = (largest + above) / 2
        assert Number.bits(half, type) == infinity
        assert Number.bits(-half, type) == sign + infinity
        assert Number.bits(half * (1 - 2.0 ** -52), type) == infinity - 1
      end
    end

    # all bits of f8_e4m3fn but NaN's are numbers
    for bits <- 0x78..0x7E, do: assert(is_float(Number.decode(bits, {:f8_e4m3fn, 8})))
    assert Number.decode(0x7E, {:f8_e4m3fn, 8}) == 448.0
    assert Number.decode(0x7F, {:f8_e4m3fn, 8}) == :nan
    assert Number.decode(0xFF, {:f8_e4m3fn, 8}) == :nan
  end

  test "narrow floats round to nearest even and do not truncate" do
    # halfway between 1 and its neighbour goes to the even one
    assert Number.bits(1.00390625, {:bf, 16}) == 0x3F80
    assert Number.bits(1.01171875, {:bf, 16}) == 0x3F82
    assert Number.bits(1.0039062500000002, {:bf, 16}) == 0x3F81
    assert Number.bits(1.125, {:f, 8}) == 0x3C
    assert Number.bits(1.375, {:f, 8}) == 0x3E
    # largest of f8_e4m3fn, which has no infinity
    assert Number.bits(1.0e9, {:f8_e4m3fn, 8}) == 0x7E
    assert Number.bits(:neg_infinity, {:f8_e4m3fn, 8}) == 0xFE
    assert Number.bits(:nan, {:f8_e4m3fn, 8}) == 0x7F
    assert Number.bits(65_520.0, {:f, 16}) == 0x7C00
    assert Number.bits(65_519.9, {:f, 16}) == 0x7BFF
  end

  test "hexadecimal strings" do
    assert Number.hex(Number.bits(2, {:f, 32}), {:f, 32}) == "40000000"
    assert Number.hex(Number.bits(-1, {:s, 64}), {:s, 64}) == "ffffffffffffffff"
    assert Number.hex(Number.bits(-1, {:s, 4}), {:s, 4}) == "ff"
    assert Number.hex(Number.bits(3, {:u, 2}), {:u, 2}) == "03"
    assert Number.hex(Number.bits(300, {:u, 8}), {:u, 8}) == "2c"
    assert Number.hex(Number.bits(18_446_744_073_709_551_615, {:u, 64}), {:u, 64}) == "ffffffffffffffff"
    assert Number.hex(Number.bits(:nan, {:f, 64}), {:f, 64}) == "7ff8000000000000"
    # the imaginary part leads
    assert Number.hex(Number.bits(Complex.new(1, 2), {:c, 64}), {:c, 64}) == "400000003f800000"
    assert Number.hex(Number.bits(Complex.new(:infinity, -0.0), {:c, 64}), {:c, 64}) == "800000007f800000"
  end

  test "elements under eight bits take a byte on the device" do
    assert Number.unpack(<<3::2, 0::2, 1::2, 2::2>>, {:u, 2}) == <<3, 0, 1, 2>>
    assert Number.unpack(<<0x1F>>, {:s, 4}) == <<1, 255>>
    assert Number.pack(<<1, 255>>, {:s, 4}) == <<0x1F>>
    assert Number.pack(<<3, 0, 1>>, {:u, 2}) == <<3::2, 0::2, 1::2>>
  end

  test "constants convert where that is exact" do
    assert Number.convert(2, {:s, 32}, {:f, 32}) == 2.0
    assert Number.convert(300, {:s, 32}, {:u, 8}) == 300
    assert Number.convert(0.1, {:f, 32}, {:f, 64}) == 0.10000000149011612
    assert Number.convert(1.5, {:f, 32}, {:s, 32}) == nil
    assert Number.convert(2 ** 60 + 1, {:s, 64}, {:f, 32}) == nil
  end
end
