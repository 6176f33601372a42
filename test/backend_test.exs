defmodule Nx.Vulkan.BackendTest do
  use ExUnit.Case, async: true

  import Nx.Vulkan.Test.Bounds
  alias Nx.Vulkan.{Backend, NIF}
  alias Nx.Vulkan.Test.{Interpreter, OpCases}

  @moduletag :device

  setup do
    Nx.default_backend(Backend)
    :ok
  end

  defp device(t), do: Nx.backend_copy(t, Backend)
  defp host(t), do: Nx.backend_copy(t, Nx.BinaryBackend)

  defp on_host(fun) do
    Nx.with_default_backend(Nx.BinaryBackend, fun)
  end

  test "every callback of the behaviour is there" do
    Code.ensure_loaded!(Backend)
    for {name, arity} <- Nx.Backend.behaviour_info(:callbacks), do: assert(function_exported?(Backend, name, arity))
  end

  describe "storage" do
    for type <- [
          :u2,
          :u4,
          :u8,
          :u16,
          :u32,
          :u64,
          :s2,
          :s4,
          :s8,
          :s16,
          :s32,
          :s64,
          :f8,
          :f8_e4m3fn,
          :f16,
          :bf16,
          :f32,
          :f64,
          :c64,
          :c128
        ] do
      test "of #{type} keeps every bit" do
        expected = on_host(fn -> Nx.tensor([1, 0, 1, 1, 0, 1, 1], type: unquote(type)) end)
        t = Nx.tensor([1, 0, 1, 1, 0, 1, 1], type: unquote(type))
        assert %Backend{} = t.data
        assert Nx.to_binary(t) == Nx.to_binary(expected)
        assert Nx.to_binary(device(expected)) == Nx.to_binary(expected)
        assert Nx.to_number(Nx.broadcast(Nx.tensor(1, type: unquote(type)), {3})[2]) == Nx.to_number(expected[0])
      end
    end

    test "special values survive" do
      binary =
        <<0x7FC00001::32-little, 0x7F800000::32-little, 0xFF800000::32-little, 0x80000000::32-little, 1::32-little>>

      assert Nx.to_binary(Nx.from_binary(binary, :f32)) == binary
    end

    test "copies, transfers and frees" do
      t = Nx.tensor([1, 2, 3])
      copy = Nx.backend_copy(t, Backend)
      assert copy.data.buffer != t.data.buffer
      assert Nx.backend_transfer(t, Backend).data.buffer == t.data.buffer
      moved = Nx.backend_transfer(t, Nx.BinaryBackend)
      assert Nx.to_flat_list(moved) == [1, 2, 3]
      assert_raise RuntimeError, ~r"called on deleted or donated buffer", fn -> Nx.to_binary(t) end
      assert Nx.backend_deallocate(t) == :already_deallocated
      assert Nx.backend_deallocate(copy) == :ok
      assert_raise RuntimeError, ~r"called on deleted or donated buffer", fn -> Nx.add(copy, 1) end
    end

    test "batches" do
      t = Nx.iota({7, 2})
      expected = on_host(fn -> Nx.iota({7, 2}) |> Nx.to_batched(3) |> Enum.map(&Nx.to_flat_list/1) end)
      assert t |> Nx.to_batched(3) |> Enum.map(&Nx.to_flat_list/1) == expected
      assert t |> Nx.to_batched(3, leftover: :discard) |> Enum.count() == 2
    end

    test "of handles that are none is refused" do
      assert_raise ArgumentError, fn -> NIF.buffer_read(:none, 0, 4) end
      # as one that was sent away, and comes back too late
      for call <- [
            &NIF.buffer_read(&1, 0, 4),
            &NIF.buffer_write(&1, 0, "four"),
            &NIF.buffer_wait(&1, 0),
            &NIF.buffer_copy/1,
            &NIF.buffer_free/1,
            &NIF.buffer_info/1,
            &NIF.buffer_address/1,
            &NIF.program_bundle/1,
            &NIF.run(&1, [], 0)
          ] do
        assert {:error, {:invalid_handle, message}} = call.(make_ref())
        assert message =~ "is gone: nothing on its node refers to it any more"
        assert_raise ArgumentError, fn -> call.(0) end
      end

      assert_raise ArgumentError, ~r/unknown keys/, fn -> Nx.default_backend({Backend, devise: 0}) end

      assert_raise Nx.Vulkan.Error, ~r/no Vulkan device is called "zx81"/, fn ->
        Nx.tensor(1, backend: {Backend, device: "zx81"})
      end
    end
  end

  # Finite values against Nx in f64, special ones against the reference interpreter.
  describe "float ops" do
    for {op, {lo, hi, bound}} <- OpCases.unary(), type <- [{:f, 32}, {:f, 64}] do
      test "#{op} of #{inspect(type)}" do
        {op, type} = unquote({op, type})
        fun = &apply(Nx, op, [&1])
        x = random(type, 500, 7, unquote(lo), unquote(hi))
        expected = on_host(fn -> OpCases.reference(fun, [x], type) end)
        assert_ulps(fun.(device(x)), expected, unquote(bound) + OpCases.slack(type), "#{op}")
        edges = edges(type)
        assert_ulps(fun.(device(edges)), interpreted(fun, [edges]), unquote(bound) + 2, "#{op} at its edges")
      end
    end

    for op <- [:exp, :tanh, :sqrt, :negate, :floor], type <- [{:f, 16}, {:bf, 16}] do
      test "#{op} of #{inspect(type)}" do
        {op, type} = unquote({op, type})
        fun = &apply(Nx, op, [&1])
        x = random(type, 200, 8, 0.0, 4.0)
        assert_ulps(fun.(device(x)), on_host(fn -> OpCases.reference(fun, [x], type) end), 1, "#{op}")
      end
    end

    for {op, bound} <- OpCases.binary(), type <- [{:f, 32}, {:f, 64}] do
      test "#{op} of #{inspect(type)}" do
        {op, type} = unquote({op, type})
        fun = &apply(Nx, op, [&1, &2])
        x = random(type, 40, 1)
        y = random(type, 50, 2, 0.5, 3.0)
        column = on_host(fn -> Nx.new_axis(x, 1) end)
        expected = on_host(fn -> OpCases.reference(fun, [column, y], type) end)
        assert_ulps(fun.(device(column), device(y)), expected, unquote(bound) + OpCases.slack(type), "#{op}")
        edges = edges(type)
        column = on_host(fn -> Nx.new_axis(edges, 1) end)

        assert_ulps(
          fun.(device(column), device(edges)),
          interpreted(fun, [column, edges]),
          unquote(bound) + 1,
          "#{op} at its edges"
        )
      end
    end
  end

  describe "integer ops" do
    for type <- [{:u, 8}, {:s, 8}, {:u, 16}, {:s, 32}, {:u, 32}, {:s, 64}, {:u, 64}] do
      test "of #{inspect(type)} are exact" do
        type = unquote(type)
        x = random(type, 100, 3)
        y = random(type, 100, 4)

        fun = fn x, y -> for(op <- OpCases.integer_binary(), do: apply(Nx, op, [x, y])) |> List.to_tuple() end
        actual = Nx.Vulkan.jit(fun).(device(x), device(y)) |> Tuple.to_list()
        expected = interpreted(fun, [x, y]) |> Tuple.to_list()
        for {op, a, e} <- Enum.zip([OpCases.integer_binary(), actual, expected]), do: assert_ulps(a, e, 0, "#{op}")

        fun = fn x -> for(op <- OpCases.integer_unary(), do: apply(Nx, op, [x])) |> List.to_tuple() end
        actual = Nx.Vulkan.jit(fun).(device(x)) |> Tuple.to_list()
        expected = interpreted(fun, [x]) |> Tuple.to_list()
        for {op, a, e} <- Enum.zip([OpCases.integer_unary(), actual, expected]), do: assert_ulps(a, e, 0, "#{op}")
      end
    end
  end

  describe "shape ops" do
    for {name, fun} <- [
          sum: quote(do: &Nx.sum(&1, axes: [1])),
          mean: quote(do: &Nx.mean/1),
          max: quote(do: &Nx.reduce_max(&1, axes: [2], keep_axes: true)),
          argmax: quote(do: &Nx.argmax(&1, axis: 1)),
          transpose: quote(do: &Nx.transpose(&1, axes: [2, 0, 1])),
          reverse: quote(do: &Nx.reverse(&1, axes: [0, 2])),
          pad: quote(do: &Nx.pad(&1, 1.0, [{1, -1, 0}, {0, 0, 1}, {-1, 2, 0}])),
          slice: quote(do: &Nx.slice(&1, [0, 1, 0], [2, 2, 3], strides: [1, 1, 2])),
          access: quote(do: & &1[[1, 0..1, -1]]),
          put_slice: quote(do: &Nx.put_slice(&1, [0, 1, 2], Nx.tensor([[[9.0, 8.0]]]))),
          concatenate: quote(do: &Nx.concatenate([&1, Nx.multiply(&1, 2)], axis: 1)),
          stack: quote(do: &Nx.stack([&1, &1], axis: 2)),
          gather: quote(do: &Nx.gather(&1, Nx.tensor([[0, 1], [1, 2]]))),
          take: quote(do: &Nx.take(&1, Nx.tensor([2, 0]), axis: 1)),
          indexed_add: quote(do: &Nx.indexed_add(&1, Nx.tensor([[0, 1], [0, 1]]), Nx.iota({2, 4}, type: :f32))),
          indexed_put: quote(do: &Nx.indexed_put(&1, Nx.tensor([[0, 1], [1, 1]]), Nx.iota({2, 4}, type: :f32))),
          sort: quote(do: &Nx.sort(&1, axis: 1, direction: :desc)),
          argsort: quote(do: &Nx.argsort(&1, axis: 2)),
          window_sum: quote(do: &Nx.window_sum(&1, {1, 2, 2}, padding: :same)),
          window_max: quote(do: &Nx.window_max(&1, {2, 1, 3}, strides: [1, 1, 2])),
          cumulative_sum: quote(do: &Nx.cumulative_sum(&1, axis: 2)),
          dot: quote(do: &Nx.dot(&1, Nx.iota({4, 5}, type: :f32))),
          conv: quote(do: &Nx.conv(&1, Nx.iota({2, 3, 2}, type: :f32), padding: :same)),
          eye: quote(do: fn _ -> Nx.eye({3, 4}) end),
          clip: quote(do: &Nx.clip(&1, -1, 1)),
          norm: quote(do: &Nx.LinAlg.norm(Nx.flatten(&1))),
          reduce: quote(do: fn x -> Nx.reduce(x, 0.0, [axes: [1]], fn a, b -> Nx.add(Nx.abs(a), b) end) end)
        ] do
      test "#{name}" do
        fun = unquote(fun)
        x = on_host(fn -> random({:f, 32}, 24, 5) |> Nx.reshape({2, 3, 4}) end)
        expected = on_host(fn -> fun.(x) end)
        actual = host(fun.(device(x)))

        if match?({kind, _} when kind in [:s, :u], expected.type),
          do: assert_ulps(actual, expected, 0, unquote(to_string(name))),
          else: on_host(fn -> Nx.Testing.assert_all_close(actual, expected, atol: 2.0e-6, rtol: 1.0e-6) end)
      end
    end
  end

  describe "types at the edge of an op" do
    test "atan2 of complex numbers is that of their real parts, and inverts the tangent" do
      y = Nx.tensor([7.0, -1.0, 0.0, Complex.new(1.0, 2.0), Complex.new(0.5, -1.0)], type: :c128)
      x = Nx.tensor([2.0, -3.0, -1.0, Complex.new(2.0, -0.3), Complex.new(-2.0, 0.4)], type: :c128)
      angles = Nx.atan2(y, x)
      real = Nx.atan2(Nx.real(y[0..2]), Nx.real(x[0..2]))
      assert_ulps(Nx.real(angles[0..2]), real, 0)
      assert Nx.to_flat_list(Nx.imag(angles[0..2])) == [0.0, 0.0, 0.0]
      Nx.Testing.assert_all_close(host(Nx.tan(angles)), host(Nx.divide(y, x)), atol: 1.0e-13, rtol: 1.0e-13)
    end

    test "products of complex numbers" do
      for type <- [:c64, :c128] do
        t = Nx.tensor([Complex.new(1.0, 2.0), Complex.new(3.0, -1.0), 2], type: type)
        expected = on_host(fn -> Nx.tensor(Complex.new(10.0, 10.0), type: type) end)
        assert_ulps(Nx.product(t), expected, 0)
        assert Nx.to_number(Nx.window_product(t, {3})[0]) == Nx.to_number(expected)
      end
    end

    test "triangular systems in types under 32 bits" do
      for type <- [:f8, :f8_e4m3fn, :bf16, :f16] do
        a = Nx.tensor([[2, 0], [1, 4]], type: type)
        assert Nx.to_flat_list(Nx.LinAlg.triangular_solve(a, Nx.tensor([1, 2], type: type))) == [0.5, 0.375]
      end
    end
  end

  def forward(_event, _measurements, %{name: name}, parent),
    do: if(self() == parent, do: send(parent, {:compiled, name}))

  test "slices at fixed starts other than 0 are one program" do
    :telemetry.attach("fixed starts", [:nx_vulkan, :compile, :stop], &__MODULE__.forward/4, self())
    t = Nx.iota({43, 3})
    part = Nx.broadcast(-1, {2, 3})

    for start <- 1..5 do
      assert Nx.to_flat_list(Nx.slice(t, [start, 0], [2, 3])) == Enum.to_list((3 * start)..(3 * start + 5))

      assert t |> Nx.put_slice([start, 0], part) |> Nx.sum(axes: [1]) |> Nx.to_flat_list() |> Enum.count(&(&1 == -3)) ==
               2
    end

    :telemetry.detach("fixed starts")
    {_, messages} = Process.info(self(), :messages)
    for name <- ["Nx.slice", "Nx.put_slice"], do: assert(Enum.count(messages, &(&1 == {:compiled, name})) == 1)
  end

  test "blocks keep names and vectorized axes" do
    t = Nx.tensor([[1, 0], [0, 2]], names: [:a, :b])
    assert Nx.logical_not(t).names == [:a, :b]
    v = Nx.block(%Nx.Block.LogicalNot{}, [Nx.vectorize(t, :v)], nil, fn _, t -> Nx.sum(t) end)
    assert v.vectorized_axes == [v: 2]
    assert Nx.to_flat_list(Nx.devectorize(v)) == [1, 2]
  end

  test "starts beyond what 32 bits hold are clamped like any other" do
    t = Nx.iota({5})

    for start <- [3, 4, 5, 2 ** 31 - 1, 2 ** 31, 2 ** 31 + 1, 2 ** 32, 2 ** 40] do
      assert Nx.to_flat_list(Nx.put_slice(t, [start], Nx.tensor([7, 8]))) == [0, 1, 2, 7, 8], "put_slice at #{start}"
      assert Nx.to_flat_list(Nx.slice(t, [start], [2])) == [3, 4], "slice at #{start}"
    end
  end

  test "indices of a narrow type do not wrap where the tensor is longer than their range" do
    for {type, indices} <- [u2: [1, 3], s2: [-1, 1], u8: [1, 255], s8: [-1, 127], u64: [1, 299], s64: [-1, 299]] do
      indices = Nx.new_axis(Nx.tensor(indices, type: type), 1)
      written = Map.new(Enum.zip(Nx.to_flat_list(indices), [5, 7]))
      added = Nx.indexed_add(Nx.broadcast(0, {300}), indices, Nx.tensor([5, 7]))

      for {value, i} <- added |> Nx.to_flat_list() |> Enum.with_index() do
        assert value == Map.get(written, i, 0), "#{type} at #{i}"
      end
    end
  end

  test "random bits are Nx's" do
    {actual, _} = Nx.Random.uniform(Nx.Random.key(42), shape: {7})
    {expected, _} = on_host(fn -> Nx.Random.uniform(Nx.Random.key(42), shape: {7}) end)
    assert Nx.to_binary(actual) == Nx.to_binary(expected)
  end

  defp edges(type) do
    on_host(fn ->
      values = [
        0.0,
        -0.0,
        1.0,
        -1.0,
        0.5,
        1.0e-30,
        -1.0e-30,
        1.0e30,
        -1.0e30,
        88.7,
        -104.0,
        3.0e38,
        :infinity,
        :neg_infinity,
        :nan
      ]

      Nx.tensor(values, type: type)
    end)
  end

  defp interpreted(fun, args), do: on_host(fn -> Nx.Defn.jit_apply(fun, args, compiler: Interpreter) end)
end
