defmodule Nx.Vulkan.Test.Random.Reduce do
  @moduledoc "Statements in which many elements make one: reductions, windows, scans, products of matrices, sorting."

  import Nx.Vulkan.Test.Random.Build
  alias Nx.Vulkan.Test.Random.{Draw, Elementwise}

  def table do
    [
      {6, :sum, &sum/0},
      {3, :reduce_max, &reduce_max/0},
      {2, :all, &all/0},
      {3, :argmax, &argmax/0},
      {2, :statistics, &statistics/0},
      {2, :softmax, &softmax/0},
      {2, :normalized, &normalized/0},
      {2, :fold, &fold/0},
      {4, :window, &window/0},
      {1, :window_reduce, &window_reduce/0},
      {2, :window_scatter, &window_scatter/0},
      {3, :cumulative, &cumulative/0},
      {5, :dot, &dot/0},
      {3, :conv, &conv/0},
      {3, :sort, &sort/0},
      {2, :fft, &fft/0},
      {1, :triangular_solve, &triangular_solve/0}
    ]
  end

  defp reduced(op, v), do: nx(op, [v, [axes: axes(v), keep_axes: Draw.flag(3)]])

  defp sum do
    op = Draw.one([:sum, :sum, :product])
    # products grow fast
    if op == :sum, do: reduced(:sum, any()), else: reduced(:product, any(&(size(&1) <= 64)))
  end

  defp reduce_max, do: reduced(Draw.one([:reduce_max, :reduce_min]), real())

  # with no axes, Nx converts to u8 instead of testing
  defp all do
    v = any(&(rank(&1) > 0))
    nx(Draw.one([:all, :any]), [v, [axes: Enum.uniq([axis(v) | axes(v)]), keep_axes: Draw.flag(3)]])
  end

  defp argmax do
    v = real()
    axis = if rank(v) == 0 or Draw.flag(3), do: nil, else: axis(v)
    keep = if axis, do: [keep_axis: Draw.flag(3)], else: []
    type = Draw.one([{:s, 32}, {:s, 32}, {:s, 64}, {:u, 32}])
    nx(Draw.one([:argmax, :argmin]), [v, [axis: axis, tie_break: Draw.one([:low, :high]), type: type] ++ keep])
  end

  defp statistics do
    v = real()

    case Draw.int(4) do
      0 -> nx(:mean, [v, [axes: axes(v)]])
      1 -> nx(:variance, [v, [axes: axes(v)]])
      2 -> nx(:standard_deviation, [v, [axes: axes(v)]])
      3 -> nx(:logsumexp, [v, [axes: axes(v)]])
    end
  end

  # a row's maximum, its exponentials and their sum
  defp softmax do
    v = any(&(float?(&1) and rank(&1) > 0))
    axis = [axes: [axis(v)], keep_axes: true]
    e = nx(:exp, [nx(:subtract, [v, nx(:reduce_max, [v, axis])])])
    nx(:divide, [e, nx(:sum, [e, axis])])
  end

  # less its mean, perhaps by its deviation, over some of the axes: what layers and batches are normalised by
  defp normalized do
    v = any(&(float?(&1) and rank(&1) > 0))
    opts = [axes: Enum.uniq([axis(v) | axes(v)]), keep_axes: true]
    centred = nx(:subtract, [v, nx(:mean, [v, opts])])
    if Draw.flag(), do: centred, else: nx(:divide, [centred, nx(:add, [nx(:standard_deviation, [v, opts]), 0.5])])
  end

  # a function of (element, accumulator), of which the order is open: a commutative one
  defp combine(type) do
    scalar = Nx.template({}, type)
    ops = if elem(type, 0) == :c, do: [:add, :multiply], else: [:add, :max, :min, :multiply]

    {fun, _} = body([scalar, scalar], false, fn [x, acc] -> [nx(Draw.one(ops), [x, acc])] end)
    fun
  end

  defp fold do
    v = any(&(size(&1) <= 200))
    nx(:reduce, [v, initial(v), [axes: axes(v), keep_axes: Draw.flag(3)], combine(type(v))])
  end

  defp initial(v), do: find(&(rank(&1) == 0 and type(&1) == type(v))) || nx(:as_type, [Elementwise.number(v), type(v)])

  defp window_of(v) do
    dims = for d <- Tuple.to_list(shape(v)), do: Draw.int(1, min(d, 3))
    strides = for _ <- dims, do: Draw.one([1, 1, 2])
    padding = Draw.one([:valid, :same, for(_ <- dims, do: {Draw.int(2), Draw.int(2)})])
    {List.to_tuple(dims), [strides: strides, padding: padding]}
  end

  # Nx does not check that a dilated window fits
  defp dilations(v, dims) do
    fit =
      for {d, w} <- Enum.zip(Tuple.to_list(shape(v)), Tuple.to_list(dims)),
          do: if(2 * w - 1 <= d, do: [1, 1, 2], else: [1])

    [window_dilations: Enum.map(fit, &Draw.one/1)]
  end

  defp window do
    op = Draw.one([:window_sum, :window_max, :window_min, :window_product, :window_mean])
    v = any(&(rank(&1) > 0 and (real?(&1) or op in [:window_sum, :window_product])))
    {dims, opts} = window_of(v)
    nx(op, [v, dims, opts ++ dilations(v, dims)])
  end

  defp window_reduce do
    v = any(&(rank(&1) > 0 and size(&1) <= 100))
    {dims, opts} = window_of(v)
    nx(:window_reduce, [v, initial(v), dims, opts ++ dilations(v, dims), combine(type(v))])
  end

  defp window_scatter do
    v = any(&(rank(&1) > 0 and real?(&1) and size(&1) <= 200))
    {dims, opts} = window_of(v)
    opts = if Draw.flag(3), do: opts, else: Keyword.put(opts, :padding, :valid)
    like = nx(:window_max, [v, dims, opts])
    source = conform(any(&(kind(&1) == kind(v))), template(like))
    nx(Draw.one([:window_scatter_max, :window_scatter_min]), [v, source, Draw.one([0, 1]), dims, opts])
  end

  defp cumulative do
    v = any(&(rank(&1) > 0))
    ops = if real?(v), do: ~w(sum max min product)a, else: ~w(sum product)a
    nx(:"cumulative_#{Draw.one(ops)}", [v, [axis: axis(v), reverse: Draw.flag(3)]])
  end

  # contracts the last axis of one value with an axis of the same size of another
  defp dot do
    v = any(&(rank(&1) > 0))
    axis = axis(v)
    n = elem(shape(v), axis)
    w = any(&(rank(&1) > 0 and rank(&1) <= 3 and n in Tuple.to_list(shape(&1)) and kind(&1) == kind(v)))
    other = Enum.find_index(Tuple.to_list(shape(w)), &(&1 == n))
    batched? = axis > 0 and other > 0 and elem(shape(v), 0) == elem(shape(w), 0)

    if batched? and Draw.flag(),
      do: nx(:dot, [v, [axis], [0], w, [other], [0]]),
      else: nx(:dot, [v, [axis], w, [other]])
  end

  defp conv do
    v = of_float_or_complex()
    spatial = Draw.int(1, 2)
    groups = Draw.one([1, 1, 2])
    channels = groups * Draw.int(1, 2)

    image =
      conform(
        v,
        Nx.template(List.to_tuple([Draw.int(1, 2), channels | for(_ <- 1..spatial, do: Draw.int(3, 6))]), type(v))
      )

    shape = [groups * Draw.int(1, 2), div(channels, groups) | for(_ <- 1..spatial, do: Draw.int(1, 3))]
    kernel = conform(of_float_or_complex(), Nx.template(List.to_tuple(shape), type(v)))

    nx(:conv, [
      image,
      kernel,
      [
        strides: for(_ <- 1..spatial, do: Draw.one([1, 1, 2])),
        padding: Draw.one([:valid, :same, for(_ <- 1..spatial, do: {Draw.int(3) - 1, Draw.int(3)})]),
        input_dilation: Draw.one([1, 1, 2]),
        kernel_dilation: Draw.one([1, 1, 2]),
        feature_group_size: groups
      ]
    ])
  end

  defp of_float_or_complex, do: if(Draw.flag(6), do: any(&complex?/1), else: float())

  defp sort do
    v = any(&(rank(&1) > 0 and real?(&1)))
    opts = [axis: axis(v), direction: Draw.one([:asc, :desc])]

    case Draw.int(4) do
      0 -> nx(:sort, [v, opts])
      1 -> nx(:argsort, [v, opts ++ [stable: true]])
      2 -> nx(:median, [v])
      3 -> emit(Nx, :top_k, [v, [k: Draw.int(1, elem(shape(v), rank(v) - 1))]])
    end
  end

  defp fft do
    v = any(&(rank(&1) > 0))
    opts = [axis: axis(v)] ++ if(Draw.flag(3), do: [length: Draw.int(1, 9)], else: [])
    nx(Draw.one([:fft, :ifft]), [v, opts])
  end

  # of a matrix whose diagonal is away from zero
  defp triangular_solve do
    n = Draw.int(1, 5)
    v = of_float_or_complex()
    a = conform(v, Nx.template({n, n}, type(v)))
    a = nx(:add, [nx(:multiply, [a, 0.25]), nx(:multiply, [nx(:eye, [{n, n}, [type: type(v)]]), 2])])
    b = conform(of_float_or_complex(), Nx.template(if(Draw.flag(), do: {n}, else: {n, Draw.int(1, 3)}), type(v)))
    lower = Draw.flag()
    a = nx(if(lower, do: :tril, else: :triu), [a])
    call(Nx.LinAlg, :triangular_solve, [a, b, [lower: lower, transform_a: Draw.one([:none, :none, :transpose])]])
  end
end
