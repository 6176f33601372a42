# run: algebra
# with: fast-math
graph "t" entry=f0 callbacks=0
func f0(f32[4], f32[4]) {
  n0 = parameter index=0 : f32[4]
  n1 = parameter index=1 : f32[4]
  n2 = constant bits=00000000 : f32[4]
  n3 = add n0, n2 : f32[4]
  n4 = sqrt n1 : f32[4]
  n5 = divide n3, n4 : f32[4]
  return n5
}
----
graph "t" entry=f0 callbacks=0

func f0(f32[4], f32[4]) {
  n0 = parameter index=0 : f32[4]
  n1 = parameter index=1 : f32[4]
  n6 = rsqrt n1 : f32[4]
  n5 = multiply n0, n6 : f32[4]
  return n5
}
