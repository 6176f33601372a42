defmodule Nx.Vulkan.MemoryTest do
  # The budget is the application's, and what is used is counted for the whole process: nothing else runs meanwhile.
  use Nx.Vulkan.Test.DeviceCase

  alias Nx.Vulkan.{Backend, Device, Error, NIF}

  test "devices say how much memory is used, and of how much" do
    device = Device.fetch!()
    describe = fn -> Enum.find(Nx.Vulkan.devices(), &(&1.index == device.index)) end

    # more than the largest block of the pool, so that each has one of its own. Compared with its size, not with what was
    # used before: that shrinks whenever the garbage collector finds what earlier tests dropped.
    bytes = 150 * 1024 * 256 * 4
    [a, b] = for _ <- 1..2, do: Nx.iota({150, 1024, 256}, type: :f32, backend: Backend)
    during = describe.()
    assert during.memory_used >= 2 * bytes
    assert during.memory_peak >= during.memory_used and during.memory_used <= during.memory_budget
    for t <- [a, b], do: Nx.backend_deallocate(t)
    assert describe.().memory_peak >= during.memory_used
  end

  test "what does not fit the budget raises, and nothing else happens" do
    # open before, as tests before may have closed it: the budget is for the second handle
    Device.fetch!()
    Application.put_env(:nx_vulkan, :memory_budget, 20_000_000)
    device = Device.open_profiling!(nil)
    data = :binary.copy(<<7>>, 4_000_000)
    assert NIF.device_counters(device.ref).memory_budget == 20_000_000
    {buffers, error} = fill(device, data, [])
    assert length(buffers) in 3..5
    assert error.status == :out_of_device_memory
    assert Exception.message(error) =~ "20000000" and Exception.message(error) =~ "memory_budget"
    # those that fit are as they were, and there is room again after one of them
    for b <- buffers, do: assert({:ok, ^data} = NIF.buffer_read(b, 0, byte_size(data)))
    assert :ok = NIF.buffer_free(hd(buffers))
    assert is_reference(Device.upload(device, data))
  after
    Application.delete_env(:nx_vulkan, :memory_budget)
  end

  defp fill(device, data, buffers) do
    fill(device, data, [Device.upload(device, data) | buffers])
  rescue
    error in Error -> {buffers, error}
  end
end
