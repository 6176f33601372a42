# gates: of a product, of a sum with one, of a sum of two
# run: split_columns
graph "t" entry=f0 callbacks=0
func f0(f32[8,16], f32[16,12], f32[8,12], f32[16,12]) {
  n0 = parameter index=0 : f32[8,16]
  n1 = parameter index=1 : f32[16,12]
  n2 = parameter index=2 : f32[8,12]
  n3 = parameter index=3 : f32[16,12]
  n4 = dot n0, n1 contract_a=[1] batch_a=[] contract_b=[0] batch_b=[] : f32[8,12]
  n5 = slice n4 starts=[0,0] lengths=[8,4] strides=[1,1] : f32[8,4]
  n6 = slice n4 starts=[0,6] lengths=[8,6] strides=[1,1] : f32[8,6]
  n7 = dot n0, n3 contract_a=[1] batch_a=[] contract_b=[0] batch_b=[] : f32[8,12]
  n8 = add n2, n7 : f32[8,12]
  n9 = slice n8 starts=[0,6] lengths=[8,6] strides=[1,1] : f32[8,6]
  n10 = slice n8 starts=[0,0] lengths=[8,6] strides=[1,1] : f32[8,6]
  n11 = dot n2, n1 contract_a=[1] batch_a=[] contract_b=[1] batch_b=[] : f32[8,16]
  n12 = dot n2, n3 contract_a=[1] batch_a=[] contract_b=[1] batch_b=[] : f32[8,16]
  n13 = multiply n11, n12 : f32[8,16]
  n14 = slice n13 starts=[0,0] lengths=[8,8] strides=[1,1] : f32[8,8]
  n15 = slice n13 starts=[0,8] lengths=[8,8] strides=[1,1] : f32[8,8]
  return n5, n6, n9, n10, n14, n15
}
----
graph "t" entry=f0 callbacks=0

func f0(f32[8,16], f32[16,12], f32[8,12], f32[16,12]) {
  n0 = parameter index=0 : f32[8,16]
  n1 = parameter index=1 : f32[16,12]
  n2 = parameter index=2 : f32[8,12]
  n3 = parameter index=3 : f32[16,12]
  n16 = slice n1 starts=[0,0] lengths=[16,4] strides=[1,1] : f32[16,4]
  n5 = dot n0, n16 contract_a=[1] batch_a=[] contract_b=[0] batch_b=[] : f32[8,4]
  n18 = slice n1 starts=[0,6] lengths=[16,6] strides=[1,1] : f32[16,6]
  n6 = dot n0, n18 contract_a=[1] batch_a=[] contract_b=[0] batch_b=[] : f32[8,6]
  n20 = slice n2 starts=[0,6] lengths=[8,6] strides=[1,1] : f32[8,6]
  n21 = slice n3 starts=[0,6] lengths=[16,6] strides=[1,1] : f32[16,6]
  n22 = dot n0, n21 contract_a=[1] batch_a=[] contract_b=[0] batch_b=[] : f32[8,6]
  n9 = add n20, n22 : f32[8,6]
  n24 = slice n2 starts=[0,0] lengths=[8,6] strides=[1,1] : f32[8,6]
  n25 = slice n3 starts=[0,0] lengths=[16,6] strides=[1,1] : f32[16,6]
  n26 = dot n0, n25 contract_a=[1] batch_a=[] contract_b=[0] batch_b=[] : f32[8,6]
  n10 = add n24, n26 : f32[8,6]
  n28 = slice n1 starts=[0,0] lengths=[8,12] strides=[1,1] : f32[8,12]
  n29 = dot n2, n28 contract_a=[1] batch_a=[] contract_b=[1] batch_b=[] : f32[8,8]
  n30 = slice n3 starts=[0,0] lengths=[8,12] strides=[1,1] : f32[8,12]
  n31 = dot n2, n30 contract_a=[1] batch_a=[] contract_b=[1] batch_b=[] : f32[8,8]
  n14 = multiply n29, n31 : f32[8,8]
  n33 = slice n1 starts=[8,0] lengths=[8,12] strides=[1,1] : f32[8,12]
  n34 = dot n2, n33 contract_a=[1] batch_a=[] contract_b=[1] batch_b=[] : f32[8,8]
  n35 = slice n3 starts=[8,0] lengths=[8,12] strides=[1,1] : f32[8,12]
  n36 = dot n2, n35 contract_a=[1] batch_a=[] contract_b=[1] batch_b=[] : f32[8,8]
  n15 = multiply n34, n36 : f32[8,8]
  return n5, n6, n9, n10, n14, n15
}
