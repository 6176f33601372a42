reads: text
---
graph "" entry=f0 callbacks=0
func f0(s32[]) {
  n0 = parameter index=0 : s32[]
  n1 = reduce n0, n0 axes=[] keep=false regions=[f1] : s32[]
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
1 n1 reduce: region 0 takes 1 parameters and gives 1 results, needs 2 and 1
at line 4
