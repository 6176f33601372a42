defmodule Nx.Vulkan.Test.Nodes do
  @moduledoc """
  Other nodes on this machine, for tests of what crosses between nodes; and what those tests run there.
  """
  import Nx.Defn.Kernel, only: [hook: 2]

  @host ~c"127.0.0.1"
  @loopback {127, 0, 0, 1}

  @doc "Makes this virtual machine a node, which only this machine can reach. Or says why not."
  @spec join() :: {:ok, :epmd | nil} | {:error, binary}
  def join do
    Application.put_env(:kernel, :inet_dist_use_interface, @loopback)

    with {:ok, _} = joined <- epmd() do
      case :net_kernel.start(:"nx_vulkan_#{System.pid()}@#{@host}", %{name_domain: :longnames}) do
        {:ok, _} ->
          Node.set_cookie(:"#{Base.encode16(:crypto.strong_rand_bytes(12))}")
          joined

        {:error, reason} ->
          {:error, "this virtual machine cannot be made a node: #{inspect(reason, limit: 3)}"}
      end
    end
  end

  @doc "Ends what `join/0` began."
  def leave(joined) do
    :ok = :net_kernel.stop()
    # refused while other nodes are registered, and one that was there before is left alone
    if joined == :epmd do
      System.cmd("epmd", ["-kill"], stderr_to_stdout: true)
      wait(fn -> not epmd?() end)
    end

    :ok
  end

  defp epmd do
    cond do
      System.find_executable("epmd") == nil -> {:error, "there is no epmd"}
      epmd?() -> {:ok, nil}
      match?({_, 0}, System.cmd("epmd", ["-daemon", "-address", "#{@host}"])) and wait(&epmd?/0) -> {:ok, :epmd}
      true -> {:error, "epmd cannot be started"}
    end
  end

  defp epmd?, do: match?({_, 0}, System.cmd("epmd", ["-names"], stderr_to_stdout: true))

  @doc "Another node with this application and its tests' modules. Returns a process for `stop/1`, and its name."
  @spec start() :: {pid, node}
  def start do
    cookie = Atom.to_charlist(Node.get_cookie())
    # nodes that a test ends are not failures of the network that others should know of
    alone = [~c"-connect_all", ~c"false", ~c"-kernel", ~c"prevent_overlapping_partitions", ~c"false"]

    args =
      [~c"-setcookie", cookie, ~c"-kernel", ~c"inet_dist_use_interface", :io_lib.format(~c"~p", [@loopback])] ++ alone

    options = %{name: :peer.random_name(), host: @host, longnames: true, args: Enum.map(args, &List.flatten/1)}
    {:ok, peer, node} = :peer.start(options)
    :ok = :erpc.call(node, :code, :add_pathsa, [Enum.reverse(:code.get_path())])
    :ok = :erpc.call(node, :logger, :set_primary_config, [:level, :none])
    :ok = :erpc.call(node, Application, :put_env, [:nx_vulkan, :compiler, [cache_dir: false]])
    {:ok, _} = :erpc.call(node, Application, :ensure_all_started, [:nx_vulkan])
    {peer, node}
  end

  @doc "Ends a node at once, as a failure does, and waits until this one knows."
  def stop({peer, node}) do
    :net_kernel.monitor_nodes(true)
    known? = node in Node.list()
    if known?, do: :erpc.cast(node, :erlang, :halt, [0, [flush: false]])

    receive do
      {:nodedown, ^node} -> :ok
    after
      if(known?, do: 10_000, else: 0) -> :ok
    end

    :net_kernel.monitor_nodes(false)
    Process.exit(peer, :kill)
    :ok
  end

  @doc "A tensor on the device of `node`, which the process that is returned, too, keeps there until it is told `:stop`."
  @spec keep(node, Nx.Tensor.t()) :: {Nx.Tensor.t(), pid}
  def keep(node, tensor), do: make(node, fn -> Nx.backend_copy(tensor, Nx.Vulkan.Backend) end)

  @doc "What a function returns on `node`, where a process keeps it until it is told `:stop`."
  def make(node, fun) do
    parent = self()
    keeper = Node.spawn(node, __MODULE__, :__keep__, [parent, fun])

    receive do
      {^keeper, value} -> {value, keeper}
    after
      60_000 -> raise "#{node} made nothing"
    end
  end

  def __keep__(parent, fun) do
    value = fun.()
    send(parent, {self(), value})
    hold(value)
  end

  # the last call needs the value, so the process refers to it until then
  defp hold(value) do
    receive do
      :stop -> :erlang.phash2(value)
    end
  end

  @doc "For `make/2`, which gets functions of modules that every node has."
  def two_tensors, do: for(values <- [[1, 2], [3]], do: Nx.tensor(values, backend: Nx.Vulkan.Backend))

  def two_functions do
    for fun <- [&Nx.sqrt/1, &Nx.rsqrt/1], do: Nx.Vulkan.compile(fun, [Nx.template({2}, :f32)])
  end

  @doc "Calls a function on `node`, and returns the numbers."
  def run(node, fun, args), do: :erpc.call(node, __MODULE__, :__run__, [fun, args])

  def __run__(fun, args), do: fun |> apply(args) |> Nx.to_flat_list()

  @doc "Lets go of what a keeper keeps."
  def drop(keeper) do
    monitor = Process.monitor(keeper)
    send(keeper, :stop)

    receive do
      {:DOWN, ^monitor, _, _, _} -> collect(node(keeper))
    end
  end

  @doc """
  Starts a serving that doubles on `node`, and waits until this node knows of it. Where it has got to is told to this
  process, which then says `:go`: `{:arrived, pid}` when a request is there, if `options` have `:arrived`, and
  `{:computing, pid}` in the middle of a batch, if they have `:computing`.
  """
  def serve(node, name, options \\ []) do
    {tester, words} = {self(), options[:tell] || []}

    {pid, _} =
      make(node, fn ->
        hooks = if :computing in words, do: %{seen: fn _ -> tell(tester, :computing) end}, else: %{}

        serving =
          Nx.Serving.new(&Nx.Defn.jit(fn x -> x |> hook(:seen) |> Nx.multiply(2) end, &1),
            compiler: Nx.Vulkan.Compiler,
            hooks: hooks
          )
          |> Nx.Serving.client_preprocessing(fn input ->
            if :arrived in words, do: tell(tester, :arrived)
            {Nx.Batch.concatenate([input]), :none}
          end)
          |> Nx.Serving.distributed_postprocessing(options[:postprocessing] || (&Function.identity/1))

        {:ok, pid} =
          Nx.Serving.start_link(
            name: name,
            serving: serving,
            batch_size: 4,
            batch_timeout: options[:batch_timeout] || 20
          )

        # what a failed batch ends is the serving, which its supervisor would start again
        Process.unlink(pid)
        pid
      end)

    ExUnit.Callbacks.on_exit(fn ->
      try do
        GenServer.stop(pid, :shutdown, 5_000)
      catch
        :exit, _ -> :ok
      end
    end)

    true = wait(fn -> :pg.get_members(Nx.Serving.PG, name) != [] end)
  end

  defp tell(tester, word) do
    send(tester, {word, self()})

    receive do
      :go -> :ok
    end
  end

  @doc "Has `node` call a serving, and returns that node and the numbers."
  def remote_call(node, name, values, preprocessing \\ &Function.identity/1),
    do: :erpc.call(node, __MODULE__, :__call__, [name, values, preprocessing])

  def __call__(name, values, preprocessing) do
    true = wait(fn -> :pg.get_members(Nx.Serving.PG, name) != [] end)
    {node(), name |> call(values, preprocessing) |> Nx.to_flat_list()}
  end

  @doc "Calls a serving with a tensor of this node's device."
  def call(name, values, preprocessing \\ &Function.identity/1) do
    Nx.Serving.batched_run({:distributed, name}, Nx.tensor(values, backend: Nx.Vulkan.Backend), preprocessing)
  end

  @doc "How many buffers live on the device of `node`, once what nobody refers to has been collected."
  def live(node) do
    collect(node)
    :erpc.call(node, Nx.Vulkan, :counters, []).live_buffers
  end

  defp collect(node) do
    :erpc.call(node, fn -> for pid <- Process.list(), do: :erlang.garbage_collect(pid) end)
  end

  @doc "Waits until something is so, or 10 s."
  def wait(fun, left \\ 1000) do
    cond do
      fun.() ->
        true

      left == 0 ->
        false

      true ->
        Process.sleep(10)
        wait(fun, left - 1)
    end
  end
end
