reads: text
---
graph "" entry=f0 callbacks=0
func f0(f32[2,3,4]) {
  n0 = parameter index=0 : f32[2,3,4]
  n1 = panel_qr n0 : f32[2,7,4]
  return n1
}
---
1 n1 panel_qr: input is f32[2,3,4], needs columns [matrices, rows, width] of real floats of 32 bits or more, no more than rows
at line 4
