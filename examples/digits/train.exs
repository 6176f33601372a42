# The model of model.exs trained by Axon.Loop, every step compiled by Nx.Vulkan.Compiler:
#
#     make nif && mix run examples/digits/train.exs [EPOCHS]

Logger.configure(level: :info)
System.put_env("DIGITS_NO_MAIN", "1")
Code.require_file("model.exs", __DIR__)

epochs = System.argv() |> List.first("40") |> String.to_integer()

rows =
  Path.join(__DIR__, "data/digits.csv.gz")
  |> File.read!()
  |> :zlib.gunzip()
  |> String.split("\n", trim: true)
  |> Enum.map(fn line -> line |> String.split(",") |> Enum.map(&String.to_integer/1) end)

tensors = fn rows ->
  x = rows |> Enum.map(&Enum.take(&1, 64)) |> Nx.tensor(type: :f32) |> Nx.divide(16)
  labels = rows |> Enum.map(&List.last/1) |> Nx.tensor(type: :s32)
  {x, Nx.equal(Nx.new_axis(labels, 1), Nx.iota({1, 10})) |> Nx.as_type(:f32)}
end

{training, testing} = Enum.split(rows, 1437)
:rand.seed(:exsss, {1, 2, 3})

# another order in every epoch; the last batch is left out where it is short
batches =
  Stream.resource(
    fn -> nil end,
    fn
      nil -> {training |> Enum.shuffle() |> Enum.chunk_every(32, 32, :discard) |> Enum.map(tensors), :done}
      :done -> {:halt, :done}
    end,
    fn _ -> :ok end
  )

IO.puts("device: #{Nx.Vulkan.Device.fetch!().info.name}")
before = System.monotonic_time(:millisecond)

state =
  Digits.model()
  |> Axon.Loop.trainer(
    &Axon.Losses.categorical_cross_entropy(&1, &2, from_logits: true, reduction: :mean),
    Digits.optimizer(:adamw),
    log: 0,
    seed: 42
  )
  |> Axon.Loop.handle_event(:epoch_completed, fn state ->
    if rem(state.epoch + 1, 5) == 0 do
      IO.puts(
        "epoch #{state.epoch + 1}  running mean of the loss #{Float.round(Nx.to_number(state.step_state.loss), 5)}"
      )
    end

    {:continue, state}
  end)
  |> Axon.Loop.run(batches, Axon.ModelState.empty(), epochs: epochs, compiler: Nx.Vulkan.Compiler)

seconds = (System.monotonic_time(:millisecond) - before) / 1000
{x, y} = tensors.(testing)
logits = Axon.predict(Digits.model(), state, x, compiler: Nx.Vulkan.Compiler)
right = Nx.equal(Nx.argmax(logits, axis: 1), Nx.argmax(y, axis: 1)) |> Nx.mean() |> Nx.to_number()

IO.puts(
  "#{Float.round(100 * right, 1)} % of the last 360 digits after #{epochs} epochs in #{Float.round(seconds, 1)} s"
)

if right < 0.9, do: System.halt(1)
