# Writes lib/COVERAGE.md: `make coverage`.
alias Nx.Vulkan.Test.Coverage

File.write!(Coverage.path(), Coverage.page(Coverage.rows()))
IO.puts("wrote #{Path.relative_to_cwd(Coverage.path())}")
