defmodule Nx.Vulkan.Test.Random.Generate do
  @moduledoc """
  Random programs. A genome is lists of integers, from which a program is drawn: one for the whole, one for each
  input, one for each node. Every genome gives a program, and a smaller genome a simpler one.

  A node is `{integers, nodes inside it}`.
  """

  import Nx.Vulkan.Test.Random.Build
  alias Nx.Vulkan.Test.Random.{Build, Draw, Elementwise, Nested, Reduce, Shape, Values}

  # Where schedules change: a row's threads, a workgroup's elements, what a kernel holds, what 16 bits count.
  @thresholds [256, 256, 1024, 1024, 4096, 8192, 65536]

  # One program in ten is large: up to 100,000 elements a tensor, and of as little work as a small one has in all.
  @small %{elements: 2500, work: 1_000_000_000}
  @large %{elements: 100_000, work: 1_500_000}

  @doc "The genome of a seed."
  def genome(seed) do
    {genome, _} = genome_s(:rand.seed_s(:exsss, {seed, 17, 23}))
    genome
  end

  defp genome_s(state) do
    {head, state} = integers(30, state)
    {inputs, state} = list(3, state, &integers(10, &1))
    {nodes, state} = nodes(2, 13, 2, state)
    {%{head: head, inputs: inputs, nodes: nodes}, state}
  end

  defp integers(n, state), do: Enum.map_reduce(1..n, state, fn _, state -> :rand.uniform_s(2 ** 30, state) end)

  defp list(most, state, fun) do
    {n, state} = :rand.uniform_s(most, state)
    Enum.map_reduce(1..n, state, fn _, state -> fun.(state) end)
  end

  defp nodes(least, most, depth, state) do
    {n, state} = :rand.uniform_s(most - least + 1, state)

    Enum.map_reduce(1..(least + n - 1), state, fn _, state ->
      {ints, state} = integers(32, state)
      {inner, state} = if depth > 0, do: nodes(1, 3, depth - 1, state), else: {[], state}
      {{ints, inner}, state}
    end)
  end

  @doc "The program of a genome, and what was rejected on the way."
  def decode(%{head: head, inputs: inputs, nodes: nodes}) do
    Draw.from(head, fn ->
      large? = Draw.flag(10)
      types = palette()
      dims = if large?, do: large_dims(), else: small_dims()
      limits = if large?, do: @large, else: @small
      nodes = if large?, do: Enum.take(nodes, Draw.int(2, 7)), else: nodes
      edges? = Draw.flag(4)

      tensors =
        for {ints, i} <- Enum.with_index(inputs) do
          Draw.from(ints, fn -> input(types, if(large?, do: large_shape(dims, i), else: small_shape(dims)), edges?) end)
        end

      {program, rejected} =
        start(Enum.map(tensors, &Nx.to_template/1), dims, types, limits, fn ->
          statements(nodes)
          results()
        end)

      {%{program | inputs: tensors}, rejected}
    end)
  end

  defp small_dims do
    for _ <- 1..3,
        do: Draw.weighted([{16, Draw.int(1, 5)}, {3, Draw.int(6, 17)}, {1, Draw.one([32, 33, 64, 100, 257, 600])}])
  end

  # a large dimension, mostly at a threshold of the schedules, a small one, and one of either kind
  defp large_dims do
    large =
      Draw.weighted([
        {6, Draw.one(@thresholds) + Draw.int(3) - 1},
        {2, Draw.int(300, 3000)},
        {1, Draw.int(3000, 100_000)}
      ])

    either = Draw.weighted([{3, Draw.int(1, 8)}, {2, Draw.int(8, 70)}, {2, Draw.one([255, 256, 257])}])
    [large, Draw.int(1, 8), either]
  end

  # half of the programs have f32 and integers only, which all three implementations know well
  defp palette do
    case Draw.int(4) do
      0 -> [{:f, 32}, {:s, 32}, {:f, 32}, {:u, 8}]
      1 -> [{:f, 64}, {:s, 64}, {:f, 32}, {:u, 32}]
      _ -> for _ <- 1..3, do: Draw.one(Values.types())
    end
  end

  defp input(types, shape, edges?) do
    type = Draw.one(types)
    mode = if edges?, do: Draw.one([:edges, :wide, :ordinary]), else: Draw.one([:simple, :ordinary, :ordinary])
    Values.tensor(type, shape, mode, Draw.int(10_000))
  end

  defp small_shape(dims) do
    shape = List.to_tuple(for _ <- 1..Draw.weighted([{2, 1}, {4, 2}, {2, 3}, {1, 0}])//1, do: Draw.one(dims))
    if Nx.size(shape) > 1500, do: {Draw.one(dims)}, else: shape
  end

  # The large dimension of the first input is any axis of up to four; the others may be rows of it. What would be too
  # large has fewer axes.
  defp large_shape([large | others] = dims, i) do
    rank = Draw.weighted([{4, 2}, {3, 3}, {2, 1}, {1, 4}])
    rest = for _ <- 2..rank//1, do: Draw.one(if(i == 0, do: others, else: dims))
    shape = if i == 0, do: List.insert_at(rest, Draw.int(rank), large), else: rest ++ [Draw.one(dims)]
    fit(shape)
  end

  defp fit(shape) do
    if Enum.product(shape) <= @large.elements, do: List.to_tuple(shape), else: fit(List.delete(shape, Enum.min(shape)))
  end

  @doc "Adds the statements of nodes; those that reject are left out."
  def statements(nodes) do
    for {ints, inner} <- nodes do
      Draw.from(ints, fn ->
        table = Elementwise.table() ++ Shape.table() ++ Reduce.table()
        table = if inner == [], do: table, else: table ++ Nested.table(fn -> statements(inner) end)
        {name, fun} = Draw.weighted(for {weight, name, fun} <- table, do: {weight, {name, fun}})
        Build.attempt(name, fun)
      end)
    end
  end

  # what nothing else reads, and perhaps something that is read
  defp results do
    unread = Enum.take(Build.unread(), 4)
    if Draw.flag(3) and unread != [], do: Enum.uniq(unread ++ [elem(any(), 1)]), else: unread
  end
end
