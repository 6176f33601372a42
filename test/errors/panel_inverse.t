reads: text
---
graph "" entry=f0 callbacks=0
func f0(c128[2,3,3]) {
  n0 = parameter index=0 : c128[2,3,3]
  n1 = panel_cholesky n0 inverse=true : c128[2,1,3,3]
  return n1
}
---
1 n1 panel_cholesky: output 0 is c128[2,1,3,3], its inputs make c128[2,2,3,3]
at line 4
