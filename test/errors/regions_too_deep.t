reads: text
---
graph "" entry=f0 callbacks=0
func f0(s32[]) {
  n0 = parameter index=0 : s32[]
  n1 = block n0 name="b" regions=[f1] : s32[]
  return n0
}
func f1(s32[]) {
  n0 = parameter index=0 : s32[]
  n1 = block n0 name="b" regions=[f2] : s32[]
  return n1
}
func f2(s32[]) {
  n0 = parameter index=0 : s32[]
  n1 = block n0 name="b" regions=[f3] : s32[]
  return n1
}
func f3(s32[]) {
  n0 = parameter index=0 : s32[]
  n1 = block n0 name="b" regions=[f4] : s32[]
  return n1
}
func f4(s32[]) {
  n0 = parameter index=0 : s32[]
  n1 = block n0 name="b" regions=[f5] : s32[]
  return n1
}
func f5(s32[]) {
  n0 = parameter index=0 : s32[]
  n1 = block n0 name="b" regions=[f6] : s32[]
  return n1
}
func f6(s32[]) {
  n0 = parameter index=0 : s32[]
  n1 = block n0 name="b" regions=[f7] : s32[]
  return n1
}
func f7(s32[]) {
  n0 = parameter index=0 : s32[]
  n1 = block n0 name="b" regions=[f8] : s32[]
  return n1
}
func f8(s32[]) {
  n0 = parameter index=0 : s32[]
  n1 = block n0 name="b" regions=[f9] : s32[]
  return n1
}
func f9(s32[]) {
  n0 = parameter index=0 : s32[]
  n1 = block n0 name="b" regions=[f10] : s32[]
  return n1
}
func f10(s32[]) {
  n0 = parameter index=0 : s32[]
  n1 = block n0 name="b" regions=[f11] : s32[]
  return n1
}
func f11(s32[]) {
  n0 = parameter index=0 : s32[]
  n1 = block n0 name="b" regions=[f12] : s32[]
  return n1
}
func f12(s32[]) {
  n0 = parameter index=0 : s32[]
  n1 = block n0 name="b" regions=[f13] : s32[]
  return n1
}
func f13(s32[]) {
  n0 = parameter index=0 : s32[]
  n1 = block n0 name="b" regions=[f14] : s32[]
  return n1
}
func f14(s32[]) {
  n0 = parameter index=0 : s32[]
  n1 = block n0 name="b" regions=[f15] : s32[]
  return n1
}
func f15(s32[]) {
  n0 = parameter index=0 : s32[]
  n1 = block n0 name="b" regions=[f16] : s32[]
  return n1
}
func f16(s32[]) {
  n0 = parameter index=0 : s32[]
  n1 = block n0 name="b" regions=[f17] : s32[]
  return n1
}
func f17(s32[]) {
  n0 = parameter index=0 : s32[]
  n1 = block n0 name="b" regions=[f18] : s32[]
  return n1
}
func f18(s32[]) {
  n0 = parameter index=0 : s32[]
  n1 = block n0 name="b" regions=[f19] : s32[]
  return n1
}
func f19(s32[]) {
  n0 = parameter index=0 : s32[]
  n1 = block n0 name="b" regions=[f20] : s32[]
  return n1
}
func f20(s32[]) {
  n0 = parameter index=0 : s32[]
  n1 = block n0 name="b" regions=[f21] : s32[]
  return n1
}
func f21(s32[]) {
  n0 = parameter index=0 : s32[]
  n1 = block n0 name="b" regions=[f22] : s32[]
  return n1
}
func f22(s32[]) {
  n0 = parameter index=0 : s32[]
  n1 = block n0 name="b" regions=[f23] : s32[]
  return n1
}
func f23(s32[]) {
  n0 = parameter index=0 : s32[]
  n1 = block n0 name="b" regions=[f24] : s32[]
  return n1
}
func f24(s32[]) {
  n0 = parameter index=0 : s32[]
  n1 = block n0 name="b" regions=[f25] : s32[]
  return n1
}
func f25(s32[]) {
  n0 = parameter index=0 : s32[]
  n1 = block n0 name="b" regions=[f26] : s32[]
  return n1
}
func f26(s32[]) {
  n0 = parameter index=0 : s32[]
  n1 = block n0 name="b" regions=[f27] : s32[]
  return n1
}
func f27(s32[]) {
  n0 = parameter index=0 : s32[]
  n1 = block n0 name="b" regions=[f28] : s32[]
  return n1
}
func f28(s32[]) {
  n0 = parameter index=0 : s32[]
  n1 = block n0 name="b" regions=[f29] : s32[]
  return n1
}
func f29(s32[]) {
  n0 = parameter index=0 : s32[]
  n1 = block n0 name="b" regions=[f30] : s32[]
  return n1
}
func f30(s32[]) {
  n0 = parameter index=0 : s32[]
  n1 = block n0 name="b" regions=[f31] : s32[]
  return n1
}
func f31(s32[]) {
  n0 = parameter index=0 : s32[]
  n1 = block n0 name="b" regions=[f32] : s32[]
  return n1
}
func f32(s32[]) {
  n0 = parameter index=0 : s32[]
  n1 = block n0 name="b" regions=[f33] : s32[]
  return n1
}
func f33(s32[]) {
  n0 = parameter index=0 : s32[]
  n1 = block n0 name="b" regions=[f34] : s32[]
  return n1
}
func f34(s32[]) {
  n0 = parameter index=0 : s32[]
  n1 = block n0 name="b" regions=[f35] : s32[]
  return n1
}
func f35(s32[]) {
  n0 = parameter index=0 : s32[]
  n1 = block n0 name="b" regions=[f36] : s32[]
  return n1
}
func f36(s32[]) {
  n0 = parameter index=0 : s32[]
  n1 = block n0 name="b" regions=[f37] : s32[]
  return n1
}
func f37(s32[]) {
  n0 = parameter index=0 : s32[]
  n1 = block n0 name="b" regions=[f38] : s32[]
  return n1
}
func f38(s32[]) {
  n0 = parameter index=0 : s32[]
  n1 = block n0 name="b" regions=[f39] : s32[]
  return n1
}
func f39(s32[]) {
  n0 = parameter index=0 : s32[]
  n1 = block n0 name="b" regions=[f40] : s32[]
  return n1
}
func f40(s32[]) {
  n0 = parameter index=0 : s32[]
  n1 = block n0 name="b" regions=[f41] : s32[]
  return n1
}
func f41(s32[]) {
  n0 = parameter index=0 : s32[]
  n1 = block n0 name="b" regions=[f42] : s32[]
  return n1
}
func f42(s32[]) {
  n0 = parameter index=0 : s32[]
  n1 = block n0 name="b" regions=[f43] : s32[]
  return n1
}
func f43(s32[]) {
  n0 = parameter index=0 : s32[]
  n1 = block n0 name="b" regions=[f44] : s32[]
  return n1
}
func f44(s32[]) {
  n0 = parameter index=0 : s32[]
  n1 = block n0 name="b" regions=[f45] : s32[]
  return n1
}
func f45(s32[]) {
  n0 = parameter index=0 : s32[]
  n1 = block n0 name="b" regions=[f46] : s32[]
  return n1
}
func f46(s32[]) {
  n0 = parameter index=0 : s32[]
  n1 = block n0 name="b" regions=[f47] : s32[]
  return n1
}
func f47(s32[]) {
  n0 = parameter index=0 : s32[]
  n1 = block n0 name="b" regions=[f48] : s32[]
  return n1
}
func f48(s32[]) {
  n0 = parameter index=0 : s32[]
  n1 = block n0 name="b" regions=[f49] : s32[]
  return n1
}
func f49(s32[]) {
  n0 = parameter index=0 : s32[]
  n1 = block n0 name="b" regions=[f50] : s32[]
  return n1
}
func f50(s32[]) {
  n0 = parameter index=0 : s32[]
  n1 = block n0 name="b" regions=[f51] : s32[]
  return n1
}
func f51(s32[]) {
  n0 = parameter index=0 : s32[]
  n1 = block n0 name="b" regions=[f52] : s32[]
  return n1
}
func f52(s32[]) {
  n0 = parameter index=0 : s32[]
  n1 = block n0 name="b" regions=[f53] : s32[]
  return n1
}
func f53(s32[]) {
  n0 = parameter index=0 : s32[]
  n1 = block n0 name="b" regions=[f54] : s32[]
  return n1
}
func f54(s32[]) {
  n0 = parameter index=0 : s32[]
  n1 = block n0 name="b" regions=[f55] : s32[]
  return n1
}
func f55(s32[]) {
  n0 = parameter index=0 : s32[]
  n1 = block n0 name="b" regions=[f56] : s32[]
  return n1
}
func f56(s32[]) {
  n0 = parameter index=0 : s32[]
  n1 = block n0 name="b" regions=[f57] : s32[]
  return n1
}
func f57(s32[]) {
  n0 = parameter index=0 : s32[]
  n1 = block n0 name="b" regions=[f58] : s32[]
  return n1
}
func f58(s32[]) {
  n0 = parameter index=0 : s32[]
  n1 = block n0 name="b" regions=[f59] : s32[]
  return n1
}
func f59(s32[]) {
  n0 = parameter index=0 : s32[]
  n1 = block n0 name="b" regions=[f60] : s32[]
  return n1
}
func f60(s32[]) {
  n0 = parameter index=0 : s32[]
  n1 = block n0 name="b" regions=[f61] : s32[]
  return n1
}
func f61(s32[]) {
  n0 = parameter index=0 : s32[]
  n1 = block n0 name="b" regions=[f62] : s32[]
  return n1
}
func f62(s32[]) {
  n0 = parameter index=0 : s32[]
  n1 = block n0 name="b" regions=[f63] : s32[]
  return n1
}
func f63(s32[]) {
  n0 = parameter index=0 : s32[]
  n1 = block n0 name="b" regions=[f64] : s32[]
  return n1
}
func f64(s32[]) {
  n0 = parameter index=0 : s32[]
  n1 = block n0 name="b" regions=[f65] : s32[]
  return n1
}
func f65(s32[]) {
  n0 = parameter index=0 : s32[]
  n1 = block n0 name="b" regions=[f66] : s32[]
  return n1
}
func f66(s32[]) {
  n0 = parameter index=0 : s32[]
  return n0
}
---
1 n1 block: regions nest deeper than 64
at line 324
