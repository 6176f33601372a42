defmodule Nx.Vulkan.Test.Random.Runner do
  @moduledoc "Many programs, and what came of them."

  alias Nx.Vulkan.Test.Random.{Check, Generate, Oracle, Program, Shrink}

  @doc "Runs the programs of `count` seeds. Returns the failures, `{seed, kind, text}`, and the counts."
  def run(first, count, opts \\ []) do
    port = Oracle.open()

    {failures, counts, port} =
      Enum.reduce_while(first..(first + count - 1), {[], %{}, port}, fn seed, {failures, counts, port} ->
        if opts[:progress] && rem(seed - first, 500) == 499,
          do: IO.puts("#{seed - first + 1} programs, #{length(failures)} failures")

        if opts[:trace], do: IO.puts(:stderr, "seed #{seed}")
        {result, more, port} = one(seed, port)
        counts = Map.merge(counts, more, fn _, a, b -> a + b end)

        failures =
          if result == :ok, do: failures, else: [Tuple.insert_at(Tuple.delete_at(result, 0), 0, seed) | failures]

        if result != :ok, do: (opts[:on_failure] || fn _ -> :ok end).(hd(failures))

        if length(failures) >= (opts[:most] || 10),
          do: {:halt, {failures, counts, port}},
          else: {:cont, {failures, counts, port}}
      end)

    Port.close(port)
    {Enum.reverse(failures), counts}
  end

  defp one(seed, port) do
    {program, rejected} = Generate.decode(Generate.genome(seed))
    {result, counts} = Check.run(Program.prune(program), port, seed)
    counts = Map.merge(counts, %{statements: length(program.statements), rejected: length(rejected)})

    if match?({:failed, :died, _}, result) do
      if Port.info(port), do: Port.close(port)
      {result, counts, Oracle.open()}
    else
      {result, counts, port}
    end
  end

  @doc """
  What makes the comparison say little, as texts: too much that depends on rounding or has no bound worth the name,
  too many nodes that were rejected, too little that was compared with Nx.
  """
  def vacuous(counts) do
    part = fn key, of -> Map.get(counts, key, 0) / max(Map.get(counts, of, 0), 1) end
    compared = Map.get(counts, :nx_agreed, 0)
    statements = compared + Map.get(counts, :nx_raised, 0) + Map.get(counts, :nx_flawed, 0)

    for {text, x, most} <- [
          {"depend on rounding", part.(:loose, :elements), 0.05},
          {"have a bound beyond their magnitude", part.(:vague, :elements), 0.1},
          {"of the programs cannot be traced", part.(:untraceable, :programs), 0.05},
          {"of the nodes are rejected", part.(:rejected, :statements), 0.1},
          {"of the programs are compared with Nx by statement", part.(:nx_by_statement, :programs), 0.4},
          {"of their statements cannot be compared", 1 - compared / max(statements, 1), 0.3}
        ],
        x > most,
        do: "#{Float.round(100 * x, 1)} % #{text}, more than #{round(100 * most)} %"
  end

  @doc "The smallest program found that fails as that of `seed` does, as code."
  def shrink(seed) do
    oracle = Oracle.open()
    check = fn program -> program |> Check.run(oracle, seed) |> elem(0) end
    program = Shrink.run(Generate.genome(seed), check, &Check.values(&1, oracle))
    {check.(program), Program.to_code(program)}
  end

  def main(argv) do
    {opts, [], []} =
      OptionParser.parse(argv,
        strict: [seed: :integer, count: :integer, most: :integer, shrink: :boolean, trace: :boolean]
      )

    seed = opts[:seed] || 1

    on_failure = fn {seed, kind, text} ->
      IO.puts("seed #{seed}: #{kind}: #{text}")

      if opts[:shrink] do
        {result, code} = shrink(seed)
        IO.puts("#{inspect(result)}\n#{code}")
      end
    end

    {us, {failures, counts}} =
      :timer.tc(fn ->
        run(seed, opts[:count] || 1, [on_failure: on_failure, progress: true] ++ Keyword.take(opts, [:most, :trace]))
      end)

    IO.inspect(counts, limit: :infinity)
    IO.puts("#{length(failures)} failures, #{div(us, 1000)} ms")
  end
end
