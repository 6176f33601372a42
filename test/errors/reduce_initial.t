reads: text
---
graph "" entry=f0 callbacks=0
func f0(s32[3]) {
  n0 = parameter index=0 : s32[3]
  n1 = reduce n0, n0 axes=[0] keep=false regions=[f1] : s32[3]
  return n0
}
func f1(s32[]) {
  n0 = parameter index=0 : s32[]
  return n0
}
func f2(s32[]) {
  n0 = parameter index=0 : s32[]
  return n0
}
---
1 n1 reduce: input 1 is s32[3], the initial value is s32[]
at line 4
