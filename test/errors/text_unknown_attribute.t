reads: text
---
graph "" entry=f0 callbacks=0
func f0() {
  n1 = iota axes=[0] : s32[2,2]
  return n1
}
---
1 needs an attribute of the op, or ":", found "axes"
at line 3
