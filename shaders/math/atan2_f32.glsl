//! needs: atan_parts_f32 exact_f32 div_f32
//! provides: nx_atan2(float)
/* The point is brought near 1 first; where the angle is as small as the quotient, it is the quotient. */
float nx_atan2(float y, float x)
{
    uint uy = floatBitsToUint(y), ux = floatBitsToUint(x), sign = uy & 0x80000000u;
    bool left = (ux >> 31) != 0u;
    uy &= 0x7fffffffu;
    ux &= 0x7fffffffu;
    if (max(ux, uy) > 0x7f800000u)
        return NX_NAN;
    uint vy = uy < 0x00800000u ? floatBitsToUint(float(uy)) : uy, vx = ux < 0x00800000u ? floatBitsToUint(float(ux)) : ux;
    int d = (int(vy >> 23) - (uy < 0x00800000u ? 149 : 0)) - (int(vx >> 23) - (ux < 0x00800000u ? 149 : 0));
    if (uy == 0u || (ux == 0x7f800000u && uy != ux))
        d = -60;
    if ((ux == 0u && uy != 0u) || (uy == 0x7f800000u && uy != ux))
        d = 60;
    float my = uintBitsToFloat(((vy & 0x007fffffu) | 0x3f800000u) + (uint(clamp(d, -60, 60)) << 23));
    float mx = uintBitsToFloat((vx & 0x007fffffu) | 0x3f800000u);
    if (uy == 0x7f800000u && uy == ux)
        my = mx;
    vec2 a = nx_atan_parts(my, mx);
    vec2 t = nx_quick_sum(3.14159274, -a.x);
    precise float far = t.x + (t.y + (-8.74227766e-08 - a.y));
    float r = left ? far : d < -24 ? nx_div(uintBitsToFloat(uy), uintBitsToFloat(ux)) : a.x;
    if (uy == 0u && !left)
        r = 0.0;
    return uintBitsToFloat(floatBitsToUint(r) | sign);
}
