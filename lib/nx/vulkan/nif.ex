defmodule Nx.Vulkan.NIF do
  @moduledoc false
  # The functions of runtime/nif*.c. The library is optional until one of them is called: serializing
  # needs none of it. `NX_VULKAN_NIF` names another file than priv/nx_vulkan.so, without its suffix.

  alias Nx.Vulkan.Job

  @on_load :load_library
  @portion 10

  @type device :: reference
  @type buffer :: reference
  @type program :: reference
  @type call :: reference
  @type job :: reference
  @type failure :: {:error, {atom, binary}}

  @doc "Milliseconds that a scheduler thread waits for a device at most, before others have their turn on it."
  def portion, do: @portion

  @app Mix.Project.config()[:app]
  @version Mix.Project.config()[:version]
  # what `load` of runtime/nif.c returns for another version than this
  @other_version "unsuccessful (2)"

  @doc false
  def load_library do
    path = System.get_env("NX_VULKAN_NIF") || Path.join(priv(), "nx_vulkan")

    case :erlang.load_nif(String.to_charlist(path), @version) do
      :ok -> :ok
      {:error, {_, text}} -> :persistent_term.put({__MODULE__, :failure}, failure(path <> ".so", List.to_string(text)))
    end

    :ok
  end

  # What is wrong, and what to do about it.
  defp failure(path, text) do
    cond do
      not File.exists?(path) ->
        "#{path} is not there. `mix deps.compile #{@app} --force` builds it, in a checkout of nx_vulkan `mix compile`, " <>
          "unless NX_VULKAN_SKIP_NIF or NX_VULKAN_NIF is set"

      String.contains?(text, @other_version) ->
        "#{path} was built for another version of nx_vulkan than #{@version}. " <>
          "Build it anew, with `mix deps.compile #{@app} --force`, or in a checkout of nx_vulkan with `make nif`"

      true ->
        text
    end
  end

  defp priv do
    case :code.priv_dir(@app) do
      {:error, :bad_name} -> "_build"
      path -> List.to_string(path)
    end
  end

  @doc "Whether the native library is there."
  @spec loaded?() :: boolean
  def loaded?, do: :persistent_term.get({__MODULE__, :failure}, nil) == nil

  @spec devices() :: {:ok, [map]} | failure
  def devices, do: :erlang.nif_error(missing())

  @doc "Empty names ask for the runtime's choice; `cache` is a folder, \"\" for none, or :default."
  @spec device_open(binary, binary | :default, boolean, boolean, non_neg_integer) :: {:ok, device} | failure
  def device_open(_name, _cache, _validate, _profile, _memory_budget), do: :erlang.nif_error(missing())

  @spec device_info(device) :: map
  def device_info(_device), do: :erlang.nif_error(missing())

  @spec device_counters(device) :: map
  def device_counters(_device), do: :erlang.nif_error(missing())

  @doc "What the driver and the validation layers have said since the last call, and how much was dropped."
  @spec device_messages(device) :: {[{:error | :warning | :info, binary}], non_neg_integer}
  def device_messages(_device), do: :erlang.nif_error(missing())

  @spec device_wait(device) :: :ok | failure
  def device_wait(_device), do: :erlang.nif_error(missing())

  @spec buffer_create(device, binary) :: {:ok, buffer} | failure
  def buffer_create(_device, _data), do: :erlang.nif_error(missing())

  @doc "Zeroed."
  @spec buffer_alloc(device, non_neg_integer) :: {:ok, buffer} | failure
  def buffer_alloc(_device, _bytes), do: :erlang.nif_error(missing())

  @spec buffer_copy(buffer) :: {:ok, buffer} | failure
  def buffer_copy(_buffer), do: :erlang.nif_error(missing())

  @spec buffer_write(buffer, non_neg_integer, binary) :: :ok | failure
  def buffer_write(_buffer, _offset, _data), do: :erlang.nif_error(missing())

  @doc "Waits for what writes the buffer, in portions: others have their turn, and the process can be killed."
  @spec buffer_read(buffer, non_neg_integer, non_neg_integer) :: {:ok, binary} | failure
  def buffer_read(buffer, offset, bytes) do
    with :again <- buffer_read(buffer, offset, bytes, @portion), do: buffer_read(buffer, offset, bytes)
  end

  @spec buffer_read(buffer, non_neg_integer, non_neg_integer, non_neg_integer) :: {:ok, binary} | :again | failure
  def buffer_read(_buffer, _offset, _bytes, _ms), do: :erlang.nif_error(missing())

  @spec buffer_wait(buffer, non_neg_integer) :: :ok | :again | failure
  def buffer_wait(_buffer, _ms), do: :erlang.nif_error(missing())

  @spec buffer_free(buffer) :: :ok | :already_deallocated | failure
  def buffer_free(_buffer), do: :erlang.nif_error(missing())

  @doc "Bytes, and whether it was neither freed nor donated."
  @spec buffer_info(buffer) :: {non_neg_integer, boolean}
  def buffer_info(_buffer), do: :erlang.nif_error(missing())

  @doc "The address of its bytes in this process; waits."
  @spec buffer_address(buffer) :: {:ok, pos_integer} | failure
  def buffer_address(_buffer), do: :erlang.nif_error(missing())

  @doc "A buffer over memory of this process, which is not copied."
  @spec buffer_import(device, non_neg_integer, non_neg_integer) :: {:ok, buffer} | failure
  def buffer_import(_device, _address, _bytes), do: :erlang.nif_error(missing())

  @doc "The sidecar holds literals that the JSON refers to by offset. The options are those of `Nx.Vulkan.Bundle`."
  @spec compile(binary, binary, tuple, Job.report()) ::
          {:ok, binary, map, map} | {:error, {atom, binary, binary, binary}} | failure
  def compile(json, sidecar, options, report \\ &untold/3) do
    Job.run(&start_compile(&1, json, sidecar, options), report)
  end

  @doc "Starts what `compile/4` waits for; see `Nx.Vulkan.Job`."
  @spec start_compile(reference, binary, binary, tuple) ::
          {:ok, job} | {:error, {atom, binary, binary, binary}} | failure
  def start_compile(_ref, _json, _sidecar, _options), do: :erlang.nif_error(missing())

  @doc "Ends a compile or a load. No message of it comes any more."
  @spec end_job(job) :: :ok
  def end_job(_job), do: :erlang.nif_error(missing())

  @doc "Runs the reference interpreter on the CPU, before or after the compiler's passes."
  @spec interpret(binary, binary, tuple, boolean, [binary], non_neg_integer) ::
          {:ok, [binary]} | {:error, {atom, binary, binary, binary}} | failure
  def interpret(_json, _sidecar, _options, _optimised, _inputs, _output_count), do: :erlang.nif_error(missing())

  @doc "A line for each op: name, class and what it does, with tabs between."
  @spec list_ops() :: [binary]
  def list_ops, do: :erlang.nif_error(missing())

  @spec load(device, binary, boolean, Job.report()) :: {:ok, program} | failure
  def load(device, bundle, trusted, report \\ &untold/3) do
    Job.run(&start_load(&1, device, bundle, trusted), report)
  end

  @doc "Starts what `load/4` waits for; see `Nx.Vulkan.Job`."
  @spec start_load(reference, device, binary, boolean) :: {:ok, job} | failure
  def start_load(_ref, _device, _bundle, _trusted), do: :erlang.nif_error(missing())

  @spec program_info(program) :: map | failure
  def program_info(_program), do: :erlang.nif_error(missing())

  @spec program_times(program) :: {:ok, [tuple]} | failure
  def program_times(_program), do: :erlang.nif_error(missing())

  @doc "The bytes that a program was loaded from."
  @spec program_bundle(program) :: {:ok, binary} | failure
  def program_bundle(_program), do: :erlang.nif_error(missing())

  @typedoc "How far a run has got, as runtime/nif_run.c tells."
  @type progress ::
          {:ok, [buffer], non_neg_integer}
          | {:again, call}
          | {:callback, call, non_neg_integer, [binary]}
          | {:turn, call, non_neg_integer}
          | failure

  @doc "Begins a run, and continues it for that many milliseconds at most; see `Nx.Vulkan.Callbacks.run/4`."
  @spec run(program, [buffer | nil], non_neg_integer) :: progress
  def run(_program, _inputs, _ms), do: :erlang.nif_error(missing())

  @doc "Goes on; with the outputs of a callback, if it was one's turn."
  @spec resume(call, [binary], non_neg_integer) :: progress
  def resume(_call, _answer, _ms), do: :erlang.nif_error(missing())

  @doc "Ends a run. No message of it comes any more."
  @spec cancel(call) :: :ok
  def cancel(_call), do: :erlang.nif_error(missing())

  defp untold(_phase, _done, _total), do: :ok

  defp missing do
    reason = :persistent_term.get({__MODULE__, :failure}, "nothing has tried to load it")
    Nx.Vulkan.Error.exception(status: :no_library, message: "nx_vulkan has no native library: #{reason}")
  end
end
