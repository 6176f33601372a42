defmodule Nx.Vulkan.Test.Workload do
  @moduledoc """
  Runs whole functions on the device and with `Nx.Defn.Evaluator` on `Nx.BinaryBackend`, and compares.
  """
  import ExUnit.Assertions

  def run(fun, args, opts \\ []), do: Nx.Defn.jit_apply(fun, args, [compiler: Nx.Vulkan.Compiler] ++ opts)
  def expect(fun, args), do: Nx.Defn.jit_apply(fun, args, compiler: Nx.Defn.Evaluator)

  def host(tensors), do: copy(tensors, Nx.BinaryBackend)
  def device(tensors), do: copy(tensors, Nx.Vulkan.Backend)

  defp copy(tensors, backend), do: Nx.Defn.Composite.traverse(tensors, &Nx.backend_copy(&1, backend))

  @doc "What the compiler counts: kernels, dispatches, steps, ... of a function, for this device or a target."
  def stats(fun, args, opts \\ [device: nil]), do: Nx.Vulkan.explain(fun, args, opts).stats

  @doc "What a call changed in the device's counters, and its result."
  def counted(fun) do
    Nx.Vulkan.synchronize()
    before = Nx.Vulkan.counters()
    result = fun.()
    Nx.Vulkan.synchronize()
    {result, Map.new(Nx.Vulkan.counters(), fn {key, value} -> {key, value - before[key]} end)}
  end

  @doc "The same for a function whose arguments are on the device already: their copies are not part of a call."
  def counted_run(fun, args) do
    args = Enum.map(args, &device/1)
    counted(fn -> run(fun, args) end)
  end

  @doc """
  Fails unless all floats of two containers are as near as the bound asks: by the largest magnitude of the
  tensor that they are in (`:scale`), of the element itself (`:each`), or absolutely (`:absolute`); of zeros it is absolute. What is no
  float must be equal, and infinities and NaN must stand where the reference has them.
  """
  def assert_near(actual, expected, bound, by \\ :scale) do
    {a, e} = {leaves(actual), leaves(expected)}
    assert length(a) == length(e)

    for {{a, e}, i} <- Enum.with_index(Enum.zip(a, e)) do
      assert {a.type, a.shape} == {e.type, e.shape}, "result #{i}: #{inspect(a.type)} #{inspect(a.shape)}"

      case error(a, e, by) do
        :equal -> :ok
        :differs -> flunk("result #{i} differs: #{inspect(a)}\nexpected #{inspect(e)}")
        error -> assert error <= bound, "result #{i} is off by #{error} (#{by}), allowed #{bound}"
      end
    end
  end

  @doc "The largest error of all results, as `assert_near/4` measures it."
  def worst(actual, expected, by \\ :scale) do
    Enum.zip_with(leaves(actual), leaves(expected), &error(&1, &2, by))
    |> Enum.reject(&(&1 == :equal))
    |> Enum.max(fn -> 0.0 end)
  end

  defp leaves(container), do: container |> host() |> List.wrap() |> Nx.Defn.Composite.flatten_list()

  defp error(%{type: {kind, _}} = a, e, by) when kind in [:f, :bf] do
    if Nx.to_binary(finite(a)) == Nx.to_binary(finite(e)) do
      difference = Nx.abs(Nx.subtract(clean(a), clean(e)))
      magnitude = Nx.abs(clean(e))

      case by do
        :absolute -> difference
        :scale -> relative(Nx.reduce_max(difference), Nx.reduce_max(magnitude))
        :each -> relative(difference, magnitude)
      end
      |> Nx.reduce_max()
      |> Nx.to_number()
    else
      :differs
    end
  end

  defp error(a, e, _by), do: if(Nx.to_binary(a) == Nx.to_binary(e), do: :equal, else: :differs)

  # of zero: absolute
  defp relative(difference, magnitude), do: Nx.divide(difference, Nx.select(Nx.equal(magnitude, 0), 1, magnitude))

  # 0 finite, 1 and 2 infinities, 3 NaN
  defp finite(t) do
    sign = Nx.select(Nx.greater(t, 0), 1, 2)
    Nx.select(Nx.is_nan(t), 3, Nx.select(Nx.is_infinity(t), sign, 0))
  end

  defp clean(t), do: Nx.select(Nx.logical_or(Nx.is_nan(t), Nx.is_infinity(t)), 0, t) |> Nx.as_type(:f64)
end
