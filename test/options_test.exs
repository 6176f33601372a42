defmodule Nx.Vulkan.OptionsTest do
  use ExUnit.Case, async: true

  alias Nx.Vulkan.{Bundle, Device, Donation, Options}

  @default %{fast_math: false, fusion: true, skip_passes: "", dump_dir: "", threads: 0, explain: "", donate: []}

  test "a relative home is not a place for a cache" do
    code = "IO.write(inspect(Nx.Vulkan.Options.default_cache()))"

    for {home, wanted} <- [{"relative", ~s("")}, {"/there", ~s("/there/.cache/nx_vulkan")}] do
      paths = Enum.flat_map(:code.get_path(), &["-pa", to_string(&1)])
      environment = [{"HOME", home}, {"XDG_CACHE_HOME", nil}]
      {found, 0} = System.cmd("elixir", paths ++ ["-e", code], env: environment)
      assert found == wanted
    end
  end

  test "every option takes what it should, and it alone changes" do
    for {key, given, kept} <- [
          {:device, 0, 0},
          {:device, "llvm", "llvm"},
          {:device, nil, nil},
          {:donate, [], []},
          {:donate, [0, {1, 2}], [0, {1, 2}]},
          {:hooks, %{a: nil}, %{a: nil}},
          {:fast_math, true, true},
          {:fusion, false, false},
          {:cache_dir, "somewhere", "somewhere"},
          {:cache_dir, false, ""},
          {:cache_dir, nil, Options.default_cache()},
          {:target, "cpu = true", "cpu = true"},
          {:also, "nvidia", "nvidia"},
          {:skip_passes, ["cse", "views"], "cse,views"},
          {:skip_passes, "cse", "cse"},
          {:dump_dir, "d", "d"},
          {:explain, "n1", "n1"},
          {:threads, 0, 0},
          {:threads, 3, 3},
          {:name, "f", "f"},
          {:precision, :highest, :highest}
        ] do
      default = Options.new([])
      assert Options.new([{key, given}]) == Map.put(default, key, kept), "#{key}: #{inspect(given)}"
    end

    assert Map.take(Options.new([]), Map.keys(@default)) == @default
    # as test_helper.exs configures the application
    assert Options.new([]).cache_dir == ""
    # checked, and of no consequence
    for opts <- [[precision: :default], [max_concurrency: 0], [max_concurrency: 2]],
        do: assert(Options.new(opts) == Options.new([]))
  end

  test "every option refuses what it should, and says what it wants" do
    for {key, given, wanted} <- [
          {:device, -1, "an index, a part of a name, or nil"},
          {:device, 1.0, "an index, a part of a name, or nil"},
          {:device, :gpu, "an index, a part of a name, or nil"},
          {:donate, 0, "a list of argument positions"},
          {:donate, [-1], "a list of argument positions"},
          {:donate, [{0, :a}], "a list of argument positions"},
          {:donate, [{:a, 0}], "a list of argument positions"},
          {:donate, [:params], "a list of argument positions"},
          {:hooks, [a: nil], "a map"},
          {:fast_math, nil, "true or false"},
          {:fusion, 1, "true or false"},
          {:cache_dir, true, "a string"},
          {:dump_dir, nil, "a string"},
          {:target, :nvidia, "a string"},
          {:also, :nvidia, "a string"},
          {:explain, 1, "a string"},
          {:skip_passes, :cse, "a list of pass names"},
          {:threads, -1, "a count"},
          {:threads, 1.0, "a count"},
          {:max_concurrency, -1, "a count"},
          {:max_concurrency, nil, "a count"},
          {:name, :f, "a string"},
          {:precision, :low, ":default or :highest"},
          {:progress, true, "a function of one argument"}
        ] do
      message = assert_raise(ArgumentError, fn -> Options.new([{key, given}]) end).message
      assert message =~ "option #{inspect(key)} must be #{wanted}"
      assert message =~ "got: #{inspect(given)}"
    end
  end

  test "what looks like a misspelling is one, and what belongs to others is theirs" do
    for {key, near} <- [devise: :device, fastmath: :fast_math, skip_pass: :skip_passes, hook: :hooks, thread: :threads] do
      assert_raise ArgumentError, ~r/did you mean #{inspect(near)}\?/, fn -> Options.new([{key, 1}]) end
    end

    for key <- [:mode, :print_values, :batch_keys, :compiler],
        do: assert(Options.new([{key, 1}]) == Options.new([]))
  end

  test "options of EXLA are refused with what to use instead, where they ask for anything" do
    for {key, given, instead} <- [
          {:client, :cuda, ":device names a device"},
          {:device_id, 0, ":device names a device"},
          {:cache, false, ":cache_dir"},
          {:cache, "a/path", ":cache_dir"},
          {:debug, true, "explain/3"},
          {:lazy_transfers, :never, "when it is read"}
        ] do
      message = assert_raise(ArgumentError, fn -> Options.new([{key, given}]) end).message
      assert message =~ "option #{inspect(key)} of EXLA, with the value #{inspect(given)}"
      assert message =~ instead
    end

    for opts <- [[cache: true], [debug: false], [lazy_transfers: :always], [lazy_transfers: :opt_in], [client: nil]],
        do: assert(Options.new(opts) == Options.new([]))
  end

  test "functions of Nx.Vulkan itself take no options of others" do
    assert Options.known!([device: 0, runs: 1, debug: false], "f", [:runs]) == [device: 0, runs: 1, debug: false]
    assert_raise ArgumentError, "unknown option :foo for f", fn -> Options.known!([device: 0, foo: 1], "f") end
    assert_raise ArgumentError, ~r/:run for f, did you mean :runs\?/, fn -> Options.known!([run: 1], "f", [:runs]) end
    assert_raise ArgumentError, ~r/unknown option :mode for f/, fn -> Options.known!([mode: 1], "f", [:runs]) end
  end

  test "what a bundle depends on is in its place" do
    o = %Options{also: :x, fast_math: :a, fusion: true, skip_passes: :c, cache_dir: :d}
    o = %{o | dump_dir: :e, explain: :f, threads: :g}
    assert Options.compile_tuple(o, :target) == {:target, :x, :a, false, :c, :d, :e, :f, :g, false, false}
    o = %{o | fusion: false, precision: :highest}
    assert Options.compile_tuple(o, nil, true) == {nil, :x, :a, true, :c, :d, :e, :f, :g, true, true}
  end

  describe "donations" do
    defp pairs(donate) do
      [a, b] = [Nx.template({2}, :f32), Nx.template({3}, :f32)]
      Donation.pairs([{a, b}, a], {b, a}, donate)
    end

    test "go as far as there are inputs and outputs" do
      assert pairs([]) == []
      assert pairs([{2, 1}]) == [{2, 1}]
      assert pairs([0]) == [{0, 1}, {1, 0}]
      assert pairs([1]) == [{2, 1}]
      assert pairs([0, 1]) == [{0, 1}, {1, 0}]
      assert pairs([{2, 1}, 0]) == [{2, 1}, {1, 0}]
      assert pairs([{0, 1}, 0]) == [{0, 1}, {1, 0}]
      x = Nx.template({2}, :f32)
      assert Donation.pairs([x], {x, x}, [{0, 1}, 0]) == [{0, 1}]

      for pair <- [{3, 0}, {0, 2}, {-1, 0}, {0, -1}] do
        assert_raise ArgumentError, ~r/is out of range: there are 3 inputs and 2 outputs/, fn -> pairs([pair]) end
      end

      assert_raise ArgumentError, ~r/cannot donate argument 2: the function has 2 arguments/, fn -> pairs([2]) end
    end
  end

  describe "a device" do
    defp target(info) do
      defaults = %{name: "d", features: 1, matrices: 10, max_invocations: 2, max_shared_bytes: 3, max_bindings: 4}

      info =
        Map.merge(defaults, Map.merge(%{subgroup_size: 5, max_groups: {6, 7, 8}, max_binding_bytes: 9}, Map.new(info)))

      Device.target(%Device{ref: nil, index: 0, info: info, collected: nil})
    end

    test "is a target with its limits, its kind, and its driver's" do
      assert target(kind: :discrete, has_loop_limit: false) == {"d", 1, 10, 2, 3, 4, 5, {6, 7, 8}, 9, false, false}
      assert target(kind: :cpu, has_loop_limit: true) == {"d", 1, 10, 2, 3, 4, 5, {6, 7, 8}, 9, true, true}
      assert target(kind: :cpu, has_loop_limit: false) == {"d", 1, 10, 2, 3, 4, 5, {6, 7, 8}, 9, true, false}
    end
  end

  describe "an error of the compiler" do
    test "has what is known, and leaves out what is not" do
      e = Bundle.error({:input, "bad", "", ""}, [])
      assert {e.message, e.op, e.type, e.loc, e.where} == {"bad", nil, nil, nil, ""}

      e = Bundle.error({:unsupported, "n3 conv: f32[2] cannot", "$.nodes[3]", "a.ex:1"}, name: "f/1", fun: &Nx.sin/1)
      assert {e.op, e.type, e.loc, e.where} == {"conv", "f32", "a.ex:1", "$.nodes[3]"}
      assert e.message =~ "n3 conv: f32[2] cannot\n    in f/1, at a.ex:1, graph $.nodes[3]\nThere is no fallback"
      assert Bundle.error({:internal, "x", "", ""}, []).message =~ "bug of nx_vulkan"
      assert Bundle.error({:memory, "x", "", ""}, []).message =~ "not enough memory"
    end
  end
end
