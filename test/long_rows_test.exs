defmodule Nx.Vulkan.LongRowsTest do
  # Rows for which a thread makes many rounds: Mesa before 25 stops a shader, without a word, after 65,535 iterations of
  # all its loops. The results are known without computing them.
  use Nx.Vulkan.Test.DeviceCase, async: true

  @rows 70_001

  defp result(fun, args), do: Nx.Defn.jit(fun, compiler: Nx.Vulkan.Compiler).(args) |> Nx.to_flat_list()
  defp ones(n), do: Nx.broadcast(Nx.tensor(1, type: :s64), {n})

  test "what only one thread can reduce" do
    assert result(fn t -> Nx.reduce(t, 0, &Nx.add/2) end, ones(@rows)) == [@rows]

    assert result(fn t -> t |> Nx.broadcast({20, @rows}) |> Nx.reduce(0, [axes: [1]], &Nx.add/2) end, ones(@rows)) ==
             List.duplicate(@rows, 20)

    assert result(fn t -> Nx.window_reduce(t, 0, {@rows}, &Nx.add/2) end, ones(@rows)) == [@rows]
  end

  test "many long rows, with the last element the greatest" do
    last = 1_199_999
    columns = fn t -> t |> Nx.multiply(Nx.iota({16, last + 1}, axis: 1)) end
    one = Nx.tensor(1, type: :s64)
    assert result(fn t -> t |> columns.() |> Nx.argmax(axis: 1) end, one) == List.duplicate(last, 16)
    assert result(fn t -> t |> columns.() |> Nx.reduce_max(axes: [1]) end, one) == List.duplicate(last, 16)
  end

  test "triangular systems of many equations" do
    # 1 on the diagonal and -1 below: each x is the sum of all before it
    n = 401

    for lower <- [true, false] do
      solve = fn b ->
        matrix = Nx.subtract(Nx.multiply(2, Nx.eye(n, type: :f64)), Nx.tri(n, n))
        Nx.LinAlg.triangular_solve(if(lower, do: matrix, else: Nx.transpose(matrix)), b, lower: lower)
      end

      b = Nx.concatenate([Nx.tensor([1.0], type: :f64), Nx.broadcast(Nx.tensor(0.0, type: :f64), {n - 1})])
      b = if lower, do: b, else: Nx.reverse(b)
      powers = [1.0 | for(k <- 0..(n - 2), do: :math.pow(2.0, k))]
      assert result(solve, b) == if(lower, do: powers, else: Enum.reverse(powers))
    end
  end

  test "rows that the driver would stop in are refused, with the reason" do
    n = 3_000_000
    reduce = Nx.Defn.jit(fn t -> Nx.reduce(t, 0, &Nx.add/2) end, compiler: Nx.Vulkan.Compiler)

    if Nx.Vulkan.Device.fetch!(nil).info.has_loop_limit do
      assert_raise Nx.Vulkan.CompileError, ~r/loops would run .* times/, fn -> reduce.(ones(n)) end
    else
      assert Nx.to_flat_list(reduce.(ones(n))) == [n]
    end
  end
end
