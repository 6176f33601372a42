reads: text
---
graph "f" entry=f0 callbacks=0
func f0(f32[]) {
  n0 = parameter index=0 : f32[]
  n1 = broadcast n0 axes=[] : f32[1048576,262144]
  return n1
}
---
1 n1 broadcast: output 0 is too large: f32[1048576,262144] takes 2^40 bytes or more
at line 4
