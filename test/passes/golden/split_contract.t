# run: split_contract
graph "t" entry=f0 callbacks=0
func f0(bf16[40,4096], bf16[4096,50], f32[32,32,10,10], f32[64,32,9,9], f32[40,1024], f32[1024,50]) {
  n0 = parameter index=0 : bf16[40,4096]
  n1 = parameter index=1 : bf16[4096,50]
  n2 = dot n0, n1 contract_a=[1] batch_a=[] contract_b=[0] batch_b=[] : bf16[40,50]
  n3 = parameter index=2 : f32[32,32,10,10]
  n4 = parameter index=3 : f32[64,32,9,9]
  n5 = conv n3, n4 strides=[1,1] lo=[0,0] hi=[0,0] input_dilation=[1,1] kernel_dilation=[1,1] feature_groups=1 batch_groups=1
       input_permutation=[0,1,2,3] kernel_permutation=[0,1,2,3] output_permutation=[0,1,2,3] : f32[32,64,2,2]
  n6 = parameter index=4 : f32[40,1024]
  n7 = parameter index=5 : f32[1024,50]
  n8 = dot n6, n7 contract_a=[1] batch_a=[] contract_b=[0] batch_b=[] : f32[40,50]
  return n2, n5, n8
}
----
graph "t" entry=f0 callbacks=0

func f0(bf16[40,4096], bf16[4096,50], f32[32,32,10,10], f32[64,32,9,9], f32[40,1024], f32[1024,50]) {
  n0 = parameter index=0 : bf16[40,4096]
  n1 = parameter index=1 : bf16[4096,50]
  n9 = as_type n0 : f32[40,4096]
  n10 = reshape n9 : f32[40,32,128]
  n11 = as_type n1 : f32[4096,50]
  n12 = reshape n11 : f32[32,128,50]
  n13 = dot n10, n12 contract_a=[2] batch_a=[1] contract_b=[1] batch_b=[0] : f32[32,40,50]
  n14 = sum n13 axes=[0] keep=false : f32[40,50]
  n2 = as_type n14 : bf16[40,50]
  n3 = parameter index=2 : f32[32,32,10,10]
  n4 = parameter index=3 : f32[64,32,9,9]
  n16 = reshape n4 : f32[1,64,16,2,9,9]
  n17 = transpose n16 axes=[0,2,1,3,4,5] : f32[1,16,64,2,9,9]
  n18 = reshape n17 : f32[1024,2,9,9]
  n19 = conv n3, n18 strides=[1,1] lo=[0,0] hi=[0,0] input_dilation=[1,1] kernel_dilation=[1,1] feature_groups=16 batch_groups=1 input_permutation=[0,1,2,3] kernel_permutation=[0,1,2,3] output_permutation=[0,1,2,3] : f32[32,1024,2,2]
  n20 = reshape n19 : f32[32,1,16,64,2,2]
  n21 = sum n20 axes=[2] keep=false : f32[32,1,64,2,2]
  n5 = reshape n21 : f32[32,64,2,2]
  n6 = parameter index=4 : f32[40,1024]
  n7 = parameter index=5 : f32[1024,50]
  n8 = dot n6, n7 contract_a=[1] batch_a=[] contract_b=[0] batch_b=[] : f32[40,50]
  return n2, n5, n8
}
