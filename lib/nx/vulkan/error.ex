defmodule Nx.Vulkan.Error do
  @moduledoc """
  Raised where a device or the runtime fails. `:status` is one of `:invalid_argument`, `:invalid_handle`,
  `:size_mismatch`, `:invalid_bundle`, `:unsupported`, `:no_device`, `:out_of_host_memory`,
  `:out_of_device_memory`, `:device_lost`, `:timeout`, `:callback_failed`, `:cancelled`, `:internal`, `:no_library` and,
  of what another node holds, `:unreachable`.
  """

  defexception [:message, :status]

  @doc false
  def exception({status, message}), do: %__MODULE__{status: status, message: message}
  def exception(fields), do: struct!(__MODULE__, fields)

  @doc false
  # Nx's users match on this text
  def raise!({:invalid_handle, message}), do: raise("called on deleted or donated buffer: #{message}")
  def raise!(failure), do: raise(exception(failure))
end
