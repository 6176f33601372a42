# run: canon
graph "t" entry=f0 callbacks=0
func f0(f32[3], f32[4], f32[3], f16[3]) {
  n0 = parameter index=0 : f32[3]
  n1 = parameter index=1 : f32[4]
  n2 = dot n0, n1 contract_a=[] batch_a=[] contract_b=[] batch_b=[] : f32[3,4]
  n3 = parameter index=2 : f32[3]
  n4 = dot n0, n3 contract_a=[0] batch_a=[] contract_b=[0] batch_b=[] : f32[]
  n5 = parameter index=3 : f16[3]
  n6 = dot n5, n5 contract_a=[0] batch_a=[] contract_b=[0] batch_b=[] : f16[]
  return n2, n4, n6
}
----
graph "t" entry=f0 callbacks=0

func f0(f32[3], f32[4], f32[3], f16[3]) {
  n0 = parameter index=0 : f32[3]
  n1 = parameter index=1 : f32[4]
  n7 = broadcast n0 axes=[0] : f32[3,4]
  n8 = broadcast n1 axes=[1] : f32[3,4]
  n9 = multiply n7, n8 : f32[3,4]
  n10 = constant bits=00000000 : f32[3,4]
  n2 = add n9, n10 : f32[3,4]
  n3 = parameter index=2 : f32[3]
  n12 = multiply n0, n3 : f32[3]
  n4 = sum n12 axes=[0] keep=false : f32[]
  n5 = parameter index=3 : f16[3]
  n14 = as_type n5 : f32[3]
  n15 = multiply n14, n14 : f32[3]
  n16 = sum n15 axes=[0] keep=false : f32[]
  n6 = as_type n16 : f16[]
  return n2, n4, n6
}
