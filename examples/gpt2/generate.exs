# GPT-2 small at full size, with random weights: 12 layers, 768 wide, 50,257 tokens. Its embedding has 154 MB, more than
# lavapipe binds at once (128 MiB). Prints the tokens it generates, the time for each, and the peak of device memory
# beside the sum of the model's tensors.
#
#     mix run examples/gpt2/generate.exs [TOKENS]
defmodule GPT2 do
  import Nx.Defn

  @layers 12
  @width 768
  @heads 12
  @vocabulary 50_257
  @context 32

  def context, do: @context
  def vocabulary, do: @vocabulary

  def weights do
    layer = fn _ ->
      %{
        norm1: norm(),
        qkv: dense(@width, 3 * @width),
        out: dense(@width, @width),
        norm2: norm(),
        up: dense(@width, 4 * @width),
        down: dense(4 * @width, @width)
      }
    end

    layers = 1..@layers |> Enum.map(layer) |> List.to_tuple()
    %{tokens: random({@vocabulary, @width}), positions: random({1024, @width}), layers: layers, norm: norm()}
  end

  defp norm, do: %{scale: Nx.broadcast(1.0, {@width}), bias: Nx.broadcast(0.0, {@width})}
  defp dense(from, to), do: %{kernel: random({from, to}), bias: random({to})}

  # Bytes of the host, spread evenly with GPT-2's standard deviation of 0.02
  defp random(shape) do
    bytes = Nx.from_binary(:rand.bytes(Tuple.product(shape)), :u8)
    weights = spread(Nx.reshape(bytes, shape))
    Nx.backend_deallocate(bytes)
    weights
  end

  defnp(spread(bytes), do: (Nx.as_type(bytes, :f32) - 127.5) * (0.02 / 73.9))

  @doc "The logits of the token that follows the first `length` of `tokens`."
  defn logits(weights, tokens, length) do
    normed = hidden(weights, Nx.take(weights.tokens, tokens), length)
    Nx.dot(weights.tokens, normed)
  end

  @doc "The same with the embedding in two tensors, each of which is small enough to be bound whole."
  defn logits_of_halves(weights, first, second, tokens, length) do
    in_first = Nx.less(tokens, Nx.axis_size(first, 0))
    index = Nx.select(in_first, tokens, tokens - Nx.axis_size(first, 0))

    embedded =
      Nx.select(Nx.broadcast(in_first, {@context, @width}, axes: [0]), Nx.take(first, index), Nx.take(second, index))

    normed = hidden(weights, embedded, length)
    Nx.concatenate([Nx.dot(first, normed), Nx.dot(second, normed)])
  end

  defnp hidden(weights, embedded, length) do
    x = blocks(embedded + weights.positions[0..(@context - 1)], weights.layers)
    layer_norm(Nx.squeeze(Nx.slice_along_axis(x, length - 1, 1, axis: 0)), weights.norm)
  end

  deftransformp(blocks(x, layers), do: layers |> Tuple.to_list() |> Enum.reduce(x, &block(&2, &1)))

  defnp block(x, w) do
    x = x + attention(layer_norm(x, w.norm1), w)
    x + linear(gelu(linear(layer_norm(x, w.norm2), w.up)), w.down)
  end

  defnp attention(x, w) do
    qkv =
      x |> linear(w.qkv) |> Nx.reshape({@context, 3, @heads, div(@width, @heads)}) |> Nx.transpose(axes: [1, 2, 0, 3])

    {q, k, v} = {qkv[0], qkv[1], qkv[2]}
    scores = Nx.dot(q, [2], [0], k, [2], [0]) / Nx.sqrt(div(@width, @heads))
    causal = Nx.greater_equal(Nx.iota({@context, @context}, axis: 0), Nx.iota({@context, @context}, axis: 1))
    scores = Nx.select(Nx.broadcast(causal, {@heads, @context, @context}), scores, -1.0e10)
    scores = Nx.exp(scores - Nx.reduce_max(scores, axes: [2], keep_axes: true))
    scores = scores / Nx.sum(scores, axes: [2], keep_axes: true)
    mixed = Nx.dot(scores, [2], [0], v, [1], [0]) |> Nx.transpose(axes: [1, 0, 2])
    mixed |> Nx.reshape({@context, @width}) |> linear(w.out)
  end

  defnp(linear(x, w), do: Nx.dot(x, w.kernel) + w.bias)
  defnp(gelu(x), do: 0.5 * x * (1 + Nx.tanh(0.7978845608 * (x + 0.044715 * x * x * x))))

  defnp layer_norm(x, w) do
    mean = Nx.mean(x, axes: [-1], keep_axes: true)
    variance = Nx.mean((x - mean) * (x - mean), axes: [-1], keep_axes: true)
    (x - mean) * Nx.rsqrt(variance + 1.0e-5) * w.scale + w.bias
  end
end

Nx.default_backend(Nx.Vulkan.Backend)
Nx.Defn.default_options(compiler: Nx.Vulkan.Compiler)
:rand.seed(:exsss, 7)
count = System.argv() |> List.first("4") |> String.to_integer()
bytes = fn tensors -> Nx.Defn.Composite.flatten_list([tensors]) |> Enum.map(&Nx.byte_size/1) |> Enum.sum() end
megabytes = &"#{Float.round(&1 / 1.0e6, 1)} MB"
padded = fn tokens -> Nx.tensor(tokens ++ List.duplicate(0, GPT2.context() - length(tokens)), type: :s64) end

weights = GPT2.weights()
IO.puts("#{Nx.Vulkan.Device.fetch!().info.name}: #{megabytes.(bytes.(weights))} of weights")
made = Nx.Vulkan.counters().memory_peak

tokens =
  Enum.reduce(1..count, [464, 3280, 318], fn _, tokens ->
    {time, next} =
      :timer.tc(fn -> GPT2.logits(weights, padded.(tokens), length(tokens)) |> Nx.argmax() |> Nx.to_number() end)

    IO.puts("token #{next} in #{Float.round(time / 1.0e6, 2)} s")
    tokens ++ [next]
  end)

IO.inspect(tokens, label: "tokens", limit: :infinity)
peak = Nx.Vulkan.counters().memory_peak

IO.puts(
  "peak device memory #{megabytes.(peak)}, #{Float.round(peak / bytes.(weights), 2)} times the weights " <>
    "(#{megabytes.(made)} when they were made)"
)

# the same logits from halves of the embedding, which no kernel has to use in parts
half = div(GPT2.vocabulary(), 2)
halves = [weights.tokens[0..(half - 1)], weights.tokens[half..-1//1]]
inputs = [padded.(tokens), length(tokens)]
whole = apply(&GPT2.logits/3, [weights | inputs])
split = apply(&GPT2.logits_of_halves/5, [weights | halves] ++ inputs)
worst = Nx.subtract(whole, split) |> Nx.abs() |> Nx.reduce_max() |> Nx.to_number()
IO.puts("the logits differ by at most #{worst} from those of an embedding in two halves")
if worst > 1.0e-3, do: System.halt(1)
