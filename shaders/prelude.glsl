/* What every kernel may need. It follows #version and the extensions, and comes before math/. */
#define NX_INF uintBitsToFloat(0x7f800000u)
#define NX_NAN uintBitsToFloat(0x7fc00000u)
/* Zeros that no driver knows to be 0: there is one layer of workgroups (emit_ops.c says what they are for). */
#define NX_ZERO uintBitsToFloat(gl_WorkGroupID.z)
#define NX_ZERO_F64 packDouble2x32(gl_WorkGroupID.zz)
