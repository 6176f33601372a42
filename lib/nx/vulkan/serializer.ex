defmodule Nx.Vulkan.Serializer do
  @moduledoc """
  From the expression of a `defn` to the graph JSON that the compiler reads.

  The format is described in `compiler/README.md`. Everything that Nx decides is decided here: types and
  shapes of operands, axes, padding, defaults. Equal functions give equal bytes. Nothing is computed, apart
  from numbers being rounded to the type that a node needs.
  """

  alias Nx.Defn.Composite
  alias Nx.Vulkan.Serializer.{Builder, Control, JSON, Operand}

  @schema "nx.vulkan.graph/1"
  @producer "nx_vulkan " <> Mix.Project.config()[:version]

  @typedoc """
  A serialized function: `json` as iodata, `sidecar` with the bytes of the literals, `digest` of all that decides the program (not the name or source
  lines), indices of the inputs that are read, and the table of callbacks that hooks and calls refer to:
  `{:hook, spec, template}` or `{:call, fun, opts, arguments template, result template}`.
  """
  @type graph :: %{
          json: iodata,
          sidecar: iodata,
          digest: binary,
          used: [non_neg_integer],
          callbacks: [tuple],
          donations: [{integer, integer}]
        }

  @doc """
  Serializes the container of expressions `outputs`, a function of parameters with the given templates.

  Options:

    * `:name` - a name for people
    * `:hooks` - names of hooks that have a callback; others without a default are left out
    * `:donations` - pairs of flat input and output index
    * `:input_names` - a name for each input
    * `:sidecar` - true leaves the literals' bytes to the sidecar; otherwise they are in the JSON, as base64

  """
  @spec graph(Nx.Container.t(), [Nx.Tensor.t()], keyword) :: graph
  def graph(outputs, params, opts \\ []) do
    roots = Operand.leaves(outputs)
    b = Builder.new(Enum.map(params, &Builder.spec/1), opts)
    {results, b} = Control.body(b, roots, Enum.map(roots, &Builder.spec/1))
    b = Builder.store(b, results)

    donations = Keyword.get(opts, :donations, [])
    names = Keyword.get(opts, :input_names, [])
    funcs = for {index, func} <- Enum.sort(b.funcs), do: func(func, if(index == 0, do: names, else: []))
    {literals, sidecar} = b.literal_list |> Enum.reverse() |> literals(Keyword.get(opts, :sidecar, false))

    content = [
      entry: 0,
      funcs: funcs,
      literals: literals,
      donations: for({input, output} <- donations, do: {:object, input: input, output: output}),
      callbacks: length(b.callbacks)
    ]

    head = [schema: @schema, nx: nx_version(), producer: @producer, name: Keyword.get(opts, :name, "")]

    %{
      json: JSON.encode({:object, head ++ content}),
      sidecar: sidecar,
      digest: :crypto.hash(:sha256, content_key(content, b)),
      used: for(%{op: "parameter", attrs: [index: index]} <- b.funcs[0].nodes, do: index),
      callbacks: Enum.reverse(b.callbacks),
      donations: donations
    }
  end

  @doc """
  Traces `fun` with templates and serializes it. Returns the output template, too.

  Takes `graph/3`'s options, and `:donate` as `Nx.Vulkan.Compiler` does.
  """
  @spec trace(fun, [term], keyword) :: {graph, Nx.Container.t()}
  def trace(fun, templates, opts \\ []) do
    {_fun, params, flat, _} = Nx.Defn.Compiler.to_lazy_params(fun, templates)
    expr = fun |> Nx.Defn.debug_expr_apply(templates) |> Composite.traverse(&Nx.Defn.Expr.tensor/1)
    {donate, opts} = Keyword.pop(opts, :donate, [])

    opts =
      opts
      |> Keyword.put_new_lazy(:name, fn -> name(fun) end)
      |> Keyword.put_new_lazy(:donations, fn -> Nx.Vulkan.Donation.pairs(params, expr, donate) end)

    {graph(expr, flat, opts), Nx.to_template(expr)}
  end

  @doc """
  The name of a function for people.

      iex> Nx.Vulkan.Serializer.name(&Nx.dot/2)
      "Nx.dot/2"
  """
  @spec name(fun) :: binary
  def name(fun) when is_function(fun) do
    {:module, module} = Function.info(fun, :module)
    {:name, name} = Function.info(fun, :name)
    {:arity, arity} = Function.info(fun, :arity)

    # a closure is called "-step/3-fun-0-", that of a script is in a module with a running number
    case {Atom.to_string(module), Regex.run(~r{^-(.+)/(\d+)-}, Atom.to_string(name))} do
      {"elixir_compiler_" <> _, _} -> "anonymous/#{arity}"
      {"erl_eval", _} -> "anonymous/#{arity}"
      {_, [_, outer, outer_arity]} -> "#{inspect(module)}.#{outer}/#{outer_arity}"
      {_, nil} -> "#{inspect(module)}.#{name}/#{arity}"
    end
  end

  @doc """
  The name of a type in the graph.

      iex> Nx.Vulkan.Serializer.type_name({:bf, 16})
      "bf16"
  """
  @spec type_name(Nx.Type.t()) :: binary
  def type_name({:f8_e4m3fn, 8}), do: "f8_e4m3fn"
  def type_name({kind, size}), do: "#{kind}#{size}"

  # Names and source lines do not change what is compiled; a literal is known by its digest.
  defp content_key(content, b) do
    funcs = for {_, func} <- Enum.sort(b.funcs), do: func(%{func | nodes: Enum.map(func.nodes, &%{&1 | loc: nil})}, [])
    literals = for %{digest: digest} <- b.literal_list, do: Base.encode16(digest)
    JSON.encode({:object, content |> Keyword.put(:funcs, funcs) |> Keyword.put(:literals, literals)})
  end

  defp func(%{params: params, nodes: nodes, results: results}, names) do
    params =
      for {{type, dims}, i} <- Enum.with_index(params) do
        name = Enum.at(names, i)
        {:object, tensor(type, dims) ++ if(name, do: [name: name], else: [])}
      end

    {:object, params: params, nodes: Enum.map(nodes, &node_object/1), results: results}
  end

  defp node_object(%{id: id, op: op, ins: ins, outs: outs, attrs: attrs, regions: regions, loc: loc}) do
    outs = for {type, dims} <- outs, do: {:object, tensor(type, dims)}

    {:object,
     [id: id, op: op, ins: ins, outs: outs] ++
       if(attrs == [], do: [], else: [attrs: {:object, attrs}]) ++
       if(regions == [], do: [], else: [regions: regions]) ++
       if(loc, do: [loc: loc], else: [])}
  end

  defp literals(list, false), do: {for(%{data: data} = l <- list, do: literal(l, base64: {:base64, data})), []}

  defp literals(list, true) do
    {literals, _} =
      Enum.map_reduce(list, 0, fn %{data: data} = l, at ->
        {literal(l, offset: at, bytes: byte_size(data)), at + byte_size(data)}
      end)

    {literals, Enum.map(list, & &1.data)}
  end

  defp literal(%{type: type, dims: dims, digest: digest}, place) do
    {:object, tensor(type, dims) ++ [sha256: Base.encode16(digest, case: :lower)] ++ place}
  end

  defp tensor(type, dims), do: [type: type_name(type), shape: dims]

  defp nx_version do
    case :application.get_key(:nx, :vsn) do
      {:ok, version} -> List.to_string(version)
      :undefined -> "unknown"
    end
  end
end
