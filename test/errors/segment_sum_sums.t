reads: text
---
graph "" entry=f0 callbacks=0
func f0(s32[2,5], s32[3,5], u32[3], s32[3], s32[3,5]) {
  n0 = parameter index=0 : s32[2,5]
  n1 = parameter index=1 : s32[3,5]
  n2 = parameter index=2 : u32[3]
  n3 = parameter index=3 : s32[3]
  n4 = parameter index=4 : s32[3,5]
  n5 = segment_sum n0, n1, n2, n3, n4 tile=2 : s32[2,5]
  return n5
}
---
1 n5 segment_sum: input 4 is s32[3,5], needs a row for each 2 updates
at line 8
