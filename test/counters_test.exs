defmodule Nx.Vulkan.CountersTest do
  # What is counted for, or set by, the whole process: nothing else runs meanwhile.
  use Nx.Vulkan.Test.DeviceCase

  import Nx.Vulkan.Test.Bounds, only: [random: 3]

  alias Nx.Vulkan.{Backend, NIF}

  test "calls of a warm function trace nothing, compile nothing and allocate no memory" do
    fun = fn x -> Nx.multiply(Nx.sin(x), 2) end
    x = device(random({:f, 32}, 64, 1))
    compiled = Nx.Vulkan.compile(fun, [x])
    for _ <- 1..3, do: compiled.(x)
    # programs that other tests have left are unloaded now, and not while this one counts
    Enum.each(Process.list(), &:erlang.garbage_collect/1)
    {_, counted} = counted(fn -> for _ <- 1..10, do: compiled.(x) end)
    assert counted.submits == 10
    assert {counted.device_allocations, counted.pipelines, counted.bytes_uploaded} == {0, 0, 0}
  end

  test "a literal is given to the compiler once, as its bytes" do
    literal = random({:f, 32}, 50_000, 5_005)
    fun = fn x -> Nx.add(Nx.multiply(x, literal), literal) end

    task =
      Task.async(fn ->
        receive do: (:go -> Nx.to_binary(run(fun, [0])))
      end)

    :erlang.trace_pattern({NIF, :compile, 4}, true, [])
    :erlang.trace(task.pid, true, [:call, :set_on_spawn])
    send(task.pid, :go)
    assert Task.await(task, :infinity) == Nx.to_binary(literal)
    assert_receive {:trace, _, :call, {NIF, :compile, [json, sidecar, _, _]}}, 60_000
    assert byte_size(sidecar) == 200_000
    assert byte_size(json) < 10_000
  after
    :erlang.trace_pattern({NIF, :compile, 4}, false, [])
  end

  test "reads are limited to what was asked" do
    t = Nx.iota({1000}, backend: Backend)
    {bytes, counted} = counted(fn -> Nx.to_binary(t, limit: 2) end)
    assert bytes == <<0::32-little, 1::32-little>>
    assert counted.bytes_downloaded <= 16
  end

  test "a copy on the same device passes no byte through the host" do
    t = device(random({:f, 32}, 1000, 1))
    {copy, counted} = counted(fn -> Nx.backend_copy(t, Backend) end)
    assert {counted.bytes_uploaded, counted.bytes_downloaded} == {0, 0}
    assert Nx.to_binary(copy) == Nx.to_binary(t)
    Nx.backend_deallocate(t)
    assert Nx.shape(copy) == {1000} and is_binary(Nx.to_binary(copy))
  end

  test "a scalar constant is an upload, a larger one a broadcast" do
    {scalar, counted} = counted(fn -> Backend.constant(Nx.template({}, :s32), 7, []) end)
    assert {Nx.to_flat_list(scalar), counted.submits, counted.dispatches} == {[7], 0, 0}
    {filled, counted} = counted(fn -> Backend.constant(Nx.template({2, 3}, :s32), 7, []) end)
    assert {Nx.to_flat_list(filled), counted.dispatches} == {List.duplicate(7, 6), 1}
  end

  test "what a cache's process leaves behind is no later one's" do
    key = make_ref()
    assert Nx.Vulkan.Cache.run(key, fn -> :old end) == :old
    pid = Process.whereis(Nx.Vulkan.Cache)
    watch = Process.monitor(pid)
    Supervisor.terminate_child(Nx.Vulkan.Supervisor, Nx.Vulkan.Cache)
    assert_receive {:DOWN, ^watch, _, _, _}
    assert {:ok, _} = Supervisor.restart_child(Nx.Vulkan.Supervisor, Nx.Vulkan.Cache)
    assert Nx.Vulkan.Cache.run(key, fn -> :new end) == :new
  end

  # What earlier tests left behind is freed when their processes are collected, and their runs have ended.
  defp live_bytes_at_rest(last \\ nil) do
    for pid <- Process.list(), do: :erlang.garbage_collect(pid)
    live = Nx.Vulkan.counters().live_bytes
    if live == last, do: live, else: Process.sleep(100) && live_bytes_at_rest(live)
  end

  test "storage is freed with the tensor" do
    before = live_bytes_at_rest()

    Task.await(
      Task.async(fn ->
        t = device(Nx.iota({1000, 1000}))
        assert Nx.Vulkan.counters().live_bytes >= before + 4_000_000
        t.shape
      end),
      :infinity
    )

    :erlang.garbage_collect()
    assert eventually(fn -> Nx.Vulkan.counters().live_bytes < before + 4_000_000 end)
  end

  test "the bytes alive are noted when they have doubled, beyond a quarter of a gigabyte" do
    device = Nx.Vulkan.Device.fetch!()
    quarter = 256 * 1024 * 1024
    kept = device(Nx.iota({1000}))
    collected = :atomics.new(1, signed: false)
    device = %{device | collected: collected}

    noted = fn before, live ->
      :atomics.put(collected, 1, before)
      assert Nx.Vulkan.Device.note(device, live) == :ok
      :atomics.get(collected, 1)
    end

    for {before, live} <- [{0, 0}, {0, quarter}, {quarter, 2 * quarter}, {3 * quarter, 6 * quarter}],
        do: assert(noted.(before, live) == before)

    for {before, live} <- [{1, quarter + 1}, {quarter, 2 * quarter + 1}] do
      # in a process of its own, whose garbage is a tensor; the runtime may be about to free that a little later
      tries =
        for _ <- 1..8 do
          Task.await(
            Task.async(fn ->
              # counted while it is alive: it may be collected at any time after that
              alive = fn ->
                t = device(Nx.iota({500_000}))
                bytes = Nx.Vulkan.counters().live_bytes
                assert Nx.size(t) == 500_000
                bytes
              end

              {alive.(), noted.(before, live)}
            end)
          )
        end

      assert Enum.any?(tries, fn {with_it, rest} -> rest in 4000..(with_it - 2_000_000)//1 end)
    end

    assert Nx.size(kept) == 1000
  end

  test "a device that was reset is opened anew, with all that was loaded on it" do
    kept = make_ref()
    Nx.Vulkan.Cache.run(kept, fn -> :kept end)
    fun = Nx.Vulkan.compile(&Nx.sin/1, [Nx.template({2}, :f32)])
    assert [_, _] = Nx.to_flat_list(fun.(Nx.tensor([1.0, 2.0])))
    old = Nx.Vulkan.Device.fetch!()
    # by another name
    name = String.slice(old.info.name, 1, 4)
    assert Nx.Vulkan.Device.fetch!(name).ref == old.ref
    assert Nx.Vulkan.Device.fetch!(old.index).ref == old.ref
    profiling = Nx.Vulkan.Device.open_profiling!(name)
    assert {profiling.index, profiling.ref != old.ref} == {old.index, true}
    Nx.tensor([1.0], backend: Backend) |> Nx.add(1)

    mine = fn ->
      for {key, value} <- Nx.Vulkan.Cache.all(),
          is_tuple(key) and elem(key, 0) in [Nx.Vulkan.Device, :program, :compiled, :eager],
          do: {elem(key, 0), value}
    end

    assert mine.() |> Keyword.keys() |> Enum.uniq() |> Enum.sort() == [Nx.Vulkan.Device, :compiled, :eager, :program]
    assert Nx.Vulkan.reset() == :ok
    assert mine.() == []
    assert Nx.Vulkan.Cache.get(kept) == :kept
    [shut | _] = Nx.Vulkan.devices()
    assert {shut.memory_used, shut.memory_peak} == {0, 0}
    Application.put_env(:nx_vulkan, :memory_budget, 123_456_789)
    assert [%{memory_budget: 123_456_789, memory_used: 0} | _] = Nx.Vulkan.devices()
    t = Nx.tensor([1.0, 2.0], backend: Backend)
    assert Nx.Vulkan.Device.fetch!().ref != old.ref
    [open | _] = Nx.Vulkan.devices()
    assert open.memory_budget == 123_456_789 and open.memory_used > 0 and open.memory_peak >= open.memory_used
    assert Nx.Vulkan.jit(&Nx.sin/1).(t) |> Nx.to_flat_list() |> length() == 2
    assert Nx.Vulkan.synchronize() == :ok
  after
    Application.delete_env(:nx_vulkan, :memory_budget)
    Nx.Vulkan.reset()
    # with its own budget, before a test that sets another
    Nx.Vulkan.Device.fetch!()
  end

  test "so many elements are read of a tensor that is shown as its limit says, and one" do
    t = Nx.iota({1000}, backend: Backend)

    for {limit, bytes} <- [{0, 4}, {3, 16}, {998, 3996}, {999, 4000}, {1000, 4000}, {:infinity, 4000}] do
      {shown, counted} = counted(fn -> inspect(t, limit: limit) end)
      assert counted.bytes_downloaded == bytes, "limit #{limit}: #{counted.bytes_downloaded} bytes"
      assert shown =~ "..." == (limit != :infinity and limit < 1000)
    end
  end

  test "a tensor is shown with the backend, unless that is switched off" do
    t = Nx.tensor([1, 2, 3], backend: Backend)
    assert inspect(t) =~ ~r/Nx.Vulkan.Backend<\d+, /
    assert inspect(t) =~ "[1, 2, 3]"
    Application.put_env(:nx_vulkan, :add_backend_on_inspect, false)
    assert inspect(t) == inspect(host(t))
  after
    Application.delete_env(:nx_vulkan, :add_backend_on_inspect)
  end
end
