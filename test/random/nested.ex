defmodule Nx.Vulkan.Test.Random.Nested do
  @moduledoc "Statements with functions inside: loops, branches, gradients, vectorized code; and Nx.Random."

  import Nx.Vulkan.Test.Random.Build
  alias Nx.Vulkan.Test.Random.{Control, Draw, Elementwise}

  @doc "`more` adds statements of the node's own inner nodes."
  def table(more) do
    [
      {4, :loop, fn -> loop(more) end},
      {4, :branch, fn -> branch(more) end},
      {1, :branches, fn -> branches(more) end},
      {3, :gradient, fn -> gradient(more) end},
      {1, :each, fn -> each(more) end},
      {2, :random, &random/0}
    ]
  end

  # Carries a counter and some values; ends when the counter does, perhaps before, when the values say so.
  defp loop(more) do
    values = Enum.uniq(for _ <- 0..Draw.int(3), do: any(&(size(&1) <= 300)))
    limit = limit()
    counter = nx(:as_type, [0, type(limit)])
    carry = [counter, limit | values]
    templates = Enum.map(carry, &template/1)
    early? = Draw.flag(3)

    {condition, _} =
      body(templates, false, fn [i, n | values] ->
        goes_on = nx(:less, [i, n])
        [if(early?, do: nx(:logical_and, [goes_on, nx(:reshape, [scalar_test(hd(values)), {}])]), else: goes_on)]
      end)

    {step, _} =
      body(templates, false, fn [i, n | values] ->
        more.()
        next = for v <- values, do: result_like(v)
        [nx(:add, [i, 1]), n | next]
      end)

    emit(Control, :loop, [List.to_tuple(carry), condition, step])
  end

  # a number of rounds: known, or computed
  defp limit do
    case Draw.int(3) do
      0 -> nx(:as_type, [Draw.int(0, 6), {:s, 32}])
      1 -> nx(:as_type, [Draw.int(0, 40), {:s, 32}])
      2 -> nx(:remainder, [nx(:bitwise_and, [nx(:reduce_max, [as(int(), {:s, 32})]), 255]), 9])
    end
  end

  defp scalar_test(v), do: nx(if(Draw.flag(), do: :any, else: :all), [Elementwise.predicate(v)])

  # the newest value that can stand for v, or v itself moved on
  defp result_like(v) do
    case find(&(shape(&1) == shape(v) and type(&1) == type(v))) do
      nil -> v
      found when found == v -> conform(last(), template(v))
      found -> found
    end
  end

  defp scalar_predicate do
    case find(&(rank(&1) == 0 and real?(&1))) do
      nil -> scalar_test(any())
      v -> if Draw.flag(), do: v, else: Elementwise.predicate(v)
    end
  end

  # Branches read what is around them.
  defp branch(more) do
    v = any()
    p = scalar_predicate()
    extra? = Draw.flag(3)
    [one, two] = for _ <- 1..2, do: arm(v, extra?, more)
    emit(Control, :branch, [p, one, two])
  end

  defp arm(v, extra?, more) do
    {fun, _} =
      body([], true, fn _ ->
        more.()
        [result_like(v) | if(extra?, do: [conform(last(), template(v))], else: [])]
      end)

    fun
  end

  defp branches(more) do
    v = any()
    [p, q] = [scalar_predicate(), scalar_predicate()]
    emit(Control, :branches, [p, q | for(_ <- 1..3, do: arm(v, false, more))])
  end

  # of a function that captures what is around it
  defp gradient(more) do
    v = any(&(kind(&1) == :f and elem(type(&1), 1) >= 32 and size(&1) <= 300))

    {fun, _} =
      body([template(v)], true, fn [x] ->
        nx(Draw.one([:sin, :multiply, :exp, :tanh]) |> then(&if(&1 == :multiply, do: :sin, else: &1)), [x])
        more.()
        [last()]
      end)

    emit(Control, :gradient, [v, fun])
  end

  # vectorized over the first axis
  defp each(more) do
    v = any(&(rank(&1) > 1))
    row = Nx.template(Tuple.delete_at(shape(v), 0), type(v))

    {fun, _} =
      body([row], false, fn [x] ->
        more.()
        [result_like(x)]
      end)

    emit(Control, :each, [v, fun])
  end

  defp random do
    seed = if Draw.flag(), do: nx(:reduce_max, [as(int(), {:s, 32})]), else: Draw.int(100)
    key = call(Nx.Random, :key, [seed])
    shape = new_shape(Draw.int(0, 2))

    case Draw.int(5) do
      0 -> emit(Nx.Random, :uniform, [key, [shape: shape, type: Draw.one([{:f, 32}, {:f, 64}, {:f, 16}])]])
      1 -> emit(Nx.Random, :normal, [key, [shape: shape, type: Draw.one([{:f, 32}, {:f, 64}])]])
      2 -> emit(Nx.Random, :randint, [key, Draw.int(3), Draw.int(4, 100), [shape: shape]])
      3 -> emit(Nx.Random, :split, [key, [parts: Draw.int(2, 4)]])
      4 -> emit(Nx.Random, :shuffle, [key, any(&(rank(&1) > 0 and size(&1) <= 64))])
    end
  end
end
