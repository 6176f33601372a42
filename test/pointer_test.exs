defmodule Nx.Vulkan.PointerTest do
  @moduledoc "Tensors over memory that they share with others."
  use ExUnit.Case

  alias Nx.Vulkan.{Backend, Compiler, Error}

  @moduletag :device

  setup do
    Nx.default_backend(Backend)
    :ok
  end

  defp local(address, size), do: %Nx.Pointer{kind: :local, address: address, data_size: size}

  describe "on devices whose memory the host sees" do
    @describetag :mapped

    test "two tensors share memory" do
      for type <- [:u4, :u8, :bf16, :s32, :f32, :c64] do
        t = Nx.iota({3, 5}, type: type)
        pointer = Nx.to_pointer(t)
        assert %Nx.Pointer{kind: :local, handle: nil} = pointer
        shared = Nx.from_pointer(Backend, pointer, type, {3, 5}, names: [:x, nil])
        assert shared.names == [:x, nil]
        assert Nx.to_binary(shared) == Nx.to_binary(t)
        assert Nx.to_pointer(shared) == pointer
        assert Nx.to_binary(Nx.add(shared, shared)) == Nx.to_binary(Nx.add(t, t))
      end
    end

    test "shared memory outlives the tensor that it was made for" do
      t = Nx.add(Nx.iota({1000}), 1)
      shared = Nx.from_pointer(Backend, Nx.to_pointer(t, mode: :local), {:s, 32}, {1000})
      Nx.backend_deallocate(t)
      other = Nx.broadcast(7, {1000})
      assert Nx.to_flat_list(shared) == Enum.to_list(1..1000)
      assert Nx.to_flat_list(other) == List.duplicate(7, 1000)
    end

    test "what is shared is not donated, what is no longer shared is" do
      t = Nx.iota({64})
      shared = Nx.from_pointer(Backend, Nx.to_pointer(t), {:s, 32}, {64})
      step = Nx.Defn.jit(&Nx.add(&1, 1), compiler: Compiler, donate: [0])
      assert_raise Error, ~r/memory is shared/, fn -> step.(t) end
      assert Nx.to_flat_list(t) == Enum.to_list(0..63)
      Nx.backend_deallocate(shared)
      assert Nx.to_flat_list(step.(t)) == Enum.to_list(1..64)
    end

    test "addresses that are not a tensor's" do
      t = Nx.iota({1024})
      %{address: address} = Nx.to_pointer(t)

      assert_raise Error, ~r/no buffer begins there/, fn ->
        Nx.from_pointer(Backend, local(address + 64, 4), :s32, {1})
      end

      assert_raise Error, ~r/8192 bytes at a buffer of 4096/, fn ->
        Nx.from_pointer(Backend, local(address, 8192), :s32, {2048})
      end

      part = Nx.from_pointer(Backend, local(address, 8), :s32, {2})
      assert Nx.to_flat_list(part) == [0, 1]
      for tensor <- [t, part], do: Nx.backend_deallocate(tensor)

      assert_raise Error, ~r/no buffer begins there/, fn ->
        Nx.from_pointer(Backend, local(address, 4096), :s32, {1024})
      end
    end
  end

  test "pointers that are none" do
    for {address, why} <- [
          {0, ~r/NULL/},
          {4096, ~r/not memory of this process/},
          {0xFFFF_FFFF_FFFF_FFF0, ~r/address space/}
        ] do
      assert_raise Error, why, fn -> Nx.from_pointer(Backend, local(address, 4096), :u8, {4096}) end
    end

    for address <- [nil, -1, 0x1_0000_0000_0000_0000, 1.0] do
      assert_raise ArgumentError, ~r/with an address/, fn -> Nx.from_pointer(Backend, local(address, 4), :s32, {1}) end
    end
  end

  test "sizes and options are checked" do
    assert_raise ArgumentError, "invalid pointer data_size for shape, expected: 12, got: 8", fn ->
      Nx.from_pointer(Backend, local(4096, 8), :f32, {3})
    end

    assert_raise ArgumentError, fn -> Nx.from_pointer({Backend, client: :host}, local(4096, 4), :f32, {1}) end
    assert_raise ArgumentError, ~r/:mode/, fn -> Nx.to_pointer(Nx.tensor(1), mode: :remote) end
    assert_raise ArgumentError, fn -> Nx.to_pointer(Nx.tensor(1), permission: 0o400) end
  end

  test "other processes get bytes, not pointers" do
    assert_raise ArgumentError, ~r/Send the bytes/, fn -> Nx.to_pointer(Nx.tensor(1), mode: :ipc) end
    pointer = %Nx.Pointer{kind: :ipc, handle: "any", data_size: 4}
    assert_raise ArgumentError, ~r/Send the bytes/, fn -> Nx.from_pointer(Backend, pointer, :s32, {1}) end
  end

  test "a tensor that is gone has no address" do
    t = Nx.tensor([1])
    Nx.backend_deallocate(t)
    assert_raise RuntimeError, ~r/deleted or donated/, fn -> Nx.to_pointer(t) end
  end
end
