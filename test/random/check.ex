defmodule Nx.Vulkan.Test.Random.Check do
  @moduledoc """
  One program, three ways: on the device, as `Nx.Vulkan.Compiler` compiles it and in one more way; by the
  reference interpreter; and by `Nx.Defn.Evaluator` on `Nx.BinaryBackend`.

  The interpreter is in the middle: the others are compared with it under the bound that test/e2e/perturb.h
  gives. Where the evaluator raises or differs, the statements are compared with Nx one by one, each on what
  the interpreter computed for its operands, so that a flaw of the binary backend (`Flaws`) excuses the
  statement that has it and nothing else.
  """

  alias Nx.Defn.Composite
  alias Nx.Vulkan.{Bundle, Cache, Callbacks, Compiler, Device, FunKey, NIF, Options, Program, Serializer}
  alias Nx.Vulkan.Test.Random
  alias Nx.Vulkan.Test.Random.{Flaws, Oracle, Values}

  @variants [:as_gpu, :unfused, :as_gpu, :no_passes]

  @doc """
  `:ok`, or `{:failed, kind, text}`; and counts, to be added up. `round` decides how the program is compiled a
  second time.
  """
  def run(program, port, round \\ 0) do
    inputs = List.to_tuple(program.inputs)
    fun = Random.Program.fun(program)

    case trace(fun, inputs) do
      {:ok, graph, template} ->
        {result, counts} = run(program, port, fun, inputs, graph, Composite.flatten_list([template]), round)
        {result, Map.put(counts, :over_1000, if(largest(graph) > 1000, do: 1, else: 0))}

      :error ->
        {:ok, %{untraceable: 1}}
    end
  end

  # elements of the largest tensor in a graph
  defp largest(graph) do
    ~r/"shape":\[([\d,]+)\]/
    |> Regex.scan(IO.iodata_to_binary(graph.json), capture: :all_but_first)
    |> Enum.map(fn [dims] -> dims |> String.split(",") |> Enum.map(&String.to_integer/1) |> Enum.product() end)
    |> Enum.max(fn -> 1 end)
  end

  # Nx computes with constants while it traces, and raises where the binary backend does, or where that has made
  # a tensor without its data: a transform of length 1.
  defp trace(fun, inputs) do
    {graph, template} = Serializer.trace(fun, [templates(inputs)])
    {:ok, graph, template}
  rescue
    _ in [ArgumentError, ArithmeticError, FunctionClauseError, MatchError] ->
      :error

    e in Nx.Vulkan.CompileError ->
      if Flaws.traced?(Exception.message(e)), do: :error, else: reraise(e, __STACKTRACE__)

    # a gradient by a literal has it as it is in its graph, where a gradient inside expects an expression
    e in KeyError ->
      if match?(%{key: :op, term: %Nx.BinaryBackend{}}, e), do: :error, else: reraise(e, __STACKTRACE__)
  end

  defp run(program, port, fun, inputs, graph, outputs, round) do
    variant = Enum.at(@variants, rem(round, length(@variants)))

    with {:ok, main} <- device(fun, inputs),
         {:ok, other} <- variant(variant, graph, program.inputs, length(outputs)) do
      nx = evaluator(fun, inputs)
      found = [{:device, main}, {variant, other}] ++ for({:ok, values} <- [nx], do: {:nx, values})
      candidates = for {_, values} <- found, do: {0.0, values}

      case Oracle.run(port, graph.json, program.inputs, outputs, candidates) do
        {:ok, _, verdicts} -> judge(Enum.zip(Keyword.keys(found), verdicts), outputs, program, port)
        {:error, text} -> {{:failed, :interpreter, text}, %{}}
        {:died, text} -> {{:failed, :died, text}, %{}}
      end
    else
      {:error, kind, text} ->
        if Flaws.traced?(text), do: {:ok, %{nx_traced_wrongly: 1}}, else: {{:failed, kind, text}, %{}}
    end
  end

  @doc "Compares a function of a tuple on the device, compiled in every way, with the interpreter; as `run/3`."
  def device_agrees(fun, inputs, port) do
    {graph, template} = Serializer.trace(fun, [templates(List.to_tuple(inputs))])
    outputs = Composite.flatten_list([template])

    found =
      for variant <- [:device | Enum.uniq(@variants)] do
        {variant,
         if(variant == :device,
           do: device(fun, List.to_tuple(inputs)),
           else: variant(variant, graph, inputs, length(outputs))
         )}
      end

    case Enum.find(found, &match?({_, {:error, _, _}}, &1)) do
      {_, {:error, kind, text}} ->
        {:failed, kind, text}

      nil ->
        case Oracle.run(port, graph.json, inputs, outputs, for({_, {:ok, values}} <- found, do: {0.0, values})) do
          {:ok, _, verdicts} ->
            wrong = for {{who, _}, list} <- Enum.zip(found, verdicts), v <- list, v.wrong, do: {:failed, who, show(v)}
            List.first(wrong, :ok)

          {kind, text} ->
            {:failed, kind, text}
        end
    end
  end

  defp templates(inputs), do: inputs |> Tuple.to_list() |> Enum.map(&Nx.to_template/1) |> List.to_tuple()

  # ---- the device ----

  defp device(fun, inputs) do
    result = Nx.Defn.jit_apply(fun, [inputs], compiler: Compiler, cache_dir: false, threads: 1)
    {:ok, Enum.map(Composite.flatten_list([result]), &Values.stored/1)}
  rescue
    e in [Nx.Vulkan.CompileError, Nx.Vulkan.Error] -> {:error, :device, Exception.message(e)}
  after
    forget(fun)
  end

  # Thousands of programs are not kept. What other tests have compiled meanwhile is, whatever its options: a test of
  # the cache that finds its program gone has found nothing.
  defp forget(fun) do
    function = FunKey.normalize(fun)
    ours = for {{:compiled, ^function, _, _, _, _} = key, %Program{ref: ref}} <- Cache.all(), do: {key, ref}
    refs = MapSet.new(ours, fn {_, ref} -> ref end)
    programs = for {{:program, _, _, _} = key, ref} <- Cache.all(), ref in refs, do: key
    keys = MapSet.new(Enum.map(ours, &elem(&1, 0)) ++ programs)
    Cache.drop(&(&1 in keys))
  end

  # The same graph on the device, compiled in another way.
  defp variant(variant, graph, inputs, count) do
    device = Device.fetch!()
    {target, options} = options(variant, device)
    {bundle, _, _} = Bundle.compile(graph, %Options{options | cache_dir: "", threads: 1, target: target}, nil)
    buffers = for {t, i} <- Enum.with_index(inputs), do: if(i in graph.used, do: Program.buffer(t, device))

    with {:ok, ref} <- NIF.load(device.ref, bundle, true),
         {:ok, outputs, _} <- Callbacks.run(%{ref: ref, callbacks: []}, buffers, %{}, :infinity) do
      ^count = length(outputs)
      {:ok, Enum.map(outputs, &read/1)}
    else
      {:error, {status, text}} -> {:error, variant, "#{status}: #{text}"}
    end
  rescue
    e in Nx.Vulkan.CompileError -> {:error, variant, Exception.message(e)}
  end

  defp read(buffer) do
    {bytes, true} = NIF.buffer_info(buffer)
    {:ok, data} = NIF.buffer_read(buffer, 0, bytes)
    data
  end

  # shared memory and all, whatever the device is; loops are short here
  defp options(:as_gpu, device) do
    info = %{device.info | kind: :discrete, has_loop_limit: false}
    {Device.target(%{device | info: info}), %Options{}}
  end

  defp options(:unfused, device), do: {Device.target(device), %Options{fusion: false}}
  defp options(:no_passes, device), do: {Device.target(device), %Options{skip_passes: "algebra,cse,views"}}

  # ---- Nx ----

  defp evaluator(fun, inputs) do
    result = Nx.Defn.jit_apply(fun, [inputs], compiler: Nx.Defn.Evaluator)
    {:ok, Enum.map(Composite.flatten_list([result]), &Values.stored/1)}
  rescue
    e -> {:raised, Exception.message(e)}
  end

  # ---- verdicts ----

  defp judge(verdicts, outputs, program, port) do
    counts = device_counts(verdicts, outputs)

    case for({who, list} <- verdicts, who != :nx, v = Enum.find(list, & &1.wrong), do: {who, list, v}) do
      [{who, list, v} | _] ->
        output = Enum.find_index(list, &(&1 == v))
        {{:failed, who, "output #{output}, #{show(v)}"}, counts}

      [] ->
        case verdicts[:nx] do
          nil ->
            by_statement(program, port, counts)

          list ->
            if Enum.any?(list, & &1.wrong),
              do: by_statement(program, port, counts),
              else: {:ok, add(counts, :nx_whole, 1)}
        end
    end
  end

  defp show(v),
    do: "element #{v.wrong}: found #{inspect(v.found)}, expected #{inspect(v.wanted)} within #{inspect(v.bound)}"

  defp device_counts(verdicts, outputs) do
    sizes = for t <- outputs, do: Nx.size(t) * if(match?({:c, _}, t.type), do: 2, else: 1)
    all = Enum.flat_map(Keyword.delete(verdicts, :nx), &elem(&1, 1))

    elements = 2 * Enum.sum(sizes)
    loose = Enum.sum_by(all, & &1.loose)
    vague = Enum.sum_by(all, & &1.vague)

    # the parts are added up by program, lest a large one count for all of the small
    %{
      programs: 1,
      elements: elements,
      loose: loose,
      vague: vague,
      loose_part: loose / max(elements, 1),
      vague_part: vague / max(elements, 1)
    }
  end

  defp add(counts, key, n), do: Map.update(counts, key, n, &(&1 + n))

  # ---- statement by statement ----

  @doc "What the interpreter computes for every variable."
  def values(program, port) do
    ids = program.params ++ Enum.flat_map(program.statements, &elem(&1, 0))
    all = %{program | results: ids}
    {graph, template} = Serializer.trace(Random.Program.fun(all), [templates(List.to_tuple(all.inputs))])

    with {:ok, values, _} <- Oracle.run(port, graph.json, all.inputs, Composite.flatten_list([template])),
         do: {:ok, Map.new(Enum.zip(ids, values))}
  end

  defp by_statement(program, port, counts) do
    case values(program, port) do
      {:ok, values} ->
        Enum.reduce_while(program.statements, {:ok, add(counts, :nx_by_statement, 1)}, fn statement, {:ok, counts} ->
          case statement(statement, values, port) do
            {:failed, _, _} = failed -> {:halt, {failed, counts}}
            what -> {:cont, {:ok, counts |> add(what, 1) |> add({what, elem(statement, 2)}, 1)}}
          end
        end)

      {:error, text} ->
        {{:failed, :interpreter, text}, counts}

      {:died, text} ->
        {{:failed, :died, text}, counts}
    end
  end

  # What became of the comparison of one statement with Nx.
  defp statement(statement, values, port) do
    alone = Random.Program.of_statement(statement, values)
    inputs = List.to_tuple(alone.inputs)
    fun = Random.Program.fun(alone)

    case evaluator(fun, inputs) do
      {:raised, _} ->
        :nx_raised

      {:ok, found} ->
        {graph, template} = Serializer.trace(fun, [templates(inputs)])
        outputs = Composite.flatten_list([template])
        slack = Flaws.slack(alone, outputs)

        case Oracle.run(port, graph.json, alone.inputs, outputs, [{slack, found}]) do
          {:ok, wanted, [verdicts]} ->
            cond do
              Enum.all?(verdicts, &(&1.wrong == nil)) -> :nx_agreed
              Flaws.flaw(alone, outputs) -> :nx_flawed
              true -> mended(alone, graph, slack, found, wanted, verdicts, port)
            end

          {:error, text} ->
            {:failed, :interpreter, text}

          {:died, text} ->
            {:failed, :died, text}
        end
    end
  end

  # Once more, without the elements in which Nx is known to differ.
  defp mended(alone, graph, slack, found, wanted, verdicts, port) do
    verdicts =
      case Flaws.mended(alone, found, wanted) do
        ^found ->
          verdicts

        found ->
          {:ok, _, [verdicts]} = Oracle.run(port, graph.json, alone.inputs, wanted, [{slack, found}])
          verdicts
      end

    case Enum.find_index(verdicts, & &1.wrong) do
      nil ->
        :nx_flawed

      i ->
        [{outs, _, function, _}] = alone.statements

        {:failed, :nx,
         "Nx and the interpreter differ in v#{Enum.at(outs, i)} = #{function}, #{show(Enum.at(verdicts, i))}"}
    end
  end
end
