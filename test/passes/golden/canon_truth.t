# all and any take 0 or 1: what is not known to be that is compared first
# run: canon
graph "t" entry=f0 callbacks=0
func f0(f32[4], u8[4]) {
  n0 = parameter index=0 : f32[4]
  n1 = all n0 axes=[0] keep=true : u8[1]
  n2 = less n0, n0 : u8[4]
  n3 = any n2 axes=[0] keep=false : u8[]
  n4 = parameter index=1 : u8[4]
  n5 = any n4 axes=[0] keep=false : u8[]
  return n1, n3, n5
}
----
graph "t" entry=f0 callbacks=0

func f0(f32[4], u8[4]) {
  n0 = parameter index=0 : f32[4]
  n6 = constant bits=00000000 : f32[4]
  n7 = not_equal n0, n6 : u8[4]
  n8 = all n7 axes=[0] keep=false : u8[]
  n1 = reshape n8 : u8[1]
  n2 = less n0, n0 : u8[4]
  n3 = any n2 axes=[0] keep=false : u8[]
  n4 = parameter index=1 : u8[4]
  n10 = constant bits=00 : u8[4]
  n11 = not_equal n4, n10 : u8[4]
  n5 = any n11 axes=[0] keep=false : u8[]
  return n1, n3, n5
}
