# x + 0 stays: it turns -0 into 0
# run: algebra
graph "t" entry=f0 callbacks=0
func f0(f32[4], s32[4], u8[4]) {
  n0 = parameter index=0 : f32[4]
  n1 = parameter index=1 : s32[4]
  n2 = constant bits=3f800000 : f32[4]
  n3 = multiply n2, n0 : f32[4]
  n4 = constant bits=00000000 : f32[4]
  n5 = add n3, n4 : f32[4]
  n6 = constant bits=41000000 : f32[4]
  n7 = divide n5, n6 : f32[4]
  n8 = constant bits=40000000 : f32[4]
  n9 = pow n7, n8 : f32[4]
  n10 = constant bits=00000005 : s32[4]
  n11 = add n1, n10 : s32[4]
  n12 = add n10, n11 : s32[4]
  n13 = subtract n12, n12 : s32[4]
  n14 = parameter index=2 : u8[4]
  n15 = as_type n14 : s32[4]
  n16 = as_type n15 : f32[4]
  n17 = select n15, n0, n16 : f32[4]
  n18 = less n0, n9 : u8[4]
  n19 = constant bits=00 : u8[4]
  n20 = equal n18, n19 : u8[4]
  n21 = not_equal n20, n19 : u8[4]
  n22 = logical_and n18, n21 : u8[4]
  n23 = select n20, n0, n9 : f32[4]
  return n9, n12, n13, n17, n22, n23
}
----
graph "t" entry=f0 callbacks=0

func f0(f32[4], s32[4], u8[4]) {
  n0 = parameter index=0 : f32[4]
  n1 = parameter index=1 : s32[4]
  n4 = constant bits=00000000 : f32[4]
  n5 = add n0, n4 : f32[4]
  n24 = constant bits=3e000000 : f32[4]
  n7 = multiply n5, n24 : f32[4]
  n9 = multiply n7, n7 : f32[4]
  n27 = constant bits=0000000a : s32[4]
  n12 = add n1, n27 : s32[4]
  n13 = constant bits=00000000 : s32[4]
  n14 = parameter index=2 : u8[4]
  n16 = as_type n14 : f32[4]
  n17 = select n14, n0, n16 : f32[4]
  n18 = less n0, n9 : u8[4]
  n19 = constant bits=00 : u8[4]
  n20 = equal n18, n19 : u8[4]
  n22 = bitwise_and n18, n20 : u8[4]
  n23 = select n18, n9, n0 : f32[4]
  return n9, n12, n13, n17, n22, n23
}
