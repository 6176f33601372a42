# Floats by integers that order as they do; argsort and sort of one tensor share their ranks.
# run: lower,cse
graph "t" entry=f0 callbacks=0
literal l0 = s32[4] sha256=1719d5db4d93b266fae431dda4159db5c64de45fcf6e38001bbcd98645f00f0d data=02000000010000000400000003000000
func f0(f16[2,3]) {
  n0 = parameter index=0 : f16[2,3]
  n1 = sort n0 axis=1 descending=false stable=false : f16[2,3]
  n2 = argsort n0 axis=1 descending=false stable=false : s32[2,3]
  n3 = literal literal=0 : s32[4]
  n4 = sort n3 axis=0 descending=true stable=false : s32[4]
  return n1, n2, n4
}
----
graph "t" entry=f0 callbacks=0
literal l0 = s32[4] sha256=d18d043ff0364a9d3b5bcea64d62342018452dcbb78885734806bc17856e60aa data=04000000030000000200000001000000

func f0(f16[2,3]) {
  n0 = parameter index=0 : f16[2,3]
  n5 = reshape n0 : f16[2,3,1]
  n6 = as_type n5 : f32[2,3,1]
  n7 = bitcast n6 : s32[2,3,1]
  n8 = constant bits=7fffffff : s32[2,3,1]
  n9 = bitwise_and n7, n8 : s32[2,3,1]
  n10 = constant bits=00000000 : s32[2,3,1]
  n11 = less n7, n10 : u8[2,3,1]
  n12 = negate n9 : s32[2,3,1]
  n13 = select n11, n12, n9 : s32[2,3,1]
  n14 = constant bits=7f800000 : s32[2,3,1]
  n15 = greater n9, n14 : u8[2,3,1]
  n16 = select n15, n8, n13 : s32[2,3,1]
  n17 = reshape n16 : s32[2,3]
  n18 = broadcast n17 axes=[0,1] : s32[2,3,3,1]
  n19 = broadcast n17 axes=[0,2] : s32[2,3,3,1]
  n20 = less n19, n18 : u8[2,3,3,1]
  n21 = equal n19, n18 : u8[2,3,3,1]
  n22 = iota axis=0 : s32[3]
  n23 = broadcast n22 axes=[1] : s32[2,3,3,1]
  n24 = broadcast n22 axes=[2] : s32[2,3,3,1]
  n25 = less n24, n23 : u8[2,3,3,1]
  n26 = bitwise_and n21, n25 : u8[2,3,3,1]
  n27 = bitwise_or n20, n26 : u8[2,3,3,1]
  n28 = as_type n27 : s32[2,3,3,1]
  n29 = sum n28 axes=[2] keep=false : s32[2,3,1]
  n30 = reshape n29 : s32[2,3]
  n31 = broadcast n30 axes=[0,2] : s32[2,3,3,1]
  n32 = equal n31, n23 : u8[2,3,3,1]
  n33 = constant bits=00000000 : s32[2,3,3,1]
  n34 = select n32, n24, n33 : s32[2,3,3,1]
  n35 = sum n34 axes=[2] keep=false : s32[2,3,1]
  n36 = iota axis=0 : s32[2]
  n37 = broadcast n36 axes=[0] : s32[2,3,1]
  n38 = constant bits=00000003 : s32[2,3,1]
  n39 = multiply n37, n38 : s32[2,3,1]
  n40 = add n39, n35 : s32[2,3,1]
  n41 = reshape n0 : f16[6]
  n42 = reshape n40 : s32[2,3,1,1]
  n43 = gather n41, n42 axes=[0] : f16[2,3,1]
  n1 = reshape n43 : f16[2,3]
  n2 = reshape n35 : s32[2,3]
  n4 = literal literal=0 : s32[4]
  return n1, n2, n4
}
