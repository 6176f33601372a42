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
  n7 = slice n6 starts=[0,0,0] lengths=[1,32,32] strides=[1,1,1] : f64[1,32,32]
  n8 = panel_cholesky n7 inverse=true : f64[1,2,32,32]
  n9 = slice n8 starts=[0,0,0,0] lengths=[1,1,32,32] strides=[1,1,1,1] : f64[1,1,32,32]
  n10 = reshape n9 : f64[1,32,32]
  n11 = slice n8 starts=[0,1,0,0] lengths=[1,1,32,32] strides=[1,1,1,1] : f64[1,1,32,32]
  n12 = reshape n11 : f64[1,32,32]
  n13 = slice n6 starts=[0,32,0] lengths=[1,38,32] strides=[1,1,1] : f64[1,38,32]
  n14 = dot n13, n12 contract_a=[2] batch_a=[0] contract_b=[2] batch_b=[0] : f64[1,38,32]
  n15 = concatenate n10, n14 axis=1 : f64[1,70,32]
  n16 = dot n14, n14 contract_a=[2] batch_a=[0] contract_b=[2] batch_b=[0] : f64[1,38,38]
  n17 = slice n6 starts=[0,32,32] lengths=[1,38,38] strides=[1,1,1] : f64[1,38,38]
  n18 = subtract n17, n16 : f64[1,38,38]
  n19 = constant bits=0000000000000000 : f64[]
  n20 = slice n18 starts=[0,0,0] lengths=[1,32,32] strides=[1,1,1] : f64[1,32,32]
  n21 = panel_cholesky n20 inverse=true : f64[1,2,32,32]
  n22 = slice n21 starts=[0,0,0,0] lengths=[1,1,32,32] strides=[1,1,1,1] : f64[1,1,32,32]
  n23 = reshape n22 : f64[1,32,32]
  n24 = slice n21 starts=[0,1,0,0] lengths=[1,1,32,32] strides=[1,1,1,1] : f64[1,1,32,32]
  n25 = reshape n24 : f64[1,32,32]
  n26 = slice n18 starts=[0,32,0] lengths=[1,6,32] strides=[1,1,1] : f64[1,6,32]
  n27 = dot n26, n25 contract_a=[2] batch_a=[0] contract_b=[2] batch_b=[0] : f64[1,6,32]
  n28 = concatenate n23, n27 axis=1 : f64[1,38,32]
  n29 = dot n27, n27 contract_a=[2] batch_a=[0] contract_b=[2] batch_b=[0] : f64[1,6,6]
  n30 = slice n18 starts=[0,32,32] lengths=[1,6,6] strides=[1,1,1] : f64[1,6,6]
  n31 = subtract n30, n29 : f64[1,6,6]
  n32 = pad n28, n19 lo=[0,32,0] hi=[0,0,0] interior=[0,0,0] : f64[1,70,32]
  n33 = panel_cholesky n31 inverse=false : f64[1,1,6,6]
  n34 = reshape n33 : f64[1,6,6]
  n35 = pad n34, n19 lo=[0,64,0] hi=[0,0,0] interior=[0,0,0] : f64[1,70,6]
  n36 = concatenate n15, n32, n35 axis=2 : f64[1,70,70]
  n37 = abs n36 : f64[1,70,70]
  n38 = constant bits=3ddb7cdfe0000000 : f64[1,70,70]
  n39 = less_equal n37, n38 : u8[1,70,70]
  n40 = constant bits=0000000000000000 : f64[1,70,70]
  n41 = select n39, n40, n36 : f64[1,70,70]
  n3 = reshape n41 : f64[70,70]
  n43 = as_type n1 : f32[2,3,3]
  n44 = panel_cholesky n43 inverse=false : f32[2,1,3,3]
  n45 = reshape n44 : f32[2,3,3]
  n46 = abs n45 : f32[2,3,3]
  n47 = constant bits=2edbe6ff : f32[2,3,3]
  n48 = less_equal n46, n47 : u8[2,3,3]
  n49 = constant bits=00000000 : f32[2,3,3]
  n50 = select n48, n49, n45 : f32[2,3,3]
  n4 = as_type n50 : f16[2,3,3]
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
