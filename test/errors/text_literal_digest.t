reads: text
---
graph "" entry=f0 callbacks=0
literal l0 = u8[3] sha256=0000000000000000000000000000000000000000000000000000000000000000 data=010203
func f0() {
  return
}
---
1 the bytes of literal l0 do not have its digest
at line 3
