# run: views
graph "t" entry=f0 callbacks=0
func f0(f32[4], f16[], s2[], f32[2]) {
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
  n10 = parameter index=3 : f32[2]
  n11 = broadcast n10 axes=[0] : f32[2,5]
  n12 = sum n11 axes=[1] keep=false : f32[2]
  return n2, n3, n6, n9, n12
}
----
graph "t" entry=f0 callbacks=0

func f0(f32[4], f16[], s2[], f32[2]) {
  n0 = parameter index=0 : f32[4]
  n14 = sum n0 axes=[0] keep=false : f32[]
  n15 = constant bits=41000000 : f32[]
  n2 = multiply n14, n15 : f32[]
  n4 = parameter index=1 : f16[]
  n5 = broadcast n4 axes=[] : f16[300]
  n6 = sum n5 axes=[0] keep=false : f16[]
  n7 = parameter index=2 : s2[]
  n19 = constant bits=ff : s2[]
  n9 = multiply n7, n19 : s2[]
  n10 = parameter index=3 : f32[2]
  n22 = constant bits=00000000 : f32[2]
  n23 = add n10, n22 : f32[2]
  n24 = constant bits=40a00000 : f32[2]
  n12 = multiply n23, n24 : f32[2]
  return n2, n0, n6, n9, n12
}
