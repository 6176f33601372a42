defmodule Nx.Vulkan.Cache do
  @moduledoc false
  # What was compiled and opened, by key. The first process to ask makes the value, the others wait for it;
  # when it fails or dies, the next in line tries. Values stay until they are dropped. They are persistent terms: a
  # table would copy a program, with the templates of all its results, to each call of it.

  use GenServer

  # the application's name, whatever mix.exs calls it
  @app Mix.Project.config()[:app]

  @circle "this process is compiling the function that it calls (from its :progress?): it would wait for itself"

  def start_link(_), do: GenServer.start_link(__MODULE__, nil, name: __MODULE__)

  @doc "The value of a key, made by `fun` if there is none; never nil."
  @spec run(term, (-> value)) :: value when value: term
  def run(key, fun) do
    with nil <- get(key) do
      if Process.get({__MODULE__, key}),
        do: raise(@circle)

      case claim(key) do
        {:make, claim} -> make(key, claim, fun)
        :there -> run(key, fun)
      end
    end
  end

  defp claim(key) do
    GenServer.call(__MODULE__, {:claim, key}, :infinity)
  catch
    :exit, {:noproc, _} ->
      raise "the application #{inspect(@app)} is not started. Start it first, with " <>
              "Application.ensure_all_started(#{inspect(@app)}): mix run --no-start, and eval of a release, " <>
              "leave that out"
  end

  @doc "The value of a key, or nil."
  def get(key), do: :persistent_term.get({__MODULE__, key}, nil)

  @doc "All keys, with their values."
  def all, do: for({{__MODULE__, key}, value} <- :persistent_term.get(), do: {key, value})

  @doc "Forgets keys for which `fun` is true."
  def drop(fun) do
    for {key, _} <- all(), fun.(key), do: :persistent_term.erase({__MODULE__, key})
    :ok
  end

  defp make(key, claim, fun) do
    Process.put({__MODULE__, key}, true)
    value = fun.()
    :persistent_term.put({__MODULE__, key}, value)
    value
  after
    Process.delete({__MODULE__, key})
    GenServer.cast(__MODULE__, {:done, claim})
  end

  @impl true
  def init(nil) do
    drop(fn _ -> true end)
    {:ok, %{waiting: %{}, keys: %{}}}
  end

  # waiting: key => callers in order; keys: monitor of the maker => key
  @impl true
  def handle_call({:claim, key}, from, state) do
    cond do
      is_map_key(state.waiting, key) -> {:noreply, update_in(state.waiting[key], &[from | &1])}
      get(key) != nil -> {:reply, :there, state}
      true -> {:noreply, grant(key, from, [], state)}
    end
  end

  @impl true
  def handle_cast({:done, claim}, state) do
    Process.demonitor(claim, [:flush])
    {:noreply, finished(claim, state)}
  end

  @impl true
  def handle_info({:DOWN, claim, _, _, _}, state), do: {:noreply, finished(claim, state)}

  defp grant(key, {pid, _} = from, waiting, state) do
    claim = Process.monitor(pid)
    GenServer.reply(from, {:make, claim})
    %{waiting: Map.put(state.waiting, key, waiting), keys: Map.put(state.keys, claim, key)}
  end

  defp finished(claim, state) do
    {key, keys} = Map.pop(state.keys, claim)
    {callers, waiting} = Map.pop(state.waiting, key, [])
    state = %{waiting: waiting, keys: keys}

    case {get(key) != nil, Enum.reverse(callers)} do
      {true, callers} ->
        Enum.each(callers, &GenServer.reply(&1, :there))
        state

      {false, []} ->
        state

      {false, [next | rest]} ->
        grant(key, next, Enum.reverse(rest), state)
    end
  end
end
