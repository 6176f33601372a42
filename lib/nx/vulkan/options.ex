defmodule Nx.Vulkan.Options do
  @moduledoc false
  # The options of the compiler. Nx and the libraries on top of it (Axon: `:mode`, `:print_values`) pass their
  # own options along, so an unknown one is ignored, unless it looks like a misspelling.

  # the application that the settings belong to, whatever mix.exs calls it
  @app Mix.Project.config()[:app]

  @own [:device, :donate, :hooks, :fast_math, :fusion, :cache_dir, :target, :also, :skip_passes, :dump_dir] ++
         [:threads, :precision, :max_concurrency, :name, :explain, :timeout, :progress]

  # Options of EXLA: the values that ask for nothing that is not so anyway, and what to use instead of the others.
  @exla %{
    client: {[nil], "the option :device names a device, by its index or a part of its name"},
    device_id: {[nil], "the option :device names a device, by its index or a part of its name"},
    cache: {[nil, true], "programs are always kept; the option :cache_dir says where on disk, false for nowhere"},
    debug: {[nil, false], "use Nx.Vulkan.explain/3, telemetry, or VKR_DEBUG=help in the environment"},
    lazy_transfers: {[nil, :always, :opt_in], "an argument is transferred when it is read, and never if it is not"}
  }

  defstruct device: nil,
            donate: [],
            hooks: %{},
            fast_math: false,
            precision: :default,
            fusion: true,
            cache_dir: nil,
            target: nil,
            also: nil,
            skip_passes: "",
            dump_dir: "",
            threads: 0,
            name: nil,
            explain: "",
            progress: nil

  @doc "Checks a keyword list; raises ArgumentError with what was required and found."
  def new(opts) do
    configured = Application.get_env(@app, :compiler, [])
    default = %__MODULE__{device: Nx.Vulkan.Device.default_name(), cache_dir: default_cache()}

    for {key, value} <- Keyword.merge(configured, opts), reduce: default do
      acc -> put(acc, key, value)
    end
  end

  @doc "Raises for options that neither the compiler nor `caller`, which has `more` of its own, knows."
  @spec known!(keyword, binary, [atom]) :: keyword
  def known!(opts, caller, more \\ []) do
    known = @own ++ Map.keys(@exla) ++ more

    case Keyword.keys(opts) -- known do
      [] -> opts
      [key | _] -> raise ArgumentError, "unknown option #{inspect(key)} for #{caller}#{suggestion(key, @own ++ more)}"
    end
  end

  defp suggestion(key, known) do
    near = Enum.max_by(known, &distance(&1, key))
    if distance(near, key) > 0.87, do: ", did you mean #{inspect(near)}?", else: ""
  end

  defp distance(a, b), do: String.jaro_distance(Atom.to_string(a), Atom.to_string(b))

  defp put(acc, key, value) when key in @own do
    case check(key, value) do
      {:ok, value} when is_map_key(acc, key) -> Map.put(acc, key, value)
      {:ok, _} -> acc
      {:error, required} -> raise ArgumentError, "option #{inspect(key)} must be #{required}, got: #{inspect(value)}"
    end
  end

  defp put(acc, key, value) when is_map_key(@exla, key) do
    {harmless, instead} = @exla[key]

    if value not in harmless do
      raise ArgumentError,
            "option #{inspect(key)} of EXLA, with the value #{inspect(value)}, means nothing to Nx.Vulkan.Compiler: " <>
              instead
    end

    acc
  end

  defp put(acc, key, _value) do
    case suggestion(key, @own) do
      "" -> acc
      suggestion -> raise ArgumentError, "unknown option #{inspect(key)} for Nx.Vulkan.Compiler#{suggestion}"
    end
  end

  @doc "The timeout of a call, and the other options: it is not part of what is compiled."
  @spec pop_timeout(keyword) :: {timeout, keyword}
  def pop_timeout(opts) do
    {value, opts} = Keyword.pop_lazy(opts, :timeout, fn -> Application.get_env(@app, :compiler, [])[:timeout] end)

    case check(:timeout, value || :infinity) do
      {:ok, timeout} -> {timeout, opts}
      {:error, required} -> raise ArgumentError, "option :timeout must be #{required}, got: #{inspect(value)}"
    end
  end

  @doc "The option `:progress`, as a keyword list, and the other options: it is not part of what is compiled, either."
  def pop_progress(opts) do
    if Keyword.has_key?(opts, :progress) do
      {value, opts} = Keyword.pop(opts, :progress)
      put(%__MODULE__{}, :progress, value)
      {[progress: value], opts}
    else
      {[], opts}
    end
  end

  @doc "The part that the compiled bundle depends on, as runtime/nif_compile.c reads it."
  def compile_tuple(%__MODULE__{} = o, target, want_texts \\ false) do
    {target, o.also, o.fast_math, not o.fusion, o.skip_passes, o.cache_dir, o.dump_dir, o.explain, o.threads,
     want_texts, o.precision == :highest}
  end

  @doc "Where bundles are kept between runs; \"\" where the environment names no absolute folder."
  def default_cache, do: Application.get_env(@app, :cache_dir) || user_cache()

  defp user_cache do
    folder = to_string(:filename.basedir(:user_cache, ~c"nx_vulkan"))
    if Path.type(folder) == :absolute, do: folder, else: ""
  end

  defp check(:device, value),
    do:
      ok_if(
        is_nil(value) or is_binary(value) or (is_integer(value) and value >= 0),
        value,
        "an index, a part of a name, or nil"
      )

  defp check(:donate, value) do
    valid? =
      is_list(value) and
        Enum.all?(value, fn
          i when is_integer(i) -> i >= 0
          {i, o} -> is_integer(i) and is_integer(o)
          _ -> false
        end)

    ok_if(valid?, value, "a list of argument positions, or of {input, output} pairs of flat indices")
  end

  defp check(:hooks, value), do: ok_if(is_map(value), value, "a map of hook names to functions")
  defp check(key, value) when key in [:fast_math, :fusion], do: ok_if(is_boolean(value), value, "true or false")
  defp check(:cache_dir, false), do: {:ok, ""}
  defp check(:cache_dir, nil), do: {:ok, default_cache()}

  defp check(key, value) when key in [:cache_dir, :dump_dir, :target, :also, :explain],
    do: ok_if(is_binary(value), value, "a string")

  defp check(:skip_passes, value) when is_list(value), do: {:ok, Enum.join(value, ",")}
  defp check(:skip_passes, value), do: ok_if(is_binary(value), value, "a list of pass names")

  defp check(key, value) when key in [:threads, :max_concurrency],
    do: ok_if(is_integer(value) and value >= 0, value, "a count")

  defp check(:timeout, value),
    do: ok_if(value == :infinity or (is_integer(value) and value > 0), value, "milliseconds, at least 1, or :infinity")

  defp check(:progress, value),
    do: ok_if(is_nil(value) or is_function(value, 1), value, "a function of one argument, or nil")

  defp check(:name, value), do: ok_if(is_binary(value), value, "a string")

  defp check(:precision, value), do: ok_if(value in [:default, :highest], value, ":default or :highest")

  defp ok_if(true, value, _), do: {:ok, value}
  defp ok_if(false, _, required), do: {:error, required}
end
