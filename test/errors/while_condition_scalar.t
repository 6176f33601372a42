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
  n1 = broadcast n0 axes=[] : s32[2]
  return n1
}
func f2(s32[]) {
  n0 = parameter index=0 : s32[]
  return n0
}
---
1 n1 while: region 0 gives s32[2], a predicate is a scalar
at line 4
