defmodule Nx.Vulkan.Workloads.ScholarTest do
  @moduledoc "Models of Scholar, whole: no part of any runs on the host."
  use Nx.Vulkan.Test.DeviceCase, async: true

  alias Nx.Vulkan.Test.Models
  alias Scholar.Cluster.KMeans
  alias Scholar.Decomposition.PCA
  alias Scholar.Linear.LinearRegression

  @moduletag :scholar

  describe "least squares" do
    for {n, d, type, bound} <- [{200, 4, :f32, 2.0e-6}, {200, 4, :f64, 1.0e-10}] do
      @case {n, d, type, bound}

      test "by the normal equations, #{n} times #{d}, #{type}" do
        {n, d, type, bound} = @case
        {x, y} = line(n, d, type)
        normal = fn x, y -> Nx.LinAlg.solve(Nx.dot(x, [0], x, [0]), Nx.dot(x, [0], y, [0])) end
        assert_near(run(normal, [x, y]), expect(normal, [x, y]), bound)
      end

      test "by the pseudoinverse, #{n} times #{d}, #{type}" do
        {n, d, type, bound} = @case
        {x, y} = line(n, d, type)
        fit = fn x, y -> LinearRegression.fit(x, y) end
        model = run(fit, [x, y])
        expected = expect(fit, [x, y])
        assert_near({model.coefficients, model.intercept}, {expected.coefficients, expected.intercept}, bound)
        assert_near(model.coefficients, Nx.as_type(Models.numbers({d}, 2), type), 0.1)

        assert_near(
          run(&LinearRegression.predict/2, [model, x]),
          expect(&LinearRegression.predict/2, [expected, x]),
          bound
        )
      end
    end

    defp line(n, d, type) do
      x = Models.numbers({n, d}, 1)
      y = Nx.dot(x, Models.numbers({d}, 2)) |> Nx.add(0.7) |> Nx.add(Nx.multiply(0.1, Models.numbers({n}, 3)))
      {Nx.as_type(x, type), Nx.as_type(y, type)}
    end
  end

  test "k-means of 300 points around three centres, with a fixed key" do
    centres = Nx.tensor([[0.0, 0.0], [3.0, 1.0], [-1.0, 4.0]])
    points = Nx.add(Nx.tile(centres, [100, 1]), Nx.as_type(Models.numbers({300, 2}, 1), :f32))
    fit = fn x, key -> KMeans.fit(x, num_clusters: 3, num_runs: 2, max_iterations: 20, key: key) end
    args = [points, Nx.Random.key(42)]
    {model, expected} = {run(fit, args), expect(fit, args)}
    assert Nx.to_binary(model.labels) == Nx.to_binary(expected.labels)
    assert Nx.to_number(model.num_iterations) == Nx.to_number(expected.num_iterations)
    assert_near({model.clusters, model.inertia}, {expected.clusters, expected.inertia}, 1.0e-5)
    assert Nx.to_binary(run(&KMeans.predict/2, [model, points])) == Nx.to_binary(expected.labels)
  end

  test "two principal components of 150 times 4" do
    x =
      Nx.dot(Models.numbers({150, 3}, 1), Nx.tensor([[3.0, 1, 0, 2], [0, 1, -1, 1], [0.1, 0, 0.2, 0]]))
      |> Nx.as_type(:f32)

    x = Nx.add(x, Nx.multiply(0.05, Nx.as_type(Models.numbers({150, 4}, 2), :f32)))
    fit = &PCA.fit(&1, num_components: 2)
    {model, expected} = {run(fit, [x]), expect(fit, [x])}

    assert_near(signed(model.components), signed(expected.components), 1.0e-5)

    for key <- [:singular_values, :explained_variance, :explained_variance_ratio, :mean],
        do: assert_near(Map.fetch!(model, key), Map.fetch!(expected, key), 1.0e-5)

    transform = fn model, x -> PCA.transform(model, x) end
    assert_near(Nx.abs(host(run(transform, [model, x]))), Nx.abs(expect(transform, [expected, x])), 1.0e-5)
  end

  # rows are determined up to their sign: the first element that is not small becomes positive
  defp signed(components) do
    components = host(components)
    sign = Nx.sign(Nx.take_along_axis(components, Nx.argmax(Nx.abs(components), axis: 1, keep_axis: true), axis: 1))
    Nx.multiply(components, sign)
  end
end
