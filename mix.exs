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
      deps: deps(),
      description: "Compiles Nx functions for any GPU with a Vulkan driver",
      package: [licenses: ["Apache-2.0"]]
    ]
  end

  def application do
    [mod: {Nx.Vulkan.Application, []}, extra_applications: [:logger, :crypto, :nx, :telemetry]]
  end

  defp elixirc_paths(:test), do: ["lib", "test/support"]
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
