# Updates that have a place of their own each are told by it: as in the gradient of take_along_axis, and on a diagonal.
# run: canon,lower,cse
graph "t" entry=f0 callbacks=0
func f0(s32[16,30], f32[16,30], f32[16,30,500], f32[40,40], f32[40]) {
  n0 = parameter index=0 : s32[16,30]
  n1 = reshape n0 : s32[16,30,1]
  n2 = iota axis=0 : s32[16,30,1]
  n3 = iota axis=1 : s32[16,30,1]
  n4 = concatenate n2, n3, n1 axis=2 : s32[16,30,3]
  n5 = reshape n4 : s32[480,3]
  n6 = parameter index=1 : f32[16,30]
  n7 = reshape n6 : f32[480]
  n8 = parameter index=2 : f32[16,30,500]
  n9 = indexed_add n8, n5, n7 axes=[0,1,2] : f32[16,30,500]
  n10 = parameter index=3 : f32[40,40]
  n11 = parameter index=4 : f32[40]
  n12 = iota axis=0 : s32[40]
  n13 = broadcast n12 axes=[0] : s32[40,2]
  n14 = indexed_put n10, n13, n11 axes=[0,1] : f32[40,40]
  return n9, n14
}
----
graph "t" entry=f0 callbacks=0

func f0(s32[16,30], f32[16,30], f32[16,30,500], f32[40,40], f32[40]) {
  n0 = parameter index=0 : s32[16,30]
  n1 = reshape n0 : s32[16,30,1]
  n16 = iota axis=0 : s32[16]
  n2 = broadcast n16 axes=[0] : s32[16,30,1]
  n18 = iota axis=0 : s32[30]
  n3 = broadcast n18 axes=[1] : s32[16,30,1]
  n4 = concatenate n2, n3, n1 axis=2 : s32[16,30,3]
  n5 = reshape n4 : s32[480,3]
  n6 = parameter index=1 : f32[16,30]
  n8 = parameter index=2 : f32[16,30,500]
  n20 = broadcast n6 axes=[0,1] : f32[16,30,500]
  n21 = add n8, n20 : f32[16,30,500]
  n22 = slice n5 starts=[0,2] lengths=[480,1] strides=[1,1] : s32[480,1]
  n23 = reshape n22 : s32[16,30]
  n25 = broadcast n23 axes=[0,1] : s32[16,30,500]
  n26 = iota axis=0 : s32[500]
  n27 = broadcast n26 axes=[2] : s32[16,30,500]
  n28 = equal n25, n27 : u8[16,30,500]
  n9 = select n28, n21, n8 : f32[16,30,500]
  n10 = parameter index=3 : f32[40,40]
  n11 = parameter index=4 : f32[40]
  n12 = iota axis=0 : s32[40]
  n13 = broadcast n12 axes=[0] : s32[40,2]
  n30 = broadcast n11 axes=[0] : f32[40,40]
  n31 = slice n13 starts=[0,1] lengths=[40,1] strides=[1,1] : s32[40,1]
  n32 = reshape n31 : s32[40]
  n33 = broadcast n32 axes=[0] : s32[40,40]
  n34 = broadcast n12 axes=[1] : s32[40,40]
  n35 = equal n33, n34 : u8[40,40]
  n14 = select n35, n30, n10 : f32[40,40]
  return n9, n14
}
