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
literal l0 = c64[4,4] sha256=9486f5c053c5f717d8eeb8dbab9d066c65937a0fff1f03eab8d16312ae718849 data=0000803f000000000000803f000000000000803f000000000000803f000000000000803f0000000000000000000080bf000080bf00000000000000000000803f0000803f00000000000080bf000000000000803f00000000000080bf000000000000803f00000000000000000000803f000080bf0000000000000000000080bf
literal l1 = c64[2,2] sha256=9a5cf9369920d892a4541484369ddd49a130e292adeaa37bbe3ffc71b491c56c data=0000803f000000000000803f000000000000803f00000000000080bf00000000
literal l2 = c64[5,5] sha256=d273be508a88c07995e37a4890d1104865b50a63e1e9d16f4a6eef46ad1ef56a data=0000803f000000000000803f000000000000803f000000000000803f000000000000803f000000000000803f000000007a379e3e717873bfbd1b4fbf187916bfbd1b4fbf1879163f7a379e3e7178733f0000803f00000000bd1b4fbf187916bf7a379e3e7178733f7a379e3e717873bfbd1b4fbf1879163f0000803f00000000bd1b4fbf1879163f7a379e3e717873bf7a379e3e7178733fbd1b4fbf187916bf0000803f000000007a379e3e7178733fbd1b4fbf1879163fbd1b4fbf187916bf7a379e3e717873bf
literal l3 = c64[8,8] sha256=dc085de995fbfa8d61062c71bcd6f6ad121593ebfae82011d46f262ec728d1ec bytes=512
literal l4 = c64[8,8] sha256=da479de5ffa313ee215c07e382996b8e39d9e1e2bc68fa55517e3fa735b73fa7 bytes=512

func f0(f32[2,4,3], c64[64]) {
  n0 = parameter index=0 : f32[2,4,3]
  n1 = parameter index=1 : c64[64]
  n6 = as_type n0 : c64[2,4,3]
  n7 = literal literal=0 : c64[4,4]
  n8 = broadcast n7 axes=[1,2] : c64[2,4,4]
  n9 = reshape n6 : c64[2,1,4,3]
  n10 = dot n8, n9 contract_a=[2] batch_a=[0] contract_b=[2] batch_b=[0] : c64[2,4,1,3]
  n2 = reshape n10 : c64[2,4,3]
  n12 = reshape n0 : f32[8,3,1]
  n13 = slice n12 starts=[0,0,0] lengths=[8,2,1] strides=[1,1,1] : f32[8,2,1]
  n14 = as_type n13 : c64[8,2,1]
  n15 = literal literal=1 : c64[2,2]
  n16 = broadcast n15 axes=[1,2] : c64[8,2,2]
  n17 = reshape n14 : c64[8,1,2,1]
  n18 = dot n16, n17 contract_a=[2] batch_a=[0] contract_b=[2] batch_b=[0] : c64[8,2,1,1]
  n3 = reshape n18 : c64[2,4,2]
  n20 = constant bits=00000000 : f32[]
  n21 = pad n0, n20 lo=[0,0,0] hi=[0,1,0] interior=[0,0,0] : f32[2,5,3]
  n22 = as_type n21 : c64[2,5,3]
  n23 = literal literal=2 : c64[5,5]
  n24 = broadcast n23 axes=[1,2] : c64[2,5,5]
  n25 = reshape n22 : c64[2,1,5,3]
  n26 = dot n24, n25 contract_a=[2] batch_a=[0] contract_b=[2] batch_b=[0] : c64[2,5,1,3]
  n4 = reshape n26 : c64[2,5,3]
  n29 = literal literal=3 : c64[8,8]
  n30 = reshape n29 : c64[1,8,8]
  n31 = reshape n1 : c64[1,1,8,8]
  n32 = dot n30, n31 contract_a=[2] batch_a=[0] contract_b=[2] batch_b=[0] : c64[1,8,1,8]
  n33 = literal literal=4 : c64[8,8]
  n34 = reshape n33 : c64[1,8,1,8,1]
  n35 = reshape n32 : c64[1,8,1,8,1]
  n36 = multiply n35, n34 : c64[1,8,1,8,1]
  n37 = reshape n36 : c64[1,8,8,1]
  n38 = dot n30, n37 contract_a=[2] batch_a=[0] contract_b=[2] batch_b=[0] : c64[1,8,8,1]
  n39 = reshape n38 : c64[64]
  n40 = constant bits=000000003c800000 : c64[64]
  n5 = multiply n39, n40 : c64[64]
  return n2, n3, n4, n5
}
