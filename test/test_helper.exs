# Tests tagged :native need the NIF, those tagged :device a Vulkan device, too, those tagged :mapped one whose memory the
# host sees, :nodes a second node on this machine, and :axon and :scholar those libraries. What is left out is said.
alias Nx.Vulkan.{Device, NIF}

# every run compiles what it tests
Application.put_env(:nx_vulkan, :compiler, cache_dir: false)

exclude =
  cond do
    not NIF.loaded?() ->
      IO.puts("NOT RUN: tests of the native code, because there is no native library.")
      [:native, :device]

    not match?({:ok, [_ | _]}, NIF.devices()) ->
      IO.puts("NOT RUN: tests on a device, because there is no Vulkan device.")
      [:device]

    match?({:error, _}, NIF.buffer_address(Device.upload(Device.fetch!(), "any"))) ->
      IO.puts("NOT RUN: tests of addresses, because the host does not see the device's memory.")
      [:mapped]

    true ->
      []
  end

alone =
  with [] <- exclude, {:ok, joined} <- Nx.Vulkan.Test.Nodes.join() do
    Nx.Vulkan.Test.Nodes.leave(joined)
    []
  else
    {:error, reason} ->
      IO.puts("NOT RUN: tests with a second node, because #{reason}.")
      [:nodes]

    _ ->
      []
  end

absent =
  for {tag, module} <- [axon: Axon, scholar: Scholar.Linear.LinearRegression], not Code.ensure_loaded?(module) do
    IO.puts("NOT RUN: tests with #{inspect(module)}, because it is not on ERL_LIBS.")
    tag
  end

# messages come when they come: a busy machine is slow, and a hang is found by the timeout
ExUnit.start(exclude: exclude ++ alone ++ absent, timeout: 300_000, assert_receive_timeout: 60_000)
