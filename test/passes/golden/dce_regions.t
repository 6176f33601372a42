# a carried value that only feeds itself goes, and so does what nobody reads of a cond
# run: dce
graph "t" entry=f0 callbacks=0
func f0(f32[4], s32[], f32[8]) {
  n0 = parameter index=0 : f32[4]
  n1 = parameter index=1 : s32[]
  n2 = parameter index=2 : f32[8]
  n3 = while n2, n0, n1, n2 regions=[f1,f2] : f32[8], f32[4], s32[], f32[8]
  n4 = cond n3.1, n1, n2 regions=[f3,f4,f5] : f32[8], f32[4]
  return n4.1
}
func f1(f32[8], f32[4], s32[], f32[8]) {
  n0 = parameter index=2 : s32[]
  n1 = constant bits=000003e8 : s32[]
  n2 = less n0, n1 : u8[]
  return n2
}
func f2(f32[8], f32[4], s32[], f32[8]) {
  n0 = parameter index=0 : f32[8]
  n1 = exp n0 : f32[8]
  n2 = parameter index=1 : f32[4]
  n3 = sin n2 : f32[4]
  n4 = parameter index=2 : s32[]
  n5 = constant bits=00000001 : s32[]
  n6 = add n4, n5 : s32[]
  n7 = parameter index=3 : f32[8]
  return n1, n3, n6, n7
}
func f3(f32[4], s32[], f32[8]) {
  n0 = parameter index=1 : s32[]
  return n0
}
func f4(f32[4], s32[], f32[8]) {
  n0 = parameter index=0 : f32[4]
  n1 = parameter index=2 : f32[8]
  n2 = dot n0, n0 contract_a=[0] batch_a=[] contract_b=[0] batch_b=[] : f32[]
  n3 = broadcast n2 axes=[] : f32[4]
  return n1, n3
}
func f5(f32[4], s32[], f32[8]) {
  n0 = parameter index=0 : f32[4]
  n1 = parameter index=2 : f32[8]
  return n1, n0
}
----
graph "t" entry=f0 callbacks=0

func f0(f32[4], s32[], f32[8]) {
  n0 = parameter index=0 : f32[4]
  n1 = parameter index=1 : s32[]
  n3 = while n0, n1 regions=[f1,f2] : f32[4], s32[]
  n4 = cond n3.0, n1 regions=[f3,f4,f5] : f32[4]
  return n4
}

func f1(f32[4], s32[]) {
  n0 = parameter index=1 : s32[]
  n1 = constant bits=000003e8 : s32[]
  n2 = less n0, n1 : u8[]
  return n2
}

func f2(f32[4], s32[]) {
  n2 = parameter index=0 : f32[4]
  n3 = sin n2 : f32[4]
  n4 = parameter index=1 : s32[]
  n5 = constant bits=00000001 : s32[]
  n6 = add n4, n5 : s32[]
  return n3, n6
}

func f3(f32[4], s32[]) {
  n0 = parameter index=1 : s32[]
  return n0
}

func f4(f32[4], s32[]) {
  n0 = parameter index=0 : f32[4]
  n2 = dot n0, n0 contract_a=[0] batch_a=[] contract_b=[0] batch_b=[] : f32[]
  n3 = broadcast n2 axes=[] : f32[4]
  return n3
}

func f5(f32[4], s32[]) {
  n0 = parameter index=0 : f32[4]
  return n0
}
