# What a warm call costs beside its work: from Elixir, from C with the same bundle, and of that what is Nx's own.
#
#     MIX_ENV=test mix run test/bench/calls.exs
#
# Functions of 1, 12 and 200 parameters of 8 elements, with a result for each; 1, 12 and 200 of which the sum is the
# result; and as many that are donated. Medians in microseconds, each call with its wait. "nx" is a compiler that
# does nothing, "above C" what is left of `compile` without that and the call from C that makes new results, as a call
# from Elixir does. "dispatched" is a call without its wait. BENCH_SECONDS is how long each is called (1); with
# CALLS=program (`make bench` builds it) the column from C is filled.
alias Nx.Vulkan.Backend
alias Nx.Vulkan.Test.Nothing

Nx.default_backend(Nx.BinaryBackend)
Logger.configure(level: :error)

defmodule Bench do
  @moduledoc false

  alias Nx.Vulkan.NIF

  def run do
    info = Nx.Vulkan.Device.fetch!().info
    folder = Path.join(System.tmp_dir!(), "nx_vulkan_calls_#{System.os_time()}")
    File.mkdir_p!(folder)

    IO.puts(
      "device: #{info.name} (#{info.driver}); OTP #{System.otp_release()}, #{System.schedulers_online()} schedulers"
    )

    row(["", "nx jit", "nx comp.", "jit", "compile", "dispatched", "C", "C new", "above C", "records", "reductions"])

    for {name, fun, opts} <- [{"map", &map/1, []}, {"sum", &sum/1, []}, {"donated", &map/1, [donate: [0]]}],
        n <- [1, 12, 200] do
      args = List.to_tuple(for i <- 1..n, do: tensor(i))
      path = Path.join(folder, "#{name}_#{n}.vkb")
      Nx.Vulkan.export(path, fun, [args], [device: nil] ++ opts)
      row(["#{name} #{n}" | measure(fun, args, opts, path)])
    end

    File.rm_rf!(folder)
  end

  defp tensor(i), do: Nx.broadcast(Nx.tensor(i, type: :f32), {8}) |> Nx.backend_copy(Backend)
  defp map(t), do: t |> Tuple.to_list() |> Enum.map(&Nx.add(&1, 1)) |> List.to_tuple()
  defp sum(t), do: t |> Tuple.to_list() |> Enum.reduce(&Nx.add/2)

  defp measure(fun, args, opts, path) do
    jit = Nx.Vulkan.jit(fun, opts)
    compiled = Nx.Vulkan.compile(fun, [args], opts)
    result = if opts == [], do: jit.(args), else: args
    nx = [compiler: Nothing, result: result]
    none = fn _ -> :ok end
    nx_jit = median(Nx.Defn.jit(fun, nx), args, opts, none)
    nx_compile = median(Nx.Defn.compile(fun, [args], nx), args, opts, none)
    {jitted, args} = feed(jit, args, opts, &wait/1)
    before = Nx.Vulkan.counters()
    {compile, args} = feed(compiled, args, opts, &wait/1)
    counted = Nx.Vulkan.counters()
    records = (counted.recordings - before.recordings) / (counted.submits - before.submits)
    {dispatched, args} = feed(compiled, args, opts, none)
    {kept, fresh} = from_c(path)
    above = if fresh, do: compile - fresh - nx_compile
    [nx_jit, nx_compile, jitted, compile, dispatched, kept, fresh, above, records, reductions(compiled, args, opts)]
  end

  defp wait(t) when is_tuple(t), do: wait(elem(t, tuple_size(t) - 1))
  defp wait(%Nx.Tensor{data: %Backend{buffer: buffer}}), do: wait_for(buffer)
  defp wait_for(buffer), do: with(:again <- NIF.buffer_wait(buffer, NIF.portion()), do: wait_for(buffer))

  defp median(fun, args, opts, wait), do: fun |> feed(args, opts, wait) |> elem(0)

  # donated arguments are what the call before returned
  defp feed(fun, args, opts, wait) do
    feeds = opts != []
    {_, args} = calls(fun, args, feeds, wait, 0.2, [])
    {times, args} = calls(fun, args, feeds, wait, seconds(), [])
    Nx.Vulkan.synchronize()
    {times |> Enum.sort() |> Enum.at(div(length(times), 2)) |> Kernel./(1000), args}
  end

  defp calls(fun, args, feeds, wait, seconds, times) do
    before = System.monotonic_time(:nanosecond)
    result = fun.(args)
    wait.(result)
    time = System.monotonic_time(:nanosecond) - before
    args = if feeds, do: result, else: args
    left = seconds - time / 1.0e9

    if left > 0,
      do: calls(fun, args, feeds, wait, left, [time | times]),
      else: {[time | times], args}
  end

  defp reductions(fun, args, opts) do
    {_, before} = Process.info(self(), :reductions)

    Enum.reduce(1..20, args, fn _, args ->
      if opts == [],
        do:
          (
            fun.(args)
            args
          ),
        else: fun.(args)
    end)

    {_, now} = Process.info(self(), :reductions)
    div(now - before, 20)
  end

  defp from_c(path) do
    with program when program != nil <- System.get_env("CALLS"),
         program = Path.expand(program),
         {out, 0} <- System.cmd(program, ["#{seconds()}", path]),
         [_, kept, fresh] <- Regex.run(~r/"kept_us": ([0-9.]+), "new_us": ([0-9.]+)/, out) do
      {String.to_float(kept), String.to_float(fresh)}
    else
      nil -> {nil, nil}
    end
  end

  defp seconds, do: System.get_env("BENCH_SECONDS", "1") |> Float.parse() |> elem(0)

  defp row(cells) do
    Enum.map_join(cells, " ", fn
      nil -> String.pad_leading("-", 10)
      cell when is_float(cell) -> cell |> :erlang.float_to_binary(decimals: 1) |> String.pad_leading(10)
      cell -> cell |> to_string() |> String.pad_leading(10)
    end)
    |> IO.puts()
  end
end

Bench.run()
