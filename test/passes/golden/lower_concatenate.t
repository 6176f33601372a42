# run: lower
graph "t" entry=f0 callbacks=0
func f0(s32[2], s32[2], s32[2], s32[2], s32[2], s32[2], s32[2], s32[2], s32[2], s32[2], s32[2], s32[2], s32[2], s32[2]) {
  n0 = parameter index=0 : s32[2]
  n1 = parameter index=1 : s32[2]
  n2 = parameter index=2 : s32[2]
  n3 = parameter index=3 : s32[2]
  n4 = parameter index=4 : s32[2]
  n5 = parameter index=5 : s32[2]
  n6 = parameter index=6 : s32[2]
  n7 = parameter index=7 : s32[2]
  n8 = parameter index=8 : s32[2]
  n9 = parameter index=9 : s32[2]
  n10 = parameter index=10 : s32[2]
  n11 = parameter index=11 : s32[2]
  n12 = parameter index=12 : s32[2]
  n13 = parameter index=13 : s32[2]
  n14 = concatenate n0, n1, n2, n3, n4, n5, n6, n7, n8, n9, n10, n11, n12, n13 axis=0 : s32[28]
  n15 = concatenate n0, n1, n2, n3, n4, n5, n6, n7, n8, n9, n10, n11 axis=0 : s32[24]
  return n14, n15
}
----
graph "t" entry=f0 callbacks=0

func f0(s32[2], s32[2], s32[2], s32[2], s32[2], s32[2], s32[2], s32[2], s32[2], s32[2], s32[2], s32[2], s32[2], s32[2]) {
  n0 = parameter index=0 : s32[2]
  n1 = parameter index=1 : s32[2]
  n2 = parameter index=2 : s32[2]
  n3 = parameter index=3 : s32[2]
  n4 = parameter index=4 : s32[2]
  n5 = parameter index=5 : s32[2]
  n6 = parameter index=6 : s32[2]
  n7 = parameter index=7 : s32[2]
  n8 = parameter index=8 : s32[2]
  n9 = parameter index=9 : s32[2]
  n10 = parameter index=10 : s32[2]
  n11 = parameter index=11 : s32[2]
  n12 = parameter index=12 : s32[2]
  n13 = parameter index=13 : s32[2]
  n16 = concatenate n0, n1, n2, n3, n4, n5, n6, n7, n8, n9, n10, n11 axis=0 : s32[24]
  n17 = concatenate n12, n13 axis=0 : s32[4]
  n14 = concatenate n16, n17 axis=0 : s32[28]
  n15 = concatenate n0, n1, n2, n3, n4, n5, n6, n7, n8, n9, n10, n11 axis=0 : s32[24]
  return n14, n15
}
