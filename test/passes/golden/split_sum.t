# run: split_reduce
graph "t" entry=f0 callbacks=0
func f0(f32[1000003], f32[1048576,2], bf16[65536]) {
  n0 = parameter index=0 : f32[1000003]
  n1 = sum n0 axes=[0] keep=false : f32[]
  n2 = parameter index=1 : f32[1048576,2]
  n3 = reduce_max n2 axes=[0] keep=false : f32[2]
  n4 = parameter index=2 : bf16[65536]
  n5 = sum n4 axes=[0] keep=false : bf16[]
  n6 = sum n2 axes=[0,1] keep=false : f32[]
  return n1, n3, n5, n6
}
----
graph "t" entry=f0 callbacks=0

func f0(f32[1000003], f32[1048576,2], bf16[65536]) {
  n0 = parameter index=0 : f32[1000003]
  n7 = constant bits=00000000 : f32[]
  n8 = pad n0, n7 lo=[0] hi=[445] interior=[0] : f32[1000448]
  n9 = reshape n8 : f32[512,1954]
  n10 = sum n9 axes=[1] keep=false : f32[512]
  n1 = sum n10 axes=[0] keep=false : f32[]
  n2 = parameter index=1 : f32[1048576,2]
  n12 = reshape n2 : f32[512,2048,2]
  n13 = reduce_max n12 axes=[1] keep=false : f32[512,2]
  n3 = reduce_max n13 axes=[0] keep=false : f32[2]
  n4 = parameter index=2 : bf16[65536]
  n15 = as_type n4 : f32[65536]
  n16 = reshape n15 : f32[64,1024]
  n17 = sum n16 axes=[1] keep=false : f32[64]
  n18 = sum n17 axes=[0] keep=false : f32[]
  n5 = as_type n18 : bf16[]
  n21 = reshape n2 : f32[512,4096]
  n22 = sum n21 axes=[1] keep=false : f32[512]
  n6 = sum n22 axes=[0] keep=false : f32[]
  return n1, n3, n5, n6
}
