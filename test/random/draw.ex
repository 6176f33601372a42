defmodule Nx.Vulkan.Test.Random.Draw do
  @moduledoc """
  Choices from a list of integers, of which the first is taken for each choice. What follows from no more
  integers, or from zeros, is the simplest: so a list is made simpler by cutting it and by making its numbers
  smaller, and whoever draws from it never knows about shrinking.

  The list is in the process dictionary.
  """

  @key {__MODULE__, :list}

  @doc "Runs `fun` with the choices of `list`."
  def from(list, fun) do
    outer = Process.put(@key, list)

    try do
      fun.()
    after
      Process.put(@key, outer)
    end
  end

  @doc "A number from 0 to n - 1."
  def int(n) do
    case Process.get(@key) do
      [x | rest] ->
        Process.put(@key, rest)
        rem(x, n)

      _ ->
        0
    end
  end

  def int(lo, hi), do: lo + int(hi - lo + 1)

  @doc "One of a list or map of weights."
  def one(list), do: Enum.at(list, int(length(list)))

  @doc "One of `[{weight, value}]`."
  def weighted(list) do
    n = int(Enum.sum_by(list, &elem(&1, 0)))

    Enum.reduce_while(list, n, fn {weight, value}, n -> if n < weight, do: {:halt, value}, else: {:cont, n - weight} end)
  end

  @doc "True once in n times."
  def flag(n \\ 2), do: int(n) == n - 1

  @doc "A subset of a list, in order; by default of any size."
  def some(list, n \\ 2), do: Enum.filter(list, fn _ -> flag(n) end)

  @doc "A permutation of a list; the list itself is the simplest."
  def shuffle([]), do: []

  def shuffle(list) do
    {x, rest} = List.pop_at(list, int(length(list)))
    [x | shuffle(rest)]
  end
end
