defmodule Nx.Vulkan.RandomProgramTest do
  use Nx.Vulkan.Test.DeviceCase, async: true
  import Bitwise, only: [<<<: 2]

  alias Nx.Vulkan.{Cache, Serializer}
  alias Nx.Vulkan.Test.Random.{Check, Control, Flaws, Oracle, Program, Runner, Values}

  @moduletag timeout: 1_800_000

  # A minute or so. Other seeds, and more of them: MIX_ENV=test mix run test/random/run.exs
  @seed 1
  @count String.to_integer(System.get_env("RANDOM_PROGRAMS", "120"))

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

  test "a program is forgotten once it has run, and what others compiled with its options is not" do
    port = Oracle.open()
    on_exit(fn -> if Port.info(port), do: Port.close(port) end)
    opts = [cache_dir: false, threads: 1]
    {theirs, ours} = {fn {x} -> Nx.add(x, 0.4375) end, fn {x} -> Nx.subtract(x, 0.4375) end}
    x = Nx.tensor([1.0])
    Nx.Defn.jit_apply(theirs, [{x}], [compiler: Nx.Vulkan.Compiler] ++ opts)
    assert Check.device_agrees(ours, [x], port) == :ok
    compiled = for {{:compiled, fun, _, _, ^opts, _}, program} <- Cache.all(), into: %{}, do: {fun, program.ref}
    assert is_map_key(compiled, theirs)
    refute is_map_key(compiled, ours)
    refs = for {{:program, _, _, _}, ref} <- Cache.all(), do: ref
    assert compiled[theirs] in refs
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

  test "a device may take subnormal numbers for 0 where it does not promise otherwise" do
    fun = fn {x, y} -> Nx.dot(x, y) end
    inputs = [Nx.tensor([1.0e-30, 0.0]), Nx.tensor([1.0e-10, 1.0])]
    {graph, template} = Serializer.trace(fun, [List.to_tuple(Enum.map(inputs, &Nx.to_template/1))])

    for {features, wrong} <- [{[:f64], nil}, {[:f64, :denorm32], 0}, {[:szinfnan32], 0}] do
      port = Oracle.open(features)
      zero = Nx.to_binary(Nx.tensor(0.0))
      assert {:ok, _, [[%{wrong: ^wrong}]]} = Oracle.run(port, graph.json, inputs, [template], [{0.0, [zero]}])
      Port.close(port)
    end
  end

  test "the last bits of a rounded number may be those of any value within its bound, and of no other" do
    port = Oracle.open()
    x = Nx.tensor([0.4142135])
    bits = Nx.exp(x) |> Nx.bitcast(:u32) |> Nx.to_flat_list() |> hd()

    for {off, wrong} <- [{-1, nil}, {1, nil}, {5, 0}] do
      fun = fn {x} -> Nx.equal(Nx.bitcast(Nx.exp(x), :u32), Nx.u32(bits + off)) end
      {graph, template} = Serializer.trace(fun, [{Nx.to_template(x)}])
      assert {:ok, _, [[%{wrong: ^wrong}]]} = Oracle.run(port, graph.json, [x], [template], [{0.0, [<<1>>]}])
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

  test "a program that was compared is not kept" do
    literal = {[1], Values, :literal, [<<0.4142135::float-64-native>>, {:f, 64}]}
    program = %Program{statements: [literal, {[2], Nx, :exp, [{:v, 1}]}], results: [2]}
    {graph, _} = Serializer.trace(Program.fun(program), [{}])
    kept = fn -> for {{:program, _, digest, _}, _} <- Cache.all(), digest == graph.digest, do: digest end

    port = Oracle.open()
    assert {:ok, _} = Check.run(program, port)
    Port.close(port)
    assert kept.() == []
    Nx.Defn.jit_apply(Program.fun(program), [{}], compiler: Nx.Vulkan.Compiler)
    assert kept.() == [graph.digest]
  end
end
