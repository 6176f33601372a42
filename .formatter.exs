[
  inputs: ["mix.exs", ".formatter.exs", "lib/**/*.ex", "test/**/*.{ex,exs}", "examples/**/*.exs"],
  import_deps: [],
  line_length: 120
]
