# what no round changes leaves both loops of a nest: a product, a sum up to where it is broadcast; sums of carried values stay
# run: hoist
graph "t" entry=f0 callbacks=0
func f0(f32[4,4], f32[4], s32[]) {
  n0 = parameter index=0 : f32[4,4]
  n1 = parameter index=1 : f32[4]
  n2 = parameter index=2 : s32[]
  n3 = while n2, n1, n0 regions=[f1,f2] : s32[], f32[4], f32[4,4]
  return n3.1
}
func f1(s32[], f32[4], f32[4,4]) {
  n0 = parameter index=0 : s32[]
  n1 = parameter index=2 : f32[4,4]
  n2 = as_type n1 : s32[4,4]
  n3 = reduce_max n2 axes=[0,1] keep=false : s32[]
  n4 = less n0, n3 : u8[]
  return n4
}
func f2(s32[], f32[4], f32[4,4]) {
  n0 = parameter index=0 : s32[]
  n1 = parameter index=1 : f32[4]
  n2 = parameter index=2 : f32[4,4]
  n3 = while n0, n1, n2 regions=[f3,f4] : s32[], f32[4], f32[4,4]
  return n3.0, n3.1, n2
}
func f3(s32[], f32[4], f32[4,4]) {
  n0 = parameter index=0 : s32[]
  n1 = constant bits=00000008 : s32[]
  n2 = less n0, n1 : u8[]
  return n2
}
func f4(s32[], f32[4], f32[4,4]) {
  n0 = parameter index=0 : s32[]
  n1 = parameter index=1 : f32[4]
  n2 = parameter index=2 : f32[4,4]
  n3 = constant bits=00000001 : s32[]
  n4 = add n0, n3 : s32[]
  n5 = dot n2, n2 contract_a=[1] batch_a=[] contract_b=[0] batch_b=[] : f32[4,4]
  n6 = dot n5, n1 contract_a=[1] batch_a=[] contract_b=[0] batch_b=[] : f32[4]
  n7 = sum n2 axes=[0,1] keep=false : f32[]
  n8 = sin n7 : f32[]
  n9 = broadcast n8 axes=[] : f32[4]
  n10 = add n6, n9 : f32[4]
  n11 = sum n1 axes=[0] keep=false : f32[]
  n12 = broadcast n11 axes=[] : f32[4]
  n13 = add n10, n12 : f32[4]
  return n4, n13, n2
}
----
graph "t" entry=f0 callbacks=0

func f0(f32[4,4], f32[4], s32[]) {
  n0 = parameter index=0 : f32[4,4]
  n1 = parameter index=1 : f32[4]
  n2 = parameter index=2 : s32[]
  n4 = as_type n0 : s32[4,4]
  n5 = reduce_max n4 axes=[0,1] keep=false : s32[]
  n6 = dot n0, n0 contract_a=[1] batch_a=[] contract_b=[0] batch_b=[] : f32[4,4]
  n7 = sum n0 axes=[0,1] keep=false : f32[]
  n8 = sin n7 : f32[]
  n3 = while n2, n1, n0, n5, n6, n8 regions=[f1,f2] : s32[], f32[4], f32[4,4], s32[], f32[4,4], f32[]
  return n3.1
}

func f1(s32[], f32[4], f32[4,4], s32[], f32[4,4], f32[]) {
  n5 = parameter index=3 : s32[]
  n0 = parameter index=0 : s32[]
  n4 = less n0, n5 : u8[]
  return n4
}

func f2(s32[], f32[4], f32[4,4], s32[], f32[4,4], f32[]) {
  n7 = parameter index=3 : s32[]
  n8 = parameter index=4 : f32[4,4]
  n9 = parameter index=5 : f32[]
  n0 = parameter index=0 : s32[]
  n1 = parameter index=1 : f32[4]
  n2 = parameter index=2 : f32[4,4]
  n3 = while n0, n1, n2, n8, n9 regions=[f3,f4] : s32[], f32[4], f32[4,4], f32[4,4], f32[]
  return n3.0, n3.1, n2, n7, n8, n9
}

func f3(s32[], f32[4], f32[4,4], f32[4,4], f32[]) {
  n0 = parameter index=0 : s32[]
  n1 = constant bits=00000008 : s32[]
  n2 = less n0, n1 : u8[]
  return n2
}

func f4(s32[], f32[4], f32[4,4], f32[4,4], f32[]) {
  n14 = parameter index=3 : f32[4,4]
  n15 = parameter index=4 : f32[]
  n0 = parameter index=0 : s32[]
  n1 = parameter index=1 : f32[4]
  n2 = parameter index=2 : f32[4,4]
  n3 = constant bits=00000001 : s32[]
  n4 = add n0, n3 : s32[]
  n6 = dot n14, n1 contract_a=[1] batch_a=[] contract_b=[0] batch_b=[] : f32[4]
  n9 = broadcast n15 axes=[] : f32[4]
  n10 = add n6, n9 : f32[4]
  n11 = sum n1 axes=[0] keep=false : f32[]
  n12 = broadcast n11 axes=[] : f32[4]
  n13 = add n10, n12 : f32[4]
  return n4, n13, n2, n14, n15
}
