defmodule Nx.Vulkan.ProgressTest do
  # What a compile tells, and how it ends: by the death of its process, or by what its progress raises. Threads and
  # programs are counted: nothing else runs meanwhile.
  use Nx.Vulkan.Test.DeviceCase

  import Nx.Defn, only: [defn: 2]
  import Nx.Vulkan, only: [jit: 1, jit: 2]

  @moduletag timeout: 300_000
  # a hang, on any machine
  @deadline 60_000

  defn small(x), do: Nx.sum(Nx.exp(x * 2))
  defn sorted(x), do: Nx.sort(x) + Nx.cumulative_sum(x)

  # 400 kernels, no two of them the same: a second of compiling where nothing else runs, and two for the driver, which
  # takes minutes more when they are run
  defp long(x), do: sorts(x, 301..500)

  # Its beginning.
  defp shorter(x), do: sorts(x, 301..306)

  defp sorts(x, sizes) do
    for n <- sizes, reduce: 0 do
      sum -> Nx.add(sum, Nx.reduce_max(Nx.sort(Nx.slice(x, [0], [n]))))
    end
  end

  # Every call is of a function of its own, which no other test has compiled.
  defp fresh(fun), do: then(System.unique_integer([:positive]), fn n -> &fun.(Nx.add(&1, n * 1.0e-7)) end)

  defp send_to(pid), do: fn event -> send(pid, {:progress, self(), event}) end

  defp received do
    receive do
      {:progress, pid, event} -> [{pid, event} | received()]
    after
      0 -> []
    end
  end

  def hand_on([_, event, _], measured, told, parent), do: send(parent, {event, measured, told})

  # of the library, by the name that it gives them; nil where nobody tells
  defp job_threads do
    with {:ok, tasks} <- File.ls("/proc/self/task") do
      names = for task <- tasks, {:ok, name} <- [File.read("/proc/self/task/#{task}/comm")], do: name
      Enum.count(names, &String.starts_with?(&1, "nx_vulkan job"))
    else
      _ -> nil
    end
  end

  defp no_job?, do: job_threads() in [0, nil]

  defp entries(folder), do: Path.wildcard(Path.join(folder, "**/*"), match_dot: true) |> Enum.reject(&File.dir?/1)

  defp dead(pid, monitor) do
    Process.exit(pid, :kill)
    assert_receive {:DOWN, ^monitor, _, ^pid, :killed}, @deadline
  end

  # Runs `fun` in a process of its own, which dies of the first that it is told of a phase: a test that killed it
  # might come when the work is done, on a busy machine.
  defp killed_in(phase, fun) do
    report = fn event -> if(event.phase == phase, do: Process.exit(self(), :kill)) end
    {pid, monitor} = spawn_monitor(fn -> fun.(report) end)
    assert_receive {:DOWN, ^monitor, _, ^pid, :killed}, @deadline
  end

  defp folder(context) do
    path = Path.join(System.tmp_dir!(), "nx_vulkan_progress_#{System.unique_integer([:positive])}_#{System.pid()}")
    on_exit(fn -> File.rm_rf!(path) end)
    Map.put(context, :folder, path)
  end

  setup :folder

  describe "progress" do
    test "is told in the process that calls, phase after phase, each from 0 to its total" do
      for fun <- [fresh(&small/1), fresh(&sorted/1)] do
        jit(fun, progress: send_to(self()), name: "a name").(Nx.iota({100}, type: :f32))
        events = received()
        assert Enum.all?(events, fn {pid, event} -> pid == self() and event.name == "a name" end)
        phases = Enum.chunk_by(events, fn {_, event} -> event.phase end)
        assert Enum.map(phases, fn [{_, event} | _] -> event.phase end) == [:import, :passes, :plan, :kernels, :driver]

        for [{_, %{total: total}} | _] = phase <- phases do
          assert total > 0
          assert Enum.map(phase, fn {_, event} -> {event.done, event.total} end) == for(i <- 0..total, do: {i, total})
        end
      end
    end

    test "is none of what is compiled, and of what is in the cache the driver's alone", %{folder: folder} do
      {fun, x} = {fresh(&small/1), Nx.iota({10}, type: :f32)}
      phases = fn -> received() |> Enum.map(fn {_, event} -> event.phase end) |> Enum.uniq() end
      opts = [cache_dir: folder]
      jit(fun, opts).(x)
      assert phases.() == []
      jit(fun, [progress: send_to(self())] ++ opts).(x)
      assert phases.() == []
      # the same bundle, loaded anew
      Nx.Vulkan.Cache.drop(&(is_tuple(&1) and elem(&1, 0) in [:compiled, :program]))
      jit(fun, [progress: send_to(self())] ++ opts).(x)
      assert phases.() == [:driver]
    end

    test "is told of what export, explain and load do", %{folder: folder} do
      File.mkdir_p!(folder)
      {path, x} = {Path.join(folder, "small.vkb"), Nx.iota({10}, type: :f32)}
      opts = [progress: send_to(self())]
      phases = fn -> received() |> Enum.map(fn {_, event} -> event.phase end) |> Enum.dedup() end
      Nx.Vulkan.export(path, &small/1, [x], opts)
      assert phases.() == [:import, :passes, :plan, :kernels]
      Nx.Vulkan.explain(&small/1, [x], opts)
      assert phases.() == [:import, :passes, :plan, :kernels]
      assert_in_delta Nx.to_number(Nx.Vulkan.load(path, opts).(x)), Nx.to_number(small(x)), 1.0e4
      assert phases.() == [:driver]
    end

    test "goes to telemetry, too" do
      events = for event <- [:compile, :load], do: [:nx_vulkan, event, :progress]
      name = "told #{System.unique_integer()}"
      :telemetry.attach_many(name, events, &__MODULE__.hand_on/4, self())
      on_exit(fn -> :telemetry.detach(name) end)
      jit(fresh(&small/1), name: name).(Nx.iota({10}, type: :f32))
      assert_received {:compile, %{done: 0, total: 1}, %{name: ^name, phase: :import}}
      assert_received {:compile, %{done: n, total: n}, %{name: ^name, phase: :kernels}} when n > 0
      assert_received {:load, %{done: n, total: n}, %{name: ^name, phase: :driver}} when n > 0
    end

    test "that raises, throws or exits ends the compile, and the call does the same" do
      {fun, x} = {fresh(&sorted/1), Nx.iota({100}, type: :f32)}
      failing = fn phase, fail -> fn event -> if(event.phase == phase, do: fail.()) end end

      for phase <- [:import, :passes, :plan, :kernels, :driver] do
        assert_raise RuntimeError, "in #{phase}", fn ->
          jit(fun, progress: failing.(phase, fn -> raise "in #{phase}" end)).(x)
        end

        assert catch_throw(jit(fun, progress: failing.(phase, fn -> throw(phase) end)).(x)) == phase
        assert catch_exit(jit(fun, progress: failing.(phase, fn -> exit(phase) end)).(x)) == phase
        assert Process.info(self(), :message_queue_len) == {:message_queue_len, 0}
      end

      assert eventually(&no_job?/0)
      assert Nx.to_number(jit(fun).(x)[0]) == Nx.to_number(Nx.Defn.jit(fun, compiler: Nx.Defn.Evaluator).(x)[0])
    end

    test "may run other functions, and not the one that is compiled" do
      {fun, x} = {fresh(&small/1), Nx.iota({10}, type: :f32)}
      other = fresh(&sorted/1)
      parent = self()
      jit(fun, progress: fn _ -> send(parent, {:other, Nx.to_number(jit(other).(x)[0])}) end).(x)
      assert_received {:other, _}
      again = fresh(&small/1)

      assert_raise RuntimeError, ~r/would wait for itself/, fn ->
        jit(again, progress: fn _ -> jit(again).(x) end).(x)
      end
    end

    test "is a function of one argument" do
      x = Nx.tensor(1.0)

      for wrong <- [true, self(), fn -> :ok end, fn _, _ -> :ok end] do
        assert_raise ArgumentError, ~r/option :progress must be a function of one argument/, fn ->
          jit(&small/1, progress: wrong).(x)
        end
      end

      assert_raise ArgumentError, ~r/:progress must be/, fn -> Nx.Vulkan.load("none", progress: true) end
    end
  end

  describe "the death of a process" do
    test "ends what it compiles, and the next call compiles it", %{folder: folder} do
      {fun, x} = {fresh(&shorter/1), Nx.iota({500}, type: :f32)}
      before = Map.take(Nx.Vulkan.counters(), [:programs, :pipelines, :live_buffers])
      killed_in(:import, fn report -> jit(fun, progress: report, cache_dir: folder).(x) end)
      assert eventually(&no_job?/0)
      # it would be there had the compile gone on to its end
      assert entries(folder) == []
      # programs of earlier tests may go meanwhile
      for {what, count} <- before, do: assert(Nx.Vulkan.counters()[what] <= count)
      result = jit(fun, cache_dir: folder).(x)
      assert [_] = entries(folder)
      assert_in_delta Nx.to_number(result), Enum.sum(300..305), 1
    end

    test "ends what the driver compiles for it, and nothing is left" do
      {fun, x} = {fresh(&long/1), Nx.iota({500}, type: :f32)}
      before = Map.take(Nx.Vulkan.counters(), [:programs, :pipelines, :live_buffers, :memory_bytes])
      killed_in(:driver, fn report -> jit(fun, progress: report).(x) end)
      assert eventually(&no_job?/0)
      # nothing more than before; programs of earlier tests may go meanwhile
      assert eventually(fn -> Enum.all?(before, fn {what, count} -> Nx.Vulkan.counters()[what] <= count end) end)
    end

    test "lets the next of those who wait for it compile" do
      {fun, x, parent} = {fresh(&sorted/1), Nx.iota({1000}, type: :f32), self()}

      {pid, monitor} =
        spawn_monitor(fn ->
          jit(fun, progress: fn _ -> send(parent, {:begun, self()}) && Process.sleep(:infinity) end).(x)
        end)

      assert_receive {:begun, ^pid}, @deadline
      waiting = for _ <- 1..3, do: Task.async(fn -> Nx.to_list(jit(fun, progress: send_to(parent)).(x)) end)
      Process.sleep(50)
      assert Enum.all?(waiting, &(Task.yield(&1, 0) == nil))
      dead(pid, monitor)
      [same, same, same] = Task.await_many(waiting, @deadline)
      # and only one of them
      assert received() |> Enum.uniq_by(&elem(&1, 0)) |> length() == 1
    end

    test "of many leaves the threads to others" do
      x = Nx.iota({500}, type: :f32)
      # none is done before it dies
      hold = fn _ -> Process.sleep(:infinity) end
      pids = for _ <- 1..12, do: spawn_monitor(fn -> jit(fresh(&long/1), progress: hold).(x) end)
      assert eventually(fn -> job_threads() != 0 end)
      for {pid, monitor} <- pids, do: dead(pid, monitor)
      assert Nx.to_number(jit(fresh(&small/1)).(Nx.tensor(0.0))) > 0
      assert eventually(&no_job?/0)
    end
  end

  test "more processes compile at once than there are threads for it" do
    x = Nx.iota({64}, type: :f32)

    1..24
    |> Enum.map(fn i -> Task.async(fn -> Nx.to_number(jit(fresh(&Nx.multiply(&1, i))).(x)[1]) / i end) end)
    |> Task.await_many(@deadline)
    |> Enum.each(&assert_in_delta &1, 1.0, 0.1)

    assert eventually(&no_job?/0)
  end
end
