reads: text
---
graph "" entry=f0 callbacks=0
func f0() {
  n1 = iota axis=0 axis=1 : s32[2,2]
  return n1
}
---
1 attribute axis is given twice
at line 3
