# an unrolled loop that fills a tensor piece by piece
# run: canon
graph "t" entry=f0 callbacks=0
func f0(f32[4], f32[1], f32[2,3], f32[2,5]) {
  n0 = parameter index=0 : f32[4]
  n1 = parameter index=1 : f32[1]
  n2 = constant bits=00000000 : s32[]
  n3 = constant bits=00000001 : s32[]
  n4 = constant bits=00000003 : s32[]
  n5 = put_slice n0, n1, n2 : f32[4]
  n6 = put_slice n5, n1, n3 : f32[4]
  n7 = put_slice n6, n1, n4 : f32[4]
  n8 = parameter index=2 : f32[2,3]
  n9 = parameter index=3 : f32[2,5]
  n10 = concatenate n8, n9 axis=1 : f32[2,8]
  n11 = slice n10 starts=[0,4] lengths=[2,4] strides=[1,2] : f32[2,2]
  n12 = slice n10 starts=[1,1] lengths=[1,5] strides=[1,1] : f32[1,5]
  n13 = slice n10 starts=[0,0] lengths=[2,8] strides=[1,3] : f32[2,3]
  return n7, n11, n12, n13
}
----
graph "t" entry=f0 callbacks=0

func f0(f32[4], f32[1], f32[2,3], f32[2,5]) {
  n0 = parameter index=0 : f32[4]
  n1 = parameter index=1 : f32[1]
  n18 = slice n0 starts=[2] lengths=[1] strides=[1] : f32[1]
  n7 = concatenate n1, n1, n18, n1 axis=0 : f32[4]
  n8 = parameter index=2 : f32[2,3]
  n9 = parameter index=3 : f32[2,5]
  n10 = concatenate n8, n9 axis=1 : f32[2,8]
  n11 = slice n9 starts=[0,1] lengths=[2,3] strides=[1,2] : f32[2,2]
  n22 = slice n8 starts=[1,1] lengths=[1,2] strides=[1,1] : f32[1,2]
  n23 = slice n9 starts=[1,0] lengths=[1,3] strides=[1,1] : f32[1,3]
  n12 = concatenate n22, n23 axis=1 : f32[1,5]
  n13 = slice n10 starts=[0,0] lengths=[2,7] strides=[1,3] : f32[2,3]
  return n7, n11, n12, n13
}
