reads: text
---
graph "" entry=f0 callbacks=0
func f0() {
  n0 = constant bits=f8 : s4[2]
  n1 = constant bits=08 : s4[2]
  n2 = constant bits=f7 : s4[2]
  return n0, n1, n2
}
---
1 n2 constant: bits f7 do not fit s4
at line 5
