# run: views
graph "t" entry=f0 callbacks=0
func f0(f32[4], f32[2,3]) {
  n0 = parameter index=0 : f32[4]
  n1 = broadcast n0 axes=[1] : f32[8,4]
  n2 = reshape n1 : f32[8,1,4]
  n3 = transpose n1 axes=[1,0] : f32[4,8]
  n4 = slice n1 starts=[2,1] lengths=[3,2] strides=[1,1] : f32[3,2]
  n5 = parameter index=1 : f32[2,3]
  n6 = broadcast n5 axes=[0,2] : f32[2,5,3]
  n7 = transpose n6 axes=[2,1,0] : f32[3,5,2]
  n8 = reshape n1 : f32[32]
  return n2, n3, n4, n7, n8
}
----
graph "t" entry=f0 callbacks=0

func f0(f32[4], f32[2,3]) {
  n0 = parameter index=0 : f32[4]
  n1 = broadcast n0 axes=[1] : f32[8,4]
  n2 = broadcast n0 axes=[2] : f32[8,1,4]
  n3 = broadcast n0 axes=[0] : f32[4,8]
  n12 = slice n0 starts=[1] lengths=[2] strides=[1] : f32[2]
  n4 = broadcast n12 axes=[1] : f32[3,2]
  n5 = parameter index=1 : f32[2,3]
  n15 = transpose n5 axes=[1,0] : f32[3,2]
  n7 = broadcast n15 axes=[0,2] : f32[3,5,2]
  n8 = reshape n1 : f32[32]
  return n2, n3, n4, n7, n8
}
