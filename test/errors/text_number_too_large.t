reads: text
---
graph "" entry=f0 callbacks=0
func f0(s32[99999999999999999999]) {
  return
}
---
1 needs an integer of 64 bits, found "99999999999999999999"
at line 2
