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
    assert_raise Nx.Vulkan.Error, ~r/called "0 llvmpipe"/, fn -> Device.choose(devices, "0 llvmpipe") end
  end

  test "vendors are those of PCI and Khronos" do
    raw = %{api_version: 0, feature_words: []}

    for {id, name} <- [
          {0x1002, "AMD"},
          {0x1010, "Imagination"},
          {0x106B, "Apple"},
          {0x10DE, "NVIDIA"},
          {0x13B5, "ARM"},
          {0x5143, "Qualcomm"},
          {0x8086, "Intel"},
          {0x10005, "Mesa"},
          {0x1234, "0x1234"}
        ],
        do: assert(Device.in_words(Map.put(raw, :vendor_id, id)).vendor == name)
  end

  test "a version is its three numbers, each to its last bit" do
    for {major, minor, patch} <- [{1, 0, 0}, {1, 1, 1}, {127, 1023, 4095}, {64, 512, 2048}, {2, 3, 4}] do
      raw = %{api_version: major * 2 ** 22 + minor * 2 ** 12 + patch, vendor_id: 0, feature_words: []}
      assert Device.in_words(raw).vulkan == "#{major}.#{minor}.#{patch}"
      # the variant is above
      assert Device.in_words(%{raw | api_version: raw.api_version + 2 ** 29}).vulkan == "#{major}.#{minor}.#{patch}"
    end
  end

  test "what the compiler reads of a device is in its place" do
    keys = [:name, :features, :matrices, :max_invocations, :max_shared_bytes, :max_bindings, :subgroup_size]
    keys = keys ++ [:max_groups, :max_binding_bytes]
    info = Map.new(keys, &{&1, &1})

    for {kind, is_cpu} <- [cpu: true, other: false] do
      info = Map.merge(info, %{kind: kind, has_loop_limit: :limit})
      device = %Device{ref: nil, index: 0, info: info, collected: nil}
      assert Device.target(device) == List.to_tuple(keys ++ [is_cpu, :limit])
    end
  end

  test "what fails for want of memory is tried once more, and nothing else is" do
    for {answers, calls, result} <- [
          {[{:error, {:out_of_device_memory, "a"}}, {:ok, 1}], 2, {:ok, 1}},
          {[{:error, {:out_of_device_memory, "a"}}, {:error, {:out_of_device_memory, "b"}}], 2,
           {:error, {:out_of_device_memory, "b"}}},
          {[{:error, {:device_lost, "a"}}, {:ok, 1}], 1, {:error, {:device_lost, "a"}}},
          {[{:ok, 2}, {:ok, 1}], 1, {:ok, 2}}
        ] do
      count = :counters.new(1, [])

      answer = fn ->
        :counters.add(count, 1, 1)
        Enum.at(answers, :counters.get(count, 1) - 1)
      end

      assert Device.retry(answer) == result
      assert :counters.get(count, 1) == calls
    end
  end
end
