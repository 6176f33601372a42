defmodule Nx.Vulkan do
  @moduledoc """
  Nx on any GPU with a Vulkan driver.

      Nx.Defn.default_options(compiler: Nx.Vulkan.Compiler)
      Nx.default_backend(Nx.Vulkan.Backend)

  `Nx.Vulkan.Compiler` compiles `defn` functions, `Nx.Vulkan.Backend` holds tensors on the device. A compiled
  function can be written to a file with `export/4`, and read back with `load/2` without tracing it again, or
  run from C with libvkr and no Erlang at all.
  """

  alias Nx.Vulkan.{Bundle, Callbacks, Compiler, Device, NIF, Options, Program, Serializer, Table}

  @doc """
  The Vulkan devices of this machine, in words: name, vendor, driver, kind, features and limits, and for each how many
  bytes of device memory are taken (`memory_used`, at most so far `memory_peak`) of how many that may be
  (`memory_budget`). `Nx.Vulkan.Device.list/0` has every key.
  """
  @spec devices() :: [map]
  defdelegate devices, to: Device, as: :list

  @doc """
  `Nx.Defn.jit/2` with this compiler.

      iex> fun = Nx.Vulkan.jit(&Nx.sum(Nx.multiply(&1, &2)))
      iex> Nx.to_number(fun.(Nx.tensor([1, 2, 3]), Nx.tensor([1, 10, 100])))
      321
  """
  @spec jit(fun, keyword) :: fun
  def jit(fun, opts \\ []), do: Nx.Defn.jit(fun, Keyword.put(opts, :compiler, Compiler))

  @doc """
  `Nx.Defn.jit_apply/3` with this compiler: compiles and calls.

      iex> Nx.to_flat_list(Nx.Vulkan.jit_apply(&Nx.add/2, [Nx.tensor([1, 2]), 3]))
      [4, 5]
  """
  @spec jit_apply(fun, [term], keyword) :: Nx.Container.t()
  def jit_apply(fun, args, opts \\ []), do: Nx.Defn.jit_apply(fun, args, Keyword.put(opts, :compiler, Compiler))

  @doc """
  `Nx.Defn.compile/3` with this compiler: compiles for arguments like the templates, and takes no others.

      iex> fun = Nx.Vulkan.compile(&Nx.negate/1, [Nx.template({2}, :s32)])
      iex> Nx.to_flat_list(fun.(Nx.tensor([1, -2])))
      [-1, 2]
  """
  @spec compile(fun, [term], keyword) :: fun
  def compile(fun, templates, opts \\ []), do: Nx.Defn.compile(fun, templates, Keyword.put(opts, :compiler, Compiler))

  @doc """
  Compiles a function for arguments like `templates` and writes it to `path`.

  A path that ends in `.json` gets the graph, for vkcompile; it needs no native code. Any other gets the bundle,
  and next to it, with the extension `.term`, what `load/2` needs to know about arguments and results.

  The options are the compiler's, and `:input_names`: a list of strings, for the flat inputs in order, that name them
  in the graph and the bundle, for C (`vkr_tensor_info`) and vkrun. Without `:device` or `:target`, the bundle is for
  the portable baseline and no device is opened; `also: "nvidia"` makes one for all devices that runs better on those.
  Functions with hooks or runtime calls can be exported if those are
  captures of named functions (`&Mod.fun/1`).

      Nx.Vulkan.export("model.vkb", &Model.predict/2, [params, Nx.template({1, 64}, :f32)])

      iex> path = Path.join(System.tmp_dir!(), "nx_vulkan_doc.json")
      iex> templates = [Nx.template({2, 3}, :f32), Nx.template({3}, :f32)]
      iex> Nx.Vulkan.export(path, &Nx.dot/2, templates, input_names: ["m", "v"])
      :ok
      iex> File.read!(path) =~ ~s("name":"m")
      true
      iex> File.rm!(path)
      :ok
  """
  @spec export(Path.t(), fun, [term], keyword) :: :ok
  def export(path, fun, templates, opts \\ []) do
    templates = arguments!(templates)
    {names, opts} = opts |> Options.known!("Nx.Vulkan.export/4", [:input_names]) |> Keyword.pop(:input_names, [])
    input_names!(names)
    options = Options.new(opts)
    name = options.name || Serializer.name(fun)
    json? = Path.extname(path) == ".json"

    trace_opts = [
      name: name,
      hooks: hook_names(options),
      donate: options.donate,
      input_names: names,
      sidecar: not json?
    ]

    {graph, template} = Serializer.trace(fun, templates, trace_opts)

    if json? do
      File.write!(path, graph.json)
    else
      device = if Keyword.has_key?(opts, :device), do: Device.fetch!(options.device)
      {bundle, _, _} = Bundle.compile(graph, options, device, fun: fun, name: name)
      File.write!(path, bundle)

      interface = %{
        version: 1,
        name: name,
        digest: graph.digest,
        arguments: Enum.map(tensors(templates), &Nx.to_template/1),
        result: template,
        used: graph.used,
        callbacks: Enum.map(graph.callbacks, &portable!/1),
        donations: graph.donations
      }

      File.write!(interface_path(path), :erlang.term_to_binary(interface, [:deterministic]))
    end
  end

  @doc """
  A function from a bundle that `export/4` wrote. Takes the arguments of the exported function (without those
  that were options or functions) and returns what that returns; nothing is traced or compiled.

  The file with the extension `.term` names the functions that its hooks and runtime calls are: load what you would run.

  The bundle itself may be anybody's: its shaders are checked, and guarded so that they touch nothing but its arguments,
  results and own memory. That costs time, in loading and in every run. `trusted: true` leaves it out, for files that you
  wrote and nobody else could change. Bundles with tensors that do not fit one binding of the device need it.

  Options: `:trusted`; and `:device`, `:hooks`, `:progress` and `:timeout`, as of `Nx.Vulkan.Compiler`.
  """
  @spec load(Path.t(), keyword) :: fun
  def load(path, opts \\ []) do
    {timeout, opts} = Options.pop_timeout(opts)
    {progress, opts} = Options.pop_progress(opts)
    opts = Keyword.validate!(opts, device: Device.default_name(), hooks: %{}, trusted: false)
    interface = read_interface!(interface_path(path))
    device = Device.fetch!(opts[:device])
    count = interface.arguments |> Nx.Defn.Composite.flatten_list() |> length()
    used = MapSet.new(interface.used)

    program = %Program{
      ref: load_file(device, path, interface.name, opts[:trusted], Options.new(progress).progress),
      device: device.index,
      used: for(i <- 0..(count - 1)//1, do: i in used),
      template: interface.result,
      name: interface.name,
      callbacks: interface.callbacks,
      donated: Enum.map(interface.donations, &elem(&1, 0)),
      labels: Program.labels(interface.arguments),
      trusted: opts[:trusted]
    }

    wrap(length(interface.arguments), &call(program, interface.arguments, &1, opts[:hooks], timeout))
  end

  defp load_file(device, path, name, trusted, progress) do
    Program.load(device, File.read!(path), name, trusted, progress)
  rescue
    error in Nx.Vulkan.Error -> reraise %{error | message: "#{path}: #{error.message}"}, __STACKTRACE__
  end

  @doc "What a device has done since it was opened: submits, dispatches, allocations, bytes, waits, and what is alive."
  @spec counters(Device.name()) :: map
  def counters(device \\ Device.default_name()), do: NIF.device_counters(Device.fetch!(device).ref)

  @doc "Waits until everything that was submitted to a device has finished."
  @spec synchronize(Device.name()) :: :ok
  def synchronize(device \\ Device.default_name()) do
    device = Device.fetch!(device)
    result = NIF.device_wait(device.ref)
    Device.report(device)

    case result do
      :ok -> :ok
      {:error, failure} -> Nx.Vulkan.Error.raise!(failure)
    end
  end

  @doc "Drops a device, after it was lost for instance. Its tensors are gone; the next use opens it anew."
  @spec reset(Device.name()) :: :ok
  def reset(device \\ Device.default_name()), do: device |> Device.fetch!() |> Device.forget()

  @doc """
  What the compiler makes of a function: `:ir`, `:plan`, `:glsl` and `:dot` as text, `:stats`, and its `:name`. With
  the option `explain: "n12"`, `:explain` says what became of that node, as the `:ir` names them.

      &Model.predict/2 |> Nx.Vulkan.explain([params, x]) |> Nx.Vulkan.table() |> IO.puts()

  The options are the compiler's; without `:device` or `:target`, it is compiled for the portable baseline.
  """
  @spec explain(fun, [term], keyword) :: map
  def explain(fun, templates, opts \\ []) do
    templates = arguments!(templates)
    opts = Options.known!(opts, "Nx.Vulkan.explain/3")
    options = Options.new(opts)
    name = options.name || Serializer.name(fun)
    hooks = hook_names(options)
    {graph, _} = Serializer.trace(fun, templates, name: name, hooks: hooks, donate: options.donate, sidecar: true)
    device = if Keyword.has_key?(opts, :device), do: Device.fetch!(options.device)

    {_, stats, texts} =
      Bundle.compile(graph, %{options | cache_dir: ""}, device, fun: fun, name: name, texts: true)

    Map.merge(texts, %{stats: stats, name: name})
  end

  @doc """
  Runs a function several times and measures its kernels by the device's own clock: a list of maps with the
  kernel's `:name`, its `:label`, the `:source` line of its nodes where that is known, else of the function, `:runs`,
  `:seconds` of all of them together, and the `:bytes` and `:flops` of one, as the compiler counted them.

  A label as `k0 map 64 -> n7` says the kernel, its kind, the elements, and the nodes that it stores; the `:ir` of
  `explain/3` with the same `:device` has the nodes. `table/1` makes a table of all:

      &Model.predict/2 |> Nx.Vulkan.profile([params, x]) |> Nx.Vulkan.table() |> IO.puts()

  The device is opened a second time for it. Options: `:runs`, 10 without it, and the compiler's.
  """
  @spec profile(fun, [term], keyword) :: [map]
  def profile(fun, args, opts \\ []) do
    args = arguments!(args)
    {runs, opts} = opts |> Options.known!("Nx.Vulkan.profile/3", [:runs]) |> Keyword.pop(:runs, 10)
    {timeout, opts} = Options.pop_timeout(opts)
    options = Options.new(opts)
    name = options.name || Serializer.name(fun)
    {graph, _} = Serializer.trace(fun, args, name: name, sidecar: true)
    if graph.callbacks != [], do: raise(ArgumentError, "cannot profile a function with hooks or runtime calls")

    device = Device.open_profiling!(options.device)
    {bundle, _, _} = Bundle.compile(graph, options, device, fun: fun, name: name)
    ref = Program.load(device, bundle, name, true, options.progress)

    inputs =
      for {get, i} <- args |> tensors() |> lazy() |> Enum.with_index(),
          do: if(i in graph.used, do: upload(get.(), device))

    for _ <- 1..runs do
      with {:error, failure} <- Callbacks.run(%{ref: ref, callbacks: []}, inputs, %{}, timeout),
           do: Nx.Vulkan.Error.raise!(failure)
    end

    case NIF.program_times(ref) do
      {:ok, times} -> Enum.map(times, &kernel(&1, Bundle.location(fun) || ""))
      {:error, failure} -> Nx.Vulkan.Error.raise!(failure)
    end
  end

  @doc "What `profile/3` or `explain/3` returned, as text to be printed."
  @spec table([map] | map) :: binary
  defdelegate table(measured_or_explained), to: Table, as: :text

  defp arguments!(list) when is_list(list), do: list

  defp arguments!(other) do
    raise ArgumentError,
          "expected a list of arguments or templates, one for each argument of the function, got: #{inspect(other)}"
  end

  defp input_names!(names) do
    if not (is_list(names) and Enum.all?(names, &is_binary/1)),
      do: raise(ArgumentError, "option :input_names must be a list of strings, got: #{inspect(names)}")
  end

  defp kernel({name, label, source, runs, seconds, bytes, flops}, location) do
    source = if source == "", do: location, else: source
    %{name: name, label: label, source: source, runs: runs, seconds: seconds, bytes: bytes, flops: flops}
  end

  # to a device handle of its own, which shares no buffers with the other
  defp upload(tensor, device), do: tensor |> Nx.backend_copy(Nx.BinaryBackend) |> Program.buffer(device)

  defp hook_names(options), do: for({name, callback} <- options.hooks, callback != nil, into: MapSet.new(), do: name)

  # functions and options are part of the exported function, not arguments
  defp tensors(templates) do
    Enum.reject(
      templates,
      &(is_list(&1) or is_function(&1) or (is_tuple(&1) and tuple_size(&1) > 0 and is_function(elem(&1, 0))))
    )
  end

  defp call(program, templates, args, hooks, timeout) do
    flat =
      Enum.zip_with(templates, args, fn template, arg ->
        if not Nx.compatible?(template, Nx.to_template(arg)) do
          raise ArgumentError,
                "the argument is not compatible with the exported function: expected #{inspect(template)}, got: #{inspect(arg)}"
        end

        lazy([arg])
      end)

    Program.run(program, Enum.concat(flat), hooks, timeout)
  end

  # functions that give the tensors of arguments, flat
  defp lazy(args) do
    Enum.flat_map(args, fn arg ->
      {_, funs} = Nx.LazyContainer.traverse(arg, [], fn _, fun, acc -> {:ok, [fun | acc]} end)
      Enum.reverse(funs)
    end)
  end

  defp portable!({:hook, {:named, name, callback}, template}), do: {:hook, {:named, name, named!(callback)}, template}
  defp portable!({:hook, {:fn, callback}, template}), do: {:hook, {:fn, named!(callback)}, template}
  defp portable!({:call, fun, opts, arguments, template}), do: {:call, named!(fun), opts, arguments, template}

  defp named!(nil), do: nil

  defp named!(fun) do
    case Function.info(fun, :type) do
      {:type, :external} ->
        fun

      _ ->
        raise ArgumentError,
              "cannot export a callback that is a closure: use a capture like &Mod.fun/1, got: #{inspect(fun)}"
    end
  end

  defp interface_path(path), do: Path.rootname(path) <> ".term"

  # Makes no atom and expands nothing: a compressed term of 1 kB may be one of 1 GB.
  defp read_interface!(file) do
    case File.read(file) do
      {:ok, <<131, tag, _::binary>> = data} when tag != 80 -> decode!(file, data)
      {:ok, _} -> raise ArgumentError, "#{file} is not what Nx.Vulkan.export/4 writes next to a bundle"
      {:error, :enoent} -> raise ArgumentError, "#{file} is missing: Nx.Vulkan.export/4 writes it next to the bundle"
      {:error, reason} -> raise File.Error, reason: reason, action: "read file", path: file
    end
  end

  defp decode!(file, data) do
    case :erlang.binary_to_term(data, [:safe]) do
      %{version: 1, name: name, arguments: _, result: _, used: used, callbacks: callbacks, donations: donations} = found
      when is_binary(name) and is_list(used) and is_list(callbacks) and is_list(donations) ->
        found

      _ ->
        raise ArgumentError, "#{file} is not what this version of Nx.Vulkan.export/4 writes next to a bundle"
    end
  rescue
    error in ArgumentError ->
      if String.starts_with?(error.message, file), do: reraise(error, __STACKTRACE__)

      raise ArgumentError,
            "#{file} is damaged, or has atoms that this node does not know: load the modules first " <>
              "whose structs, keys and functions the exported function takes and returns"
  end

  for arity <- 0..16 do
    args = Macro.generate_arguments(arity, __MODULE__)
    defp wrap(unquote(arity), fun), do: fn unquote_splicing(args) -> fun.(unquote(args)) end
  end
end
