defmodule Nx.Vulkan.MixProject do
  use Mix.Project

  Code.require_file("mk/nif.exs", __DIR__)

  # another name for the application, and with it for its settings and its package, is one word here
  @app :nx_vulkan
  @version "0.1.0"

  def project do
    [
      app: @app,
      version: @version,
      # that of Nx 0.13
      elixir: "~> 1.17",
      elixirc_paths: elixirc_paths(Mix.env()),
      # libraries on ERL_LIBS stay reachable
      prune_code_paths: false,
      # test files bring containers of their own
      consolidate_protocols: Mix.env() == :prod,
      compilers: [:nx_vulkan_nif | Mix.compilers()],
      deps: deps(),
      description: "Compiles Nx functions for any GPU with a Vulkan driver",
      package: package(),
      docs: docs()
    ]
  end

  def application do
    [mod: {Nx.Vulkan.Application, []}, extra_applications: [:logger, :crypto, :nx, :telemetry]]
  end

  defp elixirc_paths(:test), do: ["lib", "test/support", "test/random"]
  defp elixirc_paths(_), do: ["lib"]

  # Where ERL_LIBS has Nx, nothing is fetched. A package names its dependencies wherever it is made.
  defp deps do
    if nx_on_erl_libs?() and not match?(["hex." <> _ | _], System.argv()) do
      []
    else
      [
        {:nx, "~> 0.13.0"},
        {:telemetry, "~> 1.0"},
        {:axon, "~> 0.8", only: [:dev, :test]},
        {:polaris, "~> 0.1", only: [:dev, :test]},
        {:scholar, "~> 0.4", only: [:dev, :test]},
        # in an environment of its own, so that nothing else waits for it: MIX_ENV=docs mix docs
        {:ex_doc, "~> 0.34", only: :docs, runtime: false}
      ]
    end
  end

  defp nx_on_erl_libs? do
    folders = "ERL_LIBS" |> System.get_env("") |> String.split(":", trim: true)
    Enum.any?(folders, &(Path.wildcard(Path.join(&1, "nx{,-*}/ebin")) != []))
  end

  defp docs do
    [
      main: "readme",
      extras: [
        "README.md",
        {"lib/README.md", filename: "elixir", title: "From Elixir"},
        {"lib/COVERAGE.md", title: "Ops and types"},
        "CHANGELOG.md"
      ],
      source_ref: "v#{@version}",
      groups_for_modules: [
        Errors: [Nx.Vulkan.Error, Nx.Vulkan.CompileError],
        Internals: [Nx.Vulkan.Serializer]
      ]
    ]
  end

  # What a checkout has: the sources that the native library is built from, and the tests; nothing that was built.
  defp package do
    [
      licenses: ["Apache-2.0"],
      links: %{"Nx" => "https://github.com/elixir-nx/nx"},
      files:
        ~w(lib compiler runtime shaders templates mk test examples Makefile mix.exs .formatter.exs .clang-format) ++
          ~w(README.md CHANGELOG.md LICENSE),
      exclude_patterns: [~r/__pycache__/, ~r/\.(o|a|so|beam)$/]
    ]
  end
end
