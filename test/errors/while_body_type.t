reads: text
---
graph "" entry=f0 callbacks=0
func f0(s32[]) {
  n0 = parameter index=0 : s32[]
  n1 = while n0 regions=[f1,f2] : s32[]
  return n0
}
func f1(s32[]) {
  n0 = parameter index=0 : s32[]
  return n0
}
func f2(s32[]) {
  n0 = iota axis=-1 : f32[]
  return n0
}
---
1 n1 while: result 0 of region 1 is f32[], output 0 is s32[]
at line 4
