# A block of Cholesky becomes panels and products; a small one in a loop keeps its expansion.
# run: inline
graph "t" entry=f0 callbacks=0
func f0(f64[70,70], f16[2,3,3], f32[3,3]) {
  n0 = parameter index=0 : f64[70,70]
  n1 = parameter index=1 : f16[2,3,3]
  n2 = parameter index=2 : f32[3,3]
  n3 = block n0 name="LinAlg.Cholesky" regions=[f1] : f64[70,70]
  n4 = block n1 name="LinAlg.Cholesky" regions=[f2] : f16[2,3,3]
  n5 = while n2 regions=[f3,f4] : f32[3,3]
  return n3, n4, n5
}
func f1(f64[70,70]) {
  n0 = parameter index=0 : f64[70,70]
  return n0
}
func f2(f16[2,3,3]) {
  n0 = parameter index=0 : f16[2,3,3]
  return n0
}
func f3(f32[3,3]) {
  n0 = parameter index=0 : f32[3,3]
  n1 = reduce_max n0 axes=[0,1] keep=false : f32[]
  n2 = constant bits=3f800000 : f32[]
  n3 = less n1, n2 : u8[]
  return n3
}
func f4(f32[3,3]) {
  n0 = parameter index=0 : f32[3,3]
  n1 = block n0 name="LinAlg.Cholesky" regions=[f5] : f32[3,3]
  n2 = add n1, n1 : f32[3,3]
  return n2
}
func f5(f32[3,3]) {
  n0 = parameter index=0 : f32[3,3]
  return n0
}
----
graph "t" entry=f0 callbacks=0

func f0(f64[70,70], f16[2,3,3], f32[3,3]) {
  n0 = parameter index=0 : f64[70,70]
  n1 = parameter index=1 : f16[2,3,3]
  n2 = parameter index=2 : f32[3,3]
  n6 = reshape n0 : f64[1,70,70]
  n7 = slice n6 starts=[0,0,0] lengths=[1,70,32] strides=[1,1,1] : f64[1,70,32]
  n8 = panel_cholesky n7 inverse=false : f64[1,1,70,32]
  n9 = reshape n8 : f64[1,70,32]
  n10 = slice n9 starts=[0,32,0] lengths=[1,38,32] strides=[1,1,1] : f64[1,38,32]
  n11 = dot n10, n10 contract_a=[2] batch_a=[0] contract_b=[2] batch_b=[0] : f64[1,38,38]
  n12 = slice n6 starts=[0,32,32] lengths=[1,38,38] strides=[1,1,1] : f64[1,38,38]
  n13 = subtract n12, n11 : f64[1,38,38]
  n14 = constant bits=0000000000000000 : f64[]
  n15 = slice n13 starts=[0,0,0] lengths=[1,38,32] strides=[1,1,1] : f64[1,38,32]
  n16 = panel_cholesky n15 inverse=false : f64[1,1,38,32]
  n17 = reshape n16 : f64[1,38,32]
  n18 = slice n17 starts=[0,32,0] lengths=[1,6,32] strides=[1,1,1] : f64[1,6,32]
  n19 = dot n18, n18 contract_a=[2] batch_a=[0] contract_b=[2] batch_b=[0] : f64[1,6,6]
  n20 = slice n13 starts=[0,32,32] lengths=[1,6,6] strides=[1,1,1] : f64[1,6,6]
  n21 = subtract n20, n19 : f64[1,6,6]
  n22 = pad n17, n14 lo=[0,32,0] hi=[0,0,0] interior=[0,0,0] : f64[1,70,32]
  n23 = panel_cholesky n21 inverse=false : f64[1,1,6,6]
  n24 = reshape n23 : f64[1,6,6]
  n25 = pad n24, n14 lo=[0,64,0] hi=[0,0,0] interior=[0,0,0] : f64[1,70,6]
  n26 = concatenate n9, n22, n25 axis=2 : f64[1,70,70]
  n27 = abs n26 : f64[1,70,70]
  n28 = constant bits=3ddb7cdfe0000000 : f64[1,70,70]
  n29 = less_equal n27, n28 : u8[1,70,70]
  n30 = constant bits=0000000000000000 : f64[1,70,70]
  n31 = select n29, n30, n26 : f64[1,70,70]
  n3 = reshape n31 : f64[70,70]
  n33 = as_type n1 : f32[2,3,3]
  n34 = panel_cholesky n33 inverse=false : f32[2,1,3,3]
  n35 = reshape n34 : f32[2,3,3]
  n36 = abs n35 : f32[2,3,3]
  n37 = constant bits=2edbe6ff : f32[2,3,3]
  n38 = less_equal n36, n37 : u8[2,3,3]
  n39 = constant bits=00000000 : f32[2,3,3]
  n40 = select n38, n39, n35 : f32[2,3,3]
  n4 = as_type n40 : f16[2,3,3]
  n5 = while n2 regions=[f1,f2] : f32[3,3]
  return n3, n4, n5
}

func f1(f32[3,3]) {
  n0 = parameter index=0 : f32[3,3]
  n1 = reduce_max n0 axes=[0,1] keep=false : f32[]
  n2 = constant bits=3f800000 : f32[]
  n3 = less n1, n2 : u8[]
  return n3
}

func f2(f32[3,3]) {
  n0 = parameter index=0 : f32[3,3]
  n2 = add n0, n0 : f32[3,3]
  return n2
}
