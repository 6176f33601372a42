reads: text
---
# words may be anywhere
graph "a \"name\"\x0a" entry=f0 callbacks=2
donate 0 -> 0
literal l0 = u8[3] sha256=039058c6f2c0cb492c533b0a4d14ef77cc0f78abccced5287d84a1a2011cfb81 data=010203
func f0(f32[2,3] "x", s32[], c64[2] "unused \\") {
  n0 = parameter index=0 : f32[2,3]
    n5 = constant bits=4000000040400000 : c64[2] @"lib/a.ex:1"
  n2 = parameter index=1 : s32[]   # a comment
  n9 = literal literal=0 : u8[3]
  n10 = sum n0 keep=true axes=[0,1] : f32[1,1]
  n11 = while n2, n0
        regions=[f1,f2] : s32[], f32[2,3]
  n12 = hook n11.1, n2 callback=1 seq=0 hooked=2 :
  n13 = runtime_call callback=0 seq=1 : f32[], s32[4]
  n14 = block n11.0 name="QR" options="{\"mode\":1}" regions=[f3] : s32[]
  n15 = block n14 name="x" regions=[f4] : s32[]
  n16 = cond regions=[f5] :
  n17 = iota axis=-1 : s4[2]
  n18 = argmax n17 axis=0 tie_break="low" keep=false : s64[]
  return n11.1, n10, n13.1, n5
}
func f1(s32[], f32[2,3]) { n0 = parameter index=0 : s32[] return n0 }
func f2(s32[], f32[2,3]) { n0 = parameter index=0 : s32[] n1 = parameter index=1 : f32[2,3] return n0, n1 }
func f3(s32[]) { n0 = parameter index=0 : s32[] return n0 }
func f4(s32[]) { n0 = parameter index=0 : s32[] return n0 }
func f5() { return }
---
graph "a \"name\"\x0a" entry=f0 callbacks=2
donate 0 -> 0
literal l0 = u8[3] sha256=039058c6f2c0cb492c533b0a4d14ef77cc0f78abccced5287d84a1a2011cfb81 data=010203

func f0(f32[2,3] "x", s32[], c64[2] "unused \\") {
  n0 = parameter index=0 : f32[2,3]
  n5 = constant bits=4000000040400000 : c64[2] @"lib/a.ex:1"
  n2 = parameter index=1 : s32[]
  n9 = literal literal=0 : u8[3]
  n10 = sum n0 axes=[0,1] keep=true : f32[1,1]
  n11 = while n2, n0 regions=[f1,f2] : s32[], f32[2,3]
  n12 = hook n11.1, n2 callback=1 seq=0 hooked=2 :
  n13 = runtime_call callback=0 seq=1 : f32[], s32[4]
  n14 = block n11.0 name="QR" options="{\"mode\":1}" regions=[f3] : s32[]
  n15 = block n14 name="x" regions=[f4] : s32[]
  n16 = cond regions=[f5] :
  n17 = iota axis=-1 : s4[2]
  n18 = argmax n17 axis=0 tie_break="low" keep=false : s64[]
  return n11.1, n10, n13.1, n5
}

func f1(s32[], f32[2,3]) {
  n0 = parameter index=0 : s32[]
  return n0
}

func f2(s32[], f32[2,3]) {
  n0 = parameter index=0 : s32[]
  n1 = parameter index=1 : f32[2,3]
  return n0, n1
}

func f3(s32[]) {
  n0 = parameter index=0 : s32[]
  return n0
}

func f4(s32[]) {
  n0 = parameter index=0 : s32[]
  return n0
}

func f5() {
  return
}
