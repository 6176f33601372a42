# run: canon
graph "t" entry=f0 callbacks=0
func f0(f32[4,3]) {
  n0 = parameter index=0 : f32[4,3]
  n1 = reshape n0 : f32[12]
  n2 = reshape n1 : f32[2,6]
  n3 = reshape n2 : f32[4,3]
  n4 = transpose n0 axes=[1,0] : f32[3,4]
  n5 = transpose n4 axes=[1,0] : f32[4,3]
  n6 = slice n0 starts=[1,0] lengths=[3,3] strides=[2,1] : f32[2,3]
  n7 = slice n6 starts=[1,1] lengths=[1,2] strides=[1,1] : f32[1,2]
  n8 = reverse n0 axes=[0] : f32[4,3]
  n9 = reverse n8 axes=[0,1] : f32[4,3]
  n10 = constant bits=00000000 : f32[]
  n11 = pad n0, n10 lo=[0,0] hi=[0,0] interior=[0,0] : f32[4,3]
  n12 = broadcast n1 axes=[1] : f32[2,12]
  n13 = broadcast n12 axes=[1,2] : f32[5,2,12]
  n14 = broadcast n10 axes=[] : f32[7]
  return n2, n3, n5, n7, n9, n11, n13, n14
}
----
graph "t" entry=f0 callbacks=0

func f0(f32[4,3]) {
  n0 = parameter index=0 : f32[4,3]
  n1 = reshape n0 : f32[12]
  n2 = reshape n0 : f32[2,6]
  n7 = slice n0 starts=[3,1] lengths=[1,2] strides=[1,1] : f32[1,2]
  n9 = reverse n0 axes=[1] : f32[4,3]
  n13 = broadcast n1 axes=[2] : f32[5,2,12]
  n14 = constant bits=00000000 : f32[7]
  return n2, n0, n0, n7, n9, n0, n13, n14
}
