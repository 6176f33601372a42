reads: text
---
graph "" entry=f0 callbacks=0
func f0(u32[1,2,1024]) {
  n0 = parameter index=0 : u32[1,2,1024]
  n1 = digit_counts n0 words=1 bit=0 radix=10 tile=1024 zeros=false : u32[2,10,1]
  return n1
}
---
1 n1 digit_counts: radix is 10, must be a power of two from 2 to 256
at line 4
