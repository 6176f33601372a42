defmodule Nx.Vulkan.CacheKeyTest do
  @moduledoc """
  What tells programs apart, one part of the key at a time: a change of that part alone gives another program, or
  the right result where programs are shared, and no change gives the same one without compiling.
  """
  use Nx.Vulkan.Test.DeviceCase, async: true

  import Nx.Defn
  alias Nx.Vulkan.{Backend, Cache, Device, NIF}

  # The names of what this process compiles in `fun`. Handlers run in the process that compiles.
  defp compiled(fun) do
    handler = {__MODULE__, self()}
    :telemetry.attach(handler, [:nx_vulkan, :compile, :stop], &__MODULE__.note/4, self())

    try do
      result = fun.()
      {result, flush([])}
    after
      :telemetry.detach(handler)
    end
  end

  def note(_event, _measurements, metadata, pid), do: if(self() == pid, do: send(pid, {:compiled, metadata}))

  defp flush(found) do
    receive do
      {:compiled, metadata} -> flush([metadata | found])
    after
      0 -> Enum.reverse(found)
    end
  end

  # How many programs each call compiles, and what the last compiled one looks like.
  defp count(fun) do
    {result, programs} = compiled(fun)
    {result, length(programs), List.last(programs)}
  end

  # what no other test compiles, for the second cache is keyed by the graph
  defp unique, do: 1.0 + System.unique_integer([:positive]) / 65536

  describe "an option of the compiler" do
    @tag :tmp_dir
    test "is part of the key", %{tmp_dir: dir} do
      for change <- [
            [fast_math: true],
            [precision: :highest],
            [fusion: false],
            [skip_passes: ["cse"]],
            [target: "max_invocations = 128\n"],
            [also: "nvidia"],
            [cache_dir: dir],
            [dump_dir: dir],
            [threads: 1]
          ] do
        k = unique()
        fun = fn x -> Nx.add(Nx.exp(Nx.multiply(x, k)), 1) end
        x = Nx.tensor([0.0, 0.25])
        expected = expect(fun, [x])
        base = [cache_dir: false]
        changed = Keyword.merge(base, change)

        for {opts, programs} <- [{base, 1}, {base, 0}, {changed, 1}, {changed, 0}, {base, 0}] do
          {result, found, _} = count(fn -> run(fun, [x], opts) end)
          assert found == programs, "#{inspect(opts)}: #{found} programs, expected #{programs}"
          assert_near(result, expected, 1.0e-6)
        end
      end
    end

    test "fusion and fast_math mean what they say" do
      k = unique()
      fun = fn x -> Nx.tanh(Nx.add(Nx.multiply(x, k), 1)) end
      x = Nx.tensor([0.5, 0.25])
      {_, 1, fused} = count(fn -> run(fun, [x], cache_dir: false) end)
      {_, 1, apart} = count(fn -> run(fun, [x], cache_dir: false, fusion: false) end)
      assert fused.stats.kernels == 1
      assert apart.stats.kernels > 1

      [exact, fast] = for fast? <- [false, true], do: Nx.Vulkan.explain(fun, [x], fast_math: fast?).glsl
      # of the program's own statements, which are named by node
      assert exact =~ ~r/precise float n\d/
      refute fast =~ ~r/precise float n\d/
    end

    test "donate is part of the key, and kills no more than it says" do
      fun = fn a, b -> {Nx.add(a, b), Nx.multiply(a, b)} end
      args = [Nx.tensor([1.0, 2.0]), Nx.tensor([3.0, 5.0])]
      alive? = fn %{data: %Backend{buffer: buffer}} -> elem(NIF.buffer_info(buffer), 1) end

      for {donate, alive} <- [{[], [true, true]}, {[0], [false, true]}, {[1], [true, false]}, {[], [true, true]}] do
        given = Enum.map(args, &device/1)
        {sum, product} = run(fun, given, donate: donate)
        assert {Nx.to_flat_list(sum), Nx.to_flat_list(product)} == {[4.0, 7.0], [3.0, 10.0]}
        assert Enum.map(given, alive?) == alive
      end
    end

    defn(hooked(x), do: hook(x + 1, :seen) * 2)

    test "hooks are part of the key by name, and their functions are not" do
      x = Nx.tensor([1, 2])
      parent = self()
      assert Nx.to_flat_list(run(&hooked/1, [x])) == [4, 6]

      for tag <- [:first, :second] do
        assert Nx.to_flat_list(run(&hooked/1, [x], hooks: %{seen: &send(parent, {tag, Nx.to_flat_list(&1)})})) == [4, 6]
        assert_received {^tag, [2, 3]}
      end

      assert Nx.to_flat_list(run(&hooked/1, [x])) == [4, 6]
      refute_received {_, [2, 3]}
    end

    @tag :tmp_dir
    test "hooks without a function are none", %{tmp_dir: dir} do
      path = Path.join(dir, "graph.json")

      for {hooks, there?} <- [{%{}, false}, {%{seen: nil}, false}, {%{seen: &Function.identity/1}, true}] do
        Nx.Vulkan.export(path, &hooked/1, [Nx.template({2}, :s32)], hooks: hooks)
        assert File.read!(path) =~ ~s("op":"hook") == there?
      end
    end
  end

  describe "an argument's" do
    # the same function every time; what it returns shows what it was compiled for
    defn(rows(x), do: Nx.sum(x * 2, axes: [-1]))

    test "type is part of the key" do
      for type <- [:f32, :s32, :u8, :f64, :f32] do
        sum = run(&rows/1, [Nx.tensor([[1, 2], [3, 4]], type: type)])
        assert Nx.to_flat_list(Nx.as_type(sum, :s32)) == [6, 14]
        assert sum.type == rows(Nx.tensor([[1, 2], [3, 4]], type: type)).type
      end
    end

    test "shape is part of the key" do
      for shape <- [{2, 3}, {3, 2}, {6, 1}, {1, 6}, {2, 3}] do
        x = Nx.iota(shape, type: :f32)
        assert Nx.to_flat_list(run(&rows/1, [x])) == Nx.to_flat_list(rows(x))
      end
    end

    test "names are part of the key" do
      for names <- [[:a, :b], [:c, :d], [nil, nil], [:a, :b]] do
        assert run(&rows/1, [Nx.tensor([[1, 2], [3, 4]], names: names)]).names == [hd(names)]
      end
    end

    test "vectorized axes are part of the key" do
      x = Nx.tensor([[1, 2], [3, 4]])
      f = &Nx.sum/1

      for {arg, axes, sums} <- [
            {x, [], [10]},
            {Nx.vectorize(x, :a), [a: 2], [3, 7]},
            {Nx.vectorize(x, :b), [b: 2], [3, 7]},
            {x, [], [10]}
          ] do
        sum = run(f, [arg])
        assert sum.vectorized_axes == axes
        assert Nx.to_flat_list(Nx.devectorize(sum)) == sums
      end
    end

    test "container is part of the key" do
      f = fn c -> Nx.Defn.Composite.traverse(c, &Nx.add(&1, 1)) end
      [x, y] = [Nx.tensor(1), Nx.tensor(2)]
      assert %{a: _, b: _} = run(f, [%{a: x, b: y}])
      assert %{a: _, c: _} = run(f, [%{a: x, c: y}])
      assert {_, _} = run(f, [{x, y}])
    end
  end

  describe "a function" do
    test "is another one when it captures another value" do
      make = fn k -> fn x -> Nx.multiply(x, k) end end
      for k <- [2, 3, 2.5, 2], do: assert(Nx.to_number(run(make.(k), [4.0])) == 4.0 * k)
    end

    test "is another one when what it captures captures another value" do
      make = fn k ->
        inner = fn x -> Nx.multiply(x, k) end
        fn x -> inner.(x) end
      end

      for k <- [2, 3, 2], do: assert(Nx.to_number(run(make.(k), [4.0])) == 4.0 * k)
    end

    test "with an option as argument is another one when that differs" do
      f = fn x, opts -> Nx.sum(x, opts) end
      x = Nx.iota({2, 2})

      for axis <- [0, 1, 0],
          do: assert(run(f, [x, [axes: [axis]]]) |> Nx.to_flat_list() == Enum.at([[2, 4], [1, 5]], axis))
    end
  end

  # A second handle of the first device stands for a second device: what was compiled for one holds none of its
  # buffers, and runs on none of its programs.
  describe "a device" do
    @index 61

    setup do
      {:ok, ref} = NIF.device_open("0", "", false, false, 0)
      Cache.run({Device, @index}, fn -> %{Device.fetch!(0) | ref: ref, index: @index} end)
      # a test may have forgotten it
      on_exit(fn -> with %Device{} = device <- Cache.get({Device, @index}), do: Device.forget(device) end)
    end

    test "is part of the key of a function" do
      k = unique()
      fun = fn x -> Nx.multiply(x, k) end
      x = Nx.tensor([1.0, 2.0])

      for {device, programs} <- [{0, 1}, {@index, 1}, {0, 0}, {@index, 0}] do
        {result, found, _} = count(fn -> run(fun, [x], device: device, cache_dir: false) end)
        assert found == programs
        assert result.data.device == device
        assert_near(result, expect(fun, [x]), 0)
      end
    end

    test "is forgotten without the others" do
      k = unique()
      fun = fn x -> Nx.multiply(x, k) end
      for device <- [0, @index], do: run(fun, [1.0], device: device, cache_dir: false)
      add = fn device -> Nx.add(Nx.tensor(1, backend: {Backend, device: device}), 1) end
      for device <- [0, @index], do: add.(device)
      Device.forget(Device.fetch!(@index))
      assert Cache.get({Device, @index}) == nil
      assert Cache.get({Device, 0})
      {_, found, _} = count(fn -> run(fun, [1.0], device: 0, cache_dir: false) end)
      assert found == 0
      kept = for {key, _} <- Cache.all(), do: key
      refute Enum.any?(kept, &match?({:compiled, _, _, @index, _, _}, &1))
      refute Enum.any?(kept, &match?({:program, @index, _, _}, &1))
      refute Enum.any?(kept, &match?({:eager, @index, _}, &1))
      assert Enum.any?(kept, &match?({:eager, 0, _}, &1))
    end

    test "has nothing to say when nothing happens" do
      assert ExUnit.CaptureLog.capture_log(fn -> Device.report(Device.fetch!(@index)) end) == ""
    end

    test "is part of the key of an op" do
      for device <- [0, @index, 0, @index] do
        x = Nx.tensor([1, 2], backend: {Backend, device: device})
        result = Nx.add(x, x)
        assert result.data.device == device
        assert Nx.to_flat_list(result) == [2, 4]
        assert Nx.to_flat_list(Nx.iota({2}, backend: {Backend, device: device})) == [0, 1]
      end
    end
  end

  describe "an op by itself is told apart by" do
    setup do
      Nx.default_backend(Backend)
      :ok
    end

    # results of calls that differ in one thing, each twice; no call compiles the second time
    defp apart(calls) do
      for {call, expected} <- calls, do: assert({expected, call.() |> Nx.to_flat_list()} == {expected, expected})

      for {call, expected} <- calls do
        {result, 0, nil} = count(call)
        assert Nx.to_flat_list(result) == expected
      end
    end

    test "its name" do
      x = Nx.tensor([4, 3])
      apart([{fn -> Nx.add(x, x) end, [8, 6]}, {fn -> Nx.multiply(x, x) end, [16, 9]}])
    end

    test "its attributes" do
      x = Nx.tensor([[1, 2], [3, 4]])
      apart(for {axes, sums} <- [{[0], [4, 6]}, {[1], [3, 7]}], do: {fn -> Nx.sum(x, axes: axes) end, sums})
      apart(for {axis, all} <- [{0, [0, 0, 1, 1]}, {1, [0, 1, 0, 1]}], do: {fn -> Nx.iota({2, 2}, axis: axis) end, all})
      apart(for {k, out} <- [{0, [1, 0, 3, 4]}, {-1, [0, 0, 3, 0]}], do: {fn -> Nx.tril(x, k: k) end, out})
    end

    test "its functions" do
      x = Nx.tensor([2, 3, 4])
      add = fn a, b -> Nx.add(a, b) end
      multiply = fn a, b -> Nx.multiply(a, b) end
      scaled = fn k -> fn a, b -> Nx.add(Nx.multiply(a, k), b) end end

      apart(
        for {fun, result} <- [{add, 10}, {multiply, 24}, {scaled.(2), 19}, {scaled.(3), 28}],
            do: {fn -> Nx.reduce(x, 1, fun) end, [result]}
      )

      apart(
        for {fun, result} <- [{add, [5, 7]}, {multiply, [6, 12]}],
            do: {fn -> Nx.window_reduce(x, if(fun == add, do: 0, else: 1), {2}, fun) end, result}
      )
    end

    test "the types and shapes of its operands, and that of its result" do
      apart(
        for {type, sum} <- [s32: [300], u8: [44], f32: [300.0]],
            do: {fn -> Nx.add(Nx.tensor([200], type: type), Nx.tensor([100], type: type)) end, sum}
      )

      apart(
        for {type, out} <- [u8: [255], s32: [300], s8: [127]],
            do: {fn -> Nx.as_type(Nx.tensor([300.0]), type) end, out}
      )

      apart(for shape <- [{2, 3}, {3, 2}], do: {fn -> Nx.sum(Nx.iota(shape), axes: [1]) end, rows_of(shape)})
      assert Nx.argmax(Nx.tensor([1, 2]), type: :s64).type == {:s, 64}
      assert Nx.argmax(Nx.tensor([1, 2]), type: :u8).type == {:u, 8}
    end

    defp rows_of({rows, columns}), do: for(r <- 0..(rows - 1), do: Enum.sum((r * columns)..((r + 1) * columns - 1)))

    test "the struct and the frames of a block" do
      x = Nx.tensor([[3, 1], [2, 5]])
      apart(for {k, out} <- [{1, [3, 5]}, {2, [3, 1, 5, 2]}], do: {fn -> elem(Nx.top_k(x, k: k), 0) end, out})
      v = fn axis -> Nx.block(%Nx.Block.LogicalNot{}, [Nx.vectorize(x, axis)], nil, fn _, t -> Nx.sum(t) end) end
      for axis <- [:a, :b, :a], do: assert(v.(axis).vectorized_axes == [{axis, 2}])
      named = fn names -> Nx.logical_not(Nx.tensor([[1, 0]], names: names)).names end
      for names <- [[:a, :b], [:c, nil], [:a, :b]], do: assert(named.(names) == names)
    end
  end
end
