reads: text
---
graph "" entry=f0 callbacks=0
func f0(c64[2,16,20], s32[16]) {
  n0 = parameter index=0 : c64[2,16,20]
  n1 = parameter index=1 : s32[16]
  n2 = jacobi n0, n1 rows=21 width=16 sweeps=1 : c64[2,16,20]
  return n2
}
---
1 n2 jacobi: rows 21 of 20 elements
at line 5
