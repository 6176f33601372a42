# A row that fits shared memory is one sort_runs; a longer one is merged.
# run: lower,cse
graph "t" entry=f0 callbacks=0
func f0(f16[2,100,3], u64[3000]) {
  n0 = parameter index=0 : f16[2,100,3]
  n1 = parameter index=1 : u64[3000]
  n2 = sort n0 axis=1 descending=true stable=false : f16[2,100,3]
  n3 = argsort n1 axis=0 descending=false stable=true : s32[3000]
  return n2, n3
}
----
graph "t" entry=f0 callbacks=0
literal l0 = u32[2] sha256=a6e2931965e61fda82f3e73a0b9f9f777565e5f989b0f6abf3551eba8106e991 data=0004000000080000
literal l1 = u32[2] sha256=ca06bb41d4f5f9ea1259de2099b0dbef00cd48bad8a7c21c40c1944d3e691273 data=0008000000100000

func f0(f16[2,100,3], u64[3000]) {
  n0 = parameter index=0 : f16[2,100,3]
  n1 = parameter index=1 : u64[3000]
  n4 = as_type n0 : f32[2,100,3]
  n5 = bitcast n4 : u32[2,100,3]
  n6 = constant bits=7fc00000 : u32[2,100,3]
  n7 = is_nan n4 : u8[2,100,3]
  n8 = select n7, n6, n5 : u32[2,100,3]
  n9 = constant bits=80000000 : u32[2,100,3]
  n10 = less n8, n9 : u8[2,100,3]
  n11 = constant bits=ffffffff : u32[2,100,3]
  n12 = select n10, n9, n11 : u32[2,100,3]
  n13 = bitwise_xor n8, n12 : u32[2,100,3]
  n14 = bitwise_not n13 : u32[2,100,3]
  n15 = reshape n14 : u32[1,2,100,3]
  n16 = sort_runs n15 run=100 gives="keys" zeros=true : u32[1,2,100,3]
  n17 = reshape n16 : u32[2,100,3]
  n18 = bitwise_not n17 : u32[2,100,3]
  n19 = less n18, n9 : u8[2,100,3]
  n20 = select n19, n11, n9 : u32[2,100,3]
  n21 = bitwise_xor n18, n20 : u32[2,100,3]
  n22 = bitcast n21 : f32[2,100,3]
  n2 = as_type n22 : f16[2,100,3]
  n24 = reshape n1 : u64[1,3000,1]
  n25 = constant bits=0000000000000020 : u64[1,3000,1]
  n26 = right_shift n24, n25 : u64[1,3000,1]
  n27 = as_type n26 : u32[1,3000,1]
  n28 = reshape n27 : u32[1,1,3000,1]
  n29 = as_type n24 : u32[1,3000,1]
  n30 = reshape n29 : u32[1,1,3000,1]
  n31 = concatenate n28, n30 axis=0 : u32[2,1,3000,1]
  n33 = sort_runs n31 run=1024 gives="both" zeros=false : u32[3,1,3000,1]
  n34 = literal literal=0 : u32[2]
  n35 = merge_runs n33, n34 tile=1024 gives="both" zeros=false : u32[3,1,3000,1]
  n36 = literal literal=1 : u32[2]
  n37 = merge_runs n35, n36 tile=1024 gives="order" zeros=false : u32[1,1,3000,1]
  n39 = reshape n37 : u32[1,3000,1]
  n40 = as_type n39 : s32[1,3000,1]
  n3 = reshape n40 : s32[3000]
  return n2, n3
}
