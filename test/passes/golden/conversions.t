# an integer saturates coming from a float, and wraps coming from an integer
# run: algebra
graph "t" entry=f0 callbacks=0
func f0(s16[4]) {
  n0 = parameter index=0 : s16[4]
  n1 = as_type n0 : f64[4]
  n2 = as_type n1 : u8[4]
  n3 = as_type n1 : s32[4]
  n4 = as_type n1 : f32[4]
  n5 = as_type n0 : s64[4]
  n6 = as_type n5 : u8[4]
  return n2, n3, n4, n6
}
----
graph "t" entry=f0 callbacks=0

func f0(s16[4]) {
  n0 = parameter index=0 : s16[4]
  n1 = as_type n0 : f64[4]
  n2 = as_type n1 : u8[4]
  n3 = as_type n0 : s32[4]
  n4 = as_type n0 : f32[4]
  n6 = as_type n0 : u8[4]
  return n2, n3, n4, n6
}
