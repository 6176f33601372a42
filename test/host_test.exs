defmodule Nx.Vulkan.HostTest do
  @moduledoc """
  No op runs on the host: every function of Nx is called with tensors of a device while calls of the binary
  backend are traced, which keeps tensors but computes nothing.
  """
  use ExUnit.Case, async: true

  alias Nx.Vulkan.{Backend, Compiler}
  alias Nx.Vulkan.Test.{Calls, Cases}

  @moduletag :device

  # no op; pointer_test
  @left_out [from_pointer: 5, to_pointer: 2]

  test "every function of Nx has a call" do
    called = for {name, _} <- Calls.all(), do: name

    functions =
      for module <- [Nx, Nx.LinAlg, Nx.Random, Nx.Constants],
          {name, _} <- module.__info__(:functions),
          not String.starts_with?(Atom.to_string(name), "__") and not Keyword.has_key?(@left_out, name),
          uniq: true,
          do: {module, name}

    assert Enum.sort(called) == Enum.sort(functions)
  end

  for {{module, name}, _} <- Calls.all() do
    test "#{inspect(module)}.#{name}" do
      [call] = for {{unquote(module), unquote(name)}, call} <- Calls.all(), do: call
      assert computed_on_host(fn -> call.(Calls.operands()) end) == []
    end
  end

  test "a computation on the host would be seen" do
    t = Nx.tensor(1, backend: Nx.BinaryBackend)
    assert [{:add, _}] = computed_on_host(fn -> Nx.add(t, t) end)
  end

  # The callbacks of the binary backend that compute, called by whom. Nx folds constants while it traces.
  defp computed_on_host(fun) do
    caller = [{:_, [], [{:message, {:caller}}]}]
    arities = Nx.Backend.behaviour_info(:callbacks)
    for {op, _, _} <- Cases.ops(), do: :erlang.trace_pattern({Nx.BinaryBackend, op, arities[op]}, caller, [:local])

    {pid, monitor} =
      spawn_monitor(fn ->
        receive do: (:go -> :ok)
        Nx.default_backend(Backend)
        Nx.Defn.default_options(compiler: Compiler)
        fun.()
      end)

    :erlang.trace(pid, true, [:call, :set_on_spawn])
    send(pid, :go)
    assert_receive {:DOWN, ^monitor, _, _, reason}, 300_000
    assert reason == :normal
    delivered = :erlang.trace_delivered(:all)
    assert_receive {:trace_delivered, :all, ^delivered}, 300_000
    :erlang.trace_pattern({Nx.BinaryBackend, :_, :_}, false, [:local])
    Enum.uniq(received([]))
  end

  defp received(acc) do
    receive do
      {:trace, _, :call, {_, _, _}, {Nx.Defn.Expr, _, _}} -> received(acc)
      {:trace, _, :call, {_, name, _}, caller} -> received([{name, caller} | acc])
      {:trace, _, _, _, _} -> received(acc)
    after
      0 -> Enum.reverse(acc)
    end
  end
end
