defmodule Nx.Vulkan.Callbacks do
  @moduledoc false
  # Runs a program to its end, step by step, in the process that makes the call: hooks and runtime calls run there
  # between two steps, as with Nx's evaluator, and no thread waits for them. What a callback raises, the call raises.
  # A run whose process dies is garbage, which ends it.

  alias Nx.Defn.Composite
  alias Nx.Tensor, as: T
  alias Nx.Vulkan.NIF
  alias Nx.Vulkan.Serializer.Number

  @doc """
  Returns `{:ok, buffers, live_bytes}` or `{:error, failure}`. With a timeout in milliseconds the results are there when
  it returns; without one (`:infinity`) they may be under way.
  """
  @spec run(map, [NIF.buffer() | nil], map, timeout) :: {:ok, [NIF.buffer()], non_neg_integer} | NIF.failure()
  def run(%{ref: ref, callbacks: callbacks}, inputs, hooks, timeout) do
    deadline = if timeout == :infinity, do: :infinity, else: now() + timeout
    ref |> NIF.run(inputs, portion(deadline)) |> follow({List.to_tuple(callbacks), hooks, timeout, deadline})
  end

  defp follow({:ok, [], _} = done, _run), do: done
  defp follow({:ok, _, _} = done, {_, _, :infinity, _}), do: done
  defp follow({:ok, _, _} = done, run), do: await(done, run)
  defp follow({:error, _} = failed, _run), do: failed
  defp follow({:again, call}, run), do: go_on(call, [], run)

  defp follow({:turn, call, id}, {_, _, _, deadline} = run) do
    receive do
      {:nx_vulkan_turn, ^id} -> go_on(call, [], run)
    after
      left(deadline) ->
        failed = give_up(call, run)

        # it may have come just before
        receive do
          {:nx_vulkan_turn, ^id} -> failed
        after
          0 -> failed
        end
    end
  end

  defp follow({:callback, call, index, binaries}, {table, hooks, _, _} = run) do
    answer =
      try do
        answer(elem(table, index), binaries, hooks)
      catch
        kind, reason ->
          NIF.cancel(call)
          :erlang.raise(kind, reason, __STACKTRACE__)
      end

    go_on(call, answer, run)
  end

  defp go_on(call, answer, {_, _, _, deadline} = run) do
    case portion(deadline) do
      0 -> give_up(call, run)
      ms -> call |> NIF.resume(answer, ms) |> follow(run)
    end
  end

  # One buffer tells for all: they are written by the same submission, or by one before it.
  defp await({:ok, [buffer | _] = buffers, _} = done, {_, _, _, deadline} = run) do
    ms = portion(deadline)

    case NIF.buffer_wait(buffer, ms) do
      :ok ->
        done

      :again when ms == 0 ->
        Enum.each(buffers, &NIF.buffer_free/1)
        timed_out(run)

      :again ->
        await(done, run)

      {:error, _} = failed ->
        failed
    end
  end

  defp give_up(call, run) do
    NIF.cancel(call)
    timed_out(run)
  end

  defp timed_out({_, _, timeout, _}) do
    {:error,
     {:timeout, "the run was not done after #{timeout} ms. What was submitted finishes by itself; the rest is left out"}}
  end

  defp now, do: System.monotonic_time(:millisecond)

  defp left(:infinity), do: :infinity
  defp left(deadline), do: max(deadline - now(), 0)

  defp portion(deadline), do: min(left(deadline), NIF.portion())

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
