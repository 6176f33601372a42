# The smallest random programs that failed once, each for another reason.
defmodule Nx.Vulkan.RandomFoundTest do
  use Nx.Vulkan.Test.DeviceCase, async: true

  alias Nx.Vulkan.Serializer
  alias Nx.Vulkan.Test.Random.{Check, Control, Oracle}

  @moduletag timeout: 1_800_000

  setup do
    assert Oracle.path(), "the oracle is missing: make test-programs"
    port = Oracle.open()
    on_exit(fn -> if Port.info(port), do: Port.close(port) end)
    {:ok, port: port}
  end

  defp agrees(port, inputs, fun), do: assert(Check.device_agrees(fun, inputs, port) == :ok)

  test "the product of a negative zero", %{port: port} do
    x = Nx.tensor([0.0, 0.0, 0.0, -0.0])
    agrees(port, [x], fn {x} -> {Nx.product(x), Nx.window_product(x, {2}, padding: :same)} end)

    assert Nx.to_binary(Nx.Defn.jit_apply(&Nx.product/1, [x], compiler: Nx.Vulkan.Test.Interpreter)) ==
             <<-0.0::float-32-little>>
  end

  test "zero as a factor of what is not finite or negative", %{port: port} do
    for type <- [:f32, :f64, :c64, :c128, :bf16] do
      x = Nx.tensor([:nan, :infinity, -1.0, -0.0], type: type)

      agrees(port, [x], fn {x} ->
        {Nx.multiply(x, 0.0), Nx.multiply(x, 2), Nx.dot(x, Nx.broadcast(0.0, {4})),
         Nx.multiply(Nx.iota({4}, type: x.type), x)}
      end)
    end
  end

  test "zero as a summand of a negative zero", %{port: port} do
    x = Nx.tensor([[-0.0, -0.0], [1.0, 2.0]])
    add = fn a, b -> Nx.add(a, b) end

    agrees(port, [x], fn {x} ->
      {Nx.dot(x, Nx.transpose(x)), Nx.reduce(x, 0.0, [axes: [1]], add), Nx.sum(x, axes: [1]),
       Nx.sum(Nx.new_axis(x, 1), axes: [1]), Nx.dot(Nx.new_axis(x, 2), [2], Nx.tensor([1.0]), [0]),
       Nx.subtract(0.0, Nx.negate(x)), Nx.outer(x, Nx.sum(x))}
    end)
  end

  test "a one or a zero of another sign", %{port: port} do
    for type <- [:f32, :f64, :f16, :bf16], one <- [1.0, -1.0], zero <- [0.0, -0.0] do
      [one, zero] = for x <- [one, zero], do: Nx.tensor(x, type: type)

      agrees(port, [Nx.tensor([0, 1, 2])], fn {p} ->
        {Nx.select(p, one, zero), Nx.select(p, zero, one), Nx.pad(Nx.broadcast(one, {2}), zero, [{1, 1, 1}])}
      end)
    end
  end

  test "a zero or a bound of -1", %{port: port} do
    x = Nx.broadcast(Nx.tensor(0.0), {4, 4, 1})

    agrees(port, [x], fn {x} ->
      y = x |> Nx.triu() |> Nx.clip(-1.0, 1.0) |> Nx.slice([1, 1, 0], [2, 2, 1], strides: [2, 1, 3])
      zero = Nx.as_type(0, :s32)
      less = fn {i, n, _} -> Nx.less(i, n) end
      {_, n, y} = Control.loop({zero, zero, y}, less, fn {i, n, y} -> {Nx.add(i, 1), n, Nx.exp(y)} end)
      {Nx.logical_or(n, zero), y}
    end)
  end

  # with the passes left out, Mesa finds the 0 itself and takes its product with anything for 0.0
  test "a truth that is known to be 0 as a factor" do
    x = Nx.tensor([0.0, -3.804419])
    result = Nx.Defn.jit_apply(&Nx.multiply(Nx.logical_xor(&1, &1), &1), [x], compiler: Nx.Vulkan.Compiler)
    assert Nx.to_binary(result) == <<0.0::float-32-little, -0.0::float-32-little>>
  end

  test "the bits of a NaN", %{port: port} do
    agrees(port, [Nx.tensor([-1.0, 4.0])], fn {x} -> Nx.bitcast(Nx.rsqrt(x), :s32) end)
    agrees(port, [Nx.tensor([0.0, 1.0])], fn {x} -> Nx.bitcast(Nx.remainder(x, 0), :s32) end)
    # a negative NaN beside a positive one here, elsewhere two of either
    agrees(port, [Nx.tensor([:nan, :infinity, -1.0])], fn {x} -> Nx.reduce_max(Nx.bitcast(Nx.sin(x), :u32)) end)
  end

  test "zeros of padding and of the identity as summands", %{port: port} do
    agrees(port, [Nx.broadcast(Nx.tensor(0.0), {2, 2})], fn {x} ->
      x = Nx.pad(x, 0.0, [{0, 0, 2}, {1, 3, 0}])
      Nx.subtract(x, Nx.reduce_max(x, axes: [1], keep_axes: true))
    end)

    agrees(port, [Nx.broadcast(Nx.tensor(0.0, type: :c64), {5, 5})], fn {a} ->
      x = Nx.multiply(Nx.eye({5, 5}, type: :c64), 2)
      b = x |> Nx.as_type(:f32) |> Nx.reduce_max() |> Nx.broadcast({5}) |> Nx.as_type(:c64)
      {Nx.flatten(x), Nx.LinAlg.triangular_solve(a, b, lower: false)}
    end)
  end

  test "quotients of complex numbers with zeros of both signs", %{port: port} do
    parts = Nx.tensor([0.0, -0.0, 1.0, -1.0, 3.0])
    numbers = Nx.complex(Nx.new_axis(parts, 1), Nx.new_axis(parts, 0)) |> Nx.flatten()

    for type <- [:c64, :c128] do
      x = Nx.as_type(numbers, type)
      agrees(port, [Nx.new_axis(x, 1), Nx.new_axis(x, 0)], fn {a, b} -> Nx.divide(a, b) end)
    end
  end

  test "signs of zeros that depend on rounding", %{port: port} do
    agrees(port, [Nx.tensor([1, 1, 1]), Nx.tensor([1.0, 0.0, 0.0])], fn {x, y} ->
      Nx.multiply(y, Nx.real(Nx.fft(x)))
    end)
  end

  test "signs of zeros and infinities beside a NaN, which has none", %{port: port} do
    parts =
      for bits <- [0x7F800000, 0xFF800000, 0x7FC00000, 0xFFC00000, 0, 0x80000000, 0x3F800000], do: <<bits::32-native>>

    numbers = for re <- parts, im <- parts, into: <<>>, do: re <> im

    for type <- [:c64, :c128], op <- [:sin, :cos, :sinh, :cosh, :asin, :acos, :asinh] do
      agrees(port, [Nx.from_binary(numbers, :c64)], fn {x} -> apply(Nx, op, [Nx.as_type(x, type)]) end)
    end
  end

  test "products that underflow", %{port: port} do
    x = Nx.tensor([[0.0, -1.0e-45], [1.0, 1.0e-38]])
    agrees(port, [x], fn {x} -> Nx.dot(x, [1], x, [1]) end)
  end

  test "systems with a constant zero", %{port: port} do
    for type <- [:f32, :f64, :bf16] do
      agrees(port, [Nx.broadcast(Nx.tensor(1, type: type), {2, 2})], fn {a} ->
        {Nx.LinAlg.triangular_solve(a, Nx.broadcast(Nx.tensor(0, type: type), {2})),
         Nx.LinAlg.triangular_solve(a, Nx.broadcast(Nx.tensor(-0.0, type: type), {2}))}
      end)
    end
  end

  test "windows that select among NaN", %{port: port} do
    for type <- [:f32, :f64, :bf16] do
      inputs = [Nx.tensor([:nan, 1, :nan, 0, :nan, :nan], type: type), Nx.tensor([1, 2, 4, 8, 16], type: type)]

      agrees(port, inputs, fn {x, s} ->
        {Nx.window_scatter_max(x, s, 0, {2}, strides: [1]), Nx.window_scatter_min(x, s, 0, {2}, strides: [1])}
      end)
    end
  end

  test "s2 and s4 stored by scatters", %{port: port} do
    for type <- [:s2, :s4] do
      inputs = [Nx.tensor([0, 1], type: type), Nx.tensor([-2, -1], type: type), Nx.tensor([[1], [0]])]
      agrees(port, inputs, fn {x, y, i} -> {Nx.indexed_add(x, i, y), Nx.indexed_put(x, i, y)} end)
    end
  end

  test "predicates of other types than u8", %{port: port} do
    for {p, types} <- [
          {1.0, [:f32, :f64, :c64]},
          {-0.0, [:f32, :f64, :c64]},
          {:nan, [:f32]},
          {256, [:s64, :u16]},
          {0, [:s64]}
        ],
        type <- types do
      inputs = [Nx.tensor(p, type: type), Nx.iota({2, 2}, type: :f32)]
      agrees(port, inputs, fn {p, x} -> Control.branch(p, fn -> Nx.dot(x, x) end, fn -> x end) end)
    end
  end

  test "the pieces around padding are not read", %{port: port} do
    x = Nx.iota({2, 2, 15}, type: :f64)

    agrees(port, [x], fn {x} ->
      y = Nx.atan2(x, x)
      {Nx.sign(Nx.pad(Nx.floor(y), 0, [{2, 0, 2}, {2, 0, 2}, {2, 1, 2}])), Nx.argmax(y, axis: 2)}
    end)
  end

  test "products of windows of complex numbers", %{port: port} do
    for type <- [:c64, :c128] do
      x = Nx.complex(Nx.iota({2, 3}, type: :f32), 1.5) |> Nx.as_type(type)
      agrees(port, [x], fn {x} -> {Nx.window_product(x, {2, 2}, padding: :same), Nx.product(x, axes: [1])} end)
    end
  end

  test "widened integers compared with constants", %{port: port} do
    for from <- [:s8, :s32, :u32], to <- [:s64, :u64] do
      agrees(port, [Nx.tensor([0, 1, 5, 100], type: from)], fn {x} ->
        y = Nx.as_type(x, to)
        {Nx.greater(y, 0), Nx.less(y, 5), Nx.less_equal(y, 70000), Nx.sign(y), Nx.sign(Nx.count_leading_zeros(y))}
      end)
    end
  end

  test "positions in narrow types", %{port: port} do
    for type <- [:u2, :u4, :u8, :u16, :s4, :s16, :bf16] do
      agrees(port, [Nx.tensor(1, type: type)], fn {x} ->
        i = Nx.iota({5}, type: x.type)
        {Nx.add(i, i), Nx.equal(i, x), Nx.window_reduce(i, x, {1}, fn a, b -> Nx.add(a, b) end)}
      end)
    end
  end

  test "more terms than the type counts", %{port: port} do
    for type <- [:s2, :u2, :s4, :u8] do
      agrees(port, [Nx.tensor(1, type: type)], fn {x} ->
        [few, many] = for n <- [3, 300], do: Nx.broadcast(x, {n})
        {Nx.dot(few, few), Nx.dot(many, many)}
      end)
    end
  end

  test "integers that become floats on their way to a narrower type", %{port: port} do
    for to <- [:u8, :s8, :u32] do
      agrees(port, [Nx.tensor([-3, 300, 7], type: :s16)], fn {x} -> x |> Nx.as_type(:f64) |> Nx.as_type(to) end)
    end
  end

  test "what the order of sums and products decides", %{port: port} do
    most = 3.4028234663852886e38
    c = fn re, im -> Nx.complex(Nx.tensor(re, type: :f32), Nx.tensor(im, type: :f32)) end

    agrees(port, [Nx.tensor([-1.5, most, 1.0, 0.0]), Nx.tensor([2.4, 1.4e-45, 1.0, 3.3])], fn {x, y} ->
      {Nx.product(x), Nx.product(y), Nx.window_product(y, {2}),
       Nx.sum(Nx.multiply(x, Nx.tensor([most, -1.0, 1.0, 1.0])))}
    end)

    agrees(port, [c.([1.0e-45, most, 3.0], [1.1754944e-38, most, -0.0])], fn {z} ->
      {Nx.multiply(z, z), Nx.product(z), Nx.product(Nx.new_axis(z, 0), axes: [0])}
    end)
  end

  test "a known zero among integers that become factors", %{port: port} do
    agrees(port, [Nx.tensor([0]), Nx.tensor([[:nan], [-1.0]])], fn {i, x} ->
      rows = fn row ->
        y = Nx.multiply(x, row)
        Nx.subtract(y, Nx.reduce_max(y, axes: [1], keep_axes: true))
      end

      {rows.(Nx.concatenate([i, Nx.broadcast(0, {1})])), rows.(Nx.pad(i, 0, [{0, 1, 0}]))}
    end)
  end

  test "counts of bits in types that do not hold them", %{port: port} do
    agrees(port, [Nx.tensor([0, -1, 1], type: :s2), Nx.tensor(1, type: :u8)], fn {x, p} ->
      y = Control.branch(p, fn -> Nx.count_leading_zeros(x) end, fn -> Nx.population_count(x) end)
      {y, Nx.count_leading_zeros(x), Nx.population_count(x), Nx.as_type(Nx.population_count(x), :s32)}
    end)
  end

  test "vectorized scatters", %{port: port} do
    inputs = [Nx.tensor([[1, 2, 3], [4, 5, 6]]), Nx.tensor([[10, 20], [30, 40]])]

    fun = fn {x, y} ->
      [x, y] = for t <- [x, y], do: Nx.vectorize(t, :rows)
      Nx.indexed_add(x, Nx.tensor([[2], [0]]), y) |> Nx.devectorize(keep_names: false)
    end

    agrees(port, inputs, fun)
    assert Nx.to_flat_list(Nx.Vulkan.jit(fun).(List.to_tuple(inputs))) == [21, 2, 13, 44, 5, 36]
  end

  test "vectorized broadcasts by axes", %{port: port} do
    fun = fn {x} ->
      x |> Nx.vectorize(:rows) |> Nx.broadcast({3, 2}, axes: [0]) |> Nx.devectorize(keep_names: false)
    end

    x = Nx.tensor([[1, 2, 3], [4, 5, 6]])
    agrees(port, [x], fun)
    assert Nx.to_flat_list(Nx.Vulkan.jit(fun).({x})) == [1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6]
  end

  test "running products of complex numbers", %{port: port} do
    for type <- [:c64, :c128] do
      x = Nx.complex(Nx.iota({33}, type: :f32), 1.0) |> Nx.divide(16) |> Nx.as_type(type)
      agrees(port, [x], fn {x} -> Nx.cumulative_product(x, reverse: true) end)
    end
  end

  test "truths of narrow numbers that are made in place", %{port: port} do
    for type <- [:u2, :u4, :u8, :s4], p <- [0, 1] do
      agrees(port, [Nx.tensor(p, type: type)], fn {p} ->
        x = Nx.eye({7, 3}, type: type)
        y = Nx.iota({7, 3}, type: type)
        {Nx.all(x, axes: [0]), Nx.any(y, axes: [0]), Nx.any(Nx.not_equal(x, p), axes: [1])}
      end)
    end
  end

  test "integers through floats", %{port: port} do
    inputs = [Nx.tensor([7, 1, 0, 300], type: :u16), Nx.tensor([-7, -1, 1, 200], type: :s16)]

    fun = fn {x, y} ->
      for t <- [x, y], middle <- [:f32, :f64], to <- [:s2, :u4, :s8, :u8, :s32, :u64] do
        t |> Nx.as_type(middle) |> Nx.as_type(to)
      end
      |> List.to_tuple()
    end

    agrees(port, inputs, fun)
    assert Nx.to_flat_list(elem(Nx.Vulkan.jit(fun).(List.to_tuple(inputs)), 0)) == [1, 1, 0, 1]
  end

  test "a reduction of what is stored twice, in two sizes", %{port: port} do
    agrees(port, [Nx.tensor([1, 2, 3], type: :s32)], fn {x} ->
      y = Nx.negate(x)
      z = Nx.tile(y, [2])
      rounds = Nx.remainder(Nx.reduce_max(z), 9)

      Control.loop({0, rounds, z, y}, fn {i, n, _, _} -> Nx.less(i, n) end, fn {i, n, _, y} ->
        most = Nx.reduce_max(y)
        {Nx.add(i, 1), n, Nx.broadcast(most, {6}), Nx.broadcast(most, {3})}
      end)
    end)
  end

  test "truths of differences that may cancel", %{port: port} do
    ones = Nx.broadcast(1, {5, 3})
    agrees(port, [ones, ones], fn {x, y} -> Nx.all(Nx.subtract(Nx.exp(Nx.fft(x, axis: 1)), y), axes: [0]) end)
  end

  test "triangular systems of narrow floats", %{port: port} do
    for type <- [:f16, :bf16, :f8] do
      inputs = [Nx.tensor([[2, 0], [1, 2]], type: type), Nx.tensor([1, 3], type: type)]
      agrees(port, inputs, fn {a, b} -> Nx.LinAlg.triangular_solve(a, b) end)
    end
  end

  # In a program of one workgroup: it knows how many lanes a thread has only when it knows where its values are.
  test "a piece that is in reach of some lanes only", %{port: port} do
    [a, b] = [Nx.tensor([1.0]), Nx.tensor([2.0, 3.0])]
    [p, q] = for x <- [0, 1], do: Nx.tensor([x], type: :u8)

    for piece <- [fn a -> a end, fn _ -> Nx.tensor([5.0, 6.0]) end] do
      agrees(port, [a, b, p, q], fn {a, b, p, q} ->
        a = piece.(a)
        {Nx.pad(Nx.concatenate([a, b]), 0.0, [{-Nx.size(a), 0, 0}]), Nx.logical_and(p, q), Nx.sum(b)}
      end)
    end
  end

  test "the sum of a negative zero that is repeated", %{port: port} do
    x = Nx.negate(Nx.tensor([0.0, 1.0]))
    agrees(port, [x], fn {x} -> Nx.sum(Nx.broadcast(x, {2, 3}, axes: [0]), axes: [1]) end)
  end

  test "running products that overflow in a type without infinities", %{port: port} do
    x = Nx.concatenate(for f <- [0.5, 2], do: Nx.broadcast(Nx.tensor(f, type: :f8_e4m3fn), {5000}))
    agrees(port, [x], fn {x} -> Nx.cumulative_product(x) end)
    # what does not overflow is compared
    few = Nx.slice(x, [4998], [6])
    {graph, template} = Serializer.trace(&Nx.cumulative_product(elem(&1, 0)), [{Nx.to_template(few)}])
    found = for last <- [0x48, 0x7E], do: {0.0, [<<0x30, 0x28, 0x30, 0x38, 0x40, last>>]}
    assert {:ok, _, [[%{wrong: nil}], [%{wrong: 5}]]} = Oracle.run(port, graph.json, [few], [template], found)
  end

  test "transforms of which a partial sum overflows", %{port: port} do
    most = 3.4e38
    agrees(port, [Nx.tensor([most, most]), Nx.tensor([0.0, most])], fn {x, y} -> {Nx.ifft(x), Nx.ifft(y)} end)
    # what does not overflow is compared
    for {numbers, wrong} <- [{[0.0, most], 0}, {[most, most], nil}] do
      x = Nx.tensor(numbers)
      {graph, template} = Serializer.trace(&Nx.ifft(elem(&1, 0)), [{Nx.to_template(x)}])
      found = [{0.0, [:binary.copy(<<0x7F800000::32-little>>, 4)]}]
      assert {:ok, _, [[%{wrong: ^wrong}]]} = Oracle.run(port, graph.json, [x], [template], found)
    end
  end

  # LLVM 15 loses the angle of the second one
  test "arcs of what is known to be real", %{port: port} do
    agrees(port, [Nx.tensor([1, 1, 1, 1], type: :s8)], fn {x} ->
      pairs = [padding: :valid, strides: [1]]
      y = Nx.window_scatter_max(x, Nx.window_max(x, {2}, pairs), 0, {2}, pairs)
      Nx.atan(Nx.sign(Nx.as_type(y, :c64)))
    end)
  end

  test "what the bits of a NaN decide", %{port: port} do
    agrees(port, [Nx.tensor([-2.0, 0.0, 0.0])], fn {x} ->
      bits = Nx.bitcast(Nx.concatenate([x, Nx.erf_inv(x)]), :u32)
      most = bits |> Nx.reduce_max() |> Nx.broadcast({2})
      where = most |> Nx.as_type(:s32) |> Nx.bitwise_and(1023) |> Nx.remainder(6)
      Nx.indexed_put(bits, Nx.new_axis(where, 1), most)
    end)
  end

  test "folds of complex products that underflow", %{port: port} do
    {parts, _} = Nx.Random.uniform(Nx.Random.key(7), -0.6, 0.6, shape: {2, 40, 8})
    start = Nx.tensor(Complex.new(1.1754944e-38, 1.1754944e-38), type: :c64)

    agrees(port, [Nx.complex(parts[0], parts[1]), start], fn {x, start} ->
      Nx.reduce(x, start, [axes: [1]], fn a, b -> Nx.multiply(a, b) end)
    end)
  end
end
