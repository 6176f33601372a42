# Fits a line by gradient descent: mix run examples/line/line.exs
Nx.Defn.default_options(compiler: Nx.Vulkan.Compiler)

defmodule Line do
  import Nx.Defn

  defn step({slope, offset}, x, y) do
    {loss, {ds, db}} = value_and_grad({slope, offset}, fn {s, b} -> Nx.mean((s * x + b - y) ** 2) end)
    {{slope - 0.5 * ds, offset - 0.5 * db}, loss}
  end
end

x = Nx.linspace(0, 1, n: 1000, type: :f32)
y = Nx.add(Nx.multiply(x, 3), 2)

{{slope, offset}, loss} =
  Enum.reduce(1..200, {{Nx.tensor(0.0), Nx.tensor(0.0)}, nil}, fn _, {params, _} -> Line.step(params, x, y) end)

IO.puts(
  "#{Float.round(Nx.to_number(slope), 4)} x + #{Float.round(Nx.to_number(offset), 4)}, loss #{Nx.to_number(loss)}"
)

# the same step for machines without Elixir: vkrun line.vkb
Nx.Vulkan.export("_build/line.vkb", &Line.step/3, [{slope, offset}, x, y])
