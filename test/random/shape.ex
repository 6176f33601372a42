defmodule Nx.Vulkan.Test.Random.Shape do
  @moduledoc "Statements that move elements: views, padding, joining, and reads and writes at computed places."

  import Nx.Vulkan.Test.Random.Build
  alias Nx.Vulkan.Test.Random.{Draw, Elementwise}

  def table do
    [
      {4, :reshape, &reshape/0},
      {4, :transpose, &transpose/0},
      {3, :broadcast, &broadcast/0},
      {3, :reverse, &reverse/0},
      {4, :pad, &pad/0},
      {4, :slice, &slice/0},
      {3, :dynamic_slice, &dynamic_slice/0},
      {3, :put_slice, &put_slice/0},
      {4, :concatenate, &concatenate/0},
      {2, :stack, &stack/0},
      {1, :tile, &tile/0},
      {1, :diagonal, &diagonal/0},
      {3, :take, &take/0},
      {2, :take_along_axis, &take_along_axis/0},
      {3, :gather, &gather/0},
      {4, :indexed, &indexed/0}
    ]
  end

  defp reshape do
    v = any()

    case Draw.int(4) do
      0 -> nx(:flatten, [v])
      1 -> nx(:new_axis, [v, Draw.int(rank(v) + 1)])
      2 -> nx(:squeeze, [v])
      3 -> nx(:reshape, [v, split(size(v))])
    end
  end

  # a shape of that size
  defp split(size) do
    divisors = for d <- 1..size, rem(size, d) == 0, do: d
    a = Draw.one(divisors)
    rest = div(size, a)
    b = Draw.one(for d <- 1..rest, rem(rest, d) == 0, do: d)
    {a, b, div(rest, b)}
  end

  defp transpose do
    v = ranked(fn _ -> true end, 2)
    nx(:transpose, [v, [axes: Draw.shuffle(Enum.to_list((rank(v) - 1)..0//-1))]])
  end

  defp broadcast do
    v = any()
    rank = rank(v) + Draw.int(2)
    # where the value has one element, any dimension will do
    {shape, axes} =
      if rank(v) > 0 and Draw.flag() do
        shape = new_shape(rank + 1)
        axes = Enum.take(Draw.shuffle(Enum.to_list(0..rank)), rank(v)) |> Enum.sort()
        fit = Enum.zip(axes, Tuple.to_list(shape(v)))
        {Enum.reduce(fit, shape, fn {axis, d}, s -> if d == 1, do: s, else: put_elem(s, axis, d) end), [axes: axes]}
      else
        {List.to_tuple(for(_ <- 1..Draw.int(1, 2), do: new_dim()) ++ Tuple.to_list(shape(v))), []}
      end

    nx(:broadcast, [v, shape, axes])
  end

  defp reverse do
    v = any(&(rank(&1) > 0))
    nx(:reverse, [v, [axes: Draw.some(Enum.to_list(0..(rank(v) - 1)))]])
  end

  defp pad do
    v = any(&(rank(&1) > 0))
    value = if int?(v), do: Draw.one([0, 1, 7]), else: Draw.one([0.0, 1.0, -2.5])
    value = if Draw.flag(3), do: find(&(rank(&1) == 0 and type(&1) == type(v))) || value, else: value

    nx(:pad, [
      v,
      value,
      for(_ <- 1..rank(v), do: {Draw.one([0, 1, 2, -1]), Draw.one([0, 1, 3, -1]), Draw.one([0, 0, 1, 2])})
    ])
  end

  defp slice do
    v = any(&(rank(&1) > 0))
    starts = for d <- Tuple.to_list(shape(v)), do: Draw.int(d)
    lengths = for {d, s} <- Enum.zip(Tuple.to_list(shape(v)), starts), do: d - s - Draw.int(d - s)
    nx(:slice, [v, starts, lengths, [strides: for(_ <- starts, do: Draw.one([1, 1, 2, 3]))]])
  end

  # starts may be beyond what fits: they are clamped
  defp starts(v), do: for(d <- Tuple.to_list(shape(v)), do: if(Draw.flag(), do: start(), else: Draw.int(d)))

  defp start do
    case find(&(rank(&1) == 0 and int?(&1))) do
      nil -> int() |> then(&nx(:reduce_max, [&1]))
      v -> v
    end
  end

  defp dynamic_slice do
    v = any(&(rank(&1) > 0))
    lengths = for d <- Tuple.to_list(shape(v)), do: d - Draw.int(d)
    nx(:slice, [v, starts(v), lengths, [strides: for(_ <- lengths, do: Draw.one([1, 1, 2]))]])
  end

  defp put_slice do
    v = any(&(rank(&1) > 0))
    w = find(&(rank(&1) == rank(v) and fits?(shape(&1), shape(v)))) || reject()
    nx(:put_slice, [v, starts(v), w])
  end

  defp fits?(inner, outer),
    do: Enum.zip(Tuple.to_list(inner), Tuple.to_list(outer)) |> Enum.all?(fn {a, b} -> a <= b end)

  defp concatenate do
    v = any(&(rank(&1) > 0))
    axis = axis(v)
    like? = &(rank(&1) == rank(v) and put_elem(shape(&1), axis, 0) == put_elem(shape(v), axis, 0))
    nx(:concatenate, [[v | for(_ <- 1..Draw.int(1, 3), do: any(like?))], [axis: axis]])
  end

  defp stack do
    v = any()
    nx(:stack, [[v | for(_ <- 1..Draw.int(1, 2), do: any(&(shape(&1) == shape(v))))], [axis: Draw.int(rank(v) + 1)]])
  end

  defp tile do
    v = any(&(rank(&1) > 0))
    nx(:tile, [v, for(_ <- 1..rank(v), do: Draw.int(1, 2))])
  end

  defp diagonal do
    v = ranked(fn _ -> true end, 2)

    case Draw.int(4) do
      0 -> nx(:take_diagonal, [v])
      1 -> nx(:tril, [v, [k: Draw.one([0, 1, -1])]])
      2 -> nx(:triu, [v, [k: Draw.one([0, 1, -1])]])
      3 -> nx(:make_diagonal, [any(&(rank(&1) == 1))])
    end
  end

  @doc "Indices of a shape below `limit`; now and then some that are out of range."
  def indices(shape, limit) do
    v = int()
    v = if shape(v) == shape, do: v, else: conform(v, Nx.template(shape, {:s, 32}))
    if Draw.flag(16), do: v, else: nx(:remainder, [nx(:bitwise_and, [as(v, {:s, 32}), 1023]), limit])
  end

  defp take do
    v = any(&(rank(&1) > 0))
    axis = axis(v)
    nx(:take, [v, indices(new_shape(Draw.int(1, 2)), elem(shape(v), axis)), [axis: axis]])
  end

  defp take_along_axis do
    v = any(&(rank(&1) > 0))
    axis = axis(v)
    shape = put_elem(shape(v), axis, Draw.int(1, 6))
    nx(:take_along_axis, [v, indices(shape, elem(shape(v), axis)), [axis: axis]])
  end

  defp gather do
    v = any(&(rank(&1) > 0))
    axes = chosen_axes(v)
    nx(:gather, [v, index_rows(v, axes, new_shape(Draw.int(0, 2))), [axes: axes]])
  end

  defp chosen_axes(v) do
    case axes(v) do
      [] -> [axis(v)]
      axes -> axes
    end
  end

  # indices of rows: a column for each axis
  defp index_rows(v, axes, batch) do
    columns = for axis <- axes, do: nx(:new_axis, [indices(batch, elem(shape(v), axis)), tuple_size(batch)])

    case columns do
      [one] -> one
      many -> nx(:concatenate, [many, [axis: tuple_size(batch)]])
    end
  end

  defp indexed do
    v = any(&(rank(&1) > 0))
    axes = chosen_axes(v)
    n = Draw.int(1, 9)
    rest = for i <- 0..(rank(v) - 1), i not in axes, do: elem(shape(v), i)
    updates = conform(any(&(kind(&1) == kind(v))), Nx.template(List.to_tuple([n | rest]), type(v)))
    updates = if Draw.flag(), do: updates, else: nx(:add, [updates, Elementwise.number(v)])
    nx(Draw.one([:indexed_add, :indexed_put]), [v, index_rows(v, axes, {n}), updates, [axes: axes]])
  end
end
