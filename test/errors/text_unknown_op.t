reads: text
---
graph "" entry=f0 callbacks=0
func f0() {
  n1 = eyes : s32[2,2]
  return n1
}
---
3 there is no op "eyes"; --list-ops names them
at line 3
