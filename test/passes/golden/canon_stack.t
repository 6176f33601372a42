# run: canon
graph "t" entry=f0 callbacks=0
func f0(f32[3], f32[3]) {
  n0 = parameter index=0 : f32[3]
  n1 = parameter index=1 : f32[3]
  n2 = stack n0, n1 axis=1 : f32[3,2]
  return n2
}
----
graph "t" entry=f0 callbacks=0

func f0(f32[3], f32[3]) {
  n0 = parameter index=0 : f32[3]
  n1 = parameter index=1 : f32[3]
  n3 = reshape n0 : f32[3,1]
  n4 = reshape n1 : f32[3,1]
  n2 = concatenate n3, n4 axis=1 : f32[3,2]
  return n2
}
