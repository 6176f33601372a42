defmodule Nx.Vulkan.Test.Random.Program do
  @moduledoc """
  A function over Nx as data, so that it can be run, cut and printed.

  A body has parameters, statements and results, all of them variables, which are integers. A statement
  `{outs, module, function, args}` calls a function and binds the tensors of what it returns. In `args`,
  `{:v, id}` is a variable and `{:fn, body}` a function; everything else stands for itself.
  """

  alias Nx.Defn.Composite

  defstruct params: [], statements: [], results: [], inputs: []

  @doc "The body as a function of a tuple of its parameters. It returns a tuple, or the only result."
  def fun(%{params: params} = body) do
    fn inputs -> run(body, Map.new(Enum.zip(params, Tuple.to_list(inputs)))) end
  end

  defp run(%{statements: statements, results: results}, env) do
    env =
      Enum.reduce(statements, env, fn {outs, module, function, args}, env ->
        value = evaluate(module, function, args, env)
        Enum.into(Enum.zip(outs, Composite.flatten_list([value])), env)
      end)

    pack(Enum.map(results, &Map.fetch!(env, &1)))
  end

  @doc "What a statement's call gives, with the values of variables in `env`."
  def evaluate(module, function, args, env), do: apply(module, function, resolve(args, env))

  defp pack([one]), do: one
  defp pack(many), do: List.to_tuple(many)

  defp resolve({:v, id}, env), do: Map.fetch!(env, id)

  defp resolve({:fn, body}, env) do
    case body.params do
      [] -> fn -> run(body, env) end
      [p] -> fn a -> run(body, Map.put(env, p, a)) end
      [p, q] -> fn a, b -> run(body, env |> Map.put(p, a) |> Map.put(q, b)) end
      params -> fn tuple -> run(body, Enum.into(Enum.zip(params, Tuple.to_list(tuple)), env)) end
    end
  end

  defp resolve(list, env) when is_list(list), do: Enum.map(list, &resolve(&1, env))

  defp resolve(tuple, env) when is_tuple(tuple),
    do: tuple |> Tuple.to_list() |> Enum.map(&resolve(&1, env)) |> List.to_tuple()

  defp resolve(other, _env), do: other

  @doc "The variables that a term reads and does not bind itself."
  def free({:v, id}), do: [id]

  def free({:fn, body}) do
    bound = body.params ++ Enum.flat_map(body.statements, &elem(&1, 0))
    read = body.results ++ Enum.flat_map(body.statements, &free(elem(&1, 3)))
    Enum.uniq(read) -- bound
  end

  def free(list) when is_list(list), do: list |> Enum.flat_map(&free/1) |> Enum.uniq()
  def free(tuple) when is_tuple(tuple), do: tuple |> Tuple.to_list() |> free()
  def free(_), do: []

  @doc "The statement alone, as a program of what it reads."
  def of_statement({outs, _, _, args} = statement, values) do
    params = free(args)
    %__MODULE__{params: params, statements: [statement], results: outs, inputs: Enum.map(params, &values[&1])}
  end

  @doc "Without the statements and parameters that no result needs."
  def prune(%__MODULE__{} = program) do
    {statements, used} =
      program.statements
      |> Enum.reverse()
      |> Enum.reduce({[], MapSet.new(program.results)}, fn {outs, _, _, args} = statement, {kept, used} ->
        if Enum.any?(outs, &(&1 in used)),
          do: {[statement | kept], MapSet.union(used, MapSet.new(free(args)))},
          else: {kept, used}
      end)

    {params, inputs} =
      Enum.zip(program.params, program.inputs) |> Enum.filter(fn {id, _} -> id in used end) |> Enum.unzip()

    %{program | statements: statements, params: params, inputs: inputs}
  end

  @doc "Names of the functions that are called, those in bodies, too."
  def calls(body) do
    Enum.flat_map(body.statements, fn {_, _, function, args} -> [function | inner(args)] end)
  end

  defp inner({:fn, body}), do: calls(body)
  defp inner(list) when is_list(list), do: Enum.flat_map(list, &inner/1)
  defp inner(tuple) when is_tuple(tuple), do: tuple |> Tuple.to_list() |> inner()
  defp inner(_), do: []

  @doc "As Elixir code that can be run."
  def to_code(%__MODULE__{} = program) do
    values =
      for {id, t} <- Enum.zip(program.params, program.inputs) do
        "v#{id} = #{literal(t)} |> Nx.reshape(#{inspect(t.shape)})\n#{comment(t)}"
      end

    args = Enum.map_join(program.params, ", ", &"v#{&1}")
    Enum.join(values) <> "\nfun = fn {#{args}} ->\n" <> lines(program, "  ") <> "end\n"
  end

  # integers as such, floats as their bytes
  defp literal(%{type: {kind, _}} = t) when kind in [:s, :u],
    do: "Nx.tensor(#{inspect(Nx.to_flat_list(t), limit: :infinity, charlists: :as_lists)}, type: #{inspect(t.type)})"

  defp literal(t), do: "Nx.from_binary(#{t |> Nx.to_binary() |> inspect(limit: :infinity)}, #{inspect(t.type)})"

  defp comment(%{type: {kind, _}}) when kind in [:s, :u], do: ""

  defp comment(t) do
    t |> inspect(limit: 24) |> String.split("\n") |> Enum.map_join(&"#   #{&1}\n")
  end

  defp lines(body, indent) do
    statements =
      for {outs, module, function, args} <- body.statements do
        "#{indent}#{tuple(outs)} = #{inspect(module)}.#{function}(#{Enum.map_join(args, ", ", &code(&1, indent))})\n"
      end

    Enum.join(statements) <> "#{indent}#{tuple(body.results)}\n"
  end

  defp tuple([one]), do: "v#{one}"
  defp tuple(many), do: "{#{Enum.map_join(many, ", ", &"v#{&1}")}}"

  defp code({:v, id}, _), do: "v#{id}"

  defp code({:fn, body}, indent) do
    params =
      if length(body.params) in 0..2, do: Enum.map_join(body.params, ", ", &"v#{&1}"), else: tuple(body.params)

    "fn #{params} ->\n#{lines(body, indent <> "  ")}#{indent}end"
  end

  defp code([{key, _} | _] = keywords, indent) when is_atom(key) and key not in [:v, :fn],
    do: "[" <> Enum.map_join(keywords, ", ", fn {k, v} -> "#{k}: #{code(v, indent)}" end) <> "]"

  defp code(list, indent) when is_list(list), do: "[" <> Enum.map_join(list, ", ", &code(&1, indent)) <> "]"

  defp code(tuple, indent) when is_tuple(tuple),
    do: "{" <> (tuple |> Tuple.to_list() |> Enum.map_join(", ", &code(&1, indent))) <> "}"

  defp code(other, _), do: inspect(other, limit: :infinity)
end
