reads: text
---
graph "" entry=f0 callbacks=0
func f0(s32[0]) {
  return
}
---
1 parameter 0: dimension 0 is 0, the least is 1
at f0
