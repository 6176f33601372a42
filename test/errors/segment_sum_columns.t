reads: text
---
graph "" entry=f0 callbacks=0
func f0(s32[3,5], s32[4,9], u32[4], s32[4]) {
  n0 = parameter index=0 : s32[3,5]
  n1 = parameter index=1 : s32[4,9]
  n2 = parameter index=2 : u32[4]
  n3 = parameter index=3 : s32[4]
  n4 = segment_sum n0, n1, n2, n3 tile=2 : s32[3,5]
  return n4
}
---
1 n4 segment_sum: target s32[3,5], updates s32[4,9], order, starts and tile 2 do not go together
at line 7
