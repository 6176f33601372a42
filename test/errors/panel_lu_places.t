reads: text
---
graph "" entry=f0 callbacks=0
func f0(f32[2,3,2], f32[2,2]) {
  n0 = parameter index=0 : f32[2,3,2]
  n1 = parameter index=1 : f32[2,2]
  n2 = panel_lu n0, n1 : f32[2,5,3]
  return n2
}
---
1 n2 panel_lu: places are f32[2,2], needs matrices of that type with a row for each of those of f32[2,3,2]
at line 5
