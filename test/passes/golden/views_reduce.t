# run: views
graph "t" entry=f0 callbacks=0
func f0(f32[4], f16[]) {
  n0 = parameter index=0 : f32[4]
  n1 = broadcast n0 axes=[1] : f32[8,4]
  n2 = sum n1 axes=[0,1] keep=false : f32[]
  n3 = reduce_max n1 axes=[0] keep=false : f32[4]
  n4 = parameter index=1 : f16[]
  n5 = broadcast n4 axes=[] : f16[300]
  n6 = sum n5 axes=[0] keep=false : f16[]
  return n2, n3, n6
}
----
graph "t" entry=f0 callbacks=0

func f0(f32[4], f16[]) {
  n0 = parameter index=0 : f32[4]
  n8 = sum n0 axes=[0] keep=false : f32[]
  n9 = constant bits=41000000 : f32[]
  n2 = multiply n8, n9 : f32[]
  n4 = parameter index=1 : f16[]
  n5 = broadcast n4 axes=[] : f16[300]
  n6 = sum n5 axes=[0] keep=false : f16[]
  return n2, n0, n6
}
