defmodule Mix.Tasks.Compile.NxVulkanNif do
  @moduledoc false
  # Builds the native library with `make nif`, into the application's priv folder. Make decides what is out of date.
  #
  # A dependency's objects are in the build folder of the application that depends on it, so that a checkout may serve
  # several. In this project itself they are those of `make`.
  use Mix.Task.Compiler

  @needed """
  Needed are GNU make, a C compiler, a C++ standard library, shaderc with glslang and SPIRV-Tools, and the headers
  of Erlang. On Debian and Ubuntu:

      apt-get install --no-install-recommends gcc g++ libc6-dev make libshaderc-dev glslang-dev spirv-tools \\
        erlang-dev

  On a machine that only exports graphs as JSON, NX_VULKAN_SKIP_NIF=1 leaves the native library out; NX_VULKAN_NIF
  names one that was built elsewhere.
  """

  @impl true
  def run(_args) do
    cond do
      System.get_env("NX_VULKAN_NIF", "") != "" -> {:noop, []}
      System.get_env("NX_VULKAN_SKIP_NIF", "") not in ["", "0"] -> {:noop, []}
      make(["-q"], :silent) == 0 -> {:noop, []}
      true -> build()
    end
  end

  @impl true
  def clean do
    File.rm(library())
    File.rm_rf(objects())
  end

  defp build do
    Mix.shell().info("Compiling the native library of nx_vulkan, which takes a minute or so")
    File.mkdir_p!(Path.dirname(library()))

    if make(["-s", "-j#{System.schedulers_online()}"], :shown) != 0,
      do: Mix.raise("the native library of nx_vulkan was not built, for the reason above.\n\n" <> @needed)

    {:ok, []}
  end

  defp make(options, output) do
    into = if output == :shown, do: IO.stream(), else: ""
    {_, status} = System.cmd(program(), options ++ goal(), into: into, stderr_to_stdout: true, env: environment())
    status
  end

  # BSD's own make is another program.
  defp program do
    names = [System.get_env("MAKE"), "gmake", "make"]

    Enum.find(names, &(&1 && System.find_executable(&1))) ||
      Mix.raise("the native library of nx_vulkan was not built: there is no make.\n\n" <> @needed)
  end

  defp goal do
    headers = Path.join(:code.root_dir(), "erts-#{:erlang.system_info(:version)}/include")
    goal = ["nif", "NIF=#{library()}"] ++ if(File.dir?(headers), do: ["ERTS_INCLUDE_DIR=#{headers}"], else: [])
    # what a newer compiler warns of is no reason to refuse an application
    if dependency?(), do: goal ++ ["B=#{objects()}", "NOWERROR=1"], else: goal
  end

  # A make that calls Mix has options of its own.
  defp environment, do: for(name <- ~w(MAKEFLAGS MFLAGS MAKELEVEL), do: {name, nil})

  defp dependency?, do: String.starts_with?(app_path(), "../")
  defp objects, do: Path.join(app_path(), "native")
  defp library, do: Path.join(app_path(), "priv/nx_vulkan.so")

  # Make cannot read names with spaces, which folders above both may have.
  defp app_path, do: Path.relative_to_cwd(Mix.Project.app_path(), force: true)
end
