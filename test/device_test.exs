defmodule Nx.Vulkan.DeviceTest do
  use ExUnit.Case, async: true

  alias Nx.Vulkan.Device

  # What a machine might have, whatever this one has.
  defp devices(kinds) do
    for {{kind, name}, index} <- Enum.with_index(kinds), do: %{index: index, kind: kind, name: name}
  end

  test "without a name the fastest kind of device is taken, of those the first" do
    cpu = {:cpu, "llvmpipe"}
    assert Device.choose(devices([cpu]), nil) == 0
    assert Device.choose(devices([cpu, {:other, "x"}]), "") == 1
    assert Device.choose(devices([cpu, {:other, "x"}, {:virtual, "v"}]), nil) == 2
    assert Device.choose(devices([cpu, {:virtual, "v"}, {:integrated, "i"}]), nil) == 2
    assert Device.choose(devices([cpu, {:integrated, "i"}, {:discrete, "d"}, {:discrete, "e"}]), nil) == 2
    assert_raise Nx.Vulkan.Error, ~r/there is no Vulkan device/, fn -> Device.choose([], nil) end
  end

  test "a name is an index, or a part of the name in any case" do
    devices = devices([{:cpu, "llvmpipe (LLVM 15)"}, {:discrete, "NVIDIA H200"}])
    assert Device.choose(devices, "0") == 0
    assert Device.choose(devices, "h200") == 1
    assert Device.choose(devices, "LLVM") == 0
    assert_raise Nx.Vulkan.Error, ~r/called "zx81"; there are: 0 llvmpipe/, fn -> Device.choose(devices, "zx81") end
    assert_raise Nx.Vulkan.Error, ~r/called "2"/, fn -> Device.choose(devices, "2") end
  end
end
