defmodule Nx.Vulkan.Workloads.FFTTest do
  @moduledoc "Fourier transforms of all kinds of lengths, along any axis, padded, cut off, of planes and of reals. Against Nx."
  use Nx.Vulkan.Test.DeviceCase, async: true

  import Bitwise

  import Nx.Vulkan.Test.Bounds, only: [random: 5]

  defp tensor(shape, type, seed), do: Nx.reshape(random(type, Tuple.product(shape), seed, -1.0, 1.0), shape)

  defp signal(shape, type, seed) do
    part = %{c64: {:f, 32}, c128: {:f, 64}}[type]
    Nx.complex(tensor(shape, part, seed), tensor(shape, part, seed + 1))
  end

  defp parts(fun), do: fn x -> fun.(x) |> then(&{Nx.real(&1), Nx.imag(&1)}) end

  # Within eps log2(n) of the largest for the device (test/e2e/fft_test.c has that against long double), and eps n
  # for the backend, which takes sine and cosine of angles that grow with n; with room for the constants.
  defp assert_transform(fun, expected \\ nil, x, n, type) do
    eps = %{c64: 1.2e-7, c128: 2.3e-16}[type]
    {re0, im0} = expect(parts(expected || fun), [x])
    most = Nx.to_number(Nx.max(Nx.reduce_max(Nx.abs(re0)), Nx.reduce_max(Nx.abs(im0))))
    assert_near(run(parts(fun), [x]), {re0, im0}, 4 * eps * (1 + :math.log2(n) + n) * most, :absolute)
  end

  # the binary backend is right along the last axis; its `eps` sets small parts to zero, which is its own
  defp along_last(fun, axis, opts) do
    fn x ->
      axes = Enum.to_list(Nx.axes(x)) |> List.delete(axis) |> Kernel.++([axis])
      back = for i <- Nx.axes(x), do: Enum.find_index(axes, &(&1 == i))
      x |> Nx.transpose(axes: axes) |> fun.([axis: -1] ++ opts) |> Nx.transpose(axes: back)
    end
  end

  for type <- [:c64, :c128] do
    test "of #{type}, of all kinds of lengths" do
      for n <- Enum.concat(1..17, [31, 37, 60, 97, 128, 210, 509, 1000]) do
        fun = if rem(n, 2) == 0, do: &Nx.fft(&1, eps: 0.0), else: &Nx.ifft(&1, eps: 0.0)
        assert_transform(fun, signal({2, n}, unquote(type), n), n, unquote(type))
      end
    end

    test "of #{type}, along any axis, longer and shorter" do
      x = signal({3, 12, 5}, unquote(type), 1)

      for {fun, axis, n} <- [
            {&Nx.fft/2, 0, 2},
            {&Nx.ifft/2, 0, 16},
            {&Nx.fft/2, 1, 40},
            {&Nx.ifft/2, 1, 7},
            {&Nx.fft/2, 2, 31}
          ] do
        opts = [length: n, eps: 0.0]
        assert_transform(&fun.(&1, [axis: axis] ++ opts), along_last(fun, axis, opts), x, n, unquote(type))
      end
    end

    test "of planes of #{type}" do
      x = signal({2, 12, 35}, unquote(type), 1)
      rows = along_last(&Nx.fft/2, 1, length: 12, eps: 0.0)
      assert_transform(&Nx.fft2(&1, eps: 0.0), &rows.(Nx.fft(&1, eps: 0.0)), x, 420, unquote(type))
      columns = along_last(&Nx.ifft/2, 0, length: 4, eps: 0.0)
      opts = [axes: [0, 2], lengths: [4, 31], eps: 0.0]
      assert_transform(&Nx.ifft2(&1, opts), &columns.(Nx.ifft(&1, length: 31, eps: 0.0)), x, 420, unquote(type))
    end
  end

  test "of reals and integers, there and back" do
    x = tensor({3, 100}, {:f, 32}, 1)
    assert_transform(&Nx.fft(&1, eps: 0.0), x, 100, :c64)
    assert_transform(&Nx.fft(Nx.as_type(&1, :s32), eps: 0.0), Nx.multiply(x, 100), 100, :c64)
    assert_near(run(&Nx.real(Nx.ifft(Nx.fft(&1))), [x]), x, 1.0e-6)
    assert_near(run(&Nx.irfft(Nx.rfft(&1)), [x]), x, 1.0e-6)
  end

  test "in a product of polynomials, and its gradient" do
    args = [tensor({64}, {:f, 64}, 1), tensor({64}, {:f, 64}, 2)]
    fft = &Nx.fft(&1, length: 127, eps: 0.0)
    product = fn a, b -> Nx.real(Nx.ifft(Nx.multiply(fft.(a), fft.(b)), eps: 0.0)) end
    assert_near(run(product, args), expect(product, args), 1.0e-13)
    square = fn {a, b} -> Nx.sum(Nx.multiply(product.(a, b), product.(a, b))) end
    fun = fn a, b -> Nx.Defn.grad({a, b}, square) |> then(fn {a, b} -> {Nx.real(a), Nx.real(b)} end) end
    assert_near(run(fun, args), expect(fun, args), 1.0e-12)
  end

  test "long lines: an impulse becomes a wave" do
    n = 1 <<< 18
    x = Nx.indexed_put(Nx.broadcast(Nx.tensor(0.0), {n}), Nx.tensor([[1]]), Nx.tensor([1.0]))
    angle = Nx.multiply(Nx.iota({n}, type: :f64), -2 * :math.pi() / n)
    {re, im} = run(parts(&Nx.fft/1), [x])
    assert_near({Nx.as_type(re, :f64), Nx.as_type(im, :f64)}, {Nx.cos(angle), Nx.sin(angle)}, 3.0e-7, :absolute)
  end
end
