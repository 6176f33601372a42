# no round at all
# run: inline
graph "t" entry=f0 callbacks=0
func f0(f32[4]) {
  n0 = parameter index=0 : f32[4]
  n1 = constant bits=00000000 : s32[]
  n2 = while n0, n1 regions=[f1,f2] : f32[4], s32[]
  return n2.0
}
func f1(f32[4], s32[]) {
  n0 = parameter index=1 : s32[]
  n1 = constant bits=00000000 : s32[]
  n2 = less n0, n1 : u8[]
  return n2
}
func f2(f32[4], s32[]) {
  n0 = parameter index=0 : f32[4]
  n1 = parameter index=1 : s32[]
  n2 = constant bits=00000001 : s32[]
  n3 = add n1, n2 : s32[]
  n4 = as_type n1 : f32[]
  n5 = broadcast n4 axes=[] : f32[4]
  n6 = multiply n0, n5 : f32[4]
  return n6, n3
}
----
graph "t" entry=f0 callbacks=0

func f0(f32[4]) {
  n0 = parameter index=0 : f32[4]
  return n0
}
