defmodule Nx.Vulkan.WordsTest do
  # What users are told: descriptions, tables, and errors of the functions of Nx.Vulkan.
  use Nx.Vulkan.Test.DeviceCase, async: true

  alias Nx.Vulkan.{Device, Table}

  doctest Nx.Vulkan
  doctest Nx.Vulkan.Backend
  doctest Nx.Vulkan.Compiler
  doctest Nx.Vulkan.Device
  doctest Nx.Vulkan.Serializer

  describe "a device is described" do
    test "in words" do
      %{info: info} = Device.fetch!()
      described = Enum.find(Nx.Vulkan.devices(), &(&1.index == info.index))
      assert described.vulkan =~ ~r/^1\.\d+\.\d+$/
      assert is_binary(described.vendor)
      assert Enum.all?(described.features, &is_atom/1)
      # as many as the driver's bits
      assert length(described.features) == info.features |> Integer.digits(2) |> Enum.sum()
      refute Map.has_key?(described, :api_version) or Map.has_key?(described, :feature_words)
    end

    test "with its vendor, or its number" do
      raw = %{api_version: 4_206_822, vendor_id: 0x10DE, feature_words: [:f64], features: 1, index: 0}

      assert Device.in_words(raw) == %{
               vulkan: "1.3.230",
               vendor: "NVIDIA",
               vendor_id: 0x10DE,
               features: [:f64],
               index: 0
             }

      assert Device.in_words(%{raw | vendor_id: 0xABC}).vendor == "0xABC"
    end
  end

  describe "a table" do
    test "of kernels has a line for each, with rates" do
      kernel = %{
        name: "k0",
        label: "k0 map 4 -> n2",
        source: "a.ex:1",
        runs: 2,
        seconds: 6.0e-6,
        bytes: 3000,
        flops: 6000
      }

      assert Table.text([kernel, %{kernel | seconds: 2.0e-6, label: "k1 rows", source: ""}]) == """
             us a run  share  GB/s  GFLOP/s  kernel          source
                  3.0   75 %   1.0      2.0  k0 map 4 -> n2  a.ex:1
                  1.0   25 %   3.0      6.0  k1 rows
             2 kernels, 4.0 us a run. The nodes n1, n2, ... are in the :ir of explain/3.
             """

      assert Table.text([%{kernel | seconds: 0.0}]) =~ "0.0      -     -        -  k0 map"
      assert Table.text([]) =~ "0 kernels"
    end

    test "of an explanation has each number in its unit" do
      stats = %{
        nodes_in: 7,
        nodes_out: 5,
        kernels: 2,
        dispatches: 3,
        barriers: 1,
        bytes_moved: 9_999,
        bytes_unfused: 10_000,
        arena_bytes: 9_999_999,
        constants_bytes: 10_000_000,
        seconds_total: 4.0,
        seconds_passes: 0.5,
        seconds_plan: 0.00125,
        seconds_spirv: 0.0
      }

      assert Table.text(%{name: "f/1", stats: stats, plan: "the plan\n", ir: "the graph\n\n"}) == """
             f/1: 5 nodes (7 as traced) in 2 kernels
             a run: 3 dispatches, 1 barriers; 9999 bytes moved, 10 kB unfused
             memory beside arguments and results: 9999 kB, constants 10 MB
             compiled in 4000.0 ms: passes 500.0, plan 1.3, SPIR-V 0.0

             the plan

             the graph
             """
    end

    test "of kernels that never ran has no rates, and shares add up" do
      kernel = %{name: "k0", label: "k0", source: "s", runs: 0, seconds: 0.0, bytes: 3_141, flops: 2_718}
      assert Table.text([kernel]) =~ ~r/^ +0.0 +- +- +- +k0 +s$/m
      rows = for seconds <- [1.0e-6, 2.0e-6], do: %{kernel | runs: 1, seconds: seconds}
      # of other lengths than the heads, and rates that are not whole
      wide = Table.text([%{hd(rows) | label: "a long label of a kernel", seconds: 123_456.789} | rows])
      assert Table.text(rows) =~ "1.0   33 %   3.1      2.7  k0      s\n"
      assert Table.text(rows) =~ "2.0   67 %   1.6      1.4  k0      s\n"
      assert [_, first, second, third, _] = wide |> String.trim_trailing() |> String.split("\n")
      assert first =~ ~r/^123456789000\.0  100 %   0\.0      0\.0  a long label of a kernel  s$/
      assert String.length(first) == String.length(second) and String.length(second) == String.length(third)
      assert wide =~ "3 kernels, 123456789003.0 us a run."
    end

    test "of what profile/3 measured names the function's file" do
      [kernel] = Nx.Vulkan.profile(&doubled/1, [Nx.tensor([1.0, 2.0])], runs: 1)
      assert kernel.source =~ "test/words_test.exs"
      assert Nx.Vulkan.table([kernel]) =~ kernel.source
    end

    test "of what explain/3 says has counts, plan and graph" do
      explained = Nx.Vulkan.explain(&doubled/1, [Nx.template({2}, :f32)], name: "double")
      text = Nx.Vulkan.table(explained)
      assert text =~ ~r/^double: 3 nodes \(3 as traced\) in 1 kernels\na run: 1 dispatches, 0 barriers; \d+ bytes moved/
      assert text =~ explained.plan
      assert text =~ "n2 = multiply"
    end
  end

  defp doubled(x), do: Nx.multiply(x, 2.5)

  describe "an error says" do
    test "which passes there are, in no words of the command line" do
      error = assert_raise Nx.Vulkan.CompileError, fn -> explain(skip_passes: ["x"]) end
      assert error.message =~ "passes to skip: there is no pass named 'x'; there are inline, canon, "
      refute error.message =~ "--"
    end

    test "which profiles there are; their names are targets" do
      for name <- ["baseline", "nvidia", "amd"], do: assert(explain(target: name).plan =~ "plan for #{name}")
      assert explain(target: "subgroup_size = 4").plan =~ "plan for"
      error = assert_raise Nx.Vulkan.CompileError, fn -> explain(target: "nvida") end
      assert error.message =~ ~r/target: there is no device profile 'nvida'; there are .*\bnvidia\b/
      assert explain(also: "nvidia").glsl =~ "for nvidia"
      error = assert_raise Nx.Vulkan.CompileError, fn -> explain(also: "nvida") end
      assert error.message =~ ~r/also: there is no device profile 'nvida'; there are .*\bnvidia\b/
      assert_raise Nx.Vulkan.CompileError, ~r/profile line 1/, fn -> explain(target: "nonsense = 1") end
    end

    test "which constant has no data, and what to do" do
      # as Nx 0.13.0 makes it of Nx.fft(Nx.tensor([1.0])); 0.13.1 refuses to transform such a constant
      constant = %{Nx.template({1}, {:c, 64}) | data: %Nx.BinaryBackend{state: ""}}
      compile = fn -> Nx.Defn.jit(&Nx.multiply(&1, constant), compiler: Nx.Vulkan.Compiler).(Nx.tensor([2.0])) end
      error = assert_raise Nx.Vulkan.CompileError, compile
      assert error.message =~ "a constant of type {:c, 64} and shape {1} has no data"
      assert error.message =~ "pass what is transformed as an argument"
    end

    test "what became of a node, and where that is told" do
      assert explain(explain: "n1").explain =~ "n1"
      assert explain(explain: "n99").explain =~ "n99 is not in the graph"
      assert_raise ArgumentError, ~r/:explain is for/, fn -> Nx.Vulkan.jit(&Nx.sin/1, explain: "n1").(1.0) end
    end

    @tag :tmp_dir
    test "that arguments are a list, and which options there are not", %{tmp_dir: dir} do
      path = Path.join(dir, "f.vkb")
      {sine, x} = {&Nx.sin/1, Nx.template({2}, :f32)}

      for fun <- [
            &Nx.Vulkan.export(path, sine, &1),
            &Nx.Vulkan.explain(sine, &1),
            &Nx.Vulkan.profile(sine, &1)
          ],
          do: assert_raise(ArgumentError, ~r/expected a list of arguments or templates/, fn -> fun.(x) end)

      for fun <- [
            &Nx.Vulkan.export(path, sine, [x], &1),
            &Nx.Vulkan.explain(sine, [x], &1),
            &Nx.Vulkan.profile(sine, [1.0], &1)
          ] do
        assert_raise ArgumentError, ~r/unknown option :foo for Nx\.Vulkan\.(export|explain|profile)/, fn ->
          fun.(foo: 1)
        end

        assert_raise ArgumentError, ~r/option :client of EXLA/, fn -> fun.(client: :cuda) end
      end

      for names <- [["a", :b], "a"] do
        assert_raise ArgumentError, ~r/:input_names must be a list of strings/, fn ->
          Nx.Vulkan.export(path, &Nx.sin/1, [x], input_names: names)
        end
      end

      assert File.ls!(dir) == []
    end

    @tag :tmp_dir
    test "which file is damaged, or missing", %{tmp_dir: dir} do
      path = Path.join(dir, "f.vkb")
      Nx.Vulkan.export(path, &Nx.sin/1, [Nx.template({2}, :f32)])
      File.write!(path, "abc")
      assert_raise Nx.Vulkan.Error, ~r/^#{path}: header: 3 bytes/, fn -> Nx.Vulkan.load(path) end
      File.rm!(Path.join(dir, "f.term"))
      assert_raise ArgumentError, ~r/f\.term is missing: .*export/, fn -> Nx.Vulkan.load(path) end
    end

    test "which folder cannot be written" do
      assert_raise Nx.Vulkan.CompileError, ~r|dumps, /proc/no/such|, fn -> explain(dump_dir: "/proc/no/such") end
    end

    test "that there is no native library, and why" do
      {said, status} = elixir("Nx.Vulkan.devices()", [{"NX_VULKAN_NIF", "/no/such/nif"}])
      assert status != 0
      assert said =~ "nx_vulkan has no native library: /no/such/nif.so is not there"
    end

    test "that the application is not started" do
      {said, status} = elixir("Application.load(:nx); Nx.Vulkan.jit(&Nx.sin/1).(1.0)", [])
      assert status != 0
      assert said =~ "the application :nx_vulkan is not started"
      assert said =~ "Application.ensure_all_started(:nx_vulkan)"
    end

    # in another virtual machine, where nothing is started
    defp elixir(code, environment) do
      paths = Enum.flat_map(:code.get_path(), &["-pa", to_string(&1)])
      System.cmd("elixir", paths ++ ["-e", code], env: environment, stderr_to_stdout: true)
    end

    defp explain(opts), do: Nx.Vulkan.explain(&Nx.sin/1, [Nx.template({2}, :f32)], opts)
  end
end
