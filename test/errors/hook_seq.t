reads: text
---
graph "" entry=f0 callbacks=1
func f0(s32[]) {
  n0 = parameter index=0 : s32[]
  n1 = hook n0 callback=0 seq=-1 hooked=0 : s32[]
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
1 n1 hook: seq is -1, the least is 0
at line 4
