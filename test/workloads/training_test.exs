defmodule Nx.Vulkan.Workloads.TrainingTest do
  @moduledoc """
  A training step as Axon.Loop makes it, of a network for MNIST: forward with dropout, backward, AdamW.
  """
  use Nx.Vulkan.Test.DeviceCase

  @moduletag :axon

  @rate 0.005

  # what dropout takes in and what it leaves are outputs, so that its mask can be seen
  defp model(hidden) do
    hidden = Axon.input("x") |> Axon.dense(hidden, activation: :relu)
    dropped = Axon.dropout(hidden, rate: 0.5, seed: 7)
    Axon.container(%{hidden: hidden, dropped: dropped, y: Axon.dense(dropped, 10, activation: :softmax)})
  end

  defp setup_step(inputs, hidden, batch) do
    loss = fn y_true, %{y: y} -> Axon.Losses.categorical_cross_entropy(y_true, y, reduction: :mean) end
    {init, step} = Axon.Loop.train_step(model(hidden), loss, Polaris.Optimizers.adamw(learning_rate: @rate), seed: 42)
    {x, key} = Nx.Random.uniform(Nx.Random.key(1), shape: {batch, inputs})
    {labels, _} = Nx.Random.randint(key, 0, 10, shape: {batch, 1})
    data = {x, labels |> Nx.equal(Nx.iota({1, 10})) |> Nx.as_type(:f32)}
    {step, data, expect(fn -> init.(data, Axon.ModelState.empty()) end, [])}
  end

  # Compares the results of step number t; `drift` is how far each parameter may be off already.
  defp assert_step(actual, expected, t, drift \\ %{}) do
    actual = host(actual)
    assert_near(actual.loss, expected.loss, 1.0e-5, :each)
    assert_near(actual.optimizer_state, expected.optimizer_state, 1.0e-5)
    assert actual.model_state.data["dropout_0"]["key"] == expected.model_state.data["dropout_0"]["key"]
    assert mask(actual.y_pred) == mask(expected.y_pred)
    kept = count(actual.y_pred.dropped)
    live = count(actual.y_pred.hidden)
    assert kept in div(live, 3)..div(2 * live, 3)

    for layer <- ["dense_0", "dense_1"], name <- ["bias", "kernel"], into: %{} do
      at = [layer, name]
      [a, e] = for state <- [actual, expected], do: get_in(state.model_state.data, at)
      drift = Nx.add(Map.get(drift, at, 0), drift(actual, expected, at, t))
      allowed = Nx.add(drift, Nx.multiply(1.0e-5, Nx.reduce_max(Nx.abs(e))))
      over = Nx.subtract(Nx.abs(Nx.subtract(a, e)), allowed) |> Nx.reduce_max() |> Nx.to_number()
      assert over <= 0, "#{inspect(at)} is off by #{over} more than allowed"
      {at, drift}
    end
  end

  # AdamW divides the mean of the gradients by the root of their mean square: where both are as small as its
  # epsilon, 1e-8, rounding errors of the gradient become part of the step.
  defp drift(actual, expected, at, t) do
    [{m1, _}, {m2, v}] =
      for state <- [actual, expected] do
        {_, %{mu: mu, nu: nu}} = state.optimizer_state
        {Nx.divide(get_in(mu, at), 1 - 0.9 ** t), Nx.divide(get_in(nu, at), 1 - 0.999 ** t)}
      end

    Nx.multiply(2 * @rate, Nx.divide(Nx.abs(Nx.subtract(m1, m2)), Nx.add(Nx.sqrt(v), 1.0e-8)))
  end

  defp mask(y_pred), do: Nx.to_binary(Nx.equal(host(y_pred.dropped), 0))
  defp count(t), do: Nx.sum(Nx.not_equal(t, 0)) |> Nx.to_number()

  test "of 784-128-10 on 32 images is that of Nx, in one submission" do
    {step, data, state} = setup_step(784, 128, 32)
    {state_on_device, data_on_device} = device({state, data})
    compiled = Nx.Vulkan.compile(step, [data, state], donate: [1])
    {first, counted} = counted(fn -> compiled.(data_on_device, state_on_device) end)
    assert_step(first, expect(step, [data, state]), 1)
    assert counted.submits == 1
    assert counted.dispatches <= 14

    {_, counted} = counted(fn -> compiled.(data_on_device, first) end)
    assert {counted.submits, counted.bytes_uploaded, counted.device_allocations} == {1, 0, 0}
  end

  test "ten times is ten steps of Nx, key by key and mask by mask" do
    {step, data, state} = setup_step(64, 32, 8)
    compiled = Nx.Vulkan.compile(step, [data, state], donate: [1])

    Enum.reduce(1..10, {device(state), state, %{}}, fn t, {actual, expected, drift} ->
      {actual, expected} = {compiled.(data, actual), expect(step, [data, expected])}
      {actual, expected, assert_step(actual, expected, t, drift)}
    end)
  end
end
