# A short transform is one dot, one of 64 two.
# run: lower
graph "t" entry=f0 callbacks=0
func f0(f32[2,4,3], c64[64]) {
  n0 = parameter index=0 : f32[2,4,3]
  n1 = parameter index=1 : c64[64]
  n2 = fft n0 axis=1 length=4 : c64[2,4,3]
  n3 = fft n0 axis=2 length=2 : c64[2,4,2]
  n4 = fft n0 axis=1 length=5 : c64[2,5,3]
  n5 = ifft n1 axis=0 length=64 : c64[64]
  return n2, n3, n4, n5
}
----
graph "t" entry=f0 callbacks=0
literal l0 = c64[64] sha256=da479de5ffa313ee215c07e382996b8e39d9e1e2bc68fa55517e3fa735b73fa7 bytes=512

func f0(f32[2,4,3], c64[64]) {
  n0 = parameter index=0 : f32[2,4,3]
  n1 = parameter index=1 : c64[64]
  n6 = as_type n0 : c64[2,4,3]
  n7 = constant bits=000000003f800000 : c64[4]
  n2 = fourier n6, n7 axis=1 inverse=false : c64[2,4,3]
  n9 = reshape n0 : f32[8,3,1]
  n10 = slice n9 starts=[0,0,0] lengths=[8,2,1] strides=[1,1,1] : f32[8,2,1]
  n11 = as_type n10 : c64[8,2,1]
  n12 = constant bits=000000003f800000 : c64[2]
  n13 = fourier n11, n12 axis=1 inverse=false : c64[8,2,1]
  n3 = reshape n13 : c64[2,4,2]
  n15 = constant bits=00000000 : f32[]
  n16 = pad n0, n15 lo=[0,0,0] hi=[0,1,0] interior=[0,0,0] : f32[2,5,3]
  n17 = as_type n16 : c64[2,5,3]
  n18 = constant bits=000000003f800000 : c64[5]
  n4 = fourier n17, n18 axis=1 inverse=false : c64[2,5,3]
  n20 = reshape n1 : c64[1,64,1]
  n21 = literal literal=0 : c64[64]
  n22 = fourier n20, n21 axis=1 inverse=true : c64[1,64,1]
  n23 = reshape n22 : c64[64]
  n24 = constant bits=000000003c800000 : c64[64]
  n5 = multiply n23, n24 : c64[64]
  return n2, n3, n4, n5
}
