reads: text
---
graph "" entry=f0 callbacks=0
func f0(u32[1,2,1024]) {
  n0 = parameter index=0 : u32[1,2,1024]
  n1 = digit_counts n0 words=1 bit=29 radix=16 tile=1024 zeros=false : u32[2,16,1]
  return n1
}
---
1 n1 digit_counts: a digit of radix 16 at bit 29 is not in one of 1 words
at line 4
