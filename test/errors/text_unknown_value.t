reads: text
---
graph "" entry=f0 callbacks=0
func f0() {
  n1 = negate n0 : s32[2,2]
  return n1
}
---
1 there is no n0 before this
at line 3
