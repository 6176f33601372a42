# run: views
graph "t" entry=f0 callbacks=0
func f0(f32[4], f16[], s2[]) {
  n0 = parameter index=0 : f32[4]
  n1 = broadcast n0 axes=[1] : f32[8,4]
  n2 = sum n1 axes=[0,1] keep=false : f32[]
  n3 = reduce_max n1 axes=[0] keep=false : f32[4]
  n4 = parameter index=1 : f16[]
  n5 = broadcast n4 axes=[] : f16[300]
  n6 = sum n5 axes=[0] keep=false : f16[]
  n7 = parameter index=2 : s2[]
  n8 = broadcast n7 axes=[] : s2[3]
  n9 = sum n8 axes=[0] keep=false : s2[]
  return n2, n3, n6, n9
}
----
graph "t" entry=f0 callbacks=0

func f0(f32[4], f16[], s2[]) {
  n0 = parameter index=0 : f32[4]
  n11 = sum n0 axes=[0] keep=false : f32[]
  n12 = constant bits=41000000 : f32[]
  n2 = multiply n11, n12 : f32[]
  n4 = parameter index=1 : f16[]
  n5 = broadcast n4 axes=[] : f16[300]
  n6 = sum n5 axes=[0] keep=false : f16[]
  n7 = parameter index=2 : s2[]
  n16 = constant bits=ff : s2[]
  n9 = multiply n7, n16 : s2[]
  return n2, n0, n6, n9
}
