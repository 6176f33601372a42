# the rounds of threefry: a table read at the loop index
# run: inline
graph "t" entry=f0 callbacks=0
literal l0 = u8[2,2] sha256=60da9980de2a713e32255b2c36fd872a5e8a3951e1e85bc866055b8f90e71dea data=0d0f1a06
func f0(u32[4]) {
  n0 = parameter index=0 : u32[4]
  n1 = constant bits=00000000 : s32[]
  n2 = literal literal=0 : u8[2,2]
  n3 = while n1, n0, n2 regions=[f1,f2] : s32[], u32[4], u8[2,2]
  return n3.1
}
func f1(s32[], u32[4], u8[2,2]) {
  n0 = parameter index=0 : s32[]
  n1 = constant bits=00000001 : s32[]
  n2 = less_equal n0, n1 : u8[]
  return n2
}
func f2(s32[], u32[4], u8[2,2]) {
  n0 = parameter index=0 : s32[]
  n1 = parameter index=1 : u32[4]
  n2 = parameter index=2 : u8[2,2]
  n3 = constant bits=00000000 : s32[]
  n4 = dynamic_slice n2, n0, n3 lengths=[1,2] strides=[1,1] : u8[1,2]
  n5 = reshape n4 : u8[2]
  n6 = while n3, n1, n5 regions=[f3,f4] : s32[], u32[4], u8[2]
  n7 = constant bits=00000001 : s32[]
  n8 = add n0, n7 : s32[]
  return n8, n6.1, n2
}
func f3(s32[], u32[4], u8[2]) {
  n0 = parameter index=0 : s32[]
  n1 = constant bits=00000002 : s32[]
  n2 = less n0, n1 : u8[]
  return n2
}
func f4(s32[], u32[4], u8[2]) {
  n0 = parameter index=0 : s32[]
  n1 = parameter index=1 : u32[4]
  n2 = parameter index=2 : u8[2]
  n3 = dynamic_slice n2, n0 lengths=[1] strides=[1] : u8[1]
  n4 = reshape n3 : u8[]
  n5 = as_type n4 : u32[]
  n6 = broadcast n5 axes=[] : u32[4]
  n7 = left_shift n1, n6 : u32[4]
  n8 = bitwise_xor n7, n1 : u32[4]
  n9 = constant bits=00000001 : s32[]
  n10 = add n0, n9 : s32[]
  return n10, n8, n2
}
----
graph "t" entry=f0 callbacks=0

func f0(u32[4]) {
  n0 = parameter index=0 : u32[4]
  n12 = constant bits=0000000d : u32[4]
  n13 = left_shift n0, n12 : u32[4]
  n14 = bitwise_xor n13, n0 : u32[4]
  n18 = constant bits=0000000f : u32[4]
  n19 = left_shift n14, n18 : u32[4]
  n20 = bitwise_xor n19, n14 : u32[4]
  n27 = constant bits=0000001a : u32[4]
  n28 = left_shift n20, n27 : u32[4]
  n29 = bitwise_xor n28, n20 : u32[4]
  n33 = constant bits=00000006 : u32[4]
  n34 = left_shift n29, n33 : u32[4]
  n35 = bitwise_xor n34, n29 : u32[4]
  return n35
}
