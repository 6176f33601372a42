defmodule Nx.Vulkan.CountersTest do
  # What is counted for, or set by, the whole process: nothing else runs meanwhile.
  use Nx.Vulkan.Test.DeviceCase

  import Nx.Vulkan.Test.Bounds, only: [random: 3]

  alias Nx.Vulkan.Backend

  test "calls of a warm function trace nothing, compile nothing and allocate no memory" do
    fun = fn x -> Nx.multiply(Nx.sin(x), 2) end
    x = device(random({:f, 32}, 64, 1))
    compiled = Nx.Vulkan.compile(fun, [x])
    for _ <- 1..3, do: compiled.(x)
    {_, counted} = counted(fn -> for _ <- 1..10, do: compiled.(x) end)
    assert counted.submits == 10
    assert {counted.device_allocations, counted.pipelines, counted.bytes_uploaded} == {0, 0, 0}
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

  test "storage is freed with the tensor" do
    before = Nx.Vulkan.counters().live_bytes

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
