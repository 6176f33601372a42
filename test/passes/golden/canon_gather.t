# run: canon
graph "t" entry=f0 callbacks=0
literal l0 = s32[3,1] sha256=5c4f0026a5866967334fd37912b9c876b024f0b17f5fac1252ad635a96848b51 data=000000000200000004000000
func f0(f32[6,3]) {
  n0 = parameter index=0 : f32[6,3]
  n1 = literal literal=0 : s32[3,1]
  n2 = gather n0, n1 axes=[0] : f32[3,3]
  n3 = constant bits=00000009 : s32[2]
  n4 = gather n0, n3 axes=[0,1] : f32[]
  return n2, n4
}
----
graph "t" entry=f0 callbacks=0

func f0(f32[6,3]) {
  n0 = parameter index=0 : f32[6,3]
  n2 = slice n0 starts=[0,0] lengths=[5,3] strides=[2,1] : f32[3,3]
  n6 = slice n0 starts=[5,2] lengths=[1,1] strides=[1,1] : f32[1,1]
  n4 = reshape n6 : f32[]
  return n2, n4
}
