//! needs:
//! provides: nx_zero(uint)
/* 0 of the number 0: called with gl_WorkGroupID.z, which is 0 without a driver knowing. Lavapipe takes x * 0.0 for
   0.0 even where x is negative, infinite or NaN, and x + 0.0 for x even where that is -0.0: a zero that is a factor
   or a summand must not be a constant. */
float nx_zero(uint z)
{
    return uintBitsToFloat(z);
}
