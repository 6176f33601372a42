defmodule Nx.Vulkan.Test.Random.Runner do
  @moduledoc "Many programs, and what came of them."

  alias Nx.Vulkan.Test.Random.{Check, Generate, Oracle, Program, Shrink}

  # programs between two lines of progress
  @hundred 100

  @doc "Runs the programs of `count` seeds. Returns the failures, `{seed, kind, text}`, and the counts."
  def run(first, count, opts \\ []) do
    port = Oracle.open()

    {failures, counts, port, _} =
      Enum.reduce_while(first..(first + count - 1), {[], %{}, port, []}, fn seed, {failures, counts, port, times} ->
        if opts[:trace], do: IO.puts(:stderr, "seed #{seed}")
        {us, {result, more, port}} = :timer.tc(fn -> one(seed, port) end)
        times = [{us, seed} | times]
        counts = Map.merge(counts, more, fn _, a, b -> a + b end)

        failures =
          if result == :ok, do: failures, else: [Tuple.insert_at(Tuple.delete_at(result, 0), 0, seed) | failures]

        if result != :ok, do: (opts[:on_failure] || fn _ -> :ok end).(hd(failures))

        if opts[:progress] && rem(length(times), @hundred) == 0, do: progress(times, failures)

        if length(failures) >= most(opts),
          do: {:halt, {failures, counts, port, times}},
          else: {:cont, {failures, counts, port, times}}
      end)

    Port.close(port)
    {Enum.reverse(failures), counts}
  end

  # The slowest is named, since a program that takes minutes is a fault of its own.
  defp progress([{_, seed} | _] = times, failures) do
    {slowest, which} = times |> Enum.take(@hundred) |> Enum.max()
    seconds = div(Enum.sum_by(times, &elem(&1, 0)), 1_000_000)

    IO.puts(
      "#{length(times)} programs, to seed #{seed}: #{length(failures)} failures, #{seconds} s; " <>
        "of the last #{@hundred} the slowest is #{which}, #{div(slowest, 1000)} ms"
    )
  end

  defp one(seed, port) do
    {result, counts} = checked(seed, port)

    if match?({:failed, kind, _} when kind in [:died, :raised], result) do
      if Port.info(port), do: Port.close(port)
      {result, counts, Oracle.open()}
    else
      {result, counts, port}
    end
  end

  defp checked(seed, port) do
    {program, rejected} = Generate.decode(Generate.genome(seed))
    {result, counts} = Check.run(Program.prune(program), port, seed)
    {result, Map.merge(counts, %{statements: length(program.statements), rejected: length(rejected)})}
  rescue
    e -> {{:failed, :raised, Exception.format(:error, e, __STACKTRACE__)}, %{}}
  end

  @doc """
  What makes the comparison say little, as texts: too much that depends on rounding or has no bound worth the name,
  too many nodes that were rejected, too little that was compared with Nx, too few large tensors.
  """
  def vacuous(counts) do
    part = fn key, of -> Map.get(counts, key, 0) / max(Map.get(counts, of, 0), 1) end
    compared = Map.get(counts, :nx_agreed, 0)
    statements = compared + Map.get(counts, :nx_raised, 0) + Map.get(counts, :nx_flawed, 0)

    for {text, x, most} <- [
          {"of the elements depend on rounding", part.(:loose_part, :programs), 0.05},
          {"of the elements have a bound beyond their magnitude", part.(:vague_part, :programs), 0.1},
          {"of the programs cannot be traced", part.(:untraceable, :programs), 0.05},
          {"of the programs are traced wrongly by Nx", part.(:nx_traced_wrongly, :programs), 0.01},
          {"of the nodes are rejected", part.(:rejected, :statements), 0.1},
          {"of the programs are compared with Nx by statement", part.(:nx_by_statement, :programs), 0.4},
          {"of their statements cannot be compared", 1 - compared / max(statements, 1), 0.3},
          {"of the programs have no tensor over 1,000 elements", 1 - part.(:over_1000, :programs), 0.95}
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

  @doc "The command line: a line for each failure, the counts, and as the last line how many failed of how many. The status is 1 if any did."
  def main(argv) do
    {opts, [], []} =
      OptionParser.parse(argv,
        strict: [seed: :integer, count: :integer, most: :integer, shrink: :boolean, trace: :boolean]
      )

    {seed, count} = {opts[:seed] || 1, opts[:count] || 1}
    {:ok, _} = System.trap_signal(:sigterm, fn -> stopped(seed) end)

    on_failure = fn {seed, kind, text} ->
      IO.puts("seed #{seed}: #{kind}: #{text}")

      if opts[:shrink], do: IO.puts(smallest(seed))
    end

    {us, {failures, counts}} =
      :timer.tc(fn ->
        run(seed, count, [on_failure: on_failure, progress: true] ++ Keyword.take(opts, [:most, :trace]))
      end)

    IO.inspect(counts, limit: :infinity)
    ran = if length(failures) >= most(opts), do: elem(List.last(failures), 0) - seed + 1, else: count
    IO.puts("#{Map.get(counts, :over_1000, 0)} of the programs had a tensor over 1,000 elements")
    IO.puts("#{length(failures)} failures in #{ran} of #{count} programs from #{seed}, #{div(us, 1000)} ms")
    if failures != [], do: exit({:shutdown, 1})
  end

  # Erlang would stop the applications first, and every program that ran meanwhile would count as one that failed.
  defp stopped(seed) do
    IO.puts("programs from #{seed}: stopped by SIGTERM before the end, which is no result")
    System.halt(143)
  end

  defp smallest(seed) do
    {result, code} = shrink(seed)
    "#{inspect(result)}\n#{code}"
  rescue
    e -> "not made smaller: #{Exception.message(e)}"
  end

  defp most(opts), do: opts[:most] || 10
end
