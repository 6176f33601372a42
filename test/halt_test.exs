defmodule Nx.Vulkan.HaltTest do
  # A node that halts while it compiles, loads or runs: it ends with its own status, not of a signal in a driver whose
  # library is taken down under it.
  use Nx.Vulkan.Test.DeviceCase, async: true

  @moduletag timeout: 300_000

  # Tells `:go` once the phase has begun to move; the phase of a run is what follows the driver's last pipeline.
  @script """
  [phase, delay] = System.argv()
  parent = self()
  {phase, is_done} = if phase == "run", do: {:driver, & &1.done == &1.total}, else: {String.to_atom(phase), & &1.done > 2}
  told = fn event -> if event.phase == phase and is_done.(event), do: send(parent, :go) end
  seed = :rand.uniform()

  sorts = fn x ->
    for n <- 301..330, reduce: 0 do
      sum -> Nx.add(sum, Nx.reduce_max(Nx.sort(Nx.slice(Nx.add(x, seed), [0], [n]))))
    end
  end

  spawn_link(fn -> Nx.Vulkan.jit(sorts, progress: told).(Nx.iota({400}, type: :f32)) end)
  receive(do: (:go -> Process.sleep(String.to_integer(delay))), after: (60_000 -> System.halt(8)))
  System.halt(7)
  """

  for {phase, delay} <- [kernels: 0, driver: 0, run: 0, run: 300] do
    test "a node that halts in #{phase}, #{delay} ms on, ends with its status" do
      paths = Enum.flat_map(:code.get_path(), &["-pa", to_string(&1)])
      start = "{:ok, _} = Application.ensure_all_started(:nx_vulkan); "
      args = paths ++ ["-e", start <> @script, unquote(to_string(phase)), unquote(to_string(delay))]
      assert {output, 7} = System.cmd(System.find_executable("elixir"), args, stderr_to_stdout: true)
      assert output == ""
    end
  end
end
