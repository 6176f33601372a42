reads: text
---
graph "" entry=f0 callbacks=0
func f0(f32[3], f32[3], s32[3], f32[2,3], s32[], f32[], c64[3], u8[2], f32[2,2], f32[4,2], s32[2,1], f32[3,2]) {
  n0 = parameter index=0 : f32[3]
  n1 = parameter index=1 : f32[3]
  n2 = parameter index=2 : s32[3]
  n3 = parameter index=3 : f32[2,3]
  n4 = parameter index=4 : s32[]
  n5 = parameter index=5 : f32[]
  n6 = parameter index=6 : c64[3]
  n7 = parameter index=7 : u8[2]
  n8 = parameter index=8 : f32[2,2]
  n9 = parameter index=9 : f32[4,2]
  n10 = parameter index=10 : s32[2,1]
  n11 = parameter index=11 : f32[3,2]
  n90 = bitcast n0 : f64[3] @"lib/m.ex:3"
  return n0
}
---
1 n90 bitcast: from f32 to f64: needs real types of equal width
at line 15
from lib/m.ex:3
