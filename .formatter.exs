[
  inputs: ["mix.exs", ".formatter.exs", "mk/*.exs", "lib/**/*.ex", "test/**/*.{ex,exs}", "examples/**/*.exs"],
  # as in Nx
  locals_without_parens: [defn: 2, defnp: 2],
  line_length: 120
]
