defmodule Nx.Vulkan.Test.OpCases do
  @moduledoc """
  Ops with the types and domains that they are tried on, and the error bound of each in ULP of the result.

  The bounds are those of compiler/ir/ops.def; the narrow types are computed in f32 and rounded once more.
  """

  alias Nx.Vulkan.Test.Bounds

  @unary [
    exp: {-20.0, 20.0, 2},
    expm1: {0.5, 10.0, 2},
    log: {1.0e-3, 100.0, 2},
    log1p: {0.5, 10.0, 2},
    sigmoid: {-10.0, 10.0, 2},
    cos: {-10.0, 10.0, 2},
    sin: {-10.0, 10.0, 2},
    tan: {-1.5, 1.5, 2},
    cosh: {-5.0, 5.0, 2},
    sinh: {-5.0, 5.0, 2},
    tanh: {-3.0, 3.0, 2},
    acos: {-1.0, 1.0, 2},
    asin: {-1.0, 1.0, 2},
    atan: {-5.0, 5.0, 2},
    acosh: {1.0, 5.0, 2},
    asinh: {-5.0, 5.0, 2},
    atanh: {-0.99, 0.99, 2},
    sqrt: {0.0, 10.0, 3},
    rsqrt: {0.01, 10.0, 2},
    cbrt: {0.01, 10.0, 2},
    erf: {-3.0, 3.0, 2},
    erfc: {-3.0, 3.0, 2},
    negate: {-4.0, 4.0, 0},
    sign: {-4.0, 4.0, 0},
    abs: {-4.0, 4.0, 0},
    floor: {-4.0, 4.0, 0},
    ceil: {-4.0, 4.0, 0},
    round: {-4.0, 4.0, 0}
  ]

  @binary [add: 0, subtract: 0, multiply: 0, divide: 3, max: 0, min: 0, remainder: 0, atan2: 2]
  @integer_binary [
                    :add,
                    :subtract,
                    :multiply,
                    :max,
                    :min,
                    :quotient,
                    :remainder,
                    :bitwise_and,
                    :bitwise_or,
                    :bitwise_xor
                  ] ++
                    [
                      :equal,
                      :not_equal,
                      :less,
                      :less_equal,
                      :greater,
                      :greater_equal,
                      :logical_and,
                      :logical_or,
                      :logical_xor
                    ]
  @integer_unary [:negate, :sign, :abs, :bitwise_not, :population_count, :count_leading_zeros]

  @doc "Name, function and bound of float ops of one operand, with the domain."
  def unary, do: @unary
  def binary, do: @binary
  def integer_binary, do: @integer_binary
  def integer_unary, do: @integer_unary

  @doc "What a float op gives in f64, rounded to `type`."
  def reference(fun, tensors, type) do
    exact = Enum.map(tensors, &Bounds.exact/1)
    fun |> apply(exact) |> Bounds.round_to(type)
  end

  @doc "A closure of this module."
  def adder(number), do: fn x -> Nx.add(x, number) end

  @doc "ULP that the type adds: libm's own error in f64, the second rounding below f32."
  def slack({:f, 64}), do: 2
  def slack({:f, 32}), do: 0
  def slack(_), do: 1
end
