# run: canon
graph "t" entry=f0 callbacks=0
func f0() {
  n0 = iota axis=-1 : s32[6,1]
  n1 = iota axis=0 : s32[1,1,6,1]
  n2 = iota axis=1 : s32[2,3]
  n3 = iota axis=-1 : s32[2,3]
  n4 = iota axis=-1 : s32[5]
  n5 = iota axis=-1 : f32[]
  return n0, n1, n2, n3, n4, n5
}
----
graph "t" entry=f0 callbacks=0

func f0() {
  n6 = iota axis=0 : s32[6]
  n0 = reshape n6 : s32[6,1]
  n1 = constant bits=00000000 : s32[1,1,6,1]
  n9 = iota axis=0 : s32[3]
  n2 = broadcast n9 axes=[1] : s32[2,3]
  n3 = iota axis=-1 : s32[2,3]
  n4 = iota axis=0 : s32[5]
  n5 = constant bits=00000000 : f32[]
  return n0, n1, n2, n3, n4, n5
}
