defmodule Nx.Vulkan.SerializerTest do
  use ExUnit.Case, async: true

  import Nx.Defn
  import Nx.Vulkan.Test.Graph, except: [of: 2]

  alias Nx.Vulkan.Serializer
  alias Nx.Vulkan.Test.Graph

  defp f32(shape), do: Nx.template(shape, :f32)
  defp t(shape, type), do: Nx.template(shape, type)

  describe "the whole" do
    test "is what the compiler's README shows" do
      {graph, template} =
        Serializer.trace(fn x -> Nx.sum(Nx.multiply(x, 2)) end, [f32({3})], name: "sum", input_names: ["x"])

      assert IO.iodata_to_binary(graph.json) ==
               ~s({"schema":"nx.vulkan.graph/1","nx":"#{Application.spec(:nx, :vsn)}","producer":"nx_vulkan 0.1.0","name":"sum",) <>
                 ~s("entry":0,"funcs":[{"params":[{"type":"f32","shape":[3],"name":"x"}],"nodes":[) <>
                 ~s({"id":0,"op":"parameter","ins":[],"outs":[{"type":"f32","shape":[3]}],"attrs":{"index":0}},) <>
                 ~s({"id":1,"op":"constant","ins":[],"outs":[{"type":"f32","shape":[3]}],"attrs":{"bits":"40000000"}},) <>
                 ~s({"id":2,"op":"multiply","ins":[[1,0],[0,0]],"outs":[{"type":"f32","shape":[3]}]},) <>
                 ~s({"id":3,"op":"sum","ins":[[2,0]],"outs":[{"type":"f32","shape":[]}],"attrs":{"axes":[0],"keep":false}}],) <>
                 ~s("results":[[3,0]]}],"literals":[],"donations":[],"callbacks":0})

      assert template.shape == {}
      assert graph.used == [0]
    end

    test "has the function's name where it is given none" do
      {graph, _} = Serializer.trace(&Nx.sin/1, [f32({})])
      assert JSON.decode!(IO.iodata_to_binary(graph.json))["name"] == "Nx.sin/1"
    end

    test "is the same for the same function, whatever it is called" do
      fun = fn x, y -> Nx.Random.uniform(x, shape: {3}) |> elem(0) |> Nx.add(y) |> Nx.LinAlg.norm() end
      args = [t({2}, :u32), f32({3})]
      {first, _} = Serializer.trace(fun, args)
      {second, _} = Serializer.trace(fun, args)
      {named, _} = Serializer.trace(fun, args, name: "another", input_names: ["key"])
      assert IO.iodata_to_binary(first.json) == IO.iodata_to_binary(second.json)
      assert first.digest == named.digest
      assert first.json != named.json
    end

    test "says where nodes come from, if metadata does" do
      fun = fn x, layer -> Nx.Defn.Expr.metadata(Nx.exp(Nx.sin(x)), layer) |> Nx.add(1) end
      layer = %{axon_layer: :dense}
      {graph, _} = Serializer.trace(&fun.(&1, layer), [f32({2})])
      nodes = nodes(decode(IO.iodata_to_binary(graph.json)))

      assert ["axon :dense", "axon :dense", nil] ==
               for(%{"op" => op} = n <- nodes, op in ["sin", "exp", "add"], do: n["loc"])

      {plain, _} = Serializer.trace(&fun.(&1, %{}), [f32({2})])
      assert plain.digest == graph.digest
    end

    test "is written with the same bytes every time, whatever its strings hold" do
      json = &IO.iodata_to_binary(Nx.Vulkan.Serializer.JSON.encode(&1))
      assert json.({:object, b: 1, a: [true, false, -2], c: {:object, []}}) == ~s({"b":1,"a":[true,false,-2],"c":{}})
      assert json.([]) == "[]"
      assert json.({:base64, <<0, 255>>}) == ~s("AP8=")
      assert json.("a b~") == ~s("a b~")
      assert json.(~S(a"b\c)) == ~S("a\"b\\c")
      assert json.("\n\x01\x1F\x7Fé€") == ~S("\u000A\u0001\u001F\u007Fé€")
      assert Graph.of(&Nx.sin/1, [f32({2})], name: "a\"b\n")["funcs"] |> length() == 1
    end

    test "matches the JSON Schema" do
      schema = Path.expand("../compiler/import/graph.schema.json", __DIR__)

      check =
        "import json,sys,jsonschema\ns=json.load(open(sys.argv[1]))\nfor p in sys.argv[2:]: jsonschema.validate(json.load(open(p)),s)"

      {_, status} = System.cmd("python3", ["-c", "import jsonschema"], stderr_to_stdout: true)

      if status == 0 and File.exists?(schema) do
        graphs =
          for path <- Path.wildcard(Path.expand("graphs/*.json", __DIR__)), File.stat!(path).size < 15_000, do: path

        {output, status} = System.cmd("python3", ["-W", "ignore", "-c", check, schema | graphs], stderr_to_stdout: true)
        assert status == 0, output
      else
        IO.puts("\nNOT CHECKED against the JSON Schema: it or python3-jsonschema is missing")
      end
    end

    test "of recorded graphs has not changed" do
      sigmoid = File.read!(Path.expand("graphs/sigmoid4.json", __DIR__))
      {graph, _} = Serializer.trace(&Nx.sigmoid/1, [f32({4})], name: "sigmoid4")
      assert IO.iodata_to_binary(graph.json) <> "\n" == sigmoid
    end

    test "of a deep graph takes no deep recursion and makes each node once" do
      fun = fn x -> Enum.reduce(1..5000, x, fn _, acc -> Nx.sin(Nx.add(acc, acc)) end) end
      graph = Graph.of(fun, [f32({4})])
      assert length(ops(graph)) == 10_000
    end

    test "leaves out what nobody reads" do
      graph = Graph.of(fn x, _unused, z -> {Nx.add(x, z), x} end, [f32({2}), f32({3}), f32({2})])
      assert [0, 2] == for(%{"op" => "parameter", "attrs" => %{"index" => i}} <- nodes(graph), do: i)
      assert length(hd(graph["funcs"])["params"]) == 3
    end

    test "an input as output, one output twice, constants as outputs" do
      graph = Graph.of(fn x -> {x, x, Nx.tensor(1.0), Nx.tensor([1, 2])} end, [f32({2})])
      assert [[p, 0], [p, 0], [c, 0], [l, 0]] = hd(graph["funcs"])["results"]
      assert ["parameter", "constant", "literal"] == Enum.map([p, c, l], &Enum.at(nodes(graph), &1)["op"])
    end
  end

  describe "types and shapes" do
    test "arithmetic takes the result's type" do
      graph = Graph.of(&Nx.add/2, [t({2, 3}, :u8), t({3}, :s16)])
      add = node(graph, "add")
      assert input(graph, add, 0) == {"s16", [2, 3]}
      assert input(graph, add, 1) == {"s16", [2, 3]}
      assert ["as_type", "broadcast", "add"] == ops(graph)
    end

    test "a broadcast to the shape that is there is no node" do
      assert ["add"] == ops(Graph.of(&Nx.add/2, [f32({2, 3}), f32({2, 3})]))
      assert ["broadcast", "add"] == ops(Graph.of(&Nx.add/2, [f32({2, 3}), f32({1, 3})]))
      assert ["negate"] == ops(Graph.of(fn x -> Nx.negate(Nx.broadcast(x, {2, 3})) end, [f32({2, 3})]))
    end

    test "float functions take integers as floats" do
      graph = Graph.of(&Nx.exp/1, [t({2}, :s64)])
      assert ["as_type", "exp"] == ops(graph)
    end

    test "comparisons merge, also of u64 and signed" do
      graph = Graph.of(&Nx.less/2, [t({2}, :u8), t({2}, :s8)])
      assert input(graph, node(graph, "less"), 0) == {"s16", [2]}

      assert ["as_type", "less", "greater_equal", "logical_and"] ==
               ops(Graph.of(&Nx.less/2, [t({2}, :u64), t({2}, :s32)]))

      assert ["as_type", "less", "less", "logical_or"] ==
               ops(Graph.of(&Nx.less/2, [t({2}, :s32), t({2}, :u64)])) |> swap_mirrored()

      # a literal that is not negative is a u64
      for number <- [0, 1, 5], do: assert(["less"] == ops(Graph.of(&Nx.less(&1, number), [t({2}, :u64)])))
    end

    # a signed operand on the left turns the comparison round
    defp swap_mirrored(["as_type", "greater" | rest]), do: ["as_type", "less" | rest]
    defp swap_mirrored(other), do: other

    test "logical ops and predicates keep their types" do
      graph = Graph.of(&Nx.logical_and/2, [f32({2}), t({}, :s64)])
      assert ["broadcast", "logical_and"] == ops(graph)

      graph = Graph.of(&Nx.select/3, [t({}, :s64), f32({2}), t({2}, :s32)])
      select = node(graph, "select")
      assert [{"s64", [2]}, {"f32", [2]}, {"f32", [2]}] == for(i <- 0..2, do: input(graph, select, i))
    end

    test "sums widen, windows do not" do
      assert ["as_type", "sum"] == ops(Graph.of(&Nx.sum/1, [t({2}, :u8)]))
      assert ["window_sum"] == ops(Graph.of(&Nx.window_sum(&1, {2}), [t({4}, :u8)]))
      assert ["all"] == ops(Graph.of(&Nx.all/1, [t({2}, :f16)]))
    end

    test "constants take the type that is needed" do
      constant = fn graph -> Enum.find(nodes(graph), &(&1["op"] == "constant")) end
      assert constant.(Graph.of(fn x -> Nx.add(x, 1) end, [t({2}, :bf16)]))["attrs"]["bits"] == "3f80"
      # the float of Elixir is rounded once, from 64 bits
      assert constant.(Graph.of(fn x -> Nx.add(x, 0.1) end, [t({2}, :f64)]))["attrs"]["bits"] == "3fb999999999999a"
      # an s32 literal that does not fit wraps like the tensor it would be
      assert constant.(Graph.of(fn x -> Nx.as_type(Nx.add(x, 300), :u8) end, [t({2}, :u8)]))["attrs"]["bits"] == "012c"
    end

    test "minus zero is not zero" do
      # the expressions of the two share an id on Erlang/OTP before 27
      graph = Graph.of(fn -> {Nx.Constants.neg_infinity(), Nx.tensor(-0.0), Nx.tensor(0.0)} end, [])

      assert ["ff800000", "80000000", "00000000"] ==
               for(%{"op" => "constant", "attrs" => %{"bits" => bits}} <- nodes(graph), do: bits)
    end

    test "vectorized tensors have their axes in front" do
      fun = fn x, y -> Nx.dot(x, y) end
      x = Nx.vectorize(Nx.template({5, 3}, :f32), :a)
      graph = Graph.of(fun, [x, f32({3})])
      assert [%{"shape" => [5, 3]}, %{"shape" => [3]}] = hd(graph["funcs"])["params"]
    end

    test "literals are shared by value and have a digest" do
      graph = Graph.of(fn x -> Nx.add(Nx.add(x, Nx.tensor([1.0, 2.0])), Nx.exp(Nx.tensor([1.0, 2.0]))) end, [f32({2})])
      assert [%{"type" => "f32", "shape" => [2], "sha256" => digest, "base64" => base64}] = graph["literals"]
      data = Base.decode64!(base64)
      assert data == <<1.0::float-32-little, 2.0::float-32-little>>
      assert digest == Base.encode16(:crypto.hash(:sha256, data), case: :lower)
    end

    test "literals may lie in a sidecar, each once" do
      long = Nx.iota({3}, backend: Nx.BinaryBackend)
      fun = fn x -> Nx.add(Nx.add(x, long), Nx.multiply(Nx.exp(Nx.tensor([1.0, 2.0, 3.0])), long)) end
      {graph, _} = Serializer.trace(fun, [f32({3})], sidecar: true)
      sidecar = IO.iodata_to_binary(graph.sidecar)
      assert byte_size(sidecar) == 24

      for %{"offset" => at, "bytes" => bytes, "sha256" => digest} <- decode(IO.iodata_to_binary(graph.json))["literals"] do
        assert digest == Base.encode16(:crypto.hash(:sha256, binary_part(sidecar, at, bytes)), case: :lower)
      end

      {inline, _} = Serializer.trace(fun, [f32({3})])
      assert {inline.digest, inline.sidecar} == {graph.digest, []}
    end

    test "literals of which a byte is missing are refused" do
      for missing <- [1, 2, 8, 16] do
        constant = %{f32({4}) | data: %Nx.BinaryBackend{state: <<0::size((16 - missing) * 8)>>}}
        trace = fn -> Serializer.trace(&Nx.multiply(&1, constant), [f32({})]) end
        assert_raise Nx.Vulkan.CompileError, ~r/a constant of type \{:f, 32\} and shape \{4\} has no data/, trace
      end
    end

    test "literals under eight bits have a byte an element" do
      graph = Graph.of(fn -> Nx.tensor([1, -1, 3], type: :s4) end, [])
      assert [%{"type" => "s4", "shape" => [3], "base64" => base64}] = graph["literals"]
      assert Base.decode64!(base64) == <<1, 255, 3>>
    end
  end

  describe "attributes" do
    test "axes are sorted and complete" do
      assert node(Graph.of(&Nx.sum(&1, axes: [1, 0]), [f32({2, 3, 4})]), "sum")["attrs"] == %{
               "axes" => [0, 1],
               "keep" => false
             }

      assert node(Graph.of(&Nx.any/1, [f32({2, 3})]), "any")["attrs"]["axes"] == [0, 1]

      assert node(Graph.of(&Nx.argmax(&1, tie_break: :high), [f32({2, 3})]), "argmax")["attrs"] ==
               %{"axis" => -1, "tie_break" => "high", "keep" => false}
    end

    test "slices with fixed and with computed starts" do
      graph = Graph.of(&Nx.slice(&1, [1, 0], [2, 3], strides: [1, 2]), [f32({4, 4})])
      assert node(graph, "slice")["attrs"] == %{"starts" => [1, 0], "lengths" => [2, 3], "strides" => [1, 2]}

      for {start, first} <- [{-3, 0}, {2, 2}, {3, 2}, {4, 2}, {9, 2}, {2 ** 40, 2}] do
        graph = Graph.of(&Nx.slice(&1, [Nx.tensor(start, type: :s64)], [3], strides: [2]), [f32({5})])
        assert node(graph, "slice")["attrs"] == %{"starts" => [first], "lengths" => [3], "strides" => [2]}
      end

      graph = Graph.of(fn x, i -> Nx.slice(x, [i, 0], [2, 4]) end, [f32({4, 4}), t({}, :s64)])
      assert length(node(graph, "dynamic_slice")["ins"]) == 3

      graph = Graph.of(fn x, y -> Nx.put_slice(x, [1, 2], y) end, [f32({4, 4}), f32({2, 2})])
      assert length(node(graph, "put_slice")["ins"]) == 4
    end

    test "windows, padding, contractions" do
      graph = Graph.of(&Nx.window_max(&1, {2, 1}, padding: :same, strides: [2, 1]), [f32({4, 4})])

      assert node(graph, "window_max")["attrs"] ==
               %{"window" => [2, 1], "strides" => [2, 1], "lo" => [0, 0], "hi" => [1, 0], "dilations" => [1, 1]}

      graph = Graph.of(&Nx.pad(&1, 0, [{1, -1, 2}, {0, 0, 0}]), [f32({4, 4})])
      assert node(graph, "pad")["attrs"] == %{"lo" => [1, 0], "hi" => [-1, 0], "interior" => [2, 0]}

      graph = Graph.of(&Nx.dot(&1, [2], [0], &2, [1], [0]), [f32({2, 3, 4}), f32({2, 4, 5})])

      assert node(graph, "dot")["attrs"] ==
               %{"contract_a" => [2], "batch_a" => [0], "contract_b" => [1], "batch_b" => [0]}

      graph = Graph.of(&Nx.conv(&1, &2, padding: :same, strides: [2, 2]), [f32({1, 3, 8, 8}), f32({4, 3, 3, 3})])

      assert %{"strides" => [2, 2], "lo" => [1, 1], "hi" => [1, 1], "feature_groups" => 1} =
               node(graph, "conv")["attrs"]
    end

    test "sort, transform, triangular solve" do
      assert node(Graph.of(&Nx.sort(&1, axis: 0, direction: :desc), [f32({4, 4})]), "sort")["attrs"] ==
               %{"axis" => 0, "descending" => true, "stable" => false}

      assert ["as_type", "fft"] == ops(Graph.of(&Nx.fft(&1, length: 8), [f32({4})]))

      solve = &Nx.LinAlg.triangular_solve(&1, &2, transform_a: :conjugate)
      assert ["conjugate", "triangular_solve"] == ops(Graph.of(solve, [t({2, 2}, :c64), t({2}, :c64)]))
      assert ["triangular_solve"] == ops(Graph.of(solve, [f32({2, 2}), f32({2})]))
    end

    test "blocks have their name, plain options and expansion" do
      graph = Graph.of(&Nx.cumulative_sum(&1, axis: 1), [f32({2, 8})])
      assert node(graph, "block")["attrs"] == %{"name" => "CumulativeSum", "options" => "axis=1;reverse=false"}
      assert [1] == node(graph, "block")["regions"]

      assert Graph.of(&Nx.LinAlg.svd/1, [f32({3, 2})]) |> nodes() |> List.last() |> get_in(["attrs", "name"]) ==
               "LinAlg.SVD"
    end
  end

  describe "control flow" do
    defn count(x, n) do
      {x, _, _} = while({x, i = 0, n}, i < n, do: {x * 2, i + 1, n})
      x
    end

    test "while: condition and body over the carried values" do
      graph = Graph.of(&count/2, [f32({2}), t({}, :s32)])
      assert %{"ins" => [_, _, _], "outs" => [_, _, _], "regions" => [1, 2]} = node(graph, "while")
      assert ["less"] == ops(graph, 1)
      assert length(Enum.at(graph["funcs"], 2)["results"]) == 3
    end

    defn branch(p, x) do
      both = Nx.sin(x)
      only_first = Nx.cos(x)
      if p, do: both + only_first, else: both - 1
    end

    test "cond: what one branch alone needs is in it, what both need is outside" do
      graph = Graph.of(&branch/2, [t({}, :u8), f32({2})])
      assert ["sin", "cond"] == ops(graph)
      assert [] == ops(graph, 1)
      assert ["cos", "add"] == ops(graph, 2)
      assert ["subtract"] == ops(graph, 3)
      # predicate, both, x
      assert length(node(graph, "cond")["ins"]) == 3
    end

    defn clauses(a, x) do
      cond do
        a > 2 -> Nx.sin(x)
        Nx.exp(a) > 1 -> Nx.cos(x)
        true -> 0.0
      end
    end

    test "cond: later predicates are evaluated only when the earlier fail" do
      graph = Graph.of(&clauses/2, [f32({}), f32({2})])
      assert ["greater", "cond"] == ops(graph)
      assert ["exp", "greater", "cond"] == ops(graph, 3)
    end

    test "a chain of conds stays a chain" do
      fun = fn x ->
        Enum.reduce(1..60, x, fn _, x ->
          Nx.Defn.Expr.cond([{Nx.greater(x, 0), Nx.add(x, 1)}], Nx.subtract(x, 1))
        end)
      end

      graph = Graph.of(fun, [f32({})])
      assert length(graph["funcs"]) == 181
    end

    test "reduce: a function of element and accumulator in the result's type" do
      graph = Graph.of(fn x -> Nx.reduce(x, 0, [axes: [1]], fn a, b -> Nx.max(a, b) end) end, [t({2, 3}, :u8)])
      assert node(graph, "reduce")["attrs"] == %{"axes" => [1], "keep" => false}
      assert ["max"] == ops(graph, 1)
      assert [%{"type" => "u8", "shape" => []}, _] = Enum.at(graph["funcs"], 1)["params"]
    end

    test "a block sees its arguments only" do
      graph = Graph.of(fn a, b -> Nx.LinAlg.solve(Nx.add(a, 1), b) end, [f32({2, 2}), f32({2})])
      [block] = for %{"op" => "block"} = block <- nodes(graph), do: block
      [region] = block["regions"]

      assert [0, 1] ==
               for(%{"op" => "parameter", "attrs" => %{"index" => i}} <- nodes(graph, region), do: i) |> Enum.sort()
    end
  end

  describe "effects" do
    defn(named(x), do: hook(x + 1, :watched))

    test "a hook without a callback is nothing" do
      assert ["add"] == ops(Graph.of(&named/1, [f32({})]))
    end

    test "a hook with one hands over its values and passes them on" do
      {graph, _} = Serializer.trace(&named/1, [f32({})], hooks: MapSet.new([:watched]))
      assert [{:hook, {:named, :watched, nil}, %Nx.Tensor{}}] = graph.callbacks
      graph = decode(IO.iodata_to_binary(graph.json))
      assert graph["callbacks"] == 1
      assert node(graph, "hook")["attrs"] == %{"callback" => 0, "seq" => 0, "hooked" => 1}
    end

    # what hook_token/4 and attach_token/2 do
    def tokens(x) do
      {token, _} = Nx.Defn.Expr.add_hook(Nx.Defn.Token.new(), Nx.multiply(x, 2), :first, &Function.identity/1)
      {token, _} = Nx.Defn.Expr.add_hook(token, Nx.multiply(x, 3), :second, &Function.identity/1)
      Nx.Defn.Expr.attach_token(token, Nx.add(x, 1))
    end

    test "tokens keep the order of the program" do
      {graph, _} = Serializer.trace(&tokens/1, [f32({})])
      assert [{:hook, {:named, :first, _}, _}, {:hook, {:named, :second, _}, _}] = graph.callbacks
    end

    defn independent(a, b, c) do
      a = hook(a, :a)
      b = hook(b, :b)
      c = hook(c, :c)
      a + c + b
    end

    test "independent hooks keep the order of the program" do
      {graph, _} = Serializer.trace(&independent/3, List.duplicate(f32({}), 3), hooks: MapSet.new([:a, :b, :c]))
      assert [:a, :b, :c] == for({:hook, {:named, name, _}, _} <- graph.callbacks, do: name)
      hooks = for %{"op" => "hook", "attrs" => attrs} <- nodes(decode(IO.iodata_to_binary(graph.json))), do: attrs
      assert [{0, 0}, {1, 1}, {2, 2}] == hooks |> Enum.map(&{&1["callback"], &1["seq"]}) |> Enum.sort()
    end

    # The order of references is that of their numbers, not of their digits; those of another run come where what they
    # read has come. What traces here is as if it had made just these.
    test "independent hooks keep the order of the program, whatever the ids of nodes" do
      fun = fn a, b, c -> independent(Nx.sin(a), Nx.cos(b), Nx.tan(c)) end
      templates = List.duplicate(f32({}), 3)
      expr = Nx.Defn.debug_expr_apply(fun, templates)
      ids = expr |> references() |> Enum.uniq() |> Enum.sort()
      assert length(ids) > 6
      # which thread of the virtual machine made it: not any number is one
      [_, _, thread, _] = ids |> hd() |> :erlang.ref_to_list() |> to_string() |> String.split(".")

      for first <- [1, 4, 7, 96, 99_995], runs <- [1, 2, 3] do
        # equal parts of the nodes are runs; later ones have other references, not always greater
        size = ceil(length(ids) / runs)

        names =
          for {id, i} <- Enum.with_index(ids), into: %{} do
            run = Enum.at([5, 10, 4], div(i, size))
            {id, :erlang.list_to_ref(~c"#Ref<0.#{run}.#{thread}.#{first + i}>")}
          end

        graph = Serializer.graph(renamed(expr, names), templates, hooks: MapSet.new([:a, :b, :c]))
        order = for {:hook, {:named, name, _}, _} <- graph.callbacks, do: name
        assert order == [:a, :b, :c], "from #{first}, #{runs} runs: #{inspect(order)}"
      end
    end

    defp references(term) when is_reference(term), do: [term]
    defp references(list) when is_list(list), do: Enum.flat_map(list, &references/1)
    defp references(tuple) when is_tuple(tuple), do: tuple |> Tuple.to_list() |> references()
    defp references(map) when is_map(map), do: map |> Map.to_list() |> references()
    defp references(_), do: []

    defp renamed(term, names) when is_reference(term), do: Map.fetch!(names, term)
    defp renamed([head | tail], names), do: [renamed(head, names) | renamed(tail, names)]
    defp renamed(tuple, names) when is_tuple(tuple), do: tuple |> Tuple.to_list() |> renamed(names) |> List.to_tuple()
    defp renamed(map, names) when is_map(map), do: :maps.map(fn _, value -> renamed(value, names) end, map)
    defp renamed(other, _), do: other

    defn two_loops(x, y, seen) do
      {a, _} = while({x, i = 0}, i < 3, do: {x * 2, i + 1})
      {b, _} = while({y, i = 0}, i < 3, do: {y + 1, i + 1})
      {b, a, hook(seen, :seen)}
    end

    # a loop that calls nobody may run whenever it is read
    test "what calls nobody is made where it is read first" do
      {graph, _} = Serializer.trace(&two_loops/3, [f32({2}), f32({3}), f32({})], hooks: MapSet.new([:seen]))
      graph = decode(IO.iodata_to_binary(graph.json))
      loops = for %{"op" => "while", "outs" => [%{"shape" => shape} | _]} <- nodes(graph), do: shape
      assert loops == [[3], [2]]
    end

    def double(t, _opts), do: Nx.multiply(t, 2)
    defn(calls(x), do: Nx.runtime_call(x, x, [scale: 2], &__MODULE__.double/2))

    test "runtime calls have the types of their template" do
      {graph, _} = Serializer.trace(&calls/1, [f32({3})])
      assert [{:call, fun, [scale: 2], _, _}] = graph.callbacks
      assert fun == (&__MODULE__.double/2)

      assert %{"outs" => [%{"type" => "f32", "shape" => [3]}]} =
               node(decode(IO.iodata_to_binary(graph.json)), "runtime_call")
    end
  end

  describe "donations" do
    test "go to the first free output of the type and shape" do
      fun = fn {a, b}, x -> {{Nx.add(b, x), Nx.add(a, x)}, Nx.sum(x)} end
      args = [{f32({2}), f32({2})}, f32({2})]

      assert Graph.of(fun, args, donate: [0])["donations"] == [
               %{"input" => 0, "output" => 0},
               %{"input" => 1, "output" => 1}
             ]

      assert Graph.of(fun, args, donate: [{1, 0}])["donations"] == [%{"input" => 1, "output" => 0}]
      assert Graph.of(fun, args, donate: [0, 1])["donations"] |> length() == 2
    end

    test "pass over outputs of another shape or type" do
      fun = fn a, b -> {Nx.sum(a), Nx.as_type(a, :s32), Nx.concatenate([a, b]), Nx.multiply(a, b)} end
      assert Graph.of(fun, [f32({2}), f32({2})], donate: [0])["donations"] == [%{"input" => 0, "output" => 3}]
      assert Graph.of(&Nx.sum(&1, axes: [0]), [f32({2, 2})], donate: [0])["donations"] == []
      assert Graph.of(&Nx.as_type(&1, :s32), [f32({2})], donate: [0])["donations"] == []
    end

    test "that cannot be are refused" do
      assert_raise ArgumentError, ~r/cannot donate argument 3/, fn -> Graph.of(&Nx.exp/1, [f32({2})], donate: [3]) end
      assert_raise ArgumentError, ~r/out of range/, fn -> Graph.of(&Nx.exp/1, [f32({2})], donate: [{0, 4}]) end
    end
  end

  test "functions with expressions in their environment are keyed by the expressions' ids" do
    expr = Nx.Defn.debug_expr_apply(fn x -> Enum.reduce(1..100, x, fn _, x -> Nx.add(x, x) end) end, [f32({})])
    key = Nx.Vulkan.FunKey.normalize(fn _ -> expr end)
    assert {:expression, _, {:f, 32}, {}, [], []} = key |> elem(3) |> hd()
    assert :erlang.external_size(key) < 1000
  end
end
