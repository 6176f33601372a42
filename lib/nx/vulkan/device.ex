defmodule Nx.Vulkan.Device do
  @moduledoc """
  Vulkan devices, opened on first use and kept open.

  A device is named by its index or by part of its name (`"llvmpipe"`). Without a name, the application
  environment decides, then `VKR_DEVICE`, then the runtime: the first discrete, integrated or CPU device.

      config :nx_vulkan, device: "radv", validate: false, profile: false, pipeline_cache: :default,
        memory_budget: 8_000_000_000

  `memory_budget: bytes` is the most device memory that a device may take, all tensors, programs and caches
  together; without it `VKR_MEMORY_BUDGET` says it ("8G"), else what the driver says is free, and for a CPU
  device three quarters of the machine's free memory. Beyond it, operations raise `Nx.Vulkan.Error` with the
  status `:out_of_device_memory`, and what there is stays as it is. `list/0` says how much of it is used.

  With `validate: true`, the Khronos validation layers watch every call, where they are installed; what they
  and the driver say goes to `Logger`. `VKR_DEBUG=help` in the environment lists what the runtime can show on
  standard error.
  """

  require Logger
  alias Nx.Vulkan.{Cache, Error, NIF}

  # the application that the settings belong to, whatever mix.exs calls it
  @app Mix.Project.config()[:app]

  @enforce_keys [:ref, :index, :info, :collected]
  defstruct [:ref, :index, :info, :collected, validate: false]

  @type t :: %__MODULE__{ref: reference, index: non_neg_integer, info: map, collected: :atomics.atomics_ref()}
  @type name :: nil | non_neg_integer | binary

  # device memory that must be alive before a process collects its garbage to free some
  @worth_collecting 256 * 1024 * 1024

  @vendors %{
    0x1002 => "AMD",
    0x1010 => "Imagination",
    0x106B => "Apple",
    0x10DE => "NVIDIA",
    0x13B5 => "ARM",
    0x5143 => "Qualcomm",
    0x8086 => "Intel",
    0x10005 => "Mesa"
  }

  @doc """
  All devices, as the driver describes them: a map of

    * `:index`, `:name`, `:kind` (`:discrete`, `:integrated`, `:virtual`, `:cpu` or `:other`), `:vendor`, `:driver`, and
      `:vulkan`, the version that it speaks
    * `:features` - what it can do, of what the compiler makes use of; the words of target profiles
    * `:memory_bytes` of the device; `:memory_budget`, what this application may take of it, `:memory_used`, what it has
      taken, and `:memory_peak`, the most that it ever had
    * its limits: `:max_invocations` of a workgroup, `:max_shared_bytes`, `:max_bindings`, `:max_binding_bytes`,
      `:max_groups`, and `:subgroup_size`; `:has_loop_limit`, whether a shader stops after 65,535 loop iterations
    * `:vendor_id` and `:device_id`, as PCI has them

  ## Examples

      iex> [%{index: 0, name: name, kind: kind, vulkan: "1." <> _} | _] = Nx.Vulkan.Device.list()
      iex> is_binary(name) and kind in [:discrete, :integrated, :virtual, :cpu, :other]
      true
  """
  @spec list() :: [map]
  def list do
    open = for {{__MODULE__, _}, %__MODULE__{} = device} <- Cache.all(), into: %{}, do: {device.index, device.ref}
    for info <- described(), do: info |> in_words() |> Map.merge(memory(open[info.index]))
  end

  @doc false
  # A description for people, of one by the driver.
  def in_words(%{api_version: version, vendor_id: vendor} = info) do
    import Bitwise
    words = Enum.join([version >>> 22 &&& 0x7F, version >>> 12 &&& 0x3FF, version &&& 0xFFF], ".")
    vendor = Map.get_lazy(@vendors, vendor, fn -> "0x" <> Integer.to_string(vendor, 16) end)

    info
    |> Map.drop([:api_version, :feature_words])
    |> Map.merge(%{vulkan: words, vendor: vendor, features: info.feature_words})
  end

  defp described do
    case NIF.devices() do
      {:ok, devices} -> devices
      {:error, failure} -> Error.raise!(failure)
    end
  end

  # of a device that is not open the budget is what it would get from the driver, or the one configured
  defp memory(nil) do
    budget = Application.get_env(@app, :memory_budget)
    Map.merge(%{memory_used: 0, memory_peak: 0}, if(budget, do: %{memory_budget: budget}, else: %{}))
  end

  defp memory(ref) do
    counters = NIF.device_counters(ref)
    %{memory_used: counters.memory_bytes, memory_peak: counters.memory_peak, memory_budget: counters.memory_budget}
  end

  @doc "The name that is used where none is given."
  @spec default_name() :: name
  def default_name, do: Application.get_env(@app, :device)

  @doc "The device of that name, opened if need be."
  @spec fetch!(name) :: t
  def fetch!(name \\ default_name()), do: Cache.run({__MODULE__, name}, fn -> open(name) end)

  @doc "A handle of its own for a device, which measures kernels; closed when it is garbage."
  @spec open_profiling!(name) :: t
  def open_profiling!(name), do: open_index(fetch!(name).index, true)

  # Two names of one device share it.
  defp open(index) when is_integer(index), do: open_index(index, Application.get_env(@app, :profile, false))

  defp open(name) do
    fetch!(choose(described(), name || System.get_env("VKR_DEVICE")))
  end

  @doc false
  # The index of the device that a name means, of those that there are.
  def choose(devices, empty) when empty in [nil, ""], do: best(devices)
  def choose(devices, name), do: named(devices, name)

  defp open_index(index, profile) do
    cache = Application.get_env(@app, :pipeline_cache, :default)
    validate = Application.get_env(@app, :validate, false)

    budget = Application.get_env(@app, :memory_budget) || 0

    case NIF.device_open(Integer.to_string(index), cache, validate, profile, budget) do
      {:ok, ref} ->
        collected = :atomics.new(1, signed: false)

        device = %__MODULE__{
          ref: ref,
          index: index,
          info: NIF.device_info(ref),
          collected: collected,
          validate: validate
        }

        report(device)
        device

      {:error, failure} ->
        Error.raise!(failure)
    end
  end

  defp named(devices, name) do
    found =
      case Integer.parse(name) do
        {index, ""} -> Enum.find(devices, &(&1.index == index))
        _ -> Enum.find(devices, &String.contains?(String.downcase(&1.name), String.downcase(name)))
      end

    case found do
      nil ->
        names = Enum.map_join(devices, ", ", &"#{&1.index} #{&1.name}")
        Error.raise!({:no_device, "no Vulkan device is called #{inspect(name)}; there are: #{names}"})

      device ->
        device.index
    end
  end

  defp best([]), do: Error.raise!({:no_device, "there is no Vulkan device. Mesa's lavapipe makes one of the CPU"})

  defp best(devices) do
    order = %{discrete: 0, integrated: 1, virtual: 2, other: 3, cpu: 4}
    Enum.min_by(devices, &{Map.fetch!(order, &1.kind), &1.index}).index
  end

  @doc "Closes the device as soon as nothing uses it any more, with every program that was loaded on it."
  @spec forget(t) :: :ok
  def forget(%__MODULE__{index: index}) do
    names = for {{__MODULE__, name}, %__MODULE__{index: ^index}} <- Cache.all(), do: name

    Cache.drop(fn
      {__MODULE__, name} -> name in names
      {:program, ^index, _, _} -> true
      {:compiled, _, _, name, _, _} -> name in names
      {:eager, ^index, _} -> true
      _ -> false
    end)
  end

  @doc "Logs what the driver and the validation layers have said since the last time."
  @spec report(t) :: :ok
  def report(%__MODULE__{ref: ref, info: info}) do
    {messages, lost} = NIF.device_messages(ref)
    for {level, text} <- messages, do: Logger.log(level, "#{info.name}: #{text}")
    if lost > 0, do: Logger.warning("#{info.name}: #{lost} more messages were dropped")
    :ok
  end

  @doc false
  # Uploads bytes to a new buffer.
  @spec upload(t, binary) :: NIF.buffer()
  def upload(%__MODULE__{ref: ref}, data) do
    case retry(fn -> NIF.buffer_create(ref, data) end) do
      {:ok, buffer} -> buffer
      {:error, failure} -> Error.raise!(failure)
    end
  end

  @doc false
  # Calls `fun`; when the device is out of memory, collects this process's garbage, which may hold buffers
  # that nobody uses, and calls it once more.
  @spec retry((-> result)) :: result when result: term
  def retry(fun) do
    case fun.() do
      {:error, {:out_of_device_memory, _}} ->
        :erlang.garbage_collect()
        fun.()

      result ->
        result
    end
  end

  @doc false
  # Takes note of the bytes alive on the device. The garbage collector does not see device memory: when
  # the bytes have doubled since a collection last was worth it, this process collects.
  @spec note(t, non_neg_integer) :: :ok
  def note(%__MODULE__{collected: collected, ref: ref}, live_bytes) do
    if live_bytes > @worth_collecting and live_bytes > 2 * :atomics.get(collected, 1) do
      :erlang.garbage_collect()
      :atomics.put(collected, 1, NIF.device_counters(ref).live_bytes)
    end

    :ok
  end

  @doc false
  # What the compiler needs to know about the device, as runtime/nif_compile.c reads it.
  @spec target(t) :: tuple
  def target(%__MODULE__{info: info}) do
    {info.name, info.features, info.matrices, info.max_invocations, info.max_shared_bytes, info.max_bindings,
     info.subgroup_size, info.max_groups, info.max_binding_bytes, info.kind == :cpu, info.has_loop_limit}
  end
end
