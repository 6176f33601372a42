# run: lower
graph "t" entry=f0 callbacks=0
func f0(s32[4], s8[2,3]) {
  n0 = parameter index=0 : s32[4]
  n1 = parameter index=1 : s8[2,3]
  n2 = argsort n0 axis=0 descending=false stable=true : s64[4]
  n3 = argsort n1 axis=0 descending=true stable=false : s32[2,3]
  return n2, n3
}
----
graph "t" entry=f0 callbacks=0

func f0(s32[4], s8[2,3]) {
  n0 = parameter index=0 : s32[4]
  n1 = parameter index=1 : s8[2,3]
  n5 = broadcast n0 axes=[1] : s32[1,4,4,1]
  n6 = broadcast n0 axes=[2] : s32[1,4,4,1]
  n7 = less n6, n5 : u8[1,4,4,1]
  n8 = equal n6, n5 : u8[1,4,4,1]
  n9 = iota axis=0 : s32[4]
  n10 = broadcast n9 axes=[1] : s32[1,4,4,1]
  n11 = broadcast n9 axes=[2] : s32[1,4,4,1]
  n12 = less n11, n10 : u8[1,4,4,1]
  n13 = bitwise_and n8, n12 : u8[1,4,4,1]
  n14 = bitwise_or n7, n13 : u8[1,4,4,1]
  n15 = as_type n14 : s32[1,4,4,1]
  n16 = sum n15 axes=[2] keep=false : s32[1,4,1]
  n17 = reshape n16 : s32[4]
  n18 = broadcast n17 axes=[2] : s32[1,4,4,1]
  n19 = equal n18, n10 : u8[1,4,4,1]
  n20 = constant bits=00000000 : s32[1,4,4,1]
  n21 = select n19, n11, n20 : s32[1,4,4,1]
  n22 = sum n21 axes=[2] keep=false : s32[1,4,1]
  n23 = as_type n22 : s64[1,4,1]
  n2 = reshape n23 : s64[4]
  n26 = broadcast n1 axes=[1,3] : s8[1,2,2,3]
  n27 = broadcast n1 axes=[2,3] : s8[1,2,2,3]
  n28 = greater n27, n26 : u8[1,2,2,3]
  n29 = equal n27, n26 : u8[1,2,2,3]
  n30 = iota axis=0 : s32[2]
  n31 = broadcast n30 axes=[1] : s32[1,2,2,3]
  n32 = broadcast n30 axes=[2] : s32[1,2,2,3]
  n33 = less n32, n31 : u8[1,2,2,3]
  n34 = bitwise_and n29, n33 : u8[1,2,2,3]
  n35 = bitwise_or n28, n34 : u8[1,2,2,3]
  n36 = as_type n35 : s32[1,2,2,3]
  n37 = sum n36 axes=[2] keep=false : s32[1,2,3]
  n38 = reshape n37 : s32[2,3]
  n39 = broadcast n38 axes=[2,3] : s32[1,2,2,3]
  n40 = equal n39, n31 : u8[1,2,2,3]
  n41 = constant bits=00000000 : s32[1,2,2,3]
  n42 = select n40, n32, n41 : s32[1,2,2,3]
  n43 = sum n42 axes=[2] keep=false : s32[1,2,3]
  n3 = reshape n43 : s32[2,3]
  return n2, n3
}
