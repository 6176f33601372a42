# Tests tagged :native need the NIF, those tagged :device a Vulkan device, too, those tagged :mapped one whose
# memory the host sees, and :axon and :scholar those libraries. What is left out is said.
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

absent =
  for {tag, module} <- [axon: Axon, scholar: Scholar.Linear.LinearRegression], not Code.ensure_loaded?(module) do
    IO.puts("NOT RUN: tests with #{inspect(module)}, because it is not on ERL_LIBS.")
    tag
  end

ExUnit.start(exclude: exclude ++ absent, timeout: 300_000)
