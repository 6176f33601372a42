defmodule Nx.Vulkan.Test.Random.Values do
  @moduledoc "Tensors of random values: simple ones, ordinary ones, a wide range, and those that are rarely thought of."

  alias Nx.Vulkan.Serializer.Number

  @types [{:f, 32}, {:s, 32}, {:u, 8}, {:f, 64}, {:s, 64}, {:c, 64}, {:f, 16}, {:bf, 16}, {:u, 32}] ++
           [
             {:s, 8},
             {:u, 16},
             {:s, 16},
             {:u, 64},
             {:c, 128},
             {:f, 8},
             {:f8_e4m3fn, 8},
             {:u, 4},
             {:s, 4},
             {:u, 2},
             {:s, 2}
           ]

  @modes [:simple, :ordinary, :wide, :edges]

  def types, do: @types
  def modes, do: @modes

  @doc "A tensor of a mode; the same one for the same seed."
  def tensor(type, shape, mode, seed) do
    state = :rand.seed_s(:exsss, {seed, Nx.size(shape), 11})
    {values, _} = Enum.map_reduce(1..Nx.size(shape), state, &element(type, mode, &1, &2))
    from_bits(values, type, shape)
  end

  @doc "A tensor of stored bits."
  def from_bits(bits, {_, width} = type, shape) do
    data = for b <- bits, into: <<>>, do: <<b::little-size(max(width, 8))>>
    from_stored(data, Nx.template(shape, type))
  end

  @doc "A vector that is part of the program."
  def literal(data, type), do: Nx.from_binary(data, type, backend: Nx.BinaryBackend)

  @doc "A host tensor of bytes in device layout."
  def from_stored(data, template) do
    Nx.BinaryBackend.from_binary(template, Number.pack(data, template.type), [])
  end

  @doc "The bytes of a tensor in device layout."
  def stored(t), do: t |> Nx.devectorize() |> Nx.to_binary() |> Number.unpack(t.type)

  defp element({:c, width}, mode, i, state) do
    half = {:f, div(width, 2)}
    {re, state} = element(half, mode, i, state)
    {im, state} = element(half, mode, i + 1, state)
    {Bitwise.bor(Bitwise.bsl(im, div(width, 2)), re), state}
  end

  defp element({kind, width} = type, mode, _, state) when kind in [:s, :u] do
    {r, state} = :rand.uniform_s(2 ** 60, state)
    {s, state} = :rand.uniform_s(2 ** 60, state)

    value =
      case mode do
        :simple -> rem(r, 4)
        :ordinary -> rem(r, 21) - if(kind == :s, do: 10, else: 0)
        :wide -> r * 16 + s
        :edges when rem(r, 3) > 0 -> Enum.at([0, 1, -1, 2 ** (width - 1), 2 ** (width - 1) - 1, 2, width, 3], rem(s, 8))
        :edges -> r * 16 + s
      end

    {Number.bits(Number.wrap(value, type), type), state}
  end

  defp element(type, mode, _, state) do
    {r, state} = :rand.uniform_s(2 ** 60, state)
    {u, state} = :rand.uniform_s(state)
    {Number.bits(float(type, mode, r, u), type), state}
  end

  defp float(_, :simple, r, _), do: (rem(r, 9) - 4) / 2
  defp float(_, :ordinary, _, u), do: u * 8 - 4
  defp float(type, :wide, r, u), do: (rem(r, 2) * 2 - 1) * 2.0 ** ((u - 0.5) * range(type))

  defp float(type, :edges, r, u) do
    case rem(r, 3) do
      0 ->
        float(type, :ordinary, r, u)

      1 ->
        Enum.at([0.0, -0.0, 1.0, -1.0, :nan, :infinity, :neg_infinity, 0.5, 2.5, -1.5], trunc(u * 10))

      2 ->
        Enum.at(
          [least(type), -least(type), 3 * least(type), greatest(type), -greatest(type), normal(type)],
          trunc(u * 6)
        )
    end
  end

  # exponents of ordinary magnitudes; the greatest and the least numbers
  defp range({:f, 64}), do: 80.0
  defp range({:f, 32}), do: 40.0
  defp range({:bf, 16}), do: 40.0
  defp range(_), do: 10.0

  defp least({:f, 64}), do: 5.0e-324
  defp least(type), do: Number.decode(1, type)
  defp greatest({:f, 64}), do: 1.7976931348623157e308
  defp greatest({:f8_e4m3fn, 8}), do: 448.0
  defp greatest(type), do: Number.decode(Number.bits(:infinity, type) - 1, type)
  defp normal({:f, 64}), do: 2.2250738585072014e-308
  defp normal({:f, 32}), do: 2.0 ** -126
  defp normal({:bf, 16}), do: 2.0 ** -126
  defp normal({:f, 16}), do: 2.0 ** -14
  defp normal({:f, 8}), do: 2.0 ** -14
  defp normal({:f8_e4m3fn, 8}), do: 2.0 ** -6
end
