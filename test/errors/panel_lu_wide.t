reads: text
---
graph "" entry=f0 callbacks=0
func f0(f32[2,3,4], f32[2,3]) {
  n0 = parameter index=0 : f32[2,3,4]
  n1 = parameter index=1 : f32[2,3]
  n2 = panel_lu n0, n1 : f32[2,7,5]
  return n2
}
---
1 n2 panel_lu: input is f32[2,3,4], needs columns [matrices, rows, width] of real floats of 32 bits or more, no more than rows
at line 5
