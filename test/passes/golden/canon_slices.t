# starts are clamped; a start does not matter where the window spans the axis
# run: canon
graph "t" entry=f0 callbacks=0
func f0(f32[8,4], f32[3,4], s32[]) {
  n0 = parameter index=0 : f32[8,4]
  n1 = parameter index=1 : f32[3,4]
  n2 = parameter index=2 : s32[]
  n3 = constant bits=00000007 : s32[]
  n4 = constant bits=fffffffe : s32[]
  n5 = dynamic_slice n0, n3, n4 lengths=[2,4] strides=[1,1] : f32[2,4]
  n6 = put_slice n0, n1, n3, n2 : f32[8,4]
  n7 = put_slice n0, n1, n4, n4 : f32[8,4]
  n8 = put_slice n0, n1, n2, n4 : f32[8,4]
  n9 = dynamic_slice n0, n2, n4 lengths=[2,4] strides=[1,1] : f32[2,4]
  return n5, n6, n7, n8, n9
}
----
graph "t" entry=f0 callbacks=0

func f0(f32[8,4], f32[3,4], s32[]) {
  n0 = parameter index=0 : f32[8,4]
  n1 = parameter index=1 : f32[3,4]
  n2 = parameter index=2 : s32[]
  n4 = constant bits=fffffffe : s32[]
  n5 = slice n0 starts=[6,0] lengths=[2,4] strides=[1,1] : f32[2,4]
  n11 = slice n0 starts=[0,0] lengths=[5,4] strides=[1,1] : f32[5,4]
  n6 = concatenate n11, n1 axis=0 : f32[8,4]
  n13 = slice n0 starts=[3,0] lengths=[5,4] strides=[1,1] : f32[5,4]
  n7 = concatenate n1, n13 axis=0 : f32[8,4]
  n8 = put_slice n0, n1, n2, n4 : f32[8,4]
  n9 = dynamic_slice n0, n2, n4 lengths=[2,4] strides=[1,1] : f32[2,4]
  return n5, n6, n7, n8, n9
}
