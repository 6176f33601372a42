reads: text
---
graph "" entry=f0 callbacks=0
func f0(f32[2,3,4]) {
  n0 = parameter index=0 : f32[2,3,4]
  n1 = panel_cholesky n0 inverse=false : f32[2,1,3,3]
  return n1
}
---
1 n1 panel_cholesky: input is f32[2,3,4], needs square matrices [matrices, n, n] of floats of 32 bits or more, or without `inverse` more rows
at line 4
