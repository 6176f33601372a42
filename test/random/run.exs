# Random programs, from the command line: MIX_ENV=test mix run test/random/run.exs --seed 1 --count 20000
Nx.Vulkan.Test.Random.Runner.main(System.argv())
