reads: text
---
graph "" entry=f0 callbacks=0
func f0(u32[1,2,8,1]) {
  n0 = parameter index=0 : u32[1,2,8,1]
  n1 = sort_runs n0 run=0 gives="keys" zeros=false : u32[1,2,8,1]
  return n1
}
---
1 n1 sort_runs: run is 0, the least is 1
at line 4
