reads: text
---
graph "" entry=f0 callbacks=1
func f0(s32[]) {
  n0 = parameter index=0 : s32[]
  n1 = hook n0 callback=0 seq=0 hooked=0 : f32[]
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
1 n1 hook: output 0 is f32[], its inputs make s32[]
at line 4
