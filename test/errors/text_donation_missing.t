reads: text
---
graph "" entry=f0 callbacks=0
donate 0 ->
func f0(f32[]) {
  n0 = parameter index=0 : f32[]
  return n0
}
---
1 needs an integer of 64 bits, found "func"
at line 3
