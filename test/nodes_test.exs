defmodule Nx.Vulkan.NodesTest do
  # the virtual machine becomes a node, and counters are read
  use Nx.Vulkan.Test.DeviceCase

  import ExUnit.CaptureLog
  alias Nx.Vulkan.{Backend, Error}
  alias Nx.Vulkan.Test.Nodes

  @moduletag :nodes
  @moduletag :capture_log

  setup_all do
    {:ok, joined} = Nodes.join()
    {_, node} = other = Nodes.start()

    on_exit(fn ->
      Nodes.stop(other)
      Nodes.leave(joined)
    end)

    %{other: node}
  end

  # another node that a test may end
  defp third(_context) do
    {_, node} = third = Nodes.start()
    on_exit(fn -> Nodes.stop(third) end)
    %{third: node, stop: fn -> Nodes.stop(third) end}
  end

  # A task has answered before its process, and what its heap refers to, is gone.
  defp left_nothing?(before, node \\ node()), do: Nodes.wait(fn -> Nodes.live(node) <= before end)

  defp assert_same(t, expected) do
    assert Nx.to_template(t) == Nx.to_template(expected)
    assert Nx.to_binary(Nx.devectorize(t)) == Nx.to_binary(Nx.devectorize(expected))
  end

  describe "a tensor of another node" do
    test "is read, in every layout", %{other: other} do
      for t <- [
            Nx.iota({3, 2}, type: :f32),
            Nx.tensor([1.5, -2.0], type: :bf16),
            Nx.tensor([-8, 7, 3], type: :s4),
            Nx.tensor([3, 0, 1, 2, 3], type: :u2),
            Nx.tensor(Complex.new(1, -1)),
            Nx.iota({2, 3}) |> Nx.vectorize(:rows)
          ] do
        {remote, keeper} = Nodes.keep(other, t)
        assert node(remote.data.buffer) == other
        assert_same(remote, t)
        assert_same(Nx.backend_copy(remote), t)
        copy = Nx.backend_copy(remote, Backend)
        assert node(copy.data.buffer) == node()
        assert_same(copy, t)
        Nodes.drop(keeper)
        assert_same(copy, t)
      end
    end

    test "is inspected as any other, with its node", %{other: other} do
      {remote, keeper} = Nodes.keep(other, Nx.tensor([1, 2, 3]))
      assert inspect(remote) =~ ~r/Nx\.Vulkan\.Backend<0 of #{other}, [\d.]+>\s+\[1, 2, 3\]/
      Nodes.drop(keeper)

      assert inspect(remote) =~
               ~r/Backend<0 of #{other}, .*\(not readable: on the node #{other}, the tensor is gone/s
    end

    test "is an argument of functions and ops, whose results are here", %{other: other} do
      {remote, keeper} = Nodes.keep(other, Nx.tensor([1.0, 2.0, 3.0]))
      here = Nx.tensor([10.0, 20.0, 30.0], backend: Backend)

      for sum <- [
            Nx.add(remote, here),
            Nx.add(here, remote),
            Nx.Vulkan.jit(&Nx.add/2).(remote, here),
            Nx.Vulkan.jit(fn {%{a: x}, y} -> Nx.add(x, y) end).({%{a: remote}, here})
          ] do
        assert node(sum.data.buffer) == node()
        assert Nx.to_flat_list(sum) == [11.0, 22.0, 33.0]
      end

      assert remote |> Nx.to_batched(1) |> Enum.map(&Nx.to_flat_list/1) == [[1.0], [2.0], [3.0]]
      assert Nx.to_flat_list(remote[1..2]) == [2.0, 3.0]
      # as one on another backend, it is copied to be donated
      assert Nx.to_flat_list(Nx.Vulkan.jit(&Nx.negate/1, donate: [0]).(remote)) == [-1.0, -2.0, -3.0]
      assert Nx.to_flat_list(remote) == [1.0, 2.0, 3.0]
      Nodes.drop(keeper)
    end

    test "is freed where it is", %{other: other} do
      before = Nodes.live(other)
      {[a, b], keeper} = Nodes.make(other, &Nodes.two_tensors/0)
      assert Nodes.live(other) == before + 2
      assert Nx.to_flat_list(Nx.backend_transfer(a, Backend)) == [1, 2]
      assert Nodes.live(other) == before + 1
      assert Nx.backend_deallocate(b) == :ok
      assert Nx.backend_deallocate(b) == :already_deallocated
      assert Nodes.live(other) == before

      assert_raise RuntimeError, ~r/called on deleted or donated buffer: on the node #{other}/, fn ->
        Nx.to_binary(a)
      end

      Nodes.drop(keeper)
    end

    test "has no address here", %{other: other} do
      {remote, keeper} = Nodes.keep(other, Nx.tensor([1]))
      assert_raise ArgumentError, ~r/memory of the node #{other}.*Copy it first/, fn -> Nx.to_pointer(remote) end
      Nodes.drop(keeper)
    end

    test "that is gone is named, with the function and what to do", %{other: other} do
      {remote, keeper} = Nodes.keep(other, Nx.tensor([1.0, 2.0]))
      Nodes.drop(keeper)

      gone =
        ~r/called on deleted or donated buffer: argument 1 at 0\.a of .*, f32\[2\]: on the node #{other}, the tensor is gone.*Nx\.backend_copy\(tensor, Nx\.BinaryBackend\)/

      fun = Nx.Vulkan.jit(fn x, {%{a: a, b: b}} -> Nx.add(x, Nx.add(a, b)) end)
      assert_raise RuntimeError, gone, fn -> fun.(1, {%{a: remote, b: 2}}) end

      assert_raise RuntimeError, ~r/argument 1 of Nx\.add, f32\[2\]: on the node/, fn ->
        Nx.add(Nx.tensor(1), remote)
      end

      assert_raise RuntimeError, ~r/on the node #{other}, the tensor is gone/, fn -> Nx.to_binary(remote) end
    end

    test "that comes back to its own node is as it was, or gone", %{other: other} do
      {[a, b], keeper} = Nodes.make(other, &Nodes.two_tensors/0)
      assert :erpc.call(other, Nx, :to_flat_list, [a]) == [1, 2]
      Nodes.drop(keeper)

      for {function, args} <- [to_binary: [b], negate: [b]] do
        {:exception, error, _} = catch_error(:erpc.call(other, Nx, function, args))
        assert %RuntimeError{message: message} = error
        assert message =~ "called on deleted or donated buffer"
        if function == :negate, do: assert(message =~ "argument 0 of Nx.negate")
      end

      assert :erpc.call(other, Kernel, :inspect, [b]) =~ "(not readable: the tensor is gone"
    end
  end

  describe "a compiled function" do
    test "that is sent runs where it is called, and is fetched once", %{other: other} do
      fun = Nx.Vulkan.compile(&Nx.subtract(Nx.multiply(&1, 3), &2), [Nx.template({2}, :f32), Nx.template({}, :f32)])
      same = Nx.Vulkan.compile(&Nx.subtract(Nx.multiply(&1, 3), &2), [Nx.template({2}, :f32), Nx.template({}, :f32)])
      programs = fn -> :erpc.call(other, Nx.Vulkan, :counters, []).programs end
      x = Nx.tensor([1.0, 2.0], backend: Backend)

      before = programs.()
      assert Nodes.run(other, fun, [x, 1.0]) == [2.0, 5.0]
      assert programs.() == before + 1
      assert Nodes.run(other, fun, [x, 2.0]) == [1.0, 4.0]
      assert Nodes.run(other, same, [x, 2.0]) == [1.0, 4.0]
      assert programs.() == before + 1
    end

    test "that is compiled where it is called needs nothing of the node that it is from", %{other: other} do
      assert Nodes.run(other, Nx.Vulkan.jit(&Nx.negate/1), [Nx.tensor([1, -2])]) == [-1, 2]
    end

    @tag :tmp_dir
    test "that was loaded from a file is guarded there, too, and loaded once", %{other: other, tmp_dir: dir} do
      path = Path.join(dir, "f.vkb")
      Nx.Vulkan.export(path, &Nx.cumulative_sum/1, [Nx.template({3}, :s32)])
      before = :erpc.call(other, Nx.Vulkan, :counters, []).programs

      # two handles of one bundle; this process has to keep them while the other node fetches it
      funs = [Nx.Vulkan.load(path), Nx.Vulkan.load(path)]
      for fun <- funs, do: assert(Nodes.run(other, fun, [Nx.tensor([1, 2, 3])]) == [1, 3, 6])
      assert Enum.all?(funs, &is_function(&1, 1))
      assert :erpc.call(other, Nx.Vulkan, :counters, []).programs == before + 1
      keys = for {key, _} <- :erpc.call(other, Nx.Vulkan.Cache, :all, []), do: key
      assert Enum.any?(keys, &match?({:program, _, _, {:remote, false}}, &1))
    end
  end

  describe "a serving on another node" do
    test "takes tensors of the caller's device, and returns tensors that travel", %{other: other} do
      before = {Nodes.live(node()), Nodes.live(other)}
      Nodes.serve(other, :travels, postprocessing: &Nx.backend_copy/1)

      for preprocessing <- [&Function.identity/1, &Nx.backend_copy/1] do
        # used here, with tensors of this device
        request =
          Task.async(fn ->
            result = Nodes.call(:travels, [1, 2, 3], preprocessing)
            Nx.to_flat_list(Nx.add(result, Nx.tensor([1, 1, 1], backend: Backend)))
          end)

        assert Task.await(request, :infinity) == [3, 5, 7]
      end

      {here, there} = before
      assert left_nothing?(here) and left_nothing?(there, other)
    end

    test "that returns tensors of its own device is told how to make them travel", %{other: other} do
      Nodes.serve(other, :stays)
      result = Nodes.call(:stays, [1, 2])
      assert node(result.data.buffer) == other
      Nodes.live(other)

      assert_raise RuntimeError, ~r/on the node #{other}, the tensor is gone.*distributed pre/, fn ->
        Nx.to_binary(result)
      end

      assert inspect(result) =~ "not readable"
    end

    test "batches requests of several nodes", %{other: other} do
      Nodes.serve(node(), :several, batch_timeout: 300, postprocessing: &Nx.backend_copy/1)
      requests = for v <- [1, 2], do: Task.async(fn -> Nodes.remote_call(other, :several, [v, v + 1]) end)
      assert [{_, [2, 4]}, {_, [4, 6]}] = Enum.sort(Task.await_many(requests, :infinity))
    end
  end

  describe "a node that ends" do
    setup :third

    test "is named by what has to do with its tensors", %{third: third, stop: stop} do
      {remote, _} = Nodes.keep(third, Nx.tensor([1.0]))
      before = Nodes.live(node())
      stop.()

      for {label, fun} <- [
            {"", fn -> Nx.to_binary(remote) end},
            {"argument 0 of Nx.cos/1, f32\\[1\\]: ", fn -> Nx.Vulkan.jit(&Nx.cos/1).(remote) end},
            {"", fn -> Nx.backend_deallocate(remote) end}
          ] do
        error =
          assert_raise Error, ~r/^#{label}the tensor is in the memory of the node #{third}.*cannot be reached/, fun

        assert error.status == :unreachable
      end

      assert inspect(remote) =~ "(not readable: it is in the memory of the node #{third}, which is not connected)"
      assert left_nothing?(before)
    end

    test "leaves the functions that were fetched, and is named by the others", %{third: third, stop: stop} do
      {[fetched, other], _} = Nodes.make(third, &Nodes.two_functions/0)
      assert Nx.to_flat_list(fetched.(Nx.tensor([1.0, 4.0]))) == [1.0, 2.0]
      stop.()
      assert Nx.to_flat_list(fetched.(Nx.tensor([9.0, 4.0]))) == [3.0, 2.0]

      error =
        assert_raise Error,
                     ~r/was compiled on the node #{third}, and cannot be fetched: .*compile it on this node/,
                     fn ->
                       other.(Nx.tensor([1.0, 4.0]))
                     end

      assert error.status == :unreachable
    end

    test "in the middle of a batch ends the caller's request, and leaves nothing", %{third: third, stop: stop} do
      before = Nodes.live(node())
      Nodes.serve(third, :ends, tell: [:computing])
      request = Task.async(fn -> catch_exit(Nodes.call(:ends, [1, 2])) end)
      assert_receive {:computing, _}, 60_000
      stop.()
      # the words are Nx's
      assert {:noconnection, {Nx.Serving, :distributed_batched_run, [:ends, _, _]}} = Task.await(request, :infinity)
      assert left_nothing?(before)
    end

    test "after its request came is named to all of the batch, and leaves nothing", %{third: third, stop: stop} do
      before = Nodes.live(node())

      log =
        capture_log(fn ->
          Nodes.serve(node(), :survives, tell: [:arrived], batch_timeout: 500)
          spawn(fn -> Nodes.remote_call(third, :survives, [1, 2]) end)
          assert_receive {:arrived, first}, 60_000
          spawn(fn -> Nodes.remote_call(node(), :survives, [3, 4]) end)
          assert_receive {:arrived, second}, 60_000
          monitors = for request <- [first, second], do: Process.monitor(request)
          stop.()
          for request <- [first, second], do: send(request, :go)

          for monitor <- monitors do
            assert_receive {:DOWN, ^monitor, _, _, reason}, 60_000
            assert inspect(reason) =~ ~r/argument \d of .*, s32\[2\]: the tensor is in the memory of the node #{third}/
            assert inspect(reason) =~ "distributed pre"
          end
        end)

      assert log =~ "#{third}"
      assert left_nothing?(before)
    end

    test "is not a loss to a batch whose arguments were copied", %{third: third, stop: stop} do
      before = Nodes.live(node())
      Nodes.serve(node(), :copied, tell: [:arrived, :computing])
      spawn(fn -> Nodes.remote_call(third, :copied, [1, 2], &Nx.backend_copy/1) end)
      assert_receive {:arrived, request}, 60_000
      monitor = Process.monitor(request)
      stop.()
      send(request, :go)
      assert_receive {:computing, batch}, 60_000
      send(batch, :go)
      assert_receive {:DOWN, ^monitor, _, _, {_, %Nx.Tensor{} = result}}, 60_000
      assert Nx.to_flat_list(result) == [2, 4]
      Nx.backend_deallocate(result)
      assert left_nothing?(before)
    end
  end
end
