defmodule Nx.Vulkan.HangTest do
  # Nothing hangs: no scheduler thread waits for Elixir, runs can be ended, and leave nothing behind. What is counted is
  # the whole process's: nothing else runs meanwhile.
  use Nx.Vulkan.Test.DeviceCase

  import Nx.Defn

  alias Nx.Vulkan.{Backend, Error}

  @moduletag timeout: 300_000
  # a hang, on any machine
  @deadline 60_000

  defn hooked(x), do: hook(x * 2, :h) + 1
  defn hooked_too(x), do: hook(x * 3, :h) - 1
  defn plain(x), do: Nx.sum(x * 2)
  defn product(x), do: x |> Nx.dot(x) |> Nx.dot(x) |> Nx.dot(x) |> Nx.sum()

  # never end: the first is steered by the device, or in portions if its input is small, the second calls the host in every round
  defn endless(x), do: while(x, Nx.all(x), do: Nx.reverse(x) + 0.0 * Nx.sum(x))

  defn endless_calls(x) do
    {x, _} = while({x, i = 1}, i > 0, do: {hook(x, :h), i})
    x
  end

  defp compiled(fun, args, opts \\ []),
    do: Nx.Defn.compile(fun, Enum.map(args, &Nx.to_template/1), [compiler: Nx.Vulkan.Compiler] ++ opts)

  defp large, do: Nx.backend_copy(Nx.broadcast(1.0, {20_000}), Backend)
  defp small, do: Nx.backend_copy(Nx.tensor([1.0, 2.0]), Backend)

  defp submits, do: Nx.Vulkan.counters().submits

  # Whether nothing is submitted any more.
  defp idle? do
    before = submits()
    Nx.Vulkan.synchronize()
    Process.sleep(50)
    submits() == before
  end

  # How often this process calls a function while it runs `fun`, and what `fun` returns.
  defp count_calls(mfa, fun) do
    :erlang.trace_pattern(mfa, true, [:local])
    parent = self()
    counter = spawn_link(fn -> count_messages(parent, 0) end)
    :erlang.trace(self(), true, [:call, {:tracer, counter}])
    result = fun.()
    :erlang.trace(self(), false, [:call])
    :erlang.trace_pattern(mfa, false, [:local])
    delivered = :erlang.trace_delivered(self())
    receive do: ({:trace_delivered, _, ^delivered} -> send(counter, :done))
    receive do: ({:calls, count} -> {count, result})
  end

  defp count_messages(parent, count) do
    receive do
      {:trace, _, :call, _} -> count_messages(parent, count + 1)
      :done -> send(parent, {:calls, count})
    end
  end

  # Runs `fun` in a process of its own, which is to have got somewhere before it is killed.
  defp killed(fun) do
    before = submits()
    {pid, monitor} = spawn_monitor(fun)
    assert eventually(fn -> submits() > before + 5 end)
    Process.exit(pid, :kill)
    assert_receive {:DOWN, ^monitor, _, _, :killed}, @deadline
  end

  describe "callbacks" do
    # ten threads do the I/O of a BEAM
    test "of 64 processes read files and tensors on the device, 100 calls each" do
      {x, shared} = {small(), large()}

      hook = fn t ->
        assert Nx.to_number(Nx.add(Nx.sum(t), shared[0])) == 7.0
        assert {:ok, _} = File.read(__ENV__.file)
      end

      fun = compiled(&hooked/1, [x], hooks: %{h: hook})

      1..64
      |> Enum.map(fn _ -> Task.async(fn -> for _ <- 1..100, do: assert(Nx.to_list(fun.(x)) == [3.0, 5.0]) end) end)
      |> Task.await_many(@deadline)
    end

    test "of programs of their own, too" do
      x = small()

      funs =
        for i <- 1..24 do
          compiled(fn t -> t |> Nx.add(i) |> Nx.Defn.Kernel.hook(:h) |> Nx.multiply(i) end, [x],
            hooks: %{h: fn t -> Nx.to_list(Nx.add(t, x)) end}
          )
        end

      # all of them are in the callback at once
      funs
      |> Enum.map(fn fun -> Task.async(fn -> for _ <- 1..50, do: fun.(x) end) end)
      |> Task.await_many(@deadline)
    end

    test "hand on a tensor on the device that they have made, and run other programs with hooks" do
      x = small()
      parent = self()
      inner = compiled(&hooked_too/1, [x], hooks: %{h: &send(parent, {:inner, Nx.to_list(&1)})})
      outer = compiled(&hooked/1, [x], hooks: %{h: &send(parent, {:outer, inner.(Nx.backend_copy(&1, Backend))})})
      assert Nx.to_list(outer.(x)) == [3.0, 5.0]
      assert_received {:inner, [6.0, 12.0]}
      assert_received {:outer, result}
      assert Nx.to_list(result) == [5.0, 11.0]
    end

    test "that run their own program raise, and it runs afterwards" do
      x = small()
      parent = self()
      run = fn hook -> compiled(&hooked/1, [x], hooks: %{h: hook}).(x) end
      error = assert_raise Error, ~r/wait for itself/, fn -> run.(fn _ -> run.(fn _ -> :ok end) end) end
      assert error.status == :invalid_argument
      # where it is caught, the outer run goes on
      result = run.(fn _ -> send(parent, catch_error(run.(fn _ -> :ok end))) end)
      assert Nx.to_list(result) == [3.0, 5.0]
      assert_received %Error{status: :invalid_argument}
    end

    test "that wait for each other's programs raise in one of them" do
      x = small()
      [a, b] = [&hooked/1, &hooked_too/1]
      parent = self()

      cross = fn mine, other ->
        Task.async(fn ->
          hook = fn _ ->
            send(parent, {:inside, self()})
            receive do: (:go -> compiled(other, [x], hooks: %{h: fn _ -> :ok end}).(x))
          end

          try do
            compiled(mine, [x], hooks: %{h: hook}).(x) && :done
          rescue
            e in Error -> e.status
          end
        end)
      end

      # compiled before, so that both only wait for turns
      for fun <- [a, b], do: compiled(fun, [x], hooks: %{h: fn _ -> :ok end}).(x)
      tasks = [cross.(a, b), cross.(b, a)]
      for %{pid: pid} <- tasks, do: assert_receive({:inside, ^pid}, @deadline)
      for %{pid: pid} <- tasks, do: send(pid, :go)
      assert tasks |> Task.await_many(@deadline) |> Enum.sort() == [:done, :invalid_argument]
    end
  end

  describe "the death of its process" do
    test "ends a run, whoever steers it, and frees what it held" do
      x = large()
      hook = %{h: fn _ -> :ok end}

      runs = [
        {compiled(&endless/1, [x]), x, "a loop that the device steers"},
        {compiled(&endless/1, [small()]), small(), "a loop in portions"},
        {compiled(&endless_calls/1, [x], hooks: hook), x, "a loop with callbacks"}
      ]

      for {fun, x, name} <- runs do
        live = Nx.Vulkan.counters().live_buffers
        killed(fn -> fun.(x) end)
        assert eventually(&idle?/0), "#{name}: it goes on"
        assert eventually(fn -> Nx.Vulkan.counters().live_buffers <= live end), "#{name}: buffers are left"
      end
    end

    test "ends each of many, which leave room for others" do
      x = large()
      fun = compiled(&plain/1, [x])

      # of programs of their own
      inputs = for i <- 1..16, do: Nx.backend_copy(Nx.broadcast(1.0, {20_000 + i}), Backend)
      runs = for x <- inputs, do: {compiled(&endless/1, [x]), x}
      # zeros end at once: newer versions of lavapipe compile a shader when it first runs, and all else waits for that
      for {fun, x} <- runs, do: fun.(Nx.backend_copy(Nx.broadcast(0.0, x), Backend))
      pids = for {fun, x} <- runs, do: spawn(fn -> fun.(x) end)
      on_exit(fn -> for pid <- pids, do: Process.exit(pid, :kill) end)
      Process.sleep(100)
      assert Task.await(Task.async(fn -> Nx.to_number(fun.(x)) end), @deadline) == 40_000.0
      assert {:ok, _} = Task.await(Task.async(fn -> File.read(__ENV__.file) end), @deadline)
      for pid <- pids, do: Process.exit(pid, :kill)
      assert eventually(&idle?/0)
    end

    test "in a callback, or in line, hands the program on" do
      x = small()
      parent = self()

      blocked =
        compiled(&hooked/1, [x],
          hooks: %{
            h: fn _ ->
              send(parent, {:inside, self()})
              Process.sleep(:infinity)
            end
          }
        )

      free = compiled(&hooked/1, [x], hooks: %{h: fn _ -> :ok end})
      live = Nx.Vulkan.counters().live_buffers
      pids = for _ <- 1..3, do: spawn(fn -> blocked.(x) end)
      assert_receive {:inside, holder}, @deadline
      Process.sleep(50)
      [next, other] = pids -- [holder]
      last = Task.async(fn -> free.(x) && :done end)
      Process.sleep(50)
      # of those in line either is before the other, and both are before the last
      Process.exit(holder, :kill)
      assert_receive {:inside, pid} when pid in [next, other], @deadline
      refute Task.yield(last, 0)
      for pid <- [next, other] -- [pid], do: Process.exit(pid, :kill)
      refute Task.yield(last, 50)
      Process.exit(pid, :kill)
      assert Task.await(last, @deadline) == :done
      assert eventually(fn -> Nx.Vulkan.counters().live_buffers <= live end)
    end
  end

  # It has no callback and is not steered, so most calls are over at once.
  test "a call that has to wait for the calls before it goes on where it was" do
    x = Nx.backend_copy(Nx.broadcast(Nx.tensor(1.0), {768, 768}), Backend)
    fun = compiled(&product/1, [x])
    # more than may be in flight, and on a processor each is longer than a portion
    {resumed, results} = count_calls({Nx.Vulkan.NIF, :resume, 3}, fn -> for _ <- 1..70, do: fun.(x) end)
    assert resumed > 0 or hd(Nx.Vulkan.devices()).kind != :cpu
    assert Enum.all?(results, &(Nx.to_number(&1) == 768.0 * 768 * 768 * 768 * 768))
  end

  describe "a timeout" do
    test "ends a run that takes longer, and the program runs again" do
      {x, zeros} = {large(), Nx.backend_copy(Nx.broadcast(0.0, {20_000}), Backend)}
      fun = compiled(&endless/1, [x], timeout: 100)
      start = System.monotonic_time(:millisecond)
      error = assert_raise Error, ~r/100 ms/, fn -> fun.(x) end
      assert error.status == :timeout
      assert (System.monotonic_time(:millisecond) - start) in 100..@deadline
      # the same program, with all the time that a busy machine takes
      assert Nx.to_number(Nx.sum(compiled(&endless/1, [x], timeout: 60_000).(zeros))) == 0.0
      assert idle?()
    end

    test "counts callbacks, and the wait for the program" do
      x = small()
      slow = compiled(&hooked/1, [x], hooks: %{h: fn _ -> Process.sleep(200) end}, timeout: 50)
      assert_raise Error, ~r/50 ms/, fn -> slow.(x) end
      parent = self()
      hook = fn _ -> send(parent, :inside) && receive(do: (:go -> :ok)) end
      holder = Task.async(fn -> compiled(&hooked/1, [x], hooks: %{h: hook}).(x) && :done end)
      assert_receive :inside, @deadline
      assert_raise Error, ~r/50 ms/, fn -> slow.(x) end
      send(holder.pid, :go)
      assert Task.await(holder, @deadline) == :done
      refute_receive _, 50
    end

    test "of 10,000 calls leaves nothing behind, whether they were in time or not" do
      {x, y} = {large(), small()}
      fast = compiled(&plain/1, [x], timeout: 60_000)
      calls = compiled(&hooked/1, [y], hooks: %{h: fn _ -> :ok end}, timeout: 60_000)
      late = compiled(&endless/1, [x], timeout: 1)
      late_calls = compiled(&endless_calls/1, [y], hooks: %{h: fn _ -> :ok end}, timeout: 1)
      contended = compiled(&hooked_too/1, [y], hooks: %{h: fn _ -> Process.sleep(2) end}, timeout: 3)

      round = fn ->
        for _ <- 1..46, do: assert(Nx.to_number(fast.(x)) == 40_000.0)
        for _ <- 1..46, do: assert(Nx.to_list(calls.(y)) == [3.0, 5.0])
        assert_raise Error, ~r/1 ms/, fn -> late.(x) end
        assert_raise Error, ~r/1 ms/, fn -> late_calls.(y) end

        # some of them in time
        for _ <- 1..3 do
          try do
            contended.(y)
          rescue
            e in Error -> assert e.status == :timeout
          end
        end
      end

      two = fn rounds ->
        tasks =
          for _ <- 1..2,
              do:
                Task.async(fn ->
                  Enum.each(1..rounds, fn _ -> round.() end) && Process.info(self(), :message_queue_len)
                end)

        assert Task.await_many(tasks, @deadline) == [message_queue_len: 0, message_queue_len: 0]
      end

      # both programs, and the pools, are warm
      two.(2)
      :erlang.garbage_collect()

      left = fn ->
        Nx.Vulkan.counters()
        |> Map.take([:live_buffers, :live_bytes, :programs])
        |> Map.merge(%{threads: threads(), processes: length(Process.list())})
      end

      Nx.Vulkan.synchronize()
      before = left.()
      memory = resident()
      two.(51)
      :erlang.garbage_collect()
      # nothing more; what earlier tests dropped may go meanwhile
      assert eventually(fn -> Enum.all?(left.(), fn {what, count} -> count <= before[what] end) end),
             "#{inspect(before)} before, #{inspect(left.())} after"

      # 10,000 records of 1 KiB that nobody frees were 10 MB
      assert resident() - memory < 8_000_000
    end
  end

  # of the operating system, in this process; nil where nobody tells
  defp threads do
    with {:ok, names} <- File.ls("/proc/self/task"), do: length(names)
  end

  defp resident do
    case File.read("/proc/self/statm") do
      {:ok, text} -> text |> String.split() |> Enum.at(1) |> String.to_integer() |> Kernel.*(4096)
      _ -> 0
    end
  end
end
