reads: text
---
graph "" entry=f0 callbacks=0
func f0(c64[2,16,16]) {
  n0 = parameter index=0 : c64[2,16,16]
  n1 = jacobi n0 rows=0 sweeps=1 across=false absolute=false : c64[2,16,16]
  return n1
}
---
1 n1 jacobi: no rows
at line 4
