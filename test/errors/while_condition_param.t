reads: text
---
graph "" entry=f0 callbacks=0
func f0(s32[]) {
  n0 = parameter index=0 : s32[]
  n1 = while n0 regions=[f1,f2] : s32[]
  return n1
}
func f1(f32[]) {
  n0 = parameter index=0 : f32[]
  return n0
}
func f2(s32[]) {
  n0 = parameter index=0 : s32[]
  return n0
}
---
1 n1 while: parameter 0 of region 0 is f32[], input 0 is s32[]
at line 4
