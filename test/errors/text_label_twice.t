reads: text
---
graph "" entry=f0 callbacks=0
func f0() {
  n1 = eye : s32[2,2]
  n1 = eye : s32[2,2]
  return n1
}
---
1 the function has two nodes n1
at line 4
