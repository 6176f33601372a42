# Exports a training step of an Axon model as graph JSON. Needs Nx, Axon and Polaris, no GPU and no Vulkan:
#
#     mix run --no-start examples/digits/model.exs
#
# The order of inputs and outputs is in the README next to this file.

defmodule Digits do
  @moduledoc "A 64-128-10 network for 8x8 images of digits."

  import Nx.Defn

  @batch 32
  @test 360

  def model do
    Axon.input("x", shape: {nil, 64})
    |> Axon.dense(128, activation: :relu)
    |> Axon.dense(10)
  end

  def optimizer(:adamw), do: Polaris.Optimizers.adamw(learning_rate: 2.0e-3, decay: 1.0e-2)
  def optimizer(:sgd), do: Polaris.Optimizers.sgd(learning_rate: 0.5)

  @doc "Parameters and optimizer state from a fixed seed; no inputs."
  def init(optimizer) do
    {init_params, _} = Axon.build(model(), mode: :train, seed: 42)
    {init_state, _} = optimizer(optimizer)

    fn ->
      params = init_params.(Nx.broadcast(0.0, {@batch, 64}), Axon.ModelState.empty()).data
      {params, init_state.(params)}
    end
  end

  @doc "(params, state, x, y) -> {params, state, loss}"
  def step(optimizer) do
    {_, predict} = Axon.build(model(), mode: :inference)
    {_, update} = optimizer(optimizer)

    fn params, state, x, y ->
      {loss, grads} = value_and_grad(params, fn params -> loss(predict.(Axon.ModelState.new(params), x), y) end)
      {updates, state} = update.(grads, state, params)
      {Polaris.Updates.apply_updates(params, updates), state, loss}
    end
  end

  @doc "(params, x, labels) -> fraction of right answers"
  def evaluate do
    {_, predict} = Axon.build(model(), mode: :inference)

    fn params, x, labels ->
      params |> Axon.ModelState.new() |> predict.(x) |> Nx.argmax(axis: 1) |> Nx.equal(labels) |> Nx.mean()
    end
  end

  def templates(optimizer) do
    Nx.to_template(Nx.Defn.jit_apply(init(optimizer), [], compiler: Nx.Defn.Evaluator))
  end

  def batch, do: {Nx.template({@batch, 64}, :f32), Nx.template({@batch, 10}, :f32)}
  def test, do: {Nx.template({@test, 64}, :f32), Nx.template({@test}, :s32)}

  @doc "Name, JSON and the names of its inputs, for every graph of the example."
  def graphs do
    for optimizer <- [:adamw, :sgd] do
      {params, state} = templates(optimizer)
      {x, y} = batch()
      {images, labels} = test()

      [
        export("step_#{optimizer}", step(optimizer), [params: params, state: state, x: x, y: y], donate: [0, 1]),
        export("init_#{optimizer}", init(optimizer), []),
        if(optimizer == :adamw, do: export("eval", evaluate(), params: params, x: images, labels: labels))
      ]
    end
    |> List.flatten()
    |> Enum.reject(&is_nil/1)
  end

  defp export(name, fun, args, opts \\ []) do
    names = Enum.flat_map(args, fn {name, container} -> paths(container, Atom.to_string(name)) end)
    opts = opts ++ [name: "Digits.#{name}", input_names: names]
    {graph, _} = Nx.Vulkan.Serializer.trace(fun, Keyword.values(args), opts)
    {name, IO.iodata_to_binary(graph.json), names}
  end

  # the leaves of a container by path, in flat order
  defp paths(%Nx.Tensor{}, path), do: [path]
  defp paths(tuple, path) when is_tuple(tuple), do: tuple |> Tuple.to_list() |> Enum.with_index() |> named(path)
  defp paths(map, path), do: map |> Enum.sort() |> Enum.map(fn {key, value} -> {value, key} end) |> named(path)

  defp named(entries, path), do: Enum.flat_map(entries, fn {value, key} -> paths(value, "#{path}.#{key}") end)

  defnp loss(logits, y) do
    Axon.Losses.categorical_cross_entropy(y, logits, from_logits: true, reduction: :mean)
  end
end

unless System.get_env("DIGITS_NO_MAIN") do
  for {name, json, names} <- Digits.graphs() do
    File.write!(Path.join(__DIR__, "#{name}.json"), [json, ?\n])
    IO.puts("#{name}.json: #{byte_size(json)} bytes, inputs #{Enum.join(names, " ")}")
  end
end
