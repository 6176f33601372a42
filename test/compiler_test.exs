defmodule Nx.Vulkan.CompilerTest do
  use Nx.Vulkan.Test.DeviceCase, async: true

  import ExUnit.CaptureIO
  import Nx.Defn
  import Nx.Vulkan.Test.Bounds

  alias Nx.Vulkan.Compiler

  # What `fun` compiles under a name that only it uses: the events of other tests are none of ours.
  defp compilations(name, fun) do
    :telemetry.attach(name, [:nx_vulkan, :compile, :stop], &__MODULE__.forward/4, {name, self()})
    fun.()
  after
    :telemetry.detach(name)
  end

  def forward(_event, _measurements, %{name: name} = metadata, {name, pid}), do: send(pid, {:compiled, metadata})
  def forward(_event, _measurements, _metadata, _), do: :ok

  describe "element-wise chains" do
    defn chain(a, b) do
      s = a + b
      p = s * b
      q = Nx.exp(-Nx.abs(p))
      r = Nx.select(q > 0.5, Nx.sqrt(Nx.abs(s)), q - a)
      Nx.as_type(r, :f32) / (1.0 + q)
    end

    test "of ten ops are one kernel" do
      assert stats(&chain/2, [Nx.template({64, 1}, :f32), Nx.template({1, 256}, :f32)], []).kernels == 1
    end

    for {left, right} <- [{{}, {}}, {{1}, {1}}, {{7}, {}}, {{64, 1}, {1, 257}}, {{3, 5, 7}, {5, 1}}] do
      test "of #{inspect(left)} and #{inspect(right)} agree with Nx" do
        {left, right} = {unquote(Macro.escape(left)), unquote(Macro.escape(right))}
        a = random({:f, 32}, Tuple.product(left), 1) |> Nx.reshape(left)
        b = random({:f, 32}, Tuple.product(right), 2) |> Nx.reshape(right)

        assert Nx.all_close(host(run(&chain/2, [a, b])), expect(&chain/2, [a, b]), rtol: 1.0e-5, atol: 1.0e-7)
               |> Nx.to_number() == 1
      end
    end

    test "of a million elements" do
      a = random({:f, 32}, 1000, 3) |> Nx.reshape({1000, 1})
      b = random({:f, 32}, 1000, 4)
      sum = &Nx.add(Nx.multiply(&1, &2), &1)
      assert_ulps(run(sum, [a, b]), expect(sum, [a, b]), 0)
    end

    test "casts, comparisons and integers are exact" do
      fun = fn x, y ->
        {Nx.as_type(x, :u8), Nx.less(x, y), Nx.logical_or(x, y), Nx.quotient(Nx.as_type(x, :s32), 3), Nx.max(x, y)}
      end

      x = random({:f, 32}, 100, 5, 0.0, 200.0)
      y = random({:f, 32}, 100, 6, 0.0, 200.0)

      for {a, e} <- Enum.zip(Tuple.to_list(run(fun, [x, y])), Tuple.to_list(expect(fun, [x, y]))),
          do: assert_ulps(a, e, 0)
    end
  end

  describe "training" do
    defn(mlp(params, x, y), do: value_and_grad(params, &mlp_loss(&1, x, y)))

    defnp mlp_loss({w1, b1, w2, b2}, x, y) do
      h = Nx.sigmoid(Nx.dot(x, w1) + b1)
      Nx.mean((Nx.dot(h, w2) + b2 - y) ** 2)
    end

    test "value and gradient of an MLP" do
      params = {random({:f, 32}, 128, 1, -0.5, 0.5) |> Nx.reshape({8, 16}), random({:f, 32}, 16, 2, -0.5, 0.5)}
      {w1, b1} = params
      params = {w1, b1, random({:f, 32}, 32, 3, -0.5, 0.5) |> Nx.reshape({16, 2}), random({:f, 32}, 2, 4, -0.5, 0.5)}
      args = [params, random({:f, 32}, 256, 5) |> Nx.reshape({32, 8}), random({:f, 32}, 64, 6) |> Nx.reshape({32, 2})]
      {loss, grads} = run(&mlp/3, args)
      {expected_loss, expected_grads} = expect(&mlp/3, args)
      assert_ulps(loss, expected_loss, 2)

      for {g, e} <- Enum.zip(Tuple.to_list(grads), Tuple.to_list(expected_grads)) do
        assert Nx.all_close(host(g), e, atol: 1.0e-7, rtol: 1.0e-5) |> Nx.to_number() == 1
      end
    end

    defn regression_step({w1, b1, w2, b2} = params, x, y) do
      {loss, {g1, h1, g2, h2}} = value_and_grad(params, &regression_loss(&1, x, y))
      {{w1 - 0.01 * g1, b1 - 0.01 * h1, w2 - 0.01 * g2, b2 - 0.01 * h2}, loss}
    end

    defnp regression_loss({w1, b1, w2, b2}, x, y) do
      h = Nx.tanh(Nx.dot(x, w1) + b1)
      Nx.mean((Nx.dot(h, w2) + b2 - y) ** 2)
    end

    test "a hundred steps, parameters updated in place" do
      {x, key} = Nx.Random.normal(Nx.Random.key(42), shape: {16, 4})
      {noise, key} = Nx.Random.normal(key, 0, 0.1, shape: {16, 1})
      y = Nx.add(Nx.dot(x, Nx.tensor([[2.0], [-1.0], [0.5], [3.0]])), noise)
      {w1, key} = Nx.Random.normal(key, 0, 0.5, shape: {4, 32})
      {w2, _} = Nx.Random.normal(key, 0, 0.2, shape: {32, 1})
      params = {w1, Nx.broadcast(0.0, {32}), w2, Nx.broadcast(0.0, {1})}

      step = Nx.Vulkan.compile(&regression_step/3, [params, x, y], donate: [0])
      {device_x, device_y} = {Nx.backend_copy(x, Nx.Vulkan.Backend), Nx.backend_copy(y, Nx.Vulkan.Backend)}

      {actual, expected, losses} =
        Enum.reduce(1..100, {params, params, []}, fn _, {params, expected, losses} ->
          {params, loss} = step.(params, device_x, device_y)
          {expected, expected_loss} = expect(&regression_step/3, [expected, x, y])
          {params, expected, [{Nx.to_number(loss), Nx.to_number(expected_loss)} | losses]}
        end)

      for {loss, expected} <- losses, do: assert_in_delta(loss, expected, 2.0e-6 * max(1.0, expected))

      for {a, e} <- Enum.zip(Tuple.to_list(actual), Tuple.to_list(expected)) do
        assert Nx.all_close(host(a), e, atol: 1.0e-5, rtol: 1.0e-4) |> Nx.to_number() == 1
      end

      assert losses |> hd() |> elem(0) |> Kernel.*(10) < losses |> List.last() |> elem(0)
    end
  end

  describe "calls" do
    test "of equal functions share a program" do
      compilations("shared", fn ->
        for i <- 1..3 do
          fun = fn x -> Nx.add(Nx.multiply(x, 17.25), elem({1, 1, 1}, rem(i, 3))) end
          run(fun, [Nx.tensor([1.0, 2.0])], name: "shared")
        end
      end)

      assert_received {:compiled, %{stats: %{kernels: 1}}}
      refute_received {:compiled, _}
    end

    test "from many processes compile once" do
      fun = fn x -> Nx.cos(Nx.add(x, 0.123456)) end
      x = Nx.tensor([1.0, 2.0, 3.0])
      bits = fn -> Nx.to_binary(run(fun, [x], name: "single")) end

      results =
        compilations("single", fn -> 1..8 |> Enum.map(fn _ -> Task.async(bits) end) |> Task.await_many(120_000) end)

      assert [_] = Enum.uniq(results)
      assert_received {:compiled, _}
      refute_received {:compiled, _}
    end

    test "do not fetch an argument that is not read" do
      fun = Nx.Vulkan.compile(fn a, _b -> Nx.add(a, 1) end, [Nx.template({}, :f32), Nx.template({}, :f32)])
      dead = Nx.backend_copy(Nx.tensor(1.0), Nx.Vulkan.Backend)
      Nx.backend_deallocate(dead)
      assert Nx.to_number(fun.(1.0, dead)) == 2.0
      assert_raise RuntimeError, ~r"called on deleted or donated buffer", fn -> fun.(dead, 1.0) end
    end

    test "keep names, vectorized axes and containers" do
      x = Nx.tensor([[1.0, 2.0], [3.0, 4.0]], names: [:a, :b])
      assert %{y: y, z: {_}} = run(fn x -> %{y: Nx.sum(x, axes: [:b]), z: {x}} end, [x])
      assert y.names == [:a]
      v = run(&Nx.sum/1, [Nx.vectorize(x, :a)])
      assert v.vectorized_axes == [a: 2]
      assert Nx.to_flat_list(Nx.devectorize(v)) == [3.0, 7.0]
    end

    test "have constants with vectorized axes, of elements of any width" do
      for type <- [{:f, 32}, {:s, 64}, {:u, 8}, {:s, 4}, {:u, 2}, {:bf, 16}, {:c, 64}],
          axes <- [[:a], [:a, :b]] do
        t = Nx.tensor([[[1, 0, 1], [0, 1, 1]], [[1, 1, 0], [0, 0, 1]]], type: type, backend: Nx.BinaryBackend)
        constant = Enum.reduce(axes, t, &Nx.vectorize(&2, &1))
        fun = fn x -> {Nx.add(x, constant), constant} end
        one = Nx.tensor(1, type: type, backend: Nx.BinaryBackend)

        for {found, wanted} <- Enum.zip(Tuple.to_list(run(fun, [one])), Tuple.to_list(expect(fun, [one]))) do
          assert {found.vectorized_axes, found.shape, found.type} ==
                   {wanted.vectorized_axes, wanted.shape, wanted.type}

          assert Nx.to_binary(found) == Nx.to_binary(wanted)
        end
      end
    end

    test "take expressions that were built before" do
      [stage] =
        Nx.Defn.debug_expr_apply(fn x -> Nx.sin(Nx.add(x, 1)) end, [Nx.template({3}, :f32)])
        |> Nx.Defn.Graph.split(fn _ -> :none end)

      x = Nx.tensor([1.0, 2.0, 3.0])
      result = Nx.Defn.Graph.run([stage], [x], compiler: Compiler)
      assert_ulps(result, Nx.sin(Nx.add(x, 1)), 2)
    end

    test "refuse what they do not know" do
      assert_raise ArgumentError, ~r/unknown option :devise .* did you mean :device/, fn ->
        run(&Nx.exp/1, [1.0], devise: 1)
      end

      assert_raise ArgumentError, ~r/:donate must be a list/, fn -> run(&Nx.exp/1, [1.0], donate: :all) end
      assert_raise ArgumentError, ~r/:precision must be/, fn -> run(&Nx.exp/1, [1.0], precision: :bad) end
      assert %Nx.Tensor{} = run(&Nx.exp/1, [1.0], batch_keys: [:default], mode: :train, print_values: true)
    end
  end

  describe "donations" do
    test "kill the argument and are updated in place" do
      step =
        Nx.Vulkan.compile(fn p, g -> Nx.subtract(p, g) end, [Nx.template({4}, :f32), Nx.template({4}, :f32)],
          donate: [0]
        )

      p = Nx.backend_copy(Nx.tensor([1.0, 2.0, 3.0, 4.0]), Nx.Vulkan.Backend)
      g = Nx.tensor([1.0, 1.0, 1.0, 1.0])
      result = step.(p, g)
      assert Nx.to_flat_list(result) == [0.0, 1.0, 2.0, 3.0]
      assert_raise RuntimeError, ~r"called on deleted or donated buffer", fn -> Nx.to_binary(p) end
      assert inspect(p) =~ ~r/f32\[4\]\s+Nx\.Vulkan\.Backend<0, [\d.]+>\s+\(not readable: /
      again = ~r/donated buffer: argument 0 of Nx\.Vulkan\.CompilerTest.*\/1 was freed, or .* the option :donate/
      assert_raise RuntimeError, again, fn -> step.(p, g) end
      assert_raise RuntimeError, ~r/donated buffer: argument 1 of Nx\.add was freed/, fn -> Nx.add(g, p) end
      assert Nx.to_flat_list(step.(result, g)) == [-1.0, 0.0, 1.0, 2.0]
    end

    # one workgroup computes all of it; what it cannot write where it reads, it writes at the end
    test "are taken over by what is computed from other elements, by scalars, and crosswise" do
      fun = fn {a, b, c, n}, x ->
        {{Nx.reverse(a) |> Nx.add(b), Nx.multiply(a, 2), Nx.dot(c, c), Nx.add(n, Nx.sum(x))}, Nx.sum(a)}
      end

      {a, b, c} = {Nx.iota({9}, type: :f32), Nx.iota({9}, type: :f32) |> Nx.pow(2), Nx.iota({4, 4}, type: :f32)}
      args = [{a, b, c, Nx.tensor(7.0)}, Nx.iota({5}, type: :f32)]
      step = Nx.Vulkan.compile(fun, args, donate: [0])
      [given, x] = args
      on_device = given |> Tuple.to_list() |> Enum.map(&Nx.backend_copy(&1, Nx.Vulkan.Backend))

      expected = expect(fun, args)
      {results, sum} = step.(List.to_tuple(on_device), x)

      for {r, e} <- Enum.zip(Tuple.to_list(results) ++ [sum], Tuple.to_list(elem(expected, 0)) ++ [elem(expected, 1)]),
          do: assert_ulps(r, e, 0)

      for t <- on_device,
          do: assert_raise(RuntimeError, ~r"called on deleted or donated buffer", fn -> Nx.to_binary(t) end)
    end

    test "of a tensor that is another argument as well are copies" do
      fun =
        Nx.Vulkan.compile(
          fn a, b -> {Nx.multiply(a, 2), Nx.add(Nx.reverse(b), a)} end,
          [Nx.template({3}, :f32), Nx.template({3}, :f32)],
          donate: [0]
        )

      t = Nx.backend_copy(Nx.tensor([1.0, 2.0, 3.0]), Nx.Vulkan.Backend)
      {a, b} = fun.(t, t)
      assert Nx.to_flat_list(a) == [2.0, 4.0, 6.0]
      assert Nx.to_flat_list(b) == [4.0, 4.0, 4.0]
      assert Nx.to_flat_list(t) == [1.0, 2.0, 3.0]
      Nx.backend_deallocate(t)
      assert_raise RuntimeError, ~r/argument 0 of .* was freed/, fn -> fun.(t, t) end
    end

    test "that are gone are named by the keys that lead to them" do
      [a, b, c] = for v <- 1..3, do: Nx.tensor([v], backend: Nx.Vulkan.Backend)
      fun = Nx.Vulkan.jit(fn x, {y, %{"w" => w, 7 => v}} -> Nx.sum(Nx.concatenate([x, y, v, w])) end)

      for {t, name} <- [{c, "1 at 1\\.w"}, {b, "1 at 0"}, {a, "0"}] do
        Nx.backend_deallocate(t)
        assert_raise RuntimeError, ~r/argument #{name} of /, fn -> fun.(a, {b, %{"w" => c, 7 => Nx.tensor([4])}}) end
      end
    end
  end

  describe "control flow" do
    defn powers(x, n) do
      {x, _, _} = while({x, i = 0, n}, i < n, do: {x * 2, i + 1, n})
      x
    end

    test "a while with a count that only the device knows" do
      for n <- [0, 1, 10],
          do: assert_ulps(run(&powers/2, [Nx.tensor([1.0, 3.0]), n]), Nx.multiply(Nx.tensor([1.0, 3.0]), 2 ** n), 0)
    end

    defn piecewise(a, x) do
      cond do
        a > 1 -> Nx.sin(x)
        a > 0 -> x * 2
        true -> x - 1
      end
    end

    test "a cond" do
      x = Nx.tensor([1.0, 2.0])
      for a <- [2.0, 0.5, -1.0], do: assert_ulps(run(&piecewise/2, [a, x]), piecewise(a, x), 2)
    end
  end

  describe "effects" do
    defn hooked(x) do
      y = hook(x + 1, :first)
      hook(y * 2, :second)
    end

    test "hooks are called in order with values on the host" do
      parent = self()
      hooks = %{first: &send(parent, {:first, &1}), second: &send(parent, {:second, &1})}
      assert Nx.to_number(run(&hooked/1, [3], hooks: hooks)) == 8
      assert_received {:first, %Nx.Tensor{data: %Nx.BinaryBackend{}} = first}
      assert_received {:second, second}
      assert {Nx.to_number(first), Nx.to_number(second)} == {4, 8}
      assert Nx.to_number(run(&hooked/1, [3])) == 8
    end

    defn(printed(x), do: print_value(x * 2))

    test "print_value prints where the caller prints" do
      assert capture_io(fn -> run(&printed/1, [Nx.tensor([1, 2])]) end) =~ "[2, 4]"
    end

    test "what a hook raises, the call raises" do
      assert_raise RuntimeError, "from the hook", fn ->
        run(&hooked/1, [3], hooks: %{first: fn _ -> raise "from the hook" end})
      end

      assert Nx.to_number(run(&hooked/1, [3])) == 8
    end

    def scale(t, opts), do: Nx.multiply(t, opts[:by])
    defn(called(x), do: Nx.runtime_call(x, x + 1, [by: 3.0], &__MODULE__.scale/2) + 1)

    test "runtime calls compute outputs on the host" do
      assert Nx.to_flat_list(run(&called/1, [Nx.tensor([1.0, 2.0])])) == [7.0, 10.0]
    end
  end

  # test/hang_test.exs has those of programs that do not end
  describe "a timeout" do
    test "that is long enough changes nothing" do
      x = Nx.tensor([1.0, 2.0])
      assert Nx.to_flat_list(run(&Nx.add(&1, 1), [x], timeout: 60_000)) == [2.0, 3.0]
      assert run(fn _ -> {} end, [x], timeout: 60_000) == {}
      assert Nx.to_number(run(&hooked/1, [3], timeout: 60_000, hooks: %{first: fn _ -> :ok end})) == 8
      assert Nx.to_flat_list(run(&called/1, [x], timeout: 60_000)) == [7.0, 10.0]
    end

    test "that has passed in a hook ends the run, whatever is left of it" do
      parent = self()
      hooks = %{first: fn _ -> Process.sleep(60) end, second: fn _ -> send(parent, :second) end}

      error =
        assert_raise Nx.Vulkan.Error, ~r/not done after 20 ms/, fn -> run(&hooked/1, [3], hooks: hooks, timeout: 20) end

      assert error.status == :timeout
      refute_received :second
    end
  end

  describe "files" do
    @tag :tmp_dir
    test "an exported function runs without being traced", %{tmp_dir: dir} do
      path = Path.join(dir, "model.vkb")
      fun = fn %{w: w}, x, opts -> {Nx.dot(x, w), Nx.sum(x, opts)} end

      Nx.Vulkan.export(path, fun, [
        %{w: Nx.template({3, 2}, :f32)},
        Nx.template({4, 3}, :f32, names: [:a, nil]),
        [axes: [0]]
      ])

      loaded = Nx.Vulkan.load(path)
      w = Nx.iota({3, 2}, type: :f32)
      x = Nx.iota({4, 3}, type: :f32, names: [:a, nil])
      {product, sum} = loaded.(%{w: w}, x)
      assert_ulps(product, Nx.dot(x, w), 0)
      assert product.names == [:a, nil]
      assert_ulps(sum, Nx.sum(x, axes: [0]), 0)
      assert_raise ArgumentError, ~r/not compatible/, fn -> loaded.(%{w: w}, w) end
    end

    def twice(x), do: Nx.multiply(x, 2)

    # functions, options and tuples that begin with a function are no arguments of what was exported
    @tag :tmp_dir
    test "an exported function takes the tensors of any container, and reads those that it uses", %{tmp_dir: dir} do
      path = Path.join(dir, "model.vkb")
      vector = Nx.template({2}, :f32)

      fun = fn {a, _unused, {b}}, f, %{c: c}, {g, _name}, opts, d ->
        {f.(a), [b, c, d] |> Nx.stack() |> Nx.sum(opts) |> g.()}
      end

      templates = [{vector, vector, {vector}}, &twice/1, %{c: vector}, {&Nx.negate/1, :minus}, [axes: [0]], vector]
      Nx.Vulkan.export(path, fn {}, x -> Nx.add(x, 1) end, [{}, vector])
      assert Nx.to_flat_list(Nx.Vulkan.load(path).({}, Nx.tensor([1.0, 2.0]))) == [2.0, 3.0]
      Nx.Vulkan.export(path, fun, templates)
      [a, b, c, d] = for i <- 1..4, do: Nx.tensor([i * 1.0, i * 10.0])
      # which no call reads
      unread = Nx.tensor([-1.0, -1.0])
      loaded = Nx.Vulkan.load(path)
      assert is_function(loaded, 3)
      {doubled, sum} = loaded.({a, unread, {b}}, %{c: c}, d)
      assert Nx.to_flat_list(doubled) == [2.0, 20.0]
      assert Nx.to_flat_list(sum) == [-9.0, -90.0]
      args = [{a, unread, {b}}, &twice/1, %{c: c}, {&Nx.negate/1, :minus}, [axes: [0]], d]
      kernels = Nx.Vulkan.profile(fun, args)
      assert kernels != [] and Enum.all?(kernels, &(&1.runs == 10))
      # each goes to the device it is for, and is named in errors
      gone = Nx.backend_copy(c, Nx.Vulkan.Backend)
      Nx.backend_deallocate(gone)
      assert_raise RuntimeError, ~r/argument 1 at c of /, fn -> loaded.({a, unread, {b}}, %{c: gone}, d) end
    end

    @tag :tmp_dir
    test "a loaded function has the options of its load", %{tmp_dir: dir} do
      path = Path.join(dir, "model.vkb")
      Nx.Vulkan.export(path, &hooked/1, [Nx.template({}, :s32)], hooks: %{first: nil, second: &__MODULE__.twice/1})
      parent = self()
      loaded = Nx.Vulkan.load(path, hooks: %{second: &send(parent, {:second, &1})}, timeout: 60_000, device: 0)
      assert Nx.to_number(loaded.(3)) == 8
      assert_received {:second, second}
      assert Nx.to_number(second) == 8
      assert Nx.to_number(Nx.Vulkan.load(path, trusted: true).(4)) == 10
      assert_raise ArgumentError, fn -> Nx.Vulkan.load(path, hook: %{}) end
    end

    @tag :tmp_dir
    test "bundles are kept on disk, and a damaged one heals", %{tmp_dir: dir} do
      dir = Path.join(dir, "cache")
      fun = fn x -> Nx.sin(Nx.multiply(x, 1.2345)) end
      x = Nx.tensor([1.0, 2.0])
      expected = expect(fun, [x])

      for step <- [:cold, :warm, :damaged] do
        Nx.Vulkan.Cache.drop(fn
          {:compiled, _, _, _, opts, _} -> opts[:cache_dir] == dir
          {:program, _, _, options} -> elem(options, 4) == dir
          _ -> false
        end)

        if step == :damaged,
          do: for(path <- Path.wildcard(dir <> "/**"), File.regular?(path), do: File.write!(path, "damaged"))

        assert_ulps(run(fun, [x], cache_dir: dir), expected, 2)
      end
    end

    @tag :tmp_dir
    test "a cache folder that others may write to is not used, and the log says so once", %{tmp_dir: dir} do
      dir = Path.join(dir, "open")
      File.mkdir_p!(dir)
      File.chmod!(dir, 0o1777)
      compile = fn k -> run(fn x -> Nx.multiply(Nx.sin(x), k) end, [Nx.tensor([1.0])], cache_dir: dir) end
      assert ExUnit.CaptureLog.capture_log(fn -> compile.(3) end) =~ ~r/others may write to the folder .*chmod/
      refute ExUnit.CaptureLog.capture_log(fn -> compile.(5) end) =~ "others may write"
      assert File.ls!(dir) == []
    end

    @tag :tmp_dir
    test "what tells a bundle's arguments is read as data, or refused", %{tmp_dir: dir} do
      path = Path.join(dir, "model.vkb")
      term = Path.join(dir, "model.term")
      Nx.Vulkan.export(path, &Nx.sin/1, [Nx.template({2}, :f32)])
      interface = :erlang.binary_to_term(File.read!(term))

      # an atom that nobody has made yet, and a term of 10 MB in 10 kB
      name = "never_heard_of_#{System.unique_integer([:positive])}"
      unknown = <<131, 119, byte_size(name), name::binary>>
      packed = :erlang.term_to_binary(%{interface | name: String.duplicate("a", 10_000_000)}, compressed: 9)

      for {data, says} <- [
            {unknown, ~r/model.term .*atoms that this node does not know/},
            {packed, ~r/model.term is not what Nx.Vulkan.export/},
            {"", ~r/is not what/},
            {binary_part(File.read!(term), 0, 100), ~r/model.term is damaged/},
            {:erlang.term_to_binary(%{interface | version: 2}), ~r/model.term is not what this version/},
            {:erlang.term_to_binary(Map.delete(interface, :used)), ~r/model.term is not what this version/}
          ] do
        File.write!(term, data)
        assert_raise ArgumentError, says, fn -> Nx.Vulkan.load(path) end
      end

      assert_raise ArgumentError, fn -> String.to_existing_atom(name) end
      File.rm!(term)
      assert_raise ArgumentError, ~r/model.term is missing: .* next to the bundle/, fn -> Nx.Vulkan.load(path) end
    end

    @tag :tmp_dir
    test "with bodies for another class of devices", %{tmp_dir: dir} do
      [one, two] = for name <- ~w(one two), do: Path.join(dir, name)
      fun = fn x -> Nx.divide(Nx.exp(x), Nx.sum(Nx.exp(x), axes: [-1], keep_axes: true)) end
      x = Nx.iota({7, 300}, type: :f32) |> Nx.divide(512)
      for {path, opts} <- [{one, []}, {two, [also: "nvidia"]}], do: Nx.Vulkan.export(path, fun, [x], opts)
      assert File.read!(two) =~ "nvidia"
      assert File.stat!(two).size > File.stat!(one).size
      assert_near(Nx.Vulkan.load(two).(x), expect(fun, [x]), 1.0e-6)
    end

    @tag :tmp_dir
    test "graphs are written as JSON without a compiler", %{tmp_dir: dir} do
      path = Path.join(dir, "graph.json")
      assert Nx.Vulkan.export(path, &Nx.sin/1, [Nx.template({2}, :f32)]) == :ok
      assert File.read!(path) =~ ~s("op":"sin")
    end
  end

  test "errors say what cannot be done, where, and what to do" do
    graph =
      ~s({"schema":"nx.vulkan.graph/1","entry":0,"funcs":[{"params":[],"nodes":[{"id":0,"op":"sinus","ins":[],"outs":[]}],"results":[]}],"literals":[],"donations":[],"callbacks":0})

    error =
      assert_raise Nx.Vulkan.CompileError, fn ->
        options = %Nx.Vulkan.Options{cache_dir: ""}
        Nx.Vulkan.Bundle.compile(%{json: graph, sidecar: ""}, options, nil, name: "Model.step/1", fun: &Nx.sin/1)
      end

    assert error.code in [:input, :unsupported]
    assert error.message =~ "sinus"
    assert error.message =~ "in Model.step/1"
    assert error.where =~ "$.funcs[0].nodes[0]"
  end

  @tag :tmp_dir
  test "what a driver says is logged", %{tmp_dir: dir} do
    path = Path.join(dir, "no_folder")
    File.write!(path, "")
    {:ok, ref} = Nx.Vulkan.NIF.device_open("0", path, false, false, 0)
    device = %{Nx.Vulkan.Device.fetch!(0) | ref: ref}
    {graph, _} = Nx.Vulkan.Serializer.trace(&Nx.sin/1, [Nx.template({2}, :f32)], sidecar: true)
    {bundle, _, texts} = Nx.Vulkan.Bundle.compile(graph, %Nx.Vulkan.Options{cache_dir: ""}, device)
    # which nobody wanted
    assert texts |> Map.values() |> Enum.uniq() == [""]
    log = ExUnit.CaptureLog.capture_log(fn -> Nx.Vulkan.Program.load(device, bundle, "sin", true) end)
    assert log =~ ~r/\[warning\] #{Regex.escape(device.info.name)}: pipelines cannot be kept in .*no_folder: /
    assert Nx.Vulkan.NIF.device_messages(ref) == {[], 0}
  end

  test "kernels are measured" do
    x = Nx.iota({64, 64}, type: :f32, backend: Nx.Vulkan.Backend)
    times = Nx.Vulkan.profile(fn x, y, opts -> Nx.sum(Nx.dot(x, Nx.add(y, 1)), opts) end, [x, x, [axes: [0]]], runs: 3)
    assert [_ | _] = times

    for kernel <- times do
      assert kernel.runs == 3
      assert kernel.seconds > 0
      assert kernel.bytes > 0
      assert is_binary(kernel.name) and kernel.name != ""
    end

    # what the bundle knows, and nothing of another function's
    assert [%{runs: 1}] = Nx.Vulkan.profile(&Nx.exp/1, [x], runs: 1, timeout: 60_000, name: "e")
    assert_raise ArgumentError, ~r/cannot profile a function with hooks/, fn -> Nx.Vulkan.profile(&printed/1, [x]) end
  end

  test "functions and closures have the line of their definition" do
    assert Nx.Vulkan.Bundle.location(&Nx.Vulkan.Bundle.compile/4) =~ ~r"^lib/nx/vulkan/bundle.ex:\d+$"
    closure = Nx.Vulkan.Test.OpCases.adder(1)
    assert Nx.Vulkan.Bundle.location(closure) =~ ~r"^test/support/op_cases.ex:\d+$"
    assert Nx.Vulkan.Bundle.location(fn x -> x end) =~ "test/compiler_test.exs"
    # what is typed into a shell has none
    {typed, _} = Code.eval_string("fn x -> x end")
    assert Nx.Vulkan.Bundle.location(typed) == nil
  end

  test "a serving batches requests" do
    serving = Nx.Serving.jit(&Nx.multiply(&1, 3), compiler: Compiler)

    start_supervised!(
      {Nx.Serving, serving: serving, name: __MODULE__.Serving, batch_size: 4, batch_timeout: 10, partitions: true}
    )

    batches =
      for i <- 1..4,
          do: Task.async(fn -> Nx.Serving.batched_run(__MODULE__.Serving, Nx.Batch.stack([Nx.tensor([i, 2])])) end)

    assert [[3, 6], [6, 6], [9, 6], [12, 6]] == batches |> Task.await_many(:infinity) |> Enum.map(&Nx.to_flat_list/1)
  end

  test "partitions are copies on a device, or the devices" do
    assert [[device: 0], [device: 0]] ==
             Compiler.__partitions_options__(device: 0, max_concurrency: 2) |> Enum.map(&Keyword.take(&1, [:device]))

    assert [[device: 0] | _] = Compiler.__partitions_options__([])
    assert [_, _, _] = Compiler.__partitions_options__(max_concurrency: 3)
  end
end
