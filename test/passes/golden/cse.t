# run: cse
graph "t" entry=f0 callbacks=0
func f0(f32[4], f32[4]) {
  n0 = parameter index=0 : f32[4]
  n1 = parameter index=1 : f32[4]
  n2 = add n0, n1 : f32[4]
  n3 = add n1, n0 : f32[4]
  n4 = subtract n0, n1 : f32[4]
  n5 = subtract n1, n0 : f32[4]
  n6 = multiply n2, n3 : f32[4]
  return n6, n4, n5
}
----
graph "t" entry=f0 callbacks=0

func f0(f32[4], f32[4]) {
  n0 = parameter index=0 : f32[4]
  n1 = parameter index=1 : f32[4]
  n2 = add n0, n1 : f32[4]
  n4 = subtract n0, n1 : f32[4]
  n5 = subtract n1, n0 : f32[4]
  n6 = multiply n2, n2 : f32[4]
  return n6, n4, n5
}
