defmodule Nx.Vulkan.Job do
  @moduledoc false
  # A compile or a load: the native library works on a thread of its own, and the process that waits for it is here,
  # in a `receive`. So progress is told in that process, and its death ends the work. What the function that is told
  # raises ends it, too.

  alias Nx.Vulkan.NIF

  @typedoc "What is told of progress: the phase, what is done of it, and how much it is."
  @type report :: (atom, non_neg_integer, pos_integer -> term)

  @doc "Starts a job that sends messages with a reference, and returns its result."
  @spec run((reference -> {:ok, NIF.job()} | failure), report) :: term | failure when failure: {:error, term}
  def run(start, report) do
    ref = make_ref()
    with {:ok, job} <- start.(ref), do: follow(job, ref, report)
  end

  @doc "Tells handlers of `[:nx_vulkan, event, :progress]`, and the function of the option `:progress`, unless nil."
  @spec report(:compile | :load, binary | nil, (map -> term) | nil) :: report
  def report(event, name, fun) do
    fn phase, done, total ->
      :telemetry.execute([:nx_vulkan, event, :progress], %{done: done, total: total}, %{name: name, phase: phase})
      if fun, do: fun.(%{name: name, phase: phase, done: done, total: total})
    end
  end

  defp follow(job, ref, report) do
    receive do
      {^ref, {:done, result}} ->
        result

      {^ref, {:progress, phase, done, total}} ->
        tell(job, ref, fn -> report.(phase, done, total) end)
        follow(job, ref, report)
    end
  end

  defp tell(job, ref, fun) do
    fun.()
  catch
    kind, reason ->
      NIF.end_job(job)
      flush(ref)
      :erlang.raise(kind, reason, __STACKTRACE__)
  end

  defp flush(ref) do
    receive do
      {^ref, _} -> flush(ref)
    after
      0 -> :ok
    end
  end
end
