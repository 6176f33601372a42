defmodule Nx.Vulkan.Callbacks do
  @moduledoc false
  # Hooks and runtime calls. They run in the process that makes the call, as with Nx's evaluator; a process
  # of its own is inside the NIF meanwhile. What a callback raises, the call raises.

  alias Nx.Defn.Composite
  alias Nx.Tensor, as: T
  alias Nx.Vulkan.NIF
  alias Nx.Vulkan.Serializer.Number

  @doc "Runs a program. Returns what the NIF returns."
  def run(%{callbacks: []} = program, inputs, _hooks), do: NIF.run(program.ref, inputs, nil)

  def run(%{callbacks: callbacks, ref: ref}, inputs, hooks) do
    caller = self()
    {_, monitor} = spawn_monitor(fn -> exit({:ran, NIF.run(ref, inputs, caller)}) end)
    serve(List.to_tuple(callbacks), hooks, monitor, nil)
  end

  defp serve(table, hooks, monitor, failure) do
    receive do
      {:nx_vulkan_callback, call, index, binaries} ->
        failure =
          try do
            NIF.answer(call, {:ok, answer(elem(table, index), binaries, hooks)})
            failure
          catch
            kind, reason ->
              NIF.answer(call, :error)
              failure || {kind, reason, __STACKTRACE__}
          end

        serve(table, hooks, monitor, failure)

      {:DOWN, ^monitor, _, _, {:ran, result}} ->
        with {kind, reason, stacktrace} <- failure, do: :erlang.raise(kind, reason, stacktrace)
        result

      {:DOWN, ^monitor, _, _, reason} ->
        exit(reason)
    end
  end

  # A hook passes on what it was not handed.
  defp answer({:hook, spec, template}, binaries, hooks) do
    {value, rest} = tensors(template, binaries)
    if fun = resolve(spec, hooks), do: fun.(value)
    rest
  end

  defp answer({:call, fun, opts, arguments, template}, binaries, _hooks) do
    {value, []} = tensors(arguments, binaries)
    result = fun.(value, opts)

    if not Nx.compatible?(template, result) do
      raise "expected the runtime_call function to match the given output template"
    end

    for t <- Composite.flatten_list([result]) do
      t = Nx.to_tensor(t)
      t |> Nx.devectorize() |> Nx.to_binary() |> Number.unpack(t.type)
    end
  end

  @doc "A container of host tensors from bytes in device layout. Returns the bytes that are left, too."
  def tensors(template, binaries) do
    Composite.traverse(template, binaries, fn %T{} = hole, [data | rest] ->
      whole = %{Nx.devectorize(hole) | data: nil}
      {%{hole | data: Nx.BinaryBackend.from_binary(whole, Number.pack(data, hole.type), []).data}, rest}
    end)
  end

  defp resolve({:fn, fun}, _hooks), do: fun
  defp resolve({:named, name, callback}, hooks), do: hooks[name] || callback
end
