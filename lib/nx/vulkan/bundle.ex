defmodule Nx.Vulkan.Bundle do
  @moduledoc false
  # A serialized graph to bundle bytes, through the native compiler.

  alias Nx.Vulkan.{CompileError, Device, Error, Job, NIF, Options, Serializer}
  require Logger

  @doc """
  Compiles a graph for a device, or for `options.target` (the text of a profile), or for the portable
  baseline. Returns the bundle, what the compiler counted, and texts (ir, plan, glsl, dot) if wanted.
  """
  @spec compile(Serializer.graph(), %Options{}, Device.t() | nil, keyword) :: {binary, map, map}
  def compile(graph, %Options{} = options, device, context \\ []) do
    target = options.target || (device && Device.target(device))
    {json, sidecar} = {IO.iodata_to_binary(graph.json), IO.iodata_to_binary(graph.sidecar)}

    tuple = Options.compile_tuple(options, target, Keyword.get(context, :texts, false))

    case NIF.compile(json, sidecar, tuple, Job.report(:compile, context[:name], options.progress)) do
      {:ok, bundle, stats, texts} -> {bundle, noted(stats), texts}
      {:error, {_code, _message, _where, _loc} = failure} -> raise error(failure, context)
      {:error, failure} -> Error.raise!(failure)
    end
  end

  # Once for each cause: every compile would say the same.
  defp noted(%{cache_note: note} = stats) do
    key = {__MODULE__, note}

    if note != "" and :persistent_term.get(key, true) do
      :persistent_term.put(key, false)
      Logger.warning("nx_vulkan: #{note}")
    end

    stats
  end

  @doc "The exception for an error of the native compiler."
  def error({code, message, where, loc}, context) do
    fun = context[:fun]
    loc = if loc == "", do: fun && location(fun), else: loc

    %CompileError{
      code: code,
      op: with([_, op] <- Regex.run(~r/\bn\d+ ([a-z_0-9]+)\b/, message), do: op),
      type: with([type] <- Regex.run(~r/\b(?:[usf]\d+|bf16|c64|c128|f8_e4m3fn)\b/, message), do: type),
      where: where,
      loc: loc,
      message: Enum.join([message | Enum.reject([place(context[:name], loc, where), remedy(code)], &is_nil/1)], "\n")
    }
  end

  defp place(name, loc, where) do
    parts =
      for {label, text} <- [{"in", name}, {"at", loc}, {"graph", where}], text not in [nil, ""], do: "#{label} #{text}"

    if parts != [], do: "    " <> Enum.join(parts, ", ")
  end

  defp remedy(:unsupported),
    do:
      "There is no fallback to another backend. Choose another type or device, or run this part with Nx.Defn.Evaluator."

  defp remedy(:internal),
    do: "This is a bug of nx_vulkan. Please report it with the graph: Nx.Vulkan.export(\"graph.json\", fun, templates)."

  defp remedy(:memory), do: "The host has not enough memory to compile this graph."
  defp remedy(_), do: nil

  @doc "File and line of a function, or of the one that a closure is written in, as far as its module knows them."
  @spec location(fun) :: binary | nil
  def location(fun) do
    case Function.info(fun, :module) do
      # what is typed into a shell has no file
      {:module, :erl_eval} -> nil
      {:module, module} -> location(fun, module)
    end
  rescue
    _ -> nil
  end

  defp location(fun, module) do
    {:name, name} = Function.info(fun, :name)
    {:arity, arity} = Function.info(fun, :arity)

    {name, arity} =
      case Regex.run(~r{^-(.+)/(\d+)-}, Atom.to_string(name)) do
        [_, outer, outer_arity] -> {String.to_existing_atom(outer), String.to_integer(outer_arity)}
        nil -> {name, arity}
      end

    case line(module, {name, arity}) do
      nil -> source(module)
      line -> "#{source(module)}:#{line}"
    end
  end

  # Nx keeps no lines in its expressions; those of functions are in the module's debug information.
  defp line(module, function) do
    with {:ok, {_, [debug_info: {:debug_info_v1, backend, data}]}} <-
           :beam_lib.chunks(:code.which(module), [:debug_info]),
         {:ok, %{definitions: definitions}} <- backend.debug_info(:elixir_v1, module, data, []),
         {_, _, meta, _} <- List.keyfind(definitions, function, 0) do
      meta[:line]
    else
      _ -> nil
    end
  end

  defp source(module), do: module.module_info(:compile)[:source] |> to_string() |> Path.relative_to_cwd()
end
