defmodule Nx.Vulkan.Test.Bounds do
  @moduledoc """
  Comparison by units in the last place, and the values that ops are tried on.

  Reference values are Nx's binary backend in f64, rounded once. Where that backend raises or is known to be
  wrong, the ops are compared with the reference interpreter instead.
  """

  alias Nx.Vulkan.Serializer.Number
  import ExUnit.Assertions

  @doc "Fails unless every element is within `ulps` of the reference; NaN equals NaN."
  def assert_ulps(actual, reference, ulps, label \\ "") do
    assert actual.type == reference.type, "#{label}: type #{inspect(actual.type)}, expected #{inspect(reference.type)}"

    assert actual.shape == reference.shape,
           "#{label}: shape #{inspect(actual.shape)}, expected #{inspect(reference.shape)}"

    worst =
      Enum.zip(elements(actual), elements(reference))
      |> Enum.with_index()
      |> Enum.map(fn {{a, r}, i} -> {distance(a, r, actual.type), i, a, r} end)
      |> Enum.max_by(&elem(&1, 0))

    {distance, i, a, r} = worst

    assert distance <= ulps,
           "#{label}: element #{i} is #{show(a, actual.type)}, expected #{show(r, actual.type)}, #{distance} ULP off, allowed #{ulps}"
  end

  @doc "Rounds a tensor of f64 or f32 to a float type, to nearest even."
  def round_to(t, type) do
    t = Nx.backend_copy(t, Nx.BinaryBackend)
    {_, width} = type

    data =
      for <<bits::64-little <- Nx.to_binary(Nx.as_type(t, :f64))>>, into: <<>> do
        <<Number.bits(Number.decode(bits, {:f, 64}), type)::little-size(width)>>
      end

    Nx.BinaryBackend.from_binary(%{t | type: type}, data, [])
  end

  @doc "The exact values of a tensor of any float type, as f64."
  def exact(%{type: {:f, 64}} = t), do: Nx.backend_copy(t, Nx.BinaryBackend)

  def exact(t) do
    data = for bits <- elements(t), into: <<>>, do: <<Number.bits(Number.decode(bits, t.type), {:f, 64})::64-little>>
    Nx.BinaryBackend.from_binary(%{t | type: {:f, 64}}, data, [])
  end

  @doc "Random values of a type: floats between `lo` and `hi`, integers over the type's range."
  def random(type, count, seed, lo \\ -4.0, hi \\ 4.0)

  def random({kind, width} = type, count, seed, _, _) when kind in [:s, :u] do
    state = :rand.seed_s(:exsss, {seed, 2, 3})

    {values, _} =
      Enum.map_reduce(1..count, state, fn _, state ->
        {bits, state} = :rand.uniform_s(2 ** 62, state)
        {Number.wrap(bits * 5 + 3, {kind, width}), state}
      end)

    Nx.tensor(values, type: type, backend: Nx.BinaryBackend)
  end

  def random(type, count, seed, lo, hi) do
    state = :rand.seed_s(:exsss, {seed, 5, 7})

    {values, _} =
      Enum.map_reduce(1..count, state, fn _, state ->
        {x, state} = :rand.uniform_s(state)
        {lo + (hi - lo) * x, state}
      end)

    round_to(Nx.tensor(values, type: :f64, backend: Nx.BinaryBackend), type)
  end

  defp elements(%{type: {_, width} = type} = t) do
    width = max(width, 8)
    data = t |> Nx.backend_copy(Nx.BinaryBackend) |> Nx.to_binary() |> Number.unpack(type)
    for <<bits::little-size(width) <- data>>, do: bits
  end

  defp distance(same, same, _type), do: 0

  defp distance(a, r, {kind, width}) when kind in [:s, :u] do
    abs(Number.wrap(a, {kind, width}) - Number.wrap(r, {kind, width}))
  end

  defp distance(a, r, {:c, width}) do
    half = div(width, 2)
    mask = 2 ** half - 1
    <<ai::size(half), ar::size(half)>> = <<a::size(width)>>
    <<ri::size(half), rr::size(half)>> = <<r::size(width)>>
    max(distance(Bitwise.band(ar, mask), rr, {:f, half}), distance(ai, ri, {:f, half}))
  end

  defp distance(a, r, {_, width} = type) do
    case {Number.decode(a, type), Number.decode(r, type)} do
      {:nan, :nan} -> 0
      {x, y} when x == :nan or y == :nan -> 2 ** width
      _ -> abs(place(a, width) - place(r, width))
    end
  end

  # floats in order, as integers; both zeros are 0
  defp place(bits, width) do
    half = 2 ** (width - 1)
    if bits >= half, do: half - bits, else: bits
  end

  defp show(bits, {kind, _} = type) when kind in [:s, :u], do: "#{Number.wrap(bits, type)}"
  defp show(bits, {:c, _} = type), do: Number.hex(bits, type)
  defp show(bits, type), do: "#{Number.decode(bits, type)} (#{Number.hex(bits, type)})"
end
