defmodule Nx.Vulkan.Workloads.SoakTest do
  @moduledoc """
  Warm calls from Elixir, very many of them: each is one submission that gives the same bits, and neither the
  device nor the process has more memory after them than before. WARM_CALLS sets how many (100,000; the larger
  functions run a tenth and a hundredth of it). `test/e2e/warm_test.c` does the same from C.
  """
  use Nx.Vulkan.Test.DeviceCase

  import Nx.Defn
  import Nx.Vulkan.Test.Bounds, only: [random: 3, random: 5]

  @moduletag timeout: 3_600_000

  # calls before anything is measured: heaps and the driver settle
  @settle 2000

  # what may come and go unnoticed, in bytes, and bytes a call: of 100,000 calls, a leak of two words each is seen
  @slack 1024 * 1024
  @per_call 4

  defn descend({w1, b1, w2, b2} = params, x, y) do
    {loss, {g1, h1, g2, h2}} = value_and_grad(params, &loss(&1, x, y))
    {{w1 - 1.0e-4 * g1, b1 - 1.0e-4 * h1, w2 - 1.0e-4 * g2, b2 - 1.0e-4 * h2}, loss}
  end

  defnp(loss({w1, b1, w2, b2}, x, y), do: Nx.mean((Nx.dot(Nx.tanh(Nx.dot(x, w1) + b1), w2) + b2 - y) ** 2))

  defn softmax(x) do
    shifted = Nx.exp(x - Nx.reduce_max(x, axes: [-1], keep_axes: true))
    shifted / Nx.sum(shifted, axes: [-1], keep_axes: true)
  end

  test "results that are read and deallocated: no recording either" do
    x = device(Nx.tensor([1.0, 2.0, 3.0, 4.0]))
    sigmoid = Nx.Vulkan.compile(&Nx.sigmoid/1, [x])
    bits = Nx.to_binary(sigmoid.(x))

    # the f32 nearest to 1 / (1 + exp(-x))
    assert for(<<v::float-32-little <- bits>>, do: v) ==
             [0.7310585975646973, 0.8807970881462097, 0.9525741338729858, 0.9820137619972229]

    soak("sigmoid, results deallocated", calls(1), fn _ ->
      result = sigmoid.(x)
      if Nx.to_binary(result) != bits, do: flunk("other bits")
      Nx.backend_deallocate(result)
    end)
    |> assert_counters(recordings: 0)
  end

  test "results that are left to the garbage collector" do
    x = device(Nx.tensor([1.0, 2.0, 3.0, 4.0]))
    sigmoid = Nx.Vulkan.compile(&Nx.sigmoid/1, [x])
    bits = Nx.to_binary(sigmoid.(x))

    soak("sigmoid, results dropped", calls(1), fn _ ->
      if Nx.to_binary(sigmoid.(x)) != bits, do: flunk("other bits")
    end)
    |> assert_counters([])

    # never read: nothing but the collector and the queue's throttle bounds what is in flight
    soak("sigmoid, results never read", calls(1), fn _ -> sigmoid.(x) end) |> assert_counters([])

    rows = device(random({:f, 32}, 64 * 256, 1) |> Nx.reshape({64, 256}))
    softmax = Nx.Vulkan.compile(&softmax/1, [rows])
    bits = Nx.to_binary(softmax.(rows))
    # where the host does not see the device's memory, reading so much is a copy, and a submission, of its own
    {_, read} = counted(fn -> Nx.to_binary(softmax.(rows)) end)

    soak("softmax of {64, 256}, results dropped", calls(100), fn _ ->
      if Nx.to_binary(softmax.(rows)) != bits, do: flunk("other bits")
    end)
    |> assert_counters(submits: read.submits * calls(100), dispatches: calls(100))
  end

  test "a training step that updates its parameters in place" do
    {x, y} =
      {device(random({:f, 32}, 64, 5) |> Nx.reshape({16, 4})), device(random({:f, 32}, 16, 6) |> Nx.reshape({16, 1}))}

    params =
      {random({:f, 32}, 128, 1, -0.5, 0.5) |> Nx.reshape({4, 32}), random({:f, 32}, 32, 2, -0.5, 0.5),
       random({:f, 32}, 32, 3, -0.5, 0.5) |> Nx.reshape({32, 1}), random({:f, 32}, 1, 4, -0.5, 0.5)}

    params = device(params)
    step = Nx.Vulkan.compile(&descend/3, [params, x, y], donate: [0])
    {params, first} = step.(params, x, y)

    counted =
      soak("regression step, parameters donated, loss read", calls(10), params, fn params ->
        {params, loss} = step.(params, x, y)
        assert is_float(Nx.to_number(loss))
        Nx.backend_deallocate(loss)
        params
      end)

    assert_counters(counted, recordings: 0)
    {_, last} = step.(counted.state, x, y)
    assert Nx.to_number(last) < Nx.to_number(first)
  end

  test "four processes at once get the bits of one" do
    inputs = for seed <- 1..4, do: device(random({:f, 32}, 64 * 256, seed) |> Nx.reshape({64, 256}))
    functions = [&softmax/1, &Nx.sort(&1, axis: 1), &Nx.dot(&1, Nx.transpose(&1)), &Nx.sum(&1)]
    compiled = for fun <- functions, do: Nx.Vulkan.compile(fun, [hd(inputs)])
    expected = for input <- inputs, do: for(fun <- compiled, do: Nx.to_binary(fun.(input)))
    rounds = max(1, div(calls(100), 16))
    # submissions would count copies from the device, too
    {_, once} = counted(fn -> for fun <- compiled, do: fun.(hd(inputs)) end)
    before = Nx.Vulkan.counters()

    # every process has an input of its own, and all use the same four programs
    Enum.zip(inputs, expected)
    |> Enum.map(fn {input, expected} ->
      Task.async(fn ->
        for _ <- 1..rounds, {fun, bits} <- Enum.zip(compiled, expected), do: assert(Nx.to_binary(fun.(input)) == bits)
      end)
    end)
    |> Task.await_many(:infinity)

    now = Nx.Vulkan.counters()
    assert now.dispatches - before.dispatches == 4 * rounds * once.dispatches
    assert now.pipelines == before.pipelines
  end

  defp calls(part), do: String.to_integer(System.get_env("WARM_CALLS", "100000")) |> div(part) |> max(1)

  # What `count` calls of `fun` changed; `fun` takes and gives the state of a loop.
  defp soak(name, count, state \\ nil, fun) do
    # a process of its own: its heap is small, as that of any server's, and gone when it is done
    Task.async(fn ->
      measure()
      state = repeat(state, @settle + div(count, 10), fun)
      before = measure()
      {us, state} = :timer.tc(fn -> repeat(state, count, fun) end)
      later = measure()
      change = Map.new(later, fn {key, value} -> {key, value - before[key]} end)

      IO.puts(
        "#{name}: #{count} calls, #{Float.round(us / count, 1)} us each; submits #{change.submits}, " <>
          "recordings #{change.recordings}, device allocations #{change.device_allocations}; bytes more: " <>
          "BEAM #{change.beam}, its binaries #{change.binary}, process #{change.resident}, " <>
          "pool #{change.pool_bytes}, live on the device #{change.live_bytes}"
      )

      Map.merge(change, %{calls: count, state: state})
    end)
    |> Task.await(:infinity)
  end

  defp repeat(state, 0, _fun), do: state
  defp repeat(state, n, fun), do: repeat(fun.(state), n - 1, fun)

  defp measure do
    Nx.Vulkan.synchronize()
    :erlang.garbage_collect()
    [_, pages | _] = File.read!("/proc/self/statm") |> String.split()

    Map.merge(Nx.Vulkan.counters(), %{
      beam: :erlang.memory(:total),
      binary: :erlang.memory(:binary),
      resident: String.to_integer(pages) * 4096
    })
  end

  defp assert_counters(change, exact) do
    exact =
      Keyword.merge(
        [
          submits: change.calls,
          device_allocations: 0,
          pipelines: 0,
          programs: 0,
          bytes_uploaded: 0,
          pool_bytes: 0,
          live_buffers: 0,
          live_bytes: 0
        ],
        exact
      )

    for {key, value} <- exact, do: assert({key, change[key]} == {key, value})
    # a program keeps descriptors for the last eight tuples of buffers; results that the collector frees make new ones
    assert change.descriptor_allocations <= if(exact[:recordings], do: 0, else: 8)
    bound = @slack + @per_call * change.calls
    # a sanitizer keeps what is freed for a while: of the process then only the counters and the BEAM tell
    keys = if System.get_env("SAN", "") == "", do: [:beam, :binary, :resident], else: [:beam, :binary]
    for key <- keys, do: assert(change[key] <= bound, "#{key}: #{change[key]} bytes more")
  end
end
