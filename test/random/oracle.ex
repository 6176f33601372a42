defmodule Nx.Vulkan.Test.Random.Oracle do
  @moduledoc """
  The reference interpreter with its error bounds: `oracle.c`, as a port. `_build/test/random/oracle` is built by
  `make test-programs`; `NX_VULKAN_ORACLE` names another file.
  """

  alias Nx.Vulkan.Device
  alias Nx.Vulkan.Test.Random.Values

  # the interpreter is slow on purpose, but not that slow
  @patience 120_000

  @doc "The path of the program, or nil where it was not built."
  def path do
    path = System.get_env("NX_VULKAN_ORACLE") || "_build/test/random/oracle"
    if File.exists?(path), do: Path.expand(path)
  end

  @doc """
  Starts it, for a device with these features (`Nx.Vulkan.Device.list/0` has them): some take subnormal numbers for 0.
  """
  def open(features \\ Device.fetch!().info.feature_words) do
    args = Enum.map(features, &to_string/1)
    Port.open({:spawn_executable, path()}, [:binary, {:packet, 4}, :exit_status, args: args])
  end

  @doc """
  Runs a graph (its JSON) on inputs. `candidates` are `{slack, outputs}`: what was found, in device layout,
  and by how many ULP it may be off beyond the bound.

  Returns the interpreter's outputs as tensors like `templates`, and for each candidate a verdict for each
  output: `%{wrong: index | nil, loose: n, vague: n, found: x, wanted: x, bound: x}`.
  """
  def run(port, json, inputs, templates, candidates \\ []) do
    json = IO.iodata_to_binary(json)

    request = [
      <<byte_size(json)::32-little>>,
      json,
      Enum.map(inputs, &Values.stored/1),
      <<length(candidates)::32-little>>,
      for({slack, outputs} <- candidates, do: [<<slack::float-64-little>> | outputs])
    ]

    Port.command(port, request)

    receive do
      {^port, {:data, <<0, data::binary>>}} ->
        {outputs, data} = Enum.map_reduce(templates, data, &take_tensor/2)

        {verdicts, ""} =
          Enum.map_reduce(candidates, data, fn _, data -> Enum.map_reduce(templates, data, &take_verdict/2) end)

        {:ok, outputs, verdicts}

      {^port, {:data, <<1, text::binary>>}} ->
        {:error, text}

      {^port, {:exit_status, status}} ->
        {:died, "the interpreter ended with status #{status}"}
    after
      @patience -> {:died, "the interpreter has not answered for #{div(@patience, 1000)} s"}
    end
  end

  defp take_tensor(template, data) do
    {_, width} = template.type
    size = Nx.size(template) * div(max(width, 8), 8)
    <<bytes::binary-size(size), rest::binary>> = data
    {Values.from_stored(bytes, template), rest}
  end

  defp take_verdict(_, data) do
    <<wrong::64-little-signed, loose::64-little, vague::64-little, found::binary-8, wanted::binary-8, bound::binary-8,
      rest::binary>> = data

    wrong = if wrong >= 0, do: wrong

    {%{wrong: wrong, loose: loose, vague: vague, found: number(found), wanted: number(wanted), bound: number(bound)},
     rest}
  end

  defp number(<<bits::64-little>>), do: Nx.Vulkan.Serializer.Number.decode(bits, {:f, 64})
end
