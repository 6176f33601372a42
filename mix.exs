defmodule Nx.Vulkan.MixProject do
  use Mix.Project

  @version "0.1.0"

  def project do
    [
      app: :nx_vulkan,
      version: @version,
      elixir: "~> 1.15",
      elixirc_paths: elixirc_paths(Mix.env()),
      # libraries on ERL_LIBS stay reachable
      prune_code_paths: false,
      # test files bring containers of their own
      consolidate_protocols: Mix.env() == :prod,
      compilers: [:nx_vulkan_nif | Mix.compilers()],
      deps: deps(),
      description: "Compiles Nx functions for any GPU with a Vulkan driver",
      package: [licenses: ["Apache-2.0"]]
    ]
  end

  def application do
    [mod: {Nx.Vulkan.Application, []}, extra_applications: [:logger, :crypto, :nx, :telemetry]]
  end

  defp elixirc_paths(:test), do: ["lib", "test/support", "test/random"]
  defp elixirc_paths(_), do: ["lib"]

  # Where Nx is already on the code path (ERL_LIBS), nothing is fetched.
  defp deps do
    if Code.ensure_loaded?(Nx) do
      []
    else
      [
        {:nx, "~> 0.13.0"},
        {:telemetry, "~> 1.0"},
        {:axon, "~> 0.8", only: [:dev, :test]},
        {:polaris, "~> 0.1", only: [:dev, :test]},
        {:scholar, "~> 0.4", only: [:dev, :test]}
      ]
    end
  end
end

defmodule Mix.Tasks.Compile.NxVulkanNif do
  @moduledoc false
  # Builds priv/nx_vulkan.so when it is not there. Afterwards, `make nif` is the one who knows what changed.
  use Mix.Task.Compiler

  @impl true
  def run(_args) do
    cond do
      System.get_env("NX_VULKAN_NIF") -> {:noop, []}
      File.exists?("priv/nx_vulkan.so") -> {:noop, []}
      make() == 0 -> {:ok, []}
      true -> without()
    end
  end

  defp make do
    {_, status} = System.cmd(System.get_env("MAKE", "make"), ["nif"], into: IO.stream(), stderr_to_stdout: true)
    status
  rescue
    e in ErlangError -> Mix.shell().error("make: #{inspect(e.original)}")
  end

  defp without do
    Mix.shell().error(
      "nx_vulkan: the native library was not built. Exporting graph JSON works without it, nothing else does."
    )

    {:ok, []}
  end
end
