# few rounds, of a function that is long where drivers inline it
# run: inline
graph "t" entry=f0 callbacks=0
func f0(f64[4]) {
  n0 = parameter index=0 : f64[4]
  n1 = constant bits=00000000 : s32[]
  n2 = while n0, n1 regions=[f1,f2] : f64[4], s32[]
  return n2.0
}
func f1(f64[4], s32[]) {
  n0 = parameter index=1 : s32[]
  n1 = constant bits=00000018 : s32[]
  n2 = less n0, n1 : u8[]
  return n2
}
func f2(f64[4], s32[]) {
  n0 = parameter index=0 : f64[4]
  n1 = parameter index=1 : s32[]
  n2 = constant bits=00000001 : s32[]
  n3 = add n1, n2 : s32[]
  n4 = tan n0 : f64[4]
  return n4, n3
}
----
graph "t" entry=f0 callbacks=0

func f0(f64[4]) {
  n0 = parameter index=0 : f64[4]
  n1 = constant bits=00000000 : s32[]
  n2 = while n0, n1 regions=[f1,f2] : f64[4], s32[]
  return n2.0
}

func f1(f64[4], s32[]) {
  n0 = parameter index=1 : s32[]
  n1 = constant bits=00000018 : s32[]
  n2 = less n0, n1 : u8[]
  return n2
}

func f2(f64[4], s32[]) {
  n0 = parameter index=0 : f64[4]
  n1 = parameter index=1 : s32[]
  n2 = constant bits=00000001 : s32[]
  n3 = add n1, n2 : s32[]
  n4 = tan n0 : f64[4]
  return n4, n3
}
