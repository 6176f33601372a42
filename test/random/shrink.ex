defmodule Nx.Vulkan.Test.Random.Shrink do
  @moduledoc """
  Makes a program that fails smaller, as long as it fails in the same way: first its genome, which makes nodes,
  types and shapes fewer and simpler; then the program, whose statements become inputs with the values that they
  had; then the values of the inputs.
  """

  alias Nx.Vulkan.Test.Random.{Generate, Program, Values}

  @doc """
  `check` gives `:ok` or `{:failed, kind, text}` for a program, `values` the values of all of its variables.
  It is asked at most `budget` times.
  """
  def run(genome, check, values, budget \\ 600) do
    Process.put(__MODULE__, budget)
    program = decode(genome)
    wanted = signature(check.(program))
    fails? = fn program -> spend() and signature(check.(program)) == wanted end

    genome
    |> genome(fails?)
    |> decode()
    |> results(fails?)
    |> cut(fails?, values)
    |> inputs(fails?)
  end

  def decode(genome), do: genome |> Generate.decode() |> elem(0) |> Program.prune()

  @doc "What makes two failures the same: who failed, and how, without the numbers."
  def signature(:ok), do: :ok

  def signature({:failed, kind, text}) do
    {kind, text |> String.split(["found", "["]) |> hd() |> String.replace(~r/[^a-z_ ]/, "") |> String.slice(0, 45)}
  end

  defp spend do
    left = Process.get(__MODULE__)
    Process.put(__MODULE__, left - 1)
    left > 0
  end

  # ---- genomes ----

  defp genome(genome, fails?) do
    size = measure(decode(genome))

    smaller =
      Enum.find(smaller(genome), fn candidate ->
        program = decode(candidate)
        program.results != [] and measure(program) < size and fails?.(program)
      end)

    if smaller && Process.get(__MODULE__) > 0, do: genome(smaller, fails?), else: smaller || genome
  end

  defp measure(program) do
    {length(Program.calls(program)), Enum.sum_by(program.inputs, &Nx.size/1), String.length(Program.to_code(program))}
  end

  # Simpler genomes, the much simpler ones first.
  defp smaller(%{head: head, inputs: inputs, nodes: nodes} = g) do
    Stream.concat([
      Stream.map(halves(nodes), &%{g | nodes: &1}),
      Stream.map(without_one(nodes), &%{g | nodes: &1}),
      Stream.map(without_one(inputs), &%{g | inputs: &1}),
      Stream.map(changed(nodes, &smaller_node/1), &%{g | nodes: &1}),
      Stream.map(changed(inputs, &smaller_list/1), &%{g | inputs: &1}),
      Stream.map(smaller_list(head), &%{g | head: &1})
    ])
  end

  defp smaller_node({ints, inner}) do
    Stream.concat(
      Stream.map(without_one(inner), &{ints, &1}),
      Stream.concat(
        Stream.map(changed(inner, &smaller_node/1), &{ints, &1}),
        Stream.map(smaller_list(ints), &{&1, inner})
      )
    )
  end

  defp smaller_list(ints) do
    significant = length(ints) - 1

    Stream.concat(
      Stream.map(0..min(8, significant)//1, &Enum.take(ints, &1)),
      Stream.flat_map(0..min(20, significant)//1, fn i ->
        case Enum.at(ints, i) do
          0 -> []
          _ -> [List.replace_at(ints, i, 0)]
        end
      end)
    )
  end

  defp halves(list) when length(list) < 4, do: []

  defp halves(list) do
    {a, b} = Enum.split(list, div(length(list), 2))
    [a, b]
  end

  defp without_one([]), do: []
  defp without_one(list), do: Stream.map((length(list) - 1)..0//-1, &List.delete_at(list, &1))

  defp changed([], _), do: []

  defp changed(list, fun),
    do:
      Stream.flat_map(0..(length(list) - 1), fn i ->
        Stream.map(fun.(Enum.at(list, i)), &List.replace_at(list, i, &1))
      end)

  # ---- programs ----

  defp results(program, fails?) do
    Enum.find_value(program.results, program, fn result ->
      candidate = Program.prune(%{program | results: [result]})
      if length(program.results) > 1 and fails?.(candidate), do: candidate
    end)
  end

  # The results of statements become inputs, from the first statement on.
  defp cut(program, fails?, values) do
    case values.(program) do
      {:ok, values} ->
        Enum.reduce(program.statements, program, fn {outs, _, _, _} = statement, program ->
          candidate = %{
            program
            | statements: List.delete(program.statements, statement),
              params: program.params ++ outs,
              inputs: program.inputs ++ Enum.map(outs, &values[&1])
          }

          candidate = Program.prune(candidate)

          if statement in program.statements and candidate.statements != [] and fails?.(candidate),
            do: candidate,
            else: program
        end)

      _ ->
        program
    end
  end

  defp inputs(program, fails?) do
    Enum.reduce(Enum.with_index(program.inputs), program, fn {t, i}, program ->
      try_input = fn t -> %{program | inputs: List.replace_at(program.inputs, i, t)} end

      case Enum.find(plain(t), &(&1 != t and fails?.(try_input.(&1)))) do
        nil -> elements(program, i, fails?)
        found -> try_input.(found)
      end
    end)
  end

  defp plain(t), do: for(n <- [0, 1], do: filled(t, List.duplicate(n, Nx.size(t))))

  defp filled(t, numbers), do: Values.from_bits(Enum.map(numbers, &bits(&1, t.type)), t.type, t.shape)

  defp bits(n, {kind, _} = type) when kind in [:s, :u], do: Nx.Vulkan.Serializer.Number.bits(n, type)
  defp bits(n, type), do: Nx.Vulkan.Serializer.Number.bits(n * 1.0, type)

  defp elements(program, i, fails?) do
    t = Enum.at(program.inputs, i)
    {_, width} = t.type
    bytes = div(max(width, 8), 8)
    count = Nx.size(t)

    if count > 16 do
      program
    else
      Enum.reduce(0..(count - 1), program, fn k, program ->
        data = Values.stored(Enum.at(program.inputs, i))

        Enum.find_value([0, 1], program, fn n ->
          <<before::binary-size(k * bytes), _::binary-size(bytes), rest::binary>> = data
          changed = before <> <<bits(n, t.type)::little-size(bytes * 8)>> <> rest

          candidate = %{
            program
            | inputs: List.replace_at(program.inputs, i, Values.from_stored(changed, Nx.to_template(t)))
          }

          if changed != data and fails?.(candidate), do: candidate
        end)
      end)
    end
  end
end
