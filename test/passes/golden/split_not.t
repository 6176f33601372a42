# rows enough, or a CPU that likes long loops
# run: split_reduce
# with: cpu
graph "t" entry=f0 callbacks=0
func f0(f32[1024,8192], f32[100000]) {
  n0 = parameter index=0 : f32[1024,8192]
  n1 = sum n0 axes=[1] keep=false : f32[1024]
  n2 = parameter index=1 : f32[100000]
  n3 = sum n2 axes=[0] keep=false : f32[]
  return n1, n3
}
----
graph "t" entry=f0 callbacks=0

func f0(f32[1024,8192], f32[100000]) {
  n0 = parameter index=0 : f32[1024,8192]
  n1 = sum n0 axes=[1] keep=false : f32[1024]
  n2 = parameter index=1 : f32[100000]
  n3 = sum n2 axes=[0] keep=false : f32[]
  return n1, n3
}
