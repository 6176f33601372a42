defmodule Nx.Vulkan.Test.DeviceCase do
  @moduledoc """
  Tests that run functions on a device and compare them with Nx, whose tensors are on `Nx.BinaryBackend`.

      use Nx.Vulkan.Test.DeviceCase, async: true

  Counters of the device, settings of the application and the memory of the process are everybody's: a test that
  reads or changes them is in a module without `async: true`, which runs when the others are done.
  """
  use ExUnit.CaseTemplate

  using do
    quote do
      import Nx.Vulkan.Test.DeviceCase, only: [eventually: 1]
      import Nx.Vulkan.Test.Workload

      @moduletag :device
    end
  end

  # a hang, on any machine
  @deadline 60_000

  @doc "Polls: what is freed by the collector, or ends on another thread, does so soon, but not at once."
  def eventually(fun, left \\ @deadline) do
    cond do
      fun.() -> true
      left <= 0 -> false
      true -> Process.sleep(5) && eventually(fun, left - 5)
    end
  end

  setup do
    Nx.default_backend(Nx.BinaryBackend)
    :ok
  end
end
