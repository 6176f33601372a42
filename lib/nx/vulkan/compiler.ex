defmodule Nx.Vulkan.Compiler do
  @moduledoc """
  Compiles `defn` functions to Vulkan programs.

      Nx.Defn.default_options(compiler: Nx.Vulkan.Compiler)
      Nx.default_backend(Nx.Vulkan.Backend)

  A function is traced once for each combination of types and shapes; functions that come to the same graph
  share a program. Compiled bundles are kept on disk. Arguments may be on any backend; results are on
  `Nx.Vulkan.Backend`, and only reading them waits for the device. What cannot be compiled raises
  `Nx.Vulkan.CompileError`; nothing falls back to another backend.

  ## Options

    * `:device` - index or part of the name of the device; see `Nx.Vulkan.Device`
    * `:donate` - positions of arguments whose memory the result may take over. Their tensors are dead
      afterwards. Training steps donate parameters and optimizer state, which are then updated in place.
      A pair `{input, output}` of flat indices says exactly which.
    * `:hooks` - map of hook names to functions
    * `:timeout` - milliseconds that a call may take, `:infinity` without it. The call then waits for its results, and
      raises `Nx.Vulkan.Error` with the status `:timeout` where they are not there in time; what it was donated is lost.
      Callbacks count, but are not interrupted. Compiling and loading do not count: they happen once, and a call that
      gave them up would begin anew the next time. To bound them, too, make the call in a `Task` and shut that down:
      the end of a process ends its compile.
    * `:progress` - a function that is told how far the compile is, see below
    * `:fast_math` - let the driver contract and reassociate, and do not compensate sums: faster, beyond the documented
      error bounds
    * `:precision` - `:highest` makes products of f32 by `fma` on every device. With `:default` matrix units, where a
      device has them, make large ones of halves with 11 bits each, three products of these for one, twice as fast. Both
      are within `n u sum |a b|` for n terms; the error on an H200 for random numbers and n = 4096 is 5.6e-6 of the
      result with halves, 1.2e-6 without
    * `:cache_dir` - where bundles are kept, `false` for nowhere
    * `:target` - the device profile to compile for, instead of the device's own: the name
      of a shipped one, as `"nvidia"` (a wrong name is answered with all of them), or its text
    * `:also` - another profile: kernels have a second body for it, which devices of its class take. For bundles that
      are shipped (`Nx.Vulkan.export/4`) to devices that nobody knows yet
    * `:fusion` - `false` makes every node a kernel of its own, to find faults
    * `:skip_passes`, `:dump_dir`, `:threads` - as vkcompile's options of these names
    * `:explain` - for `Nx.Vulkan.explain/3` alone: a node as `"n12"`, of which the text `:explain` of the result tells
    * `:max_concurrency` - partitions of an `Nx.Serving`, over the devices in turn; one a device without it
    * `:name` - what the program is called in profiles and telemetry

  Options of EXLA (`:client`, `:device_id`, `:cache`, `:debug`, `:lazy_transfers`) raise, with what to use here
  instead, unless their value asks for what is so anyway. Options of libraries on top of Nx are theirs, and ignored.

  ## Progress

  The first call of a large function takes seconds, most of them in the driver. The function of the option
  `:progress` is called meanwhile, in the process that makes the call, with a map:

      progress = fn %{name: name, phase: phase, done: done, total: total} ->
        IO.puts("\#{name}: \#{phase} \#{done} of \#{total}")
      end

      Nx.Defn.jit(&Nx.LinAlg.svd/1, compiler: Nx.Vulkan.Compiler, progress: progress).(x)

  The phases are `:import`, `:passes`, `:plan`, `:kernels` (GLSL to SPIR-V) and `:driver` (SPIR-V to the device's
  code), in this order; each goes from 0 to its `:total`. A bundle that is found in the cache has only the last one,
  and a program that is loaded already none. What the function raises ends the compile, and is raised by the call.
  While it works the compile goes on.

  A process that dies ends what it compiles. Others that wait for the same program do not fail: the next of them
  compiles it. The progress of another process's compile is not told.

  ## Examples

      iex> fun = Nx.Defn.jit(&Nx.add(Nx.multiply(&1, &1), 1), compiler: Nx.Vulkan.Compiler)
      iex> Nx.to_flat_list(fun.(Nx.tensor([1, 2, 3])))
      [2, 5, 10]

  ## Telemetry

  `[:nx_vulkan, :compile | :load | :run, :start | :stop | :exception]`, with `:duration`. The metadata has the
  function's `:name`; that of compile's stop event has `:stats`, what the compiler counted.

  `[:nx_vulkan, :compile | :load, :progress]`, with `:done` and `:total`, and in the metadata `:name` and `:phase`: what
  `:progress` is told, of all functions. The phase of load is `:driver`.
  """

  @behaviour Nx.Defn.Compiler

  alias Nx.Defn.Composite
  alias Nx.Tensor, as: T
  alias Nx.Vulkan.{Bundle, Cache, Container, Device, Donation, FunKey, Options, Program, Serializer}

  @impl true
  def __jit__(key, vars, fun, args_list, opts), do: __compile__(key, vars, fun, opts).(args_list)

  @impl true
  def __compile__(key, vars, fun, opts) do
    {hooks, opts} = Keyword.pop(opts, :hooks, %{})
    {timeout, opts} = Options.pop_timeout(opts)
    {progress, opts} = Options.pop_progress(opts)
    device = Keyword.get_lazy(opts, :device, &Device.default_name/0)
    names = for {name, callback} <- hooks, callback != nil, do: name
    cache_key = {:compiled, FunKey.normalize(key), Container.key(vars), device, opts, names}
    program = Cache.run(cache_key, fn -> build(key, vars, fun, progress ++ opts, names) end)
    fn args_list -> Enum.map(args_list, &Program.run(program, &1, hooks, timeout)) end
  end

  @impl true
  def __partitions_options__(opts) do
    devices = if device = Options.new(opts).device, do: [device], else: peers()
    count = opts[:max_concurrency] || length(devices)
    for device <- devices |> Stream.cycle() |> Enum.take(count), do: Keyword.put(opts, :device, device)
  end

  @impl true
  def __to_backend__(opts), do: {Nx.Vulkan.Backend, Keyword.take(opts, [:device])}

  @impl true
  def __shard_jit__(_key, _mesh, _vars, _fun, _args_list, _opts) do
    raise ArgumentError, "Nx.Vulkan.Compiler does not shard a function over devices; use the partitions of Nx.Serving"
  end

  # all devices of the kind of the default one
  defp peers do
    %{info: %{kind: kind}} = Device.fetch!()
    for device <- Device.list(), device.kind == kind, do: device.index
  end

  defp build(key, vars, fun, opts, names) do
    options = Options.new(opts)

    if options.explain != "",
      do: raise(ArgumentError, "the option :explain is for Nx.Vulkan.explain/3, which returns the text")

    device = Device.fetch!(options.device)
    expr = fun.(vars)
    name = options.name || Serializer.name(key)

    graph =
      Serializer.graph(expr, parameters(vars),
        name: name,
        sidecar: true,
        hooks: MapSet.new(names),
        donations: Donation.pairs(vars, expr, options.donate)
      )

    program = link(graph, Nx.to_template(expr), length(parameters(vars)), device, options, fun: key, name: name)
    %{program | labels: labels(vars)}
  end

  @doc false
  # A program for a serialized function of `count` flat inputs; equal graphs share the loaded one.
  def link(graph, template, count, device, options, context) do
    used = MapSet.new(graph.used)

    %Program{
      ref: program(graph, device, options, context),
      device: device.index,
      used: for(i <- 0..(count - 1)//1, do: i in used),
      template: template,
      name: context[:name],
      callbacks: graph.callbacks,
      donated: Enum.map(graph.donations, &elem(&1, 0))
    }
  end

  defp program(graph, device, options, context) do
    Cache.run({:program, device.index, graph.digest, Options.compile_tuple(options, options.target)}, fn ->
      name = context[:name]

      bundle =
        :telemetry.span([:nx_vulkan, :compile], %{name: name}, fn ->
          {bundle, stats, _} = Bundle.compile(graph, options, device, context)
          {bundle, %{name: name, stats: stats, bytes: byte_size(bundle)}}
        end)

      Program.load(device, bundle, name, true, options.progress)
    end)
  end

  # What the inputs are called, by flat index.
  defp labels(vars) do
    Composite.flatten_list(vars)
    |> Enum.zip(Program.labels(vars))
    |> Enum.sort_by(fn {%T{data: %Nx.Defn.Expr{op: :parameter, args: [index]}}, _} -> index end)
    |> Enum.map(&elem(&1, 1))
  end

  # Templates by flat index.
  defp parameters(vars) do
    vars
    |> Composite.flatten_list()
    |> Enum.sort_by(fn %T{data: %Nx.Defn.Expr{op: :parameter, args: [index]}} -> index end)
  end
end
