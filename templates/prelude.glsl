/* What every kernel may need. It follows #version and the extensions, and comes before math/. */
#define NX_INF uintBitsToFloat(0x7f800000u)
#define NX_NAN uintBitsToFloat(0x7fc00000u)
