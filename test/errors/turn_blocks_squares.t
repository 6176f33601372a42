reads: text
---
graph "" entry=f0 callbacks=0
func f0(f32[2,16,16], f32[2,8,16]) {
  n0 = parameter index=0 : f32[2,16,16]
  n1 = parameter index=1 : f32[2,8,16]
  n2 = turn_blocks n0, n1 both=false : f32[2,16,16]
  return n2
}
---
1 n2 turn_blocks: inputs are f32[2,16,16] and f32[2,8,16], needs [matrices, p w, length] and [matrices p, w, w], w 16, 32 or 64
at line 5
