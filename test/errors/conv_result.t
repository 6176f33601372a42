reads: text
---
graph "" entry=f0 callbacks=0
func f0(f32[2,3,5], f32[2,3,2]) {
  n0 = parameter index=0 : f32[2,3,5]
  n1 = parameter index=1 : f32[2,3,2]
  n9 = conv n0, n1 strides=[1] lo=[0] hi=[0] input_dilation=[1] kernel_dilation=[1] feature_groups=1 batch_groups=1 input_permutation=[0,1,2] kernel_permutation=[0,1,2] output_permutation=[0,1,2] : f32[2,2,5]
  return n0
}
---
1 n9 conv: output 0 is f32[2,2,5], its inputs make f32[2,2,4]
at line 5
