defmodule Nx.Vulkan.CallCostTest do
  # What a warm call does, counted and not timed: the functions that are called, for each parameter and in all. Nothing
  # else runs meanwhile.
  use Nx.Vulkan.Test.DeviceCase

  alias Nx.Vulkan.{Backend, NIF}
  alias Nx.Vulkan.Test.Nothing

  # what a call goes through; Nx.Defn and Nx.LazyContainer come before it, and are Nx's
  @modules [Nx.Vulkan.Compiler, Nx.Vulkan.Program, Nx.Vulkan.Container, Nx.Vulkan.Callbacks, Nx.Vulkan.Device] ++
             [
               Nx.Vulkan.Backend,
               Nx.Vulkan.NIF,
               Nx.Vulkan.Cache,
               Nx.Vulkan.FunKey,
               Nx.Vulkan.Options,
               Nx.Vulkan.Donation
             ] ++
             [Nx.Vulkan.Job, Nx.Vulkan.Remote, Nx.Vulkan.Serializer, Nx.Defn.Composite, Nx.Container, Nx.Container.Map] ++
             [Nx.Container.Tuple, Enum, Map, MapSet, Keyword]
  @sizes [1, 12, 200]
  # a parameter is looked at once for the key, once for its buffer, and its result is filled once; Nx.LazyContainer
  # calls some functions of Enum for each
  @most 6
  # of a call besides
  @most_fixed 60

  defp args(n), do: for(i <- 1..n, do: device(Nx.broadcast(Nx.tensor(i, type: :f32), {8}))) |> List.to_tuple()
  defp plus_one(t), do: t |> Tuple.to_list() |> Enum.map(&Nx.add(&1, 1)) |> List.to_tuple()

  # how often functions of these modules are called, by module, function and arity
  defp calls(modules, fun) do
    for m <- modules, do: :erlang.trace_pattern({m, :_, :_}, true, [:local, :call_count])

    try do
      fun.()

      for m <- modules,
          {name, arity} <- m.module_info(:functions),
          {:call_count, count} = :erlang.trace_info({m, name, arity}, :call_count),
          is_integer(count) and count > 0,
          into: %{},
          do: {{m, name, arity}, count}
    after
      for m <- modules, do: :erlang.trace_pattern({m, :_, :_}, false, [:local, :call_count])
    end
  end

  # what happens when this process makes the call
  defp events(fun) do
    parent = self()

    pid =
      spawn_link(fn ->
        fun.()
        send(parent, {:warm, self()})
        receive do: (:go -> :ok)
        fun.()
        send(parent, {:over, self()})
        receive do: (:end -> :ok)
      end)

    assert_receive {:warm, ^pid}, 60_000
    for m <- [NIF], do: :erlang.trace_pattern({m, :_, :_}, true, [:local])
    :erlang.trace(pid, true, [:call, :send, :receive])
    send(pid, :go)
    assert_receive {:over, ^pid}, 60_000
    :erlang.trace(pid, false, [:all])
    :erlang.trace_pattern({NIF, :_, :_}, false, [:local])
    ref = :erlang.trace_delivered(pid)
    assert_receive {:trace_delivered, ^pid, ^ref}, 60_000
    send(pid, :end)
    collect([]) -- [{:receive, :go}, {:send, {:over, pid}, parent}]
  end

  defp collect(events) do
    receive do
      {:trace, _, :call, {NIF, name, args}} -> collect([{name, length(args)} | events])
      {:trace, _, kind, message} -> collect([{kind, message} | events])
      {:trace, _, kind, message, to} -> collect([{kind, message, to} | events])
    after
      0 -> Enum.reverse(events)
    end
  end

  defp total(counts), do: counts |> Map.values() |> Enum.sum()

  test "is one call of a NIF with all arguments, no message, and no other process" do
    for n <- @sizes do
      args = args(n)
      jit = Nx.Vulkan.jit(&plus_one/1)
      compiled = Nx.Vulkan.compile(&plus_one/1, [args])
      jit.(args)
      assert events(fn -> jit.(args) end) -- [portion: 0] == [run: 3], "#{n} parameters"
      assert events(fn -> compiled.(args) end) -- [portion: 0] == [run: 3], "#{n} parameters"
    end
  end

  test "calls the same few functions for each parameter, and walks no graph" do
    for make <- [fn fun, _, opts -> Nx.Defn.jit(fun, opts) end, &Nx.Defn.compile(&1, [&2], &3)] do
      counts =
        for n <- @sizes, into: %{} do
          args = args(n)
          fun = make.(&plus_one/1, args, compiler: Nx.Vulkan.Compiler)
          nothing = make.(&plus_one/1, args, compiler: Nothing, result: fun.(args))
          {n, total(calls(@modules, fn -> fun.(args) end)) - total(calls(@modules, fn -> nothing.(args) end))}
        end

      each = (counts[200] - counts[12]) / 188
      assert each <= @most, "#{each} calls for a parameter: #{inspect(counts)}"
      assert counts[1] <= @most + @most_fixed, inspect(counts)
    end
  end

  test "what is there is read, and what is small uploaded, on the scheduler of the process" do
    t = device(Nx.tensor([1, 2, 3]))
    Nx.Vulkan.synchronize()
    {_, counted} = counted(fn -> assert Nx.to_flat_list(t) == [1, 2, 3] end)
    assert {counted.submits, counted.waits} == {0, 0}
    assert [{:buffer_create, 2}] == events(fn -> Nx.backend_copy(Nx.tensor(1), Backend) end)
  end

  test "results and keys of all structures" do
    one = device(Nx.tensor([1.0, 2.0]))
    s = device(Nx.tensor(3))
    nested = %{"a" => {one, %{1 => s, :b => {one}}}, b: {}, c: {{s}, one}}
    twice = Nx.Vulkan.jit(fn container -> Nx.Defn.Composite.traverse(container, &Nx.multiply(&1, 2)) end)
    expected = Nx.Defn.Composite.traverse(host(nested), &Nx.multiply(&1, 2))

    for _ <- 1..2 do
      result = host(twice.(nested))
      assert result == expected
    end

    # the same tensors in other structures are other functions
    for {a, b} <- [{{one, s}, {{one, s}}}, {{{one}, s}, {one, {s}}}, {%{a: one, b: s}, %{a: one, c: s}}, {{one}, one}] do
      assert Nx.Vulkan.Container.key([a]) != Nx.Vulkan.Container.key([b])
      assert host(twice.(a)) == Nx.Defn.Composite.traverse(host(a), &Nx.multiply(&1, 2))
      assert host(twice.(b)) == Nx.Defn.Composite.traverse(host(b), &Nx.multiply(&1, 2))
    end

    assert Nx.Vulkan.Container.key([{one}, s]) != Nx.Vulkan.Container.key([{one, s}])
    assert Nx.Vulkan.Container.key([one]) != Nx.Vulkan.Container.key([Nx.vectorize(one, :x)])
    assert Nx.Vulkan.Container.key([one]) != Nx.Vulkan.Container.key([Nx.rename(one, [:x])])
  end
end
