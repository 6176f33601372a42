# The updates of a place are found by sorting; few updates stay as they are.
# run: lower,cse
graph "t" entry=f0 callbacks=0
func f0(f32[500,16], s32[700,1], f32[700,16], f32[500,3], s64[600,1], f32[3,600], s32[20,1]) {
  n0 = parameter index=0 : f32[500,16]
  n1 = parameter index=1 : s32[700,1]
  n2 = parameter index=2 : f32[700,16]
  n3 = indexed_add n0, n1, n2 axes=[0] : f32[500,16]
  n4 = indexed_put n0, n1, n2 axes=[0] : f32[500,16]
  n5 = parameter index=6 : s32[20,1]
  n6 = slice n2 starts=[0,0] lengths=[20,16] strides=[1,1] : f32[20,16]
  n7 = indexed_add n0, n5, n6 axes=[0] : f32[500,16]
  return n3, n4, n7
}
----
graph "t" entry=f0 callbacks=0

func f0(f32[500,16], s32[700,1], f32[700,16], f32[500,3], s64[600,1], f32[3,600], s32[20,1]) {
  n0 = parameter index=0 : f32[500,16]
  n1 = parameter index=1 : s32[700,1]
  n2 = parameter index=2 : f32[700,16]
  n8 = reshape n1 : s32[700]
  n9 = constant bits=000001f4 : s32[700]
  n10 = less n8, n9 : u8[700]
  n11 = constant bits=00000000 : s32[700]
  n12 = greater_equal n8, n11 : u8[700]
  n13 = bitwise_and n10, n12 : u8[700]
  n14 = as_type n8 : u32[700]
  n15 = constant bits=000001f4 : u32[700]
  n16 = select n13, n14, n15 : u32[700]
  n17 = reshape n16 : u32[1,1,700,1]
  n18 = sort_runs n17 run=700 gives="both" zeros=false : u32[2,1,700,1]
  n19 = slice n18 starts=[1,0,0,0] lengths=[1,1,700,1] strides=[1,1,1,1] : u32[1,1,700,1]
  n20 = reshape n19 : u32[700]
  n21 = slice n18 starts=[0,0,0,0] lengths=[1,1,700,1] strides=[1,1,1,1] : u32[1,1,700,1]
  n22 = reshape n21 : u32[700]
  n23 = iota axis=0 : u32[501]
  n24 = search n22, n23 : s32[501]
  n3 = segment_sum n0, n2, n20, n24 tile=32 : f32[500,16]
  n26 = as_type n20 : s32[700]
  n27 = slice n24 starts=[0] lengths=[500] strides=[1] : s32[500]
  n28 = slice n24 starts=[1] lengths=[500] strides=[1] : s32[500]
  n29 = constant bits=00000001 : s32[500]
  n30 = subtract n28, n29 : s32[500]
  n31 = reshape n30 : s32[500,1]
  n32 = gather n26, n31 axes=[0] : s32[500]
  n33 = greater n28, n27 : u8[500]
  n34 = reshape n32 : s32[500,1]
  n35 = gather n2, n34 axes=[0] : f32[500,16]
  n36 = broadcast n33 axes=[0] : u8[500,16]
  n4 = select n36, n35, n0 : f32[500,16]
  n5 = parameter index=6 : s32[20,1]
  n6 = slice n2 starts=[0,0] lengths=[20,16] strides=[1,1] : f32[20,16]
  n7 = indexed_add n0, n5, n6 axes=[0] : f32[500,16]
  return n3, n4, n7
}
