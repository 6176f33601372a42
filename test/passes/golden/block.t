# nested; the fold keeps its function
# run: inline
graph "t" entry=f0 callbacks=0
func f0(f32[4]) {
  n0 = parameter index=0 : f32[4]
  n5 = block n0 name="Outer" regions=[f1] : f32[4]
  n6 = negate n5 : f32[4]
  return n6
}
func f1(f32[4]) {
  n0 = parameter index=0 : f32[4]
  n1 = block n0 name="Inner" regions=[f2] : f32[4]
  n2 = exp n1 : f32[4] @ "lib/a.ex:3"
  return n2
}
func f2(f32[4]) {
  n0 = parameter index=0 : f32[4]
  n2 = constant bits=00000000 : f32[]
  n1 = reduce n0, n2 axes=[0] keep=false regions=[f3] : f32[]
  n3 = broadcast n1 axes=[] : f32[4]
  return n3
}
func f3(f32[], f32[]) {
  n0 = parameter index=0 : f32[]
  n1 = parameter index=1 : f32[]
  n2 = max n0, n1 : f32[]
  return n2
}
----
graph "t" entry=f0 callbacks=0

func f0(f32[4]) {
  n0 = parameter index=0 : f32[4]
  n7 = constant bits=00000000 : f32[]
  n8 = reduce n0, n7 axes=[0] keep=false regions=[f1] : f32[]
  n9 = broadcast n8 axes=[] : f32[4]
  n5 = exp n9 : f32[4] @"lib/a.ex:3"
  n6 = negate n5 : f32[4]
  return n6
}

func f1(f32[], f32[]) {
  n0 = parameter index=0 : f32[]
  n1 = parameter index=1 : f32[]
  n2 = max n0, n1 : f32[]
  return n2
}
