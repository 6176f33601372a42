# a long index stays an index: a kernel has it for nothing
# run: fold
graph "t" entry=f0 callbacks=0
func f0(f32[4]) {
  n0 = constant bits=40000000 : f32[4]
  n1 = constant bits=3f000000 : f32[4]
  n2 = multiply n0, n1 : f32[4]
  n3 = iota axis=0 : s32[4]
  n4 = constant bits=00000003 : s32[4]
  n5 = multiply n3, n4 : s32[4]
  n6 = sum n5 axes=[0] keep=false : s32[]
  n7 = parameter index=0 : f32[4]
  n8 = add n7, n2 : f32[4]
  n9 = iota axis=0 : s32[1000]
  n10 = constant bits=00000003 : s32[1000]
  n11 = multiply n9, n10 : s32[1000]
  return n8, n6, n5, n11
}
----
graph "t" entry=f0 callbacks=0

func f0(f32[4]) {
  n2 = constant bits=3f800000 : f32[4]
  n3 = iota axis=0 : s32[4]
  n4 = constant bits=00000003 : s32[4]
  n5 = multiply n3, n4 : s32[4]
  n6 = sum n5 axes=[0] keep=false : s32[]
  n7 = parameter index=0 : f32[4]
  n8 = add n7, n2 : f32[4]
  n9 = iota axis=0 : s32[1000]
  n10 = constant bits=00000003 : s32[1000]
  n11 = multiply n9, n10 : s32[1000]
  return n8, n6, n5, n11
}
