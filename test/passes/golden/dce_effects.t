# what a callback sees is computed though nothing reads it
# run: dce
graph "t" entry=f0 callbacks=1
func f0(f32[4], f32[4]) {
  n0 = parameter index=0 : f32[4]
  n1 = parameter index=1 : f32[4]
  n2 = add n0, n1 : f32[4]
  n3 = negate n0 : f32[4]
  n4 = hook n3, n0 callback=0 seq=0 hooked=1 : f32[4]
  return n0
}
----
graph "t" entry=f0 callbacks=1

func f0(f32[4], f32[4]) {
  n0 = parameter index=0 : f32[4]
  n3 = negate n0 : f32[4]
  n4 = hook n3, n0 callback=0 seq=0 hooked=1 : f32[4]
  return n0
}
