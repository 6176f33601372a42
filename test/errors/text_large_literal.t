reads: text
---
graph "" entry=f0 callbacks=0
literal l0 = u8[257] sha256=0000000000000000000000000000000000000000000000000000000000000000 bytes=257
func f0() {
  return
}
---
1 literal l0 was too large to print, so it cannot be read back
at line 2
