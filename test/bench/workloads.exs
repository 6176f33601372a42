# The workloads of test/workloads at the sizes that people have, on this machine's device:
#
#     MIX_ENV=test mix run test/bench/workloads.exs [NAME ...]
#
# A table, and a JSON line each in _build/workloads.jsonl: what the compiler made of it, what a warm call costs
# from Elixir with its wait (median, and 95th percentile), and the largest error against Nx. BENCH_SECONDS is how
# long each is called (1); names are prefixes. With EXPORT=folder their graphs are written there as JSON, for
# vkcompile and `make radv`, and nothing is run; that needs no device and no NIF.
alias Nx.Vulkan.Test.{Models, Workload}

Nx.default_backend(Nx.BinaryBackend)
Logger.configure(level: :error)

defmodule Bench do
  @moduledoc false

  @columns ~w(kernels dispatches submits recordings)a

  def run(names, nil) do
    device = Nx.Vulkan.Device.fetch!().info
    cache = Path.join(System.tmp_dir!(), "nx_vulkan_bench_#{System.os_time()}")
    File.mkdir_p!("_build")
    file = File.open!("_build/workloads.jsonl", [:write])
    IO.puts("device: #{device.name} (#{device.driver})")

    row(
      [:workload, :kernels, :disp, :submits, :records, "moved KB", "arena KB", "cold ms", "hit ms", "p50 us", "p95 us"] ++
        [:error, :note]
    )

    for {name, make} <- workloads(), names == [] or String.starts_with?(name, names) do
      result = measure(make.(), cache)
      IO.write(file, [json(Map.merge(result, %{workload: name, device: device.name, driver: device.driver})), ?\n])
      show(name, result)
    end

    File.close(file)
    File.rm_rf!(cache)
  end

  def run(names, folder) do
    File.mkdir_p!(folder)

    for {name, make} <- workloads(), names == [] or String.starts_with?(name, names) do
      w = make.()
      path = Path.join(folder, String.replace(name, ~r/[^A-Za-z0-9]+/, "_") <> ".json")
      Nx.Vulkan.export(path, w.fun, w.args, name: name, donate: w[:donate] || [])
    end
  end

  # :fun and :args; :donate; :feed makes the next call's arguments of a result; :error of a result, or against Nx
  defp measure(w, cache) do
    opts = [cache_dir: cache, donate: w[:donate] || []]
    args = Enum.map(w.args, &Workload.device/1)
    {cold, compiled} = :timer.tc(fn -> Nx.Vulkan.compile(w.fun, args, opts) end)
    Nx.Vulkan.Cache.drop(&(is_tuple(&1) and elem(&1, 0) in [:compiled, :program]))
    {hit, compiled} = :timer.tc(fn -> if compiled, do: Nx.Vulkan.compile(w.fun, args, opts) end)
    stats = Workload.stats(w.fun, args, device: nil, donate: opts[:donate])
    feed = w[:feed] || fn _result, args -> args end
    first = apply(compiled, args)
    error = error(w, Workload.host(first))
    args = feed.(first, args)
    {args, _} = calls(compiled, feed, args, 0.2)
    {{_, times}, counted} = Workload.counted(fn -> calls(compiled, feed, args, seconds()) end)
    count = length(times)
    times = Enum.sort(times)

    %{
      kernels: stats.kernels,
      dispatches: counted.dispatches / count,
      submits: counted.submits / count,
      recordings: counted.recordings / count,
      bytes_moved: stats.bytes_moved,
      bytes_unfused: stats.bytes_unfused,
      arena_bytes: stats.arena_bytes,
      compile_cold_ms: cold / 1000,
      compile_hit_ms: hit / 1000,
      calls: count,
      p50_us: Enum.at(times, div(count, 2)) / 1000,
      p95_us: Enum.at(times, div(count * 95, 100)) / 1000,
      error: error,
      note:
        if(w[:flops], do: " #{Float.round(w.flops / Enum.at(times, div(count, 2)), 1)} GFLOP/s", else: w[:note] || "")
    }
  end

  defp calls(compiled, feed, args, seconds) do
    until = System.monotonic_time() + System.convert_time_unit(round(seconds * 1000), :millisecond, :native)

    Stream.cycle([0])
    |> Enum.reduce_while({args, []}, fn _, {args, times} ->
      before = System.monotonic_time()
      result = apply(compiled, args)
      Nx.Vulkan.synchronize()
      now = System.monotonic_time()
      state = {feed.(result, args), [System.convert_time_unit(now - before, :native, :nanosecond) | times]}
      if now < until or length(times) < 2, do: {:cont, state}, else: {:halt, state}
    end)
  end

  defp error(%{error: fun}, result), do: fun.(result)
  defp error(w, result), do: Workload.worst(result, Workload.expect(w.fun, w.args))

  defp seconds, do: System.get_env("BENCH_SECONDS", "1") |> Float.parse() |> elem(0)

  ## The workloads

  defp workloads, do: densities() ++ trainings() ++ models() ++ randoms() ++ products()

  defp densities do
    f64 = &Nx.tensor(&1, type: :f64)

    chain = [
      Models.regime_point(),
      Models.regime_momentum(),
      Models.observations(200),
      Models.regime_inverse_mass(),
      f64.(0.05)
    ]

    chains =
      for {type, k} <- [f64: 32, f64: 1024, f32: 32] do
        args = Enum.map(chain, &Nx.as_type(&1, type)) ++ [Nx.tensor(k)]
        # so long a chain amplifies the last bits of its start: no error of it is shown
        error = if k == 32, do: %{}, else: %{error: fn _ -> nil end}
        {"leapfrog #{k} steps #{type}", fn -> Map.merge(%{fun: &Models.leapfrog/6, args: args}, error) end}
      end

    batches =
      for n <- [1, 102] do
        q = Nx.add(Models.regime_point(), Nx.multiply(0.01, Models.numbers({n, 8}, 1)))
        y = Nx.add(Models.observations(200), Nx.multiply(0.001, Models.numbers({n, 200}, 2)))
        {"regime, #{n} series", fn -> %{fun: &Models.regime/2, args: [q, y]} end}
      end

    mixtures =
      for n <- [480, 4_800, 48_000, 1_536_000, 6_144_000] do
        {"mixture of #{n}", fn -> mixture(n) end}
      end

    regressions =
      for d <- [1, 4, 16, 64], n <- [20, 200, 2000] do
        args = [Models.numbers({d}, 1), Models.numbers({n, d}, 2), Models.numbers({n}, 3)]
        {"regression #{n} x #{d}", fn -> %{fun: &Models.regression/3, args: args} end}
      end

    x = Models.numbers({500, 20}, 1)
    y = Nx.greater(Models.numbers({500}, 2), 0) |> Nx.as_type(:f64)
    volatility = Nx.concatenate([f64.([-3.0, 2.0]), Nx.multiply(0.1, Models.numbers({100}, 1))])

    [{"regime", fn -> %{fun: &Models.regime/2, args: [Models.regime_point(), Models.observations(200)]} end}] ++
      chains ++
      batches ++
      mixtures ++
      regressions ++
      [
        {"eight schools", fn -> %{fun: &Models.schools/1, args: [Models.numbers({10}, 1)]} end},
        {"funnel", fn -> %{fun: &Models.funnel/1, args: [Models.numbers({10}, 1)]} end},
        {"logistic 500 x 21", fn -> %{fun: &Models.logistic/3, args: [Models.numbers({21}, 3), x, y]} end},
        {"volatility 102",
         fn -> %{fun: &Models.volatility/2, args: [volatility, Nx.multiply(0.02, Models.numbers({100}, 1))]} end}
      ]
  end

  # 480 observations again and again: what n of them give follows from what 480 and 960 of them give
  defp mixture(n) do
    {q, once} = {Models.regime_point(), Models.observations(480)}
    [one, two] = for y <- [once, Nx.tile(once, [2])], do: Workload.expect(&Models.regime/2, [q, y])

    expected =
      for i <- [0, 1] do
        {a, b} = {elem(one, i), elem(two, i)}
        Nx.add(a, Nx.multiply(div(n, 480) - 1, Nx.subtract(b, a)))
      end

    %{
      fun: &Models.regime/2,
      args: [q, Nx.tile(once, [div(n, 480)])],
      error: &Workload.worst(&1, List.to_tuple(expected))
    }
  end

  # as in test/workloads/training_test.exs
  defp trainings do
    loss = &Axon.Losses.categorical_cross_entropy(&1, &2, reduction: :mean)

    step = fn model, batch, inputs ->
      {init, step} = Axon.Loop.train_step(model, loss, Polaris.Optimizers.adamw(learning_rate: 0.005), seed: 42)
      {x, key} = Nx.Random.uniform(Nx.Random.key(1), shape: Tuple.insert_at(inputs, 0, batch))
      {labels, _} = Nx.Random.randint(key, 0, 10, shape: {batch, 1})
      data = {x, labels |> Nx.equal(Nx.iota({1, 10})) |> Nx.as_type(:f32)}
      state = Workload.expect(fn -> init.(data, Axon.ModelState.empty()) end, [])
      # the optimiser blows up the rounding errors of vanishing gradients, so the loss is compared
      error = fn result -> Workload.worst(result.loss, Workload.expect(step, [data, state]).loss) end
      %{fun: step, args: [data, state], donate: [1], feed: fn result, [data, _] -> [data, result] end, error: error}
    end

    mlp = fn ->
      Axon.input("x")
      |> Axon.dense(128, activation: :relu)
      |> Axon.dropout(rate: 0.5, seed: 7)
      |> Axon.dense(10, activation: :softmax)
    end

    for batch <- [32, 256], Code.ensure_loaded?(Axon) do
      {"MLP 784-128-10 step, #{batch}", fn -> step.(mlp.(), batch, {784}) end}
    end
  end

  defp models do
    if Code.ensure_loaded?(Scholar.Linear.LinearRegression) do
      lines =
        for {n, d} <- [{200, 4}, {1000, 16}], type <- [:f32, :f64] do
          x = Models.numbers({n, d}, 1) |> Nx.as_type(type)
          noise = Nx.multiply(0.1, Models.numbers({n}, 3)) |> Nx.add(0.7) |> Nx.as_type(type)
          y = Nx.add(Nx.dot(x, Nx.as_type(Models.numbers({d}, 2), type)), noise)

          fit = fn x, y ->
            Map.take(apply(Scholar.Linear.LinearRegression, :fit, [x, y]), [:coefficients, :intercept])
          end

          {"least squares #{n} x #{d} #{type}", fn -> %{fun: fit, args: [x, y]} end}
        end

      points =
        Nx.add(
          Nx.tile(Nx.tensor([[0.0, 0.0], [3.0, 1.0], [-1.0, 4.0]]), [100, 1]),
          Nx.as_type(Models.numbers({300, 2}, 1), :f32)
        )

      means = fn x, key ->
        Map.take(apply(Scholar.Cluster.KMeans, :fit, [x, [num_clusters: 3, key: key]]), [:clusters, :labels])
      end

      components = fn x ->
        Map.take(apply(Scholar.Decomposition.PCA, :fit, [x, [num_components: 2]]), [:explained_variance])
      end

      lines ++
        [
          {"k-means 300 x 2", fn -> %{fun: means, args: [points, Nx.Random.key(42)]} end},
          {"PCA 150 x 4", fn -> %{fun: components, args: [Nx.as_type(Models.numbers({150, 4}, 1), :f32)]} end}
        ]
    else
      []
    end
  end

  defp randoms do
    for {name, fun} <- [
          uniform: &Nx.Random.uniform(&1, shape: {1_000_000}),
          normal: &Nx.Random.normal(&1, shape: {1_000_000})
        ] do
      # the first thousand are not those of a thousand, so Nx makes a million once
      {"#{name} 1e6", fn -> %{fun: fun, args: [Nx.Random.key(42)]} end}
    end
  end

  # exact in whole numbers: A (B v) = (A B) v
  defp products do
    for type <- [:f32, :f64, :s32], n <- [16, 64, 256, 1024] do
      {"matmul #{n} #{type}",
       fn ->
         [a, b] =
           for seed <- [1, 2], do: Nx.remainder(Nx.add(Nx.multiply(Nx.iota({n, n}), 7919 * seed), div(n, seed)), 17)

         v = Nx.subtract(Nx.remainder(Nx.iota({n}), 5), 2)
         args = for t <- [a, b], do: Nx.as_type(t, type)
         exact = Nx.dot(Nx.as_type(a, :s64), Nx.dot(Nx.as_type(b, :s64), v))

         error =
           &if(Nx.to_binary(Nx.dot(Nx.as_type(&1, :s64), v)) == Nx.to_binary(exact),
             do: 0.0,
             else: raise("a wrong product")
           )

         %{fun: &Nx.dot/2, args: args, error: error, flops: 2.0 * n * n * n}
       end}
    end
  end

  ## Printing

  defp show(name, r) do
    counts = for key <- @columns, do: round(r[key] * 100) / 100
    sizes = for key <- [:bytes_moved, :arena_bytes], do: r[key] / 1000
    times = for key <- [:compile_cold_ms, :compile_hit_ms, :p50_us, :p95_us], do: Float.round(r[key] / 1, 1)
    row([name] ++ counts ++ sizes ++ times ++ [r.error && :erlang.float_to_binary(r.error / 1, scientific: 1), r.note])
  end

  defp row([name | rest]) do
    cells = for cell <- rest, do: String.pad_leading(cell(cell), 10)
    IO.puts(String.pad_trailing(to_string(name), 26) <> Enum.join(cells))
  end

  defp cell(nil), do: "-"
  defp cell(x) when is_float(x) and x == trunc(x), do: Integer.to_string(trunc(x))
  defp cell(x) when is_float(x), do: :erlang.float_to_binary(x, decimals: if(x < 10, do: 2, else: 1))
  defp cell(x), do: to_string(x)

  defp json(map) do
    fields = for {key, value} <- Enum.sort(map), do: [?", to_string(key), "\": ", value(value)]
    ["{", Enum.intersperse(fields, ", "), "}"]
  end

  defp value(nil), do: "null"
  defp value(x) when is_number(x), do: to_string(x)
  defp value(x), do: inspect(to_string(x), binaries: :as_strings)
end

Bench.run(System.argv(), System.get_env("EXPORT"))
