defmodule Nx.Vulkan.Workloads.ConvTest do
  @moduledoc """
  Convolutions and what learns by them: the step of a small network on 28x28 images in both orders of channels,
  gradients of convolutions of every kind, pools with ties. Against Nx.
  """
  use Nx.Vulkan.Test.DeviceCase, async: true

  import Nx.Defn
  import Nx.Vulkan.Test.Bounds, only: [random: 5]

  defp tensor(shape, seed, {_, _} = type \\ {:f, 32}),
    do: Nx.reshape(random(type, Tuple.product(shape), seed, -1.0, 1.0), shape)

  # two convolutions with a stride of 2, a pool, a dense layer, cross-entropy; its gradients
  defn(step(params, x, y, opts \\ []), do: value_and_grad(params, &loss(&1, x, y, opts)))

  defnp loss({k1, b1, k2, b2, w, b}, x, y, opts) do
    axes = opts[:axes]
    h = convolved(x, k1, b1, axes)
    h = convolved(h, k2, b2, axes)
    h = Nx.window_max(h, opts[:window], strides: strides(opts[:window]))
    logits = Nx.dot(Nx.reshape(h, {opts[:batch], :auto}), w) + b
    -Nx.mean(Nx.sum((logits - Nx.logsumexp(logits, axes: [-1], keep_axes: true)) * y, axes: [-1]))
  end

  deftransformp(strides(window), do: Tuple.to_list(window))

  deftransformp convolved(x, kernel, bias, axes) do
    opts =
      [strides: [2, 2], padding: :same] ++
        Enum.zip([:input_permutation, :kernel_permutation, :output_permutation], axes)

    Nx.max(Nx.add(Nx.conv(x, kernel, opts), bias), 0)
  end

  @batch 2
  for {order, axes, x, k1, k2, bias, window} <- [
        {"first", [[0, 1, 2, 3], [0, 1, 2, 3], [0, 1, 2, 3]], {1, 28, 28}, {8, 1, 3, 3}, {16, 8, 3, 3}, [1, 1],
         {1, 1, 2, 2}},
        {"last", [[0, 3, 1, 2], [3, 2, 0, 1], [0, 3, 1, 2]], {28, 28, 1}, {3, 3, 1, 8}, {3, 3, 8, 16}, [], {1, 2, 2, 1}}
      ] do
    test "a step of a small network, channels #{order}" do
      {x, k1, k2} = {unquote(Macro.escape(x)), unquote(Macro.escape(k1)), unquote(Macro.escape(k2))}
      x = Tuple.insert_at(x, 0, @batch)

      params =
        {tensor(k1, 1), tensor(List.to_tuple([8 | unquote(bias)]), 2), tensor(k2, 3),
         tensor(List.to_tuple([16 | unquote(bias)]), 4), tensor({144, 10}, 5), tensor({10}, 6)}

      y = Nx.equal(Nx.iota({@batch, 10}, axis: 1), Nx.tensor([[3], [7]])) |> Nx.as_type(:f32)
      fun = &step(&1, &2, &3, axes: unquote(axes), window: unquote(Macro.escape(window)), batch: @batch)
      args = [params, tensor(x, 7), y]
      assert_near(run(fun, args), expect(fun, args), 1.0e-5)
      assert stats(fun, args).kernels <= 20
    end
  end

  # {input, kernel, options}
  @kinds [
    {{2, 3, 9}, {4, 3, 3}, [padding: :same]},
    {{2, 3, 8, 7}, {4, 3, 3, 2}, [strides: [2, 1]]},
    {{2, 3, 8, 7}, {4, 3, 3, 3}, [strides: [2, 3], padding: [{1, 2}, {2, 1}]]},
    {{2, 3, 6, 7}, {4, 3, 2, 3}, [kernel_dilation: [2, 2], padding: [{2, 1}, {1, 2}]]},
    {{2, 3, 6, 5}, {4, 3, 3, 3}, [input_dilation: [2, 3]]},
    {{2, 4, 6, 6}, {6, 2, 3, 3}, [feature_group_size: 2, padding: :same]},
    {{2, 4, 6, 6}, {4, 1, 3, 3}, [feature_group_size: 4, strides: [2, 2]]},
    {{4, 3, 6, 6}, {4, 3, 3, 3}, [batch_group_size: 2]},
    {{2, 5, 6, 3}, {3, 3, 3, 4},
     [
       input_permutation: [0, 3, 1, 2],
       kernel_permutation: [3, 2, 0, 1],
       output_permutation: [0, 3, 1, 2],
       strides: [2, 1]
     ]},
    {{1, 2, 4, 5, 4}, {3, 2, 2, 2, 2}, [padding: :same, strides: [1, 2, 1]]}
  ]

  for {{input, kernel, opts}, i} <- Enum.with_index(@kinds) do
    test "gradients of kind #{i}: #{inspect(opts)}" do
      opts = unquote(opts)

      [x, k] =
        args = [tensor(unquote(Macro.escape(input)), 1, {:f, 64}), tensor(unquote(Macro.escape(kernel)), 2, {:f, 64})]

      weights = tensor(Nx.shape(Nx.conv(x, k, opts)), 3, {:f, 64})

      fun = fn x, k ->
        Nx.Defn.value_and_grad({x, k}, fn {x, k} -> Nx.sum(Nx.multiply(Nx.sin(Nx.conv(x, k, opts)), weights)) end)
      end

      assert_near(run(fun, args), expect(fun, args), 1.0e-13)
    end
  end

  test "one kernel for a convolution, its bias and its relu" do
    args = [tensor({2, 3, 16, 16}, 1), tensor({8, 3, 3, 3}, 2), tensor({8, 1, 1}, 3)]
    fun = fn x, k, b -> Nx.max(Nx.add(Nx.conv(x, k, padding: :same), b), 0) end
    assert_near(run(fun, args), expect(fun, args), 1.0e-5)
    assert stats(fun, args).kernels == 1
  end

  test "zeros of the padding meet what is not finite as in Nx" do
    args = [Nx.iota({1, 1, 4}, type: :f32), Nx.tensor([[[1.0, :infinity, 2.0]]])]
    fun = &Nx.conv(&1, &2, padding: :same)
    assert_near(run(fun, args), expect(fun, args), 1.0e-6)
  end

  test "the gradient of a pool goes to one of equals" do
    x = Nx.remainder(Nx.iota({2, 6, 6, 3}), 2) |> Nx.as_type(:f32)
    fun = fn x -> Nx.Defn.grad(x, &Nx.sum(Nx.multiply(Nx.window_max(&1, {1, 2, 2, 1}, strides: [1, 2, 2, 1]), 3))) end
    assert_near(run(fun, [x]), expect(fun, [x]), 0.0)
  end
end
