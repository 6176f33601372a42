reads: text
---
graph "" entry=f0 callbacks=0
func f0(f32[2,4,5], f32[2,2,2]) {
  n0 = parameter index=0 : f32[2,4,5]
  n1 = parameter index=1 : f32[2,2,2]
  n9 = conv n0, n1 strides=[1] lo=[0] hi=[0] input_dilation=[1] kernel_dilation=[1] feature_groups=2 batch_groups=2 input_permutation=[0,1,2] kernel_permutation=[0,1,2] output_permutation=[0,1,2] : f32[2,2,4]
  return n0
}
---
1 n9 conv: feature_groups is 2, batch_groups is 2: at least 1, and one of them 1
at line 5
