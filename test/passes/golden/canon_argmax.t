# run: canon
graph "t" entry=f0 callbacks=0
func f0(f32[4,3]) {
  n0 = parameter index=0 : f32[4,3]
  n1 = argmax n0 axis=-1 tie_break="low" keep=false : s32[]
  n2 = argmin n0 axis=1 tie_break="high" keep=true : s64[4,1]
  n3 = reshape n0 : f32[12,1]
  n4 = argmax n3 axis=1 tie_break="low" keep=false : s32[12]
  return n1, n2, n4
}
----
graph "t" entry=f0 callbacks=0

func f0(f32[4,3]) {
  n0 = parameter index=0 : f32[4,3]
  n5 = reshape n0 : f32[12]
  n1 = argmax n5 axis=0 tie_break="low" keep=false : s32[]
  n7 = argmin n0 axis=1 tie_break="high" keep=false : s64[4]
  n2 = reshape n7 : s64[4,1]
  n4 = constant bits=00000000 : s32[12]
  return n1, n2, n4
}
