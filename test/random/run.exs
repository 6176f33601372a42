# Random programs, from the command line: MIX_ENV=test mix run test/random/run.exs --seed 1 --count 20000
# or with no mix, from anywhere: elixir -pa "$REPO/_build/test/lib/*/ebin" $REPO/test/random/run.exs --seed 1 --count 20000
File.cd!(Path.expand("../..", __DIR__))
{:ok, _} = Application.ensure_all_started(:nx_vulkan)
Nx.Vulkan.Test.Random.Runner.main(System.argv())
