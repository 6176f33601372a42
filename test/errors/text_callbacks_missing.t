reads: text
---
graph "" entry=f0 callbacks=
func f0() {
  return
}
---
1 needs an integer of 64 bits, found "func"
at line 2
