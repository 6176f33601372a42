defmodule Nx.Vulkan.Serializer.JSON do
  @moduledoc false
  # JSON with the bytes decided by the data alone: an object is a list of pairs, written in its order.
  # Numbers are integers; everything else that Nx calls a number is a string of bits.

  @doc "Encodes `{:object, pairs}`, lists, binaries, integers, booleans and `{:base64, binary}`."
  @spec encode(term) :: iodata
  def encode({:object, pairs}), do: [?{, pairs |> Enum.map(&pair/1) |> Enum.intersperse(?,), ?}]
  def encode(list) when is_list(list), do: [?[, list |> Enum.map(&encode/1) |> Enum.intersperse(?,), ?]]
  def encode(true), do: "true"
  def encode(false), do: "false"
  def encode(integer) when is_integer(integer), do: Integer.to_string(integer)
  def encode({:base64, data}), do: [?", Base.encode64(data), ?"]
  def encode(text) when is_binary(text), do: [?", escape(text), ?"]

  defp pair({key, value}), do: [?", Atom.to_string(key), ?", ?:, encode(value)]

  defp escape(text), do: for(<<c::utf8 <- text>>, into: "", do: char(c))

  defp char(?"), do: "\\\""
  defp char(?\\), do: "\\\\"
  defp char(c) when c < 0x20 or c == 0x7F, do: "\\u" <> (c |> Integer.to_string(16) |> String.pad_leading(4, "0"))
  defp char(c), do: <<c::utf8>>
end
