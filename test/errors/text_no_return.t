reads: text
---
graph "" entry=f0 callbacks=0
func f0() {
  n1 = eye : s32[2,2]
}
---
1 needs a node or return, found "}"
at line 4
