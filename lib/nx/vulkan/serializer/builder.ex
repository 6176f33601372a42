defmodule Nx.Vulkan.Serializer.Builder do
  @moduledoc false
  # Functions under construction. A value is `{node, output, type, dims}` of the current function; equal
  # nodes of a function are made once. What each Nx op becomes is in the sibling modules.

  alias Nx.Tensor, as: T
  alias Nx.Vulkan.Serializer.Number

  @enforce_keys [:func]
  defstruct func: nil,
            funcs: %{},
            next_func: 1,
            literals: %{},
            literal_list: [],
            literal_ids: %{},
            callbacks: [],
            seq: 0,
            hooks: MapSet.new()

  @type value :: {non_neg_integer, non_neg_integer, Nx.Type.t(), [pos_integer]}
  @type t :: %__MODULE__{}

  @doc "A builder whose current function is the entry, with parameters of the given types and dims."
  def new(params, opts \\ []) do
    %__MODULE__{func: func(0, params, nil), hooks: Keyword.get(opts, :hooks, MapSet.new())}
  end

  defp func(index, params, loc),
    do: %{index: index, params: params, nodes: [], next: 0, memo: %{}, env: %{}, loc: loc}

  @doc "Begins a function; returns the one that it interrupts, for `finish/3`."
  def start(%{func: outer} = b, params) do
    {outer, %{b | func: func(b.next_func, params, outer.loc), next_func: b.next_func + 1}}
  end

  @doc "Ends the current function with its results and goes back to `outer`. Returns the index."
  def finish(%{func: func} = b, outer, results) do
    {func.index, %{store(b, results) | func: outer}}
  end

  @doc "Ends the entry."
  def store(%{func: func} = b, results) do
    done = %{params: func.params, nodes: Enum.reverse(func.nodes), results: Enum.map(results, &ref/1)}
    %{b | funcs: Map.put(b.funcs, func.index, done)}
  end

  @doc "Adds a node with one output."
  def node(b, op, ins, type, dims, attrs \\ []) do
    key = {op, Enum.map(ins, &ref/1), type, dims, attrs}

    case b.func.memo do
      %{^key => value} ->
        {value, b}

      %{} ->
        {[value], b} = nodes(b, op, ins, [{type, dims}], attrs, [])
        {value, put_in(b.func.memo[key], value)}
    end
  end

  @doc "Adds a node with any number of outputs, `{type, dims}` each, and regions by function index."
  def nodes(%{func: func} = b, op, ins, outs, attrs, regions) do
    id = func.next
    node = %{id: id, op: op, ins: Enum.map(ins, &ref/1), outs: outs, attrs: attrs, regions: regions, loc: func.loc}
    values = for {{type, dims}, i} <- Enum.with_index(outs), do: {id, i, type, dims}
    {values, %{b | func: %{func | nodes: [node | func.nodes], next: id + 1}}}
  end

  @doc "The value of parameter `index` of the current function."
  def parameter(%{func: func} = b, index) do
    case Enum.at(func.params, index) do
      {type, dims} -> node(b, "parameter", [], type, dims, index: index)
      nil -> raise Nx.Vulkan.CompileError, message: "parameter #{index} of a function with #{length(func.params)}"
    end
  end

  @doc "One number everywhere. The number keeps its value in `type`."
  def constant(b, number, type, dims), do: bits(b, Number.bits(number, type), type, dims)

  def bits(b, bits, type, dims), do: node(b, "constant", [], type, dims, bits: Number.hex(bits, type))

  @doc "A tensor that is part of the program. `data` gives its elements in device layout, once for an `id`."
  def literal(b, id, data, type, dims) do
    {index, b} = if index = b.literal_ids[id], do: {index, b}, else: add_literal(b, id, data.(), type, dims)
    node(b, "literal", [], type, dims, literal: index)
  end

  defp add_literal(b, id, data, type, dims) do
    digest = :crypto.hash(:sha256, data)
    index = Map.get(b.literals, {type, dims, digest}, map_size(b.literals))
    b = put_in(b.literal_ids[id], index)

    if index < map_size(b.literals) do
      {index, b}
    else
      entry = %{type: type, dims: dims, digest: digest, data: data}
      literals = Map.put(b.literals, {type, dims, digest}, index)
      {index, %{b | literals: literals, literal_list: [entry | b.literal_list]}}
    end
  end

  @doc "Appends to the table of callbacks. Returns its index and the sequence number of the effect."
  def callback(b, entry) do
    {{length(b.callbacks), b.seq}, %{b | callbacks: [entry | b.callbacks], seq: b.seq + 1}}
  end

  # ---- what expressions are called in the current function ----

  @doc "Names the value of an output, `{expression id, output}`."
  def bind(b, key, value), do: put_in(b.func.env[key], value)

  @doc "Names parameters, which become nodes when they are used."
  def bind_parameters(b, bindings) do
    Enum.reduce(bindings, b, fn {key, index}, b -> bind(b, key, {:parameter, index}) end)
  end

  @doc "The value of that name, which must be there."
  def fetch(b, key) do
    case Map.fetch!(b.func.env, key) do
      {:parameter, index} -> parameter(b, index)
      value -> {value, b}
    end
  end

  @doc "Nodes made from here on come from there; text or nil."
  def locate(b, loc), do: put_in(b.func.loc, loc)

  # ---- conversions that Nx leaves out ----

  def cast(b, {_, _, type, _} = value, type), do: {value, b}
  def cast(b, {_, _, _, dims} = value, type), do: node(b, "as_type", [value], type, dims)

  @doc "Broadcasts as element-wise ops do: trailing axes align."
  def broadcast(b, {_, _, _, dims} = value, dims), do: {value, b}

  def broadcast(b, {_, _, type, dims} = value, target) do
    shift = length(target) - length(dims)
    node(b, "broadcast", [value], type, target, axes: Enum.to_list(axes(length(dims), shift)))
  end

  def reshape(b, {_, _, _, dims} = value, dims), do: {value, b}
  def reshape(b, {_, _, type, _} = value, dims), do: node(b, "reshape", [value], type, dims)

  @doc "Type of a value."
  def type({_, _, type, _}), do: type
  def dims({_, _, _, dims}), do: dims

  @doc "Type and dims of an expression; vectorized axes lead."
  def spec(%T{type: type} = t), do: {type, dims_of(t)}
  def dims_of(%T{shape: shape, vectorized_axes: axes}), do: Enum.map(axes, &elem(&1, 1)) ++ Tuple.to_list(shape)

  def axes(0, _shift), do: []
  def axes(count, shift), do: shift..(shift + count - 1)//1

  defp ref({node, output, _, _}), do: [node, output]
end
