# Doubles are compared as they are.
# run: lower
graph "t" entry=f0 callbacks=0
func f0(f64[3]) {
  n0 = parameter index=0 : f64[3]
  n1 = argsort n0 axis=0 descending=false stable=false : s32[3]
  return n1
}
----
graph "t" entry=f0 callbacks=0

func f0(f64[3]) {
  n0 = parameter index=0 : f64[3]
  n2 = reshape n0 : f64[1,3,1]
  n3 = broadcast n0 axes=[1] : f64[1,3,3,1]
  n4 = broadcast n0 axes=[2] : f64[1,3,3,1]
  n5 = less n4, n3 : u8[1,3,3,1]
  n6 = equal n4, n3 : u8[1,3,3,1]
  n7 = is_nan n2 : u8[1,3,1]
  n8 = reshape n7 : u8[3]
  n9 = broadcast n8 axes=[1] : u8[1,3,3,1]
  n10 = broadcast n8 axes=[2] : u8[1,3,3,1]
  n11 = less n10, n9 : u8[1,3,3,1]
  n12 = bitwise_or n5, n11 : u8[1,3,3,1]
  n13 = bitwise_and n10, n9 : u8[1,3,3,1]
  n14 = bitwise_or n6, n13 : u8[1,3,3,1]
  n15 = iota axis=0 : s32[3]
  n16 = broadcast n15 axes=[1] : s32[1,3,3,1]
  n17 = broadcast n15 axes=[2] : s32[1,3,3,1]
  n18 = less n17, n16 : u8[1,3,3,1]
  n19 = bitwise_and n14, n18 : u8[1,3,3,1]
  n20 = bitwise_or n12, n19 : u8[1,3,3,1]
  n21 = as_type n20 : s32[1,3,3,1]
  n22 = sum n21 axes=[2] keep=false : s32[1,3,1]
  n23 = reshape n22 : s32[3]
  n24 = broadcast n23 axes=[2] : s32[1,3,3,1]
  n25 = equal n24, n16 : u8[1,3,3,1]
  n26 = constant bits=00000000 : s32[1,3,3,1]
  n27 = select n25, n17, n26 : s32[1,3,3,1]
  n28 = sum n27 axes=[2] keep=false : s32[1,3,1]
  n1 = reshape n28 : s32[3]
  return n1
}
