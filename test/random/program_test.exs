defmodule Nx.Vulkan.RandomProgramTest do
  use Nx.Vulkan.Test.DeviceCase, async: true
  import Bitwise, only: [<<<: 2]

  alias Nx.Vulkan.Serializer
  alias Nx.Vulkan.Test.Random.{Check, Control, Flaws, Oracle, Program, Runner, Values}

  @moduletag timeout: 1_800_000

  # A minute or so. Other seeds, and more of them: MIX_ENV=test mix run test/random/run.exs
  @seed 1
  @count String.to_integer(System.get_env("RANDOM_PROGRAMS", "300"))

  setup do
    assert Oracle.path(), "the oracle is missing: make test-programs"
    :ok
  end

  test "random programs: device, interpreter and Nx agree" do
    {failures, counts} = Runner.run(@seed, @count, most: 3)

    assert failures == [],
           Enum.map_join(failures, "\n", fn {seed, kind, text} ->
             "seed #{seed}: #{kind}: #{text}\n    MIX_ENV=test mix run test/random/run.exs --seed #{seed} --shrink"
           end)

    assert Runner.vacuous(counts) == []
  end

  test "what makes the comparison say little is a failure" do
    good = %{programs: 1000, over_1000: 50, loose_part: 49.9, vague_part: 99.9, untraceable: 50}
    good = Map.merge(good, %{nx_traced_wrongly: 10, statements: 1000, rejected: 100, nx_by_statement: 400})
    good = Map.merge(good, %{nx_agreed: 710, nx_raised: 190, nx_flawed: 100})
    assert Runner.vacuous(good) == []

    for {key, n} <-
          [loose_part: 51.0, vague_part: 101.0, untraceable: 51, nx_traced_wrongly: 11, rejected: 101] ++
            [nx_by_statement: 401, nx_raised: 220, nx_flawed: 130, over_1000: 49] do
      assert [_] = Runner.vacuous(%{good | key => n}), "#{n} #{key} pass"
    end
  end

  describe "a flaw of Nx excuses" do
    defp mended(function, args, inputs, found, wanted) do
      program = %Program{params: [0], statements: [{[1], Nx, function, args}], results: [1], inputs: inputs}
      [data] = Flaws.mended(program, [Nx.to_binary(found)], [wanted])
      Nx.from_binary(data, wanted.type)
    end

    # the compiler takes lists for equal whose zeros differ in sign
    defp bits(list), do: Nx.from_binary(for(b <- list, into: <<>>, do: <<b::32-native>>), :f32)

    test "the sign of a zero, and no value" do
      [found, wanted] = [bits([1 <<< 31, 1, 1 <<< 31, 0x7FC00000]), bits([0, 2, 1, 0])]
      assert mended(:abs, [{:v, 0}], [wanted], found, wanted) == bits([0, 1, 1 <<< 31, 0x7FC00000])
      assert mended(:negate, [{:v, 0}], [wanted], found, wanted) == found
    end

    test "the sign of an imaginary zero beside an infinite real number" do
      # made of bits, since Nx.complex loses the sign
      [z, found, wanted] =
        for parts <- [[0x3F800000, 1 <<< 31], [0x7F800000, 1 <<< 31], [0x7F800000, 0]],
            do: parts |> bits() |> Nx.to_binary() |> Nx.from_binary(:c64)

      for op <- [:add, :subtract], x <- [:infinity, 1.0, Complex.new(:infinity, 0.0)] do
        inputs = [Nx.tensor([x]), z]
        known? = x == :infinity
        assert mended(op, [{:v, 0}, {:v, 1}], inputs, found, wanted) == if(known?, do: wanted, else: found)
        assert mended(:multiply, [{:v, 0}, {:v, 1}], inputs, found, wanted) == found
      end
    end

    test "the digits that a formula loses, and no more" do
      for {re, lost, more} <- [{0.0, 1.0e-16, 1.0e-14}, {10.0, 1.0e-12, 1.0e-10}],
          {off, known?} <- [{lost, true}, {more, false}] do
        x = Nx.tensor([Complex.new(re, 1.0e-20)], type: :c128)
        wanted = Nx.tensor([Complex.new(0.0, 1.0e-20)], type: :c128)
        found = Nx.tensor([Complex.new(0.0, off)], type: :c128)
        assert mended(:sinh, [{:v, 0}], [x], found, wanted) == if(known?, do: wanted, else: found)
      end

      for {op, x, off, known?} <- [
            {:expm1, 1.0e-9, 1.0e-16, true},
            {:expm1, 1.0e-9, 1.0e-14, false},
            {:log1p, 1.0e-9, 1.0e-16, true},
            {:log1p, 1.0e-9, 1.0e-14, false},
            {:cbrt, 1.0e300, 1.0e86, true},
            {:cbrt, 1.0e300, 1.0e88, false}
          ] do
        x = Nx.tensor([x], type: :f64)

        [wanted, found] =
          for e <- [0.0, off], do: Nx.add(if(op == :cbrt, do: Nx.cbrt(x), else: x), Nx.tensor(e, type: :f64))

        assert mended(op, [{:v, 0}], [x], found, wanted) == if(known?, do: wanted, else: found)
      end

      for {n, off, known?} <- [{15, 1.0e-13, true}, {15, 1.0e-11, false}, {16, 1.0e-13, false}] do
        x = Nx.broadcast(Nx.tensor(1.0, type: :f64), {n})
        wanted = Nx.broadcast(Nx.tensor(Complex.new(0.0), type: :c128), {n})
        found = Nx.add(wanted, off)
        assert mended(:fft, [{:v, 0}, [axis: 0]], [x], found, wanted) == if(known?, do: wanted, else: found)
      end
    end

    test "small parts of transforms that became 0, and no larger ones" do
      x = Nx.tensor([1.0, 0.0])

      for {part, found, known?} <- [
            {0.99e-10, 0.0, true},
            {-0.99e-10, 0.0, true},
            {1.01e-10, 0.0, false},
            {0.99e-10, 1.0e-12, false},
            {0.99e-10, -0.0, false}
          ] do
        [found, wanted] = for im <- [found, part], do: Nx.tensor([1.0, Complex.new(0.0, im)], type: :c64)

        for {op, known?} <- [fft: known?, ifft: known?, negate: false],
            do: assert(mended(op, [{:v, 0}], [x], found, wanted) == if(known?, do: wanted, else: found))
      end
    end

    test "the digits that adding up one by one loses, by the number of terms" do
      for {n, lost, more} <- [{1000, 1.0e-10, 1.2e-10}, {10, 1.0e-14, 2.0e-14}],
          {off, known?} <- [{lost, true}, {-lost, true}, {more, false}, {-more, false}],
          {op, unit} <- [sum: 1.0, mean: 1.0 / n] do
        # the terms cancel, but their magnitudes do not: n u sum |x| is 1.1e-16 n^2
        x =
          Nx.tensor(for(i <- 1..(2 * n), do: if(rem(i, 2) == 0, do: -1.0, else: 1.0)), type: :f64) |> Nx.reshape({2, n})

        wanted = Nx.tensor([0.0, 1.0], type: :f64)
        found = Nx.tensor([off * unit, 1.0], type: :f64)
        args = [{:v, 0}, [axes: [1]]]
        assert mended(op, args, [x], found, wanted) == if(known?, do: wanted, else: found)
        # f32 has no digits to lose
        [x, found, wanted] = Enum.map([x, found, wanted], &Nx.as_type(&1, :f32))
        assert mended(op, args, [x], found, wanted) == found
      end

      x = Nx.tensor([Complex.new(1.0e9, 1.0), Complex.new(-1.0e9, -1.0)], type: :c128)
      wanted = Nx.tensor([Complex.new(0.0, 0.0)], type: :c128)

      for {z, known?} <- [{Complex.new(8.0e-7, 8.0e-16), true}, {Complex.new(0.0, 8.0e-7), false}] do
        found = Nx.tensor([z], type: :c128)
        assert mended(:sum, [{:v, 0}], [x], found, wanted) == if(known?, do: wanted, else: found)
      end
    end

    test "the digits that variances lose, and roots of them" do
      # 1,000 numbers of magnitude 1: the squares lose 1008 u v, and the means, 1004 u apart, (1004 u)^2 twice
      ones = for i <- 1..1000, do: if(rem(i, 2) == 0, do: -1.0, else: 1.0)

      for {numbers, v, cases} <- [
            {ones, 1.0, variance: {1.1e-13, 1.2e-13}, standard_deviation: {1.1e-13, 1.2e-13}},
            {List.duplicate(1.0, 1000), 0.0, variance: {2.4e-26, 2.6e-26}, standard_deviation: {1.6e-13, 1.8e-13}}
          ],
          {op, {lost, more}} <- cases,
          {off, known?} <- [{lost, true}, {more, false}] do
        [x, wanted, found] = Enum.map([numbers, [v], [v + off]], &Nx.tensor(&1, type: :f64))
        assert mended(op, [{:v, 0}], [x], found, wanted) == if(known?, do: wanted, else: found)
      end
    end

    test "what is computed before it is converted" do
      for {op, args, type, flaw?} <- [
            {:clip, [{:v, 0}, 0, 3], :u64, true},
            {:clip, [{:v, 0}, 0, 3], :u32, false},
            {:clip, [{:v, 0}, {:v, 0}, {:v, 0}], :u64, false},
            {:max, [{:v, 0}, 3], :u64, false}
          ] do
        x = Nx.tensor([1 <<< 31], type: type)
        program = %Program{params: [0], statements: [{[1], Nx, op, args}], results: [1], inputs: [x]}
        assert Flaws.flaw(program, [x]) != nil == flaw?, "#{op} of #{type}"
      end
    end

    test "a NaN that is clipped and numbers of eight bits, inside of a function, too" do
      flaw = fn op, args, x ->
        body = {:fn, %Program{params: [1], statements: [{[2], Nx, op, [{:v, 1} | args]}], results: [2]}}
        Flaws.flaw(%Program{statements: [{[3], Control, :each, [{:v, 0}, body]}], results: [3], inputs: [x]}, [x])
      end

      assert flaw.(:clip, [0, 1], Nx.tensor([-1.0]))
      refute flaw.(:add, [1], Nx.tensor([-1.0]))
      assert flaw.(:add, [1], Nx.tensor([-1.0], type: :f8))
    end

    test "means of more elements than the type counts, and integers that it rounds" do
      flaw = fn function, inputs, type ->
        args = for i <- 0..(length(inputs) - 1), do: {:v, i}
        program = %Program{statements: [{[9], Nx, function, args}], results: [9], inputs: inputs}
        Flaws.flaw(program, [Nx.template({}, type)])
      end

      for op <- [:mean, :variance, :standard_deviation],
          {n, type, flaw?} <-
            [{65_520, :f16, true}, {65_519, :f16, false}] ++
              [{65_520, :bf16, false}, {65_520, :f32, false}] do
        assert flaw.(op, [Nx.iota({n}, type: type)], type) != nil == flaw?
      end

      assert flaw.(:remainder, [Nx.tensor(2 ** 24 + 1), Nx.tensor(3.0)], :f32)
      refute flaw.(:remainder, [Nx.tensor(2 ** 24), Nx.tensor(3.0)], :f32)

      assert flaw.(:not_equal, [Nx.tensor(877_750_546), Nx.tensor(877_750_528.0)], :u8)
      assert flaw.(:less_equal, [Nx.tensor(-2049), Nx.tensor(1.0, type: :f16)], :u8)
      refute flaw.(:less_equal, [Nx.tensor(-2048), Nx.tensor(1.0, type: :f16)], :u8)
      refute flaw.(:equal, [Nx.tensor(877_750_546), Nx.tensor(3)], :u8)
    end

    test "folds that cut every step off, and derivatives of windows" do
      flaw = fn module, function, op, x ->
        body = {:fn, %Program{params: [1], statements: [{[2], Nx, op, [{:v, 1}]}], results: [2]}}
        Flaws.flaw(%Program{statements: [{[3], module, function, [{:v, 0}, body]}], results: [3], inputs: [x]}, [x])
      end

      assert flaw.(Nx, :reduce, :negate, Nx.tensor([1.0], type: :bf16)) =~ "cuts"
      refute flaw.(Nx, :reduce, :negate, Nx.tensor([1.0], type: :f16))
      assert flaw.(Control, :gradient, :window_min, Nx.tensor([1.0])) =~ "padding"
      refute flaw.(Control, :gradient, :sin, Nx.tensor([1.0]))
      refute flaw.(Control, :each, :window_min, Nx.tensor([1.0]))
    end
  end

  test "a tanh of an infinity is excused inside of a function, too, and no other" do
    body = {:fn, %Program{params: [1], statements: [{[2], Nx, :tanh, [{:v, 1}]}], results: [2]}}

    flaw = fn x ->
      Flaws.flaw(%Program{statements: [{[3], Control, :each, [{:v, 0}, body]}], results: [3], inputs: [x]}, [x])
    end

    assert flaw.(Nx.tensor([1.0, :neg_infinity]))
    refute flaw.(Nx.tensor([1.0, 2.0]))
  end

  test "bounds of a result of 0 are those of the smallest numbers" do
    port = Oracle.open()
    fun = fn {x} -> Nx.sin(x) end

    for {type, most, more} <- [{:f32, 1.0e-44, 1.0e-43}, {:f64, 4.0e-323, 1.0e-321}] do
      x = Nx.tensor([0.0], type: type)
      {graph, template} = Serializer.trace(fun, [{Nx.to_template(x)}])
      found = for off <- [most, more], do: {0.0, [Nx.to_binary(Nx.tensor([off], type: type))]}
      assert {:ok, _, [[%{wrong: nil}], [%{wrong: 0}]]} = Oracle.run(port, graph.json, [x], [template], found)
    end

    Port.close(port)
  end

  test "a gradient inside one by a literal, which Nx cannot trace, is not a failure" do
    inner = %Program{params: [4], statements: [{[5], Nx, :multiply, [{:v, 3}, {:v, 4}]}], results: [5]}
    inner = [{[3], Nx, :exp, [{:v, 2}]}, {[6], Control, :gradient, [{:v, 2}, {:fn, inner}]}]
    outer = {:fn, %Program{params: [2], statements: inner, results: [6]}}
    literal = {[1], Values, :literal, [<<1.0::float-64-native>>, {:f, 64}]}
    program = %Program{statements: [literal, {[7], Control, :gradient, [{:v, 1}, outer]}], results: [7]}

    assert_raise KeyError, fn -> Nx.Defn.jit_apply(Program.fun(program), [{}], compiler: Nx.Defn.Evaluator) end
    port = Oracle.open()
    assert Check.run(program, port) == {:ok, %{untraceable: 1}}
    Port.close(port)
  end

  # The smallest programs that failed once, each for another reason.
  describe "found:" do
    setup do
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
end
