reads: text
---
graph "" entry=f0 callbacks=0
func f0(s32[1,2,8,1]) {
  n0 = parameter index=0 : s32[1,2,8,1]
  n1 = sort_runs n0 run=4 gives="keys" zeros=false : s32[1,2,8,1]
  return n1
}
---
1 n1 sort_runs: input 0 is s32[1,2,8,1], needs u32 with 4 axes
at line 4
