reads: text
---
graph "" entry=f0 callbacks=0
func f0(f32[3,4,5], f32[2,4,2]) {
  n0 = parameter index=0 : f32[3,4,5]
  n1 = parameter index=1 : f32[2,4,2]
  n2 = conv n0, n1 strides=[1] lo=[0] hi=[0] input_dilation=[1] kernel_dilation=[1] feature_groups=1 batch_groups=2 input_permutation=[0,1,2] kernel_permutation=[0,1,2] output_permutation=[0,1,2] : f32[1,2,4]
  return n2
}
---
1 n2 conv: 2 output channels and a batch of 3 do not divide into 1 feature and 2 batch groups
at line 5
