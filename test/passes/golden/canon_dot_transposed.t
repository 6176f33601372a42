# run: canon
graph "t" entry=f0 callbacks=0
func f0(f32[5,3], f32[5,4]) {
  n0 = parameter index=0 : f32[5,3]
  n1 = parameter index=1 : f32[5,4]
  n2 = dot n0, n1 contract_a=[0] batch_a=[] contract_b=[0] batch_b=[] : f32[3,4]
  n3 = transpose n2 axes=[1,0] : f32[4,3]
  return n3
}
----
graph "t" entry=f0 callbacks=0

func f0(f32[5,3], f32[5,4]) {
  n0 = parameter index=0 : f32[5,3]
  n1 = parameter index=1 : f32[5,4]
  n3 = dot n1, n0 contract_a=[0] batch_a=[] contract_b=[0] batch_b=[] : f32[4,3]
  return n3
}
