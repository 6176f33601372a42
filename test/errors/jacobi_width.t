reads: text
---
graph "" entry=f0 callbacks=0
func f0(f32[2,48,48], s32[48]) {
  n0 = parameter index=0 : f32[2,48,48]
  n1 = parameter index=1 : s32[48]
  n2 = jacobi n0, n1 rows=48 width=32 sweeps=1 : f32[2,48,48]
  return n2
}
---
1 n2 jacobi: width 32: 16, 32 or 64, and it must divide 48
at line 5
