reads: text
---
graph "" entry=f0 callbacks=0
func f0(s32[]) {
  n0 = parameter index=0 : s32[]
  n1 = runtime_call n0 callback=0 seq=0 : f32[]
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
1 n1 runtime_call: callback is 0, the graph has 0
at line 4
