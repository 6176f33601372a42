defmodule Nx.Vulkan.Test.Random.Control do
  @moduledoc "What only exists inside a `defn`, as functions of functions."

  import Nx.Defn

  @doc "Runs `body` as long as `condition`, both of the carried tuple."
  defn loop(carry, condition, body) do
    while carry, condition.(carry) do
      body.(carry)
    end
  end

  @doc "One of two functions of nothing, which read what they like."
  defn branch(predicate, yes, no) do
    if predicate do
      yes.()
    else
      no.()
    end
  end

  @doc "One of three."
  defn branches(first, second, one, two, three) do
    cond do
      first -> one.()
      second -> two.()
      true -> three.()
    end
  end

  @doc "The derivative of the sum of what `fun` gives."
  defn gradient(x, fun) do
    grad(x, fn x -> Nx.sum(Nx.real(fun.(x))) end)
  end

  @doc "A function of the elements along the first axis, each by itself."
  defn each(x, fun) do
    x |> Nx.vectorize(:rows) |> fun.() |> Nx.devectorize(keep_names: false)
  end
end
