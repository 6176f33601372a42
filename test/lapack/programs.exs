# The programs whose results `make lapack` measures, as graph JSON:
#
#     MIX_ENV=test mix run --no-start test/lapack/programs.exs FOLDER [PART]
#
# OPERATION-TYPE-BATCHxMxN.json. PART is A/B: one in B of them, the Ath by a hash of the name, and none that takes long;
# `small` is all of these, `large` the others.
shapes = %{
  # around the widths of tiles and panels, and of what is lowered
  square: for(n <- [1, 2, 3, 4, 5, 15, 16, 17, 31, 32, 33, 63, 64, 65, 96, 127, 128, 129], do: {3, n, n}),
  rectangular: [{3, 65, 3}, {2, 1000, 7}, {3, 3, 65}, {5, 33, 17}, {2, 17, 40}, {1, 129, 128}],
  batch: [{1, 16, 16}, {2, 33, 33}, {102, 5, 5}, {102, 16, 16}, {4096, 3, 3}, {4096, 16, 16}],
  large: [{1, 200, 200}, {1, 512, 512}, {1, 1000, 1000}, {1, 1024, 1024}],
  large_rectangular: [{1, 1000, 64}, {1, 300, 513}]
}

real = [:f32, :f64, :f16, :bf16]
all = real ++ [:c64, :c128]
square = shapes.square ++ shapes.batch
any = square ++ shapes.rectangular
large = shapes.large ++ shapes.large_rectangular
alias Nx.LinAlg
pinv = fn a -> a |> Nx.squeeze(axes: [0]) |> LinAlg.pinv() |> Nx.new_axis(0) end
right = fn {b, m, _} -> {b, m, 3} end

operations = [
  # name, types, shapes, shapes of f32 and f64 alone, the function, whether it has right sides
  {"cholesky", all, square, shapes.large, &LinAlg.cholesky/1, false},
  {"lu", all, square, shapes.large, &LinAlg.lu/1, false},
  {"qr", all, any, large, &LinAlg.qr/1, false},
  {"qr_complete", all, shapes.rectangular, [], &LinAlg.qr(&1, mode: :complete), false},
  {"triangular_lower", all, square, shapes.large, &LinAlg.triangular_solve/2, true},
  {"triangular_upper", all, square, [], &LinAlg.triangular_solve(&1, &2, lower: false), true},
  {"triangular_transposed", all, square, [], &LinAlg.triangular_solve(&1, &2, transform_a: :transpose), true},
  {"solve", all, square, shapes.large, &LinAlg.solve/2, true},
  {"invert", all, square, shapes.large, &LinAlg.invert/1, false},
  {"determinant", all, square, shapes.large, &LinAlg.determinant/1, false},
  # Nx 0.13.1 raises for batches of a single element
  {"eigh", all, Enum.reject(square, &match?({_, 1, 1}, &1)), shapes.large, &LinAlg.eigh/1, false},
  # and has none of complex matrices
  {"svd", real, Enum.reject(any, &match?({_, 1, 1}, &1)), large, &LinAlg.svd/1, false},
  {"svd_thin", real, shapes.rectangular, [], &LinAlg.svd(&1, full_matrices?: false), false},
  # nor pinv of batches
  {"pinv", real, [{1, 5, 5}, {1, 33, 17}, {1, 17, 33}, {1, 64, 64}], [], pinv, false}
]

[folder | part] = System.argv()
File.mkdir_p!(folder)

large? = fn {_, m, n} -> max(m, n) > 129 and min(m, n) > 16 end

wanted? = fn name, shape ->
  case part do
    [] ->
      true

    ["small"] ->
      not large?.(shape)

    ["large"] ->
      large?.(shape)

    [text] ->
      [a, b] = text |> String.split("/") |> Enum.map(&String.to_integer/1)
      {_, m, n} = shape
      max(m, n) <= 65 and rem(:erlang.phash2(name), b) == rem(a, b)
  end
end

for {operation, types, shapes_of, large, fun, right?} <- operations,
    type <- types,
    {b, m, n} = shape <- shapes_of ++ if(type in [:f32, :f64], do: large, else: []),
    name = "#{operation}-#{type}-#{b}x#{m}x#{n}",
    wanted?.(name, shape) do
  inputs = [Nx.template(shape, type) | if(right?, do: [Nx.template(right.(shape), type)], else: [])]
  Nx.Vulkan.export(Path.join(folder, name <> ".json"), fun, inputs, name: operation)
end
