reads: text
---
graph "" entry=f0 callbacks=0
func f0(f32[2,48,48]) {
  n0 = parameter index=0 : f32[2,48,48]
  n1 = jacobi n0 rows=48 sweeps=1 across=false absolute=false : f32[2,48,48]
  return n1
}
---
1 n1 jacobi: products of 48 vectors: needs 16, 32 or 64
at line 4
