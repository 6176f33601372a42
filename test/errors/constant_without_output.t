reads: text
---
graph "" entry=f0 callbacks=0
func f0(f32[3]) {
  n0 = parameter index=0 : f32[3]
  n1 = constant bits=00000000 :
  return n0
}
---
1 n1 constant: has 0 outputs, needs 1
at line 4
