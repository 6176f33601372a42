reads: text
---
graph "" entry=f0 callbacks=0
func f0(f32[], f32[]) {
  n0 = parameter index=0 : f32[]
  n1 = parameter index=1 : f32[]
  n2 = triangular_solve n0, n1 left_side=true lower=true transform="none" : f32[]
  return n2
}
---
1 n2 triangular_solve: input 0 is f32[], must be square in its last two axes
at line 5
