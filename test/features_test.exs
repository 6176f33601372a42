defmodule Nx.Vulkan.FeaturesTest do
  @moduledoc "What Nx offers beyond ops: containers, names, vectorized axes, stages, servings."
  use Nx.Vulkan.Test.DeviceCase, async: true

  import Nx.Defn
  import Nx.Vulkan.Test.Bounds
  alias Nx.Vulkan.{Backend, Compiler}

  defmodule Pair do
    @derive {Nx.Container, containers: [:left, :right], keep: [:label]}
    defstruct [:left, :right, :label, note: "default"]
  end

  defmodule Lazy do
    defstruct [:fun, :type]

    defimpl Nx.LazyContainer do
      def traverse(%{fun: fun, type: type}, acc, callback), do: callback.(Nx.template({2}, type), fun, acc)
    end
  end

  defp assert_same(actual, expected) do
    {actual, expected} = {Nx.Defn.Composite.flatten_list([actual]), Nx.Defn.Composite.flatten_list([expected])}

    for {a, e} <- Enum.zip(actual, expected) do
      assert {a.names, a.vectorized_axes} == {e.names, e.vectorized_axes}
      assert_ulps(Nx.devectorize(host(a)), Nx.devectorize(e), 0)
    end
  end

  describe "containers" do
    test "keep their structure, and what is not a tensor" do
      fun = fn %Pair{left: l, right: {a, b}} = pair -> %{pair | left: Nx.add(l, a), right: {b, %{"x" => a}}} end
      pair = %Pair{left: Nx.tensor([1, 2]), right: {Nx.tensor(3), Nx.tensor(4.0)}, label: :kept, note: "mine"}
      assert %Pair{label: :kept, note: "default", right: {_, %{"x" => _}}} = result = run(fun, [pair])
      assert_same(result, expect(fun, [pair]))
    end

    test "are told apart by what they keep" do
      fun = fn %Pair{left: l, label: label} -> Nx.multiply(l, label) end
      for label <- [2, 3], do: assert(Nx.to_number(run(fun, [%Pair{left: 5, right: 0, label: label}])) == 5 * label)
    end

    test "that are lazy are asked for what is read" do
      parent = self()

      lazy = fn name ->
        %Lazy{
          type: :f32,
          fun: fn ->
            send(parent, {:asked, name})
            Nx.tensor([1.0, 2.0])
          end
        }
      end

      assert_same(run(fn a, _b -> Nx.add(a, 1) end, [lazy.(:a), lazy.(:b)]), Nx.tensor([2.0, 3.0]))
      assert_received {:asked, :a}
      refute_received {:asked, :b}
    end

    test "may be empty, repeat a tensor, or hand on an argument" do
      assert run(fn _ -> {} end, [1]) == {}
      x = Nx.tensor([1, 2])
      fun = fn x -> {x, x, Nx.add(x, 1), 7, Nx.reshape(x, {2, 1})} end
      assert_same(run(fun, [x]), expect(fun, [x]))
    end
  end

  describe "names and vectorized axes" do
    test "go through ops" do
      x = Nx.iota({2, 3}, names: [:rows, :columns], type: :f32)
      fun = fn x -> {Nx.sum(x, axes: [:columns]), Nx.transpose(x), Nx.new_axis(x, 0, :batch), x[columns: 1]} end
      assert_same(run(fun, [x]), expect(fun, [x]))
    end

    test "broadcast against each other" do
      x = Nx.iota({2, 3}, type: :f32) |> Nx.vectorize(:a)
      y = Nx.iota({4, 3}, type: :f32) |> Nx.vectorize(:b)
      fun = fn x, y -> {Nx.add(x, y), Nx.dot(x, y), Nx.sum(x), Nx.sort(y, direction: :desc)} end
      assert_same(run(fun, [x, y]), expect(fun, [x, y]))
    end

    defn absolute(x) do
      if x < 0, do: -x, else: x
    end

    defn halved(x) do
      {x, n} = while({x, n = 0}, x > 1, do: {Nx.quotient(x, 2), n + 1})
      {x, n}
    end

    test "are cased and looped over one by one" do
      x = Nx.tensor([5, -3, 0, 100]) |> Nx.vectorize(:a)
      assert_same(run(&absolute/1, [x]), expect(&absolute/1, [x]))
      assert_same(run(&halved/1, [x]), expect(&halved/1, [x]))
    end

    test "of random keys" do
      keys = 7 |> Nx.Random.key() |> Nx.Random.split(parts: 3) |> Nx.vectorize(:k)
      fun = fn keys -> keys |> Nx.Random.uniform(shape: {2}) |> elem(0) end
      assert_same(run(fun, [keys]), expect(fun, [keys]))
    end
  end

  describe "stages" do
    defn staged(x, y) do
      a = Nx.sum(x * y, axes: [0])
      b = Nx.reduce_max(x - a)
      {a + b, Nx.dot(x, y)}
    end

    test "of a split graph run one after the other" do
      args = [Nx.iota({3, 3}, type: :f32), Nx.iota({3, 3}, type: :f32)]
      expr = Nx.Defn.debug_expr_apply(&staged/2, Enum.map(args, &Nx.to_template/1))

      for decision <- [:before, :after, :both] do
        split = fn
          %Nx.Tensor{data: %Nx.Defn.Expr{op: op}} when op in [:sum, :reduce_max] -> decision
          _ -> :none
        end

        stages = Nx.Defn.Graph.split(expr, split)
        assert length(stages) > 1
        assert_same(Nx.Defn.Graph.run(stages, args, compiler: Compiler), staged(Enum.at(args, 0), Enum.at(args, 1)))
      end
    end
  end

  describe "gradients" do
    test "of a function that loops and branches" do
      fun = fn x ->
        Nx.Defn.grad(x, fn x ->
          {y, _} = doubled_thrice(x)
          Nx.sum(absolute_all(y))
        end)
      end

      x = Nx.tensor([1.0, -2.0, 3.0])
      assert_same(run(fun, [x]), expect(fun, [x]))
    end

    defn doubled_thrice(x) do
      while({x, i = 0}, i < 3, do: {x * 2, i + 1})
    end

    defn(absolute_all(x), do: if(Nx.all(x > 0), do: x, else: x * x))
  end

  describe "a serving" do
    defp serving(opts \\ []) do
      Nx.Serving.jit(fn x -> Nx.multiply(x, 3) end, [compiler: Compiler] ++ opts)
    end

    defp ask(name, values) do
      values
      |> Enum.map(fn v ->
        Task.async(fn -> Nx.Serving.batched_run(name, Nx.Batch.stack([Nx.tensor([v, v + 1])])) |> Nx.to_flat_list() end)
      end)
      |> Task.await_many(60_000)
    end

    test "of one process" do
      assert Nx.Serving.run(serving(), Nx.Batch.concatenate([Nx.tensor([1, 2]), Nx.tensor([3])])) |> Nx.to_flat_list() ==
               [3, 6, 9]
    end

    test "pads batches, and splits those that are too large" do
      name = __MODULE__.Padded
      start_supervised!({Nx.Serving, serving: serving(), name: name, batch_size: 4, batch_timeout: 5})
      assert ask(name, 1..6) == for(v <- 1..6, do: [3 * v, 3 * v + 3])
      many = Nx.Batch.stack(for v <- 1..9, do: Nx.tensor([v]))
      assert Nx.Serving.batched_run(name, many) |> Nx.to_flat_list() == for(v <- 1..9, do: 3 * v)
    end

    test "on partitions" do
      name = __MODULE__.Partitions
      serving = serving(max_concurrency: 2)
      child = {Nx.Serving, serving: serving, name: name, batch_size: 1, batch_timeout: 5, partitions: true}
      start_supervised!(child)
      assert ask(name, 1..8) == for(v <- 1..8, do: [3 * v, 3 * v + 3])
    end

    test "with keys for batches of several shapes" do
      name = __MODULE__.Keys

      serving =
        Nx.Serving.new(fn
          :short, opts -> Nx.Defn.jit(&Nx.sum(&1, axes: [1]), [compiler: Compiler] ++ opts)
          :long, opts -> Nx.Defn.jit(&Nx.product(&1, axes: [1]), [compiler: Compiler] ++ opts)
        end)

      start_supervised!(
        {Nx.Serving, serving: serving, name: name, batch_size: 2, batch_timeout: 5, batch_keys: [:short, :long]}
      )

      short = Nx.Batch.stack([Nx.tensor([1, 2])]) |> Nx.Batch.key(:short)
      long = Nx.Batch.stack([Nx.tensor([2, 3, 4])]) |> Nx.Batch.key(:long)
      assert Nx.Serving.batched_run(name, short) |> Nx.to_flat_list() == [3]
      assert Nx.Serving.batched_run(name, long) |> Nx.to_flat_list() == [24]
    end

    test "streams what hooks see" do
      serving =
        Nx.Serving.new(fn opts -> Nx.Defn.jit(&hooked/1, [compiler: Compiler] ++ opts) end)
        |> Nx.Serving.streaming(hooks: [:doubled])

      events = serving |> Nx.Serving.run(Nx.Batch.stack([Nx.tensor([1, 2])])) |> Enum.to_list()
      assert [{:doubled, doubled}, {:batch, batch, _}] = events
      assert Nx.to_flat_list(doubled) == [2, 4]
      assert Nx.to_flat_list(batch) == [3, 5]
    end

    defn hooked(x) do
      hook(x * 2, :doubled) + 1
    end
  end

  describe "functions within functions" do
    test "may be jitted" do
      inner = Nx.Defn.jit(&Nx.add(&1, 1), compiler: Compiler, on_conflict: :reuse)
      assert Nx.to_number(run(fn x -> inner.(Nx.multiply(x, 2)) end, [3])) == 7
    end

    test "of a list or another function as argument" do
      fun = fn x, f, opts -> f.(Nx.sum(x, opts)) end
      args = [Nx.iota({2, 3}), &Nx.negate/1, [axes: [1]]]
      assert_same(run(fun, args), expect(fun, args))
    end
  end

  test "the backend of the compiler holds its results" do
    assert Nx.Defn.to_backend(compiler: Compiler, device: 0) == {Backend, device: 0}
    assert %Backend{device: 0} = run(&Nx.add(&1, 1), [1], device: 0).data
  end

  test "tensors cross processes" do
    t = Nx.tensor([1.0, 2.0], backend: Backend)
    assert Task.await(Task.async(fn -> Nx.to_flat_list(Nx.add(t, 1)) end), :infinity) == [2.0, 3.0]
  end
end
