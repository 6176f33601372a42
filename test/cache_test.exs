defmodule Nx.Vulkan.CacheTest do
  use ExUnit.Case, async: true

  alias Nx.Vulkan.Cache

  test "a value is made once, and everybody gets it" do
    key = make_ref()
    counter = :counters.new(1, [])

    make = fn ->
      Process.sleep(50)
      :counters.add(counter, 1, 1)
      :counters.get(counter, 1)
    end

    results = 1..20 |> Enum.map(fn _ -> Task.async(fn -> Cache.run(key, make) end) end) |> Task.await_many(:infinity)
    assert results == List.duplicate(1, 20)
    assert Cache.get(key) == 1
  end

  test "when the maker fails, the next in line makes it" do
    key = make_ref()
    parent = self()

    failing =
      Task.async(fn ->
        try do
          Cache.run(key, fn ->
            send(parent, :started)
            Process.sleep(50)
            raise "no"
          end)
        rescue
          e -> e
        end
      end)

    assert_receive :started
    waiting = for i <- 1..3, do: Task.async(fn -> Cache.run(key, fn -> i end) end)
    assert %RuntimeError{message: "no"} = Task.await(failing, :infinity)
    assert [same, same, same] = Task.await_many(waiting, :infinity)
  end

  test "when the maker dies, the next in line makes it" do
    key = make_ref()
    parent = self()

    maker =
      spawn(fn ->
        Cache.run(key, fn ->
          send(parent, :started)
          Process.sleep(:infinity)
        end)
      end)

    assert_receive :started
    waiting = Task.async(fn -> Cache.run(key, fn -> :made end) end)
    Process.sleep(20)
    Process.exit(maker, :kill)
    assert Task.await(waiting, :infinity) == :made
  end

  test "nobody is watched any longer than they make something" do
    for _ <- 1..50, do: Cache.run(make_ref(), fn -> :value end)
    # whatever was cast before is done when a call is answered
    Cache.run(make_ref(), fn -> :value end)
    Cache.run(make_ref(), fn -> :value end)
    {:monitors, watched} = Process.info(Process.whereis(Cache), :monitors)
    assert Enum.count(watched, &(&1 == {:process, self()})) <= 1
  end

  test "who makes a value cannot wait for it, and it is made afterwards" do
    key = make_ref()

    assert_raise RuntimeError, ~r/would wait for itself/, fn ->
      Cache.run(key, fn -> Cache.run(key, fn -> 1 end) end)
    end

    assert Cache.run(key, fn -> 2 end) == 2
  end

  test "keys are independent, also of one process" do
    {outer, inner} = {make_ref(), make_ref()}
    assert Cache.run(outer, fn -> {:outer, Cache.run(inner, fn -> :inner end)} end) == {:outer, :inner}
    assert Cache.drop(&(&1 == outer)) == :ok
    assert Cache.get(outer) == nil
    assert Cache.get(inner) == :inner
  end
end
