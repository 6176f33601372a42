# run: inline
graph "t" entry=f0 callbacks=0
func f0(f32[4], f32[]) {
  n0 = parameter index=0 : f32[4]
  n1 = parameter index=1 : f32[]
  n2 = cond n0, n1 regions=[f1,f2,f3] : f32[4]
  return n2
}
func f1(f32[4], f32[]) {
  n9 = parameter index=1 : f32[]
  return n9
}
func f2(f32[4], f32[]) {
  n0 = parameter index=0 : f32[4]
  n1 = sin n0 : f32[4]
  return n1
}
func f3(f32[4], f32[]) {
  n0 = parameter index=0 : f32[4]
  n1 = cos n0 : f32[4]
  return n1
}
----
graph "t" entry=f0 callbacks=0

func f0(f32[4], f32[]) {
  n0 = parameter index=0 : f32[4]
  n1 = parameter index=1 : f32[]
  n3 = sin n0 : f32[4]
  n4 = cos n0 : f32[4]
  n5 = broadcast n1 axes=[] : f32[4]
  n2 = select n5, n3, n4 : f32[4]
  return n2
}
