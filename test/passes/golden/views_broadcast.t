# work on repeated values is done before they repeat
# run: views
graph "t" entry=f0 callbacks=0
func f0(f32[], f32[4], f32[8,4]) {
  n0 = parameter index=0 : f32[]
  n1 = parameter index=1 : f32[4]
  n2 = parameter index=2 : f32[8,4]
  n3 = broadcast n0 axes=[] : f32[8,4]
  n4 = reshape n1 : f32[1,4]
  n5 = broadcast n4 axes=[0,1] : f32[8,4]
  n6 = constant bits=3f800000 : f32[8,4]
  n7 = exp n3 : f32[8,4]
  n8 = add n7, n6 : f32[8,4]
  n9 = divide n5, n8 : f32[8,4]
  n10 = multiply n9, n2 : f32[8,4]
  return n10
}
----
graph "t" entry=f0 callbacks=0

func f0(f32[], f32[4], f32[8,4]) {
  n0 = parameter index=0 : f32[]
  n1 = parameter index=1 : f32[4]
  n2 = parameter index=2 : f32[8,4]
  n14 = exp n0 : f32[]
  n16 = constant bits=3f800000 : f32[]
  n17 = add n14, n16 : f32[]
  n19 = broadcast n17 axes=[] : f32[4]
  n20 = divide n1, n19 : f32[4]
  n9 = broadcast n20 axes=[1] : f32[8,4]
  n10 = multiply n9, n2 : f32[8,4]
  return n10
}
