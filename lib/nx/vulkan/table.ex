defmodule Nx.Vulkan.Table do
  @moduledoc false
  # What explain/3 and profile/3 of Nx.Vulkan return, as text for people.

  @doc "Of a list of kernels a table, of an explanation a summary with the plan and the graph."
  @spec text([map] | map) :: binary
  def text(kernels) when is_list(kernels) do
    total = kernels |> Enum.map(&per_run/1) |> Enum.sum()

    rows =
      for k <- kernels do
        seconds = per_run(k)

        [
          micro(seconds),
          percent(seconds, total),
          rate(k.bytes, seconds),
          rate(k.flops, seconds),
          k.label,
          k.source
        ]
      end

    head = ["us a run", "share", "GB/s", "GFLOP/s", "kernel", "source"]

    lines([head | rows]) <>
      "#{length(kernels)} kernels, #{micro(total)} us a run. " <>
      "The nodes n1, n2, ... are in the :ir of explain/3.\n"
  end

  def text(%{name: name, stats: s, plan: plan, ir: ir}) do
    """
    #{name}: #{s.nodes_out} nodes (#{s.nodes_in} as traced) in #{s.kernels} kernels
    a run: #{s.dispatches} dispatches, #{s.barriers} barriers; #{bytes(s.bytes_moved)} moved, #{bytes(s.bytes_unfused)} unfused
    memory beside arguments and results: #{bytes(s.arena_bytes)}, constants #{bytes(s.constants_bytes)}
    compiled in #{milli(s.seconds_total)} ms: passes #{milli(s.seconds_passes)}, \
    plan #{milli(s.seconds_plan)}, SPIR-V #{milli(s.seconds_spirv)}

    #{String.trim_trailing(plan)}

    #{String.trim_trailing(ir)}
    """
  end

  defp per_run(%{runs: 0}), do: 0.0
  defp per_run(%{seconds: seconds, runs: runs}), do: seconds / runs

  # numbers to the right, the last two columns are words
  defp lines(rows) do
    widths = rows |> Enum.zip_with(fn column -> column |> Enum.map(&String.length/1) |> Enum.max() end)

    for row <- rows, into: "" do
      cells =
        for {{cell, width}, i} <- row |> Enum.zip(widths) |> Enum.with_index(),
            do: if(i < 4, do: String.pad_leading(cell, width), else: String.pad_trailing(cell, width))

      (cells |> Enum.join("  ") |> String.trim_trailing()) <> "\n"
    end
  end

  defp percent(_, total) when total == 0, do: "-"
  defp percent(seconds, total), do: "#{round(100 * seconds / total)} %"
  defp rate(_, seconds) when seconds == 0, do: "-"
  defp rate(count, seconds), do: :erlang.float_to_binary(count / seconds / 1.0e9, decimals: 1)
  defp micro(seconds), do: :erlang.float_to_binary(seconds * 1.0e6, decimals: 1)
  defp milli(seconds), do: :erlang.float_to_binary(seconds * 1.0e3, decimals: 1)

  defp bytes(n) when n < 10_000, do: "#{n} bytes"
  defp bytes(n) when n < 10_000_000, do: "#{div(n, 1000)} kB"
  defp bytes(n), do: "#{div(n, 1_000_000)} MB"
end
