# run: views
graph "t" entry=f0 callbacks=0
func f0(f32[4,3], f32[4,3]) {
  n0 = parameter index=0 : f32[4,3]
  n1 = parameter index=1 : f32[4,3]
  n2 = transpose n0 axes=[1,0] : f32[3,4]
  n3 = transpose n1 axes=[1,0] : f32[3,4]
  n4 = add n2, n3 : f32[3,4]
  n5 = reshape n0 : f32[12]
  n6 = exp n5 : f32[12]
  n7 = reshape n6 : f32[4,3]
  n8 = reshape n1 : f32[12]
  n9 = multiply n5, n8 : f32[12]
  return n4, n7, n9
}
----
graph "t" entry=f0 callbacks=0

func f0(f32[4,3], f32[4,3]) {
  n0 = parameter index=0 : f32[4,3]
  n1 = parameter index=1 : f32[4,3]
  n12 = add n0, n1 : f32[4,3]
  n4 = transpose n12 axes=[1,0] : f32[3,4]
  n15 = exp n0 : f32[4,3]
  n18 = multiply n0, n1 : f32[4,3]
  n9 = reshape n18 : f32[12]
  return n4, n15, n9
}
