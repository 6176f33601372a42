defmodule Nx.Vulkan.CompileError do
  @moduledoc """
  Raised where a function cannot be compiled. Says what was required, what was found and where.

  `:op`, `:type`, `:where` (the node in the graph JSON) and `:loc` (file and line of the defn) are nil where
  they are not known.
  """

  defexception [:message, :op, :type, :where, :loc, :code]

  @doc false
  def unexpected(%Nx.Tensor{type: type, data: %{op: op, args: args}}, error) do
    %__MODULE__{
      op: op,
      type: type,
      message:
        "cannot serialize the op #{op} with result type #{inspect(type)} and arguments " <>
          "#{inspect(args, limit: 5, printable_limit: 200)}: #{Exception.message(error)}"
    }
  end
end
