reads: text
---
graph "" entry=f0 callbacks=0
func f0(u32[1,2,1024]) {
  n0 = parameter index=0 : u32[1,2,1024]
  n1 = digit_counts n0 words=1 bit=0 radix=16 tile=1000 zeros=false : u32[2,16,2]
  return n1
}
---
1 n1 digit_counts: tile is 1000, must be a power of two from 1024 to 8192
at line 4
