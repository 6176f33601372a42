defmodule Nx.Vulkan.FunKey do
  @moduledoc false
  # A function as a cache key. Closures may hold expressions (`Nx.Defn.Graph` runs `fn _ -> expr end`), whose
  # sharing is lost when a term is copied to a table: a graph of n nodes can become 2^n. An expression is
  # told apart by its id, so the id stands for it.

  alias Nx.Defn.Expr
  alias Nx.Tensor, as: T

  @doc "A term that is equal for equal functions, and small."
  @spec normalize(term) :: term
  def normalize(fun) when is_function(fun) do
    case Function.info(fun, :env) do
      {:env, []} ->
        fun

      {:env, env} ->
        {Function.info(fun, :module), Function.info(fun, :new_uniq), Function.info(fun, :index), normalize(env)}
    end
  end

  def normalize(%T{data: %Expr{id: id}} = t), do: {:expression, id, t.type, t.shape, t.names, t.vectorized_axes}
  def normalize([head | tail]), do: [normalize(head) | normalize(tail)]
  def normalize(tuple) when is_tuple(tuple), do: tuple |> Tuple.to_list() |> normalize() |> List.to_tuple()
  def normalize(map) when is_map(map), do: Map.new(:maps.to_list(map), fn {key, value} -> {key, normalize(value)} end)
  def normalize(other), do: other
end
