# run: canon
graph "t" entry=f0 callbacks=0
func f0(f32[4,1,3]) {
  n0 = parameter index=0 : f32[4,1,3]
  n1 = sum n0 axes=[1,2] keep=true : f32[4,1,1]
  n2 = reduce_max n0 axes=[1] keep=false : f32[4,3]
  n3 = sum n0 axes=[] keep=false : f32[4,1,3]
  return n1, n2, n3
}
----
graph "t" entry=f0 callbacks=0

func f0(f32[4,1,3]) {
  n0 = parameter index=0 : f32[4,1,3]
  n4 = sum n0 axes=[2] keep=false : f32[4,1]
  n1 = reshape n4 : f32[4,1,1]
  n2 = reshape n0 : f32[4,3]
  n7 = constant bits=00000000 : f32[4,1,3]
  n3 = add n0, n7 : f32[4,1,3]
  return n1, n2, n3
}
