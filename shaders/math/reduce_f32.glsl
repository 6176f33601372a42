//! needs: exact_f32 mac_int words_int
//! provides: nx_reduce(float) nx_reduce_far(float) nx_reduce_one(float)
/* x = q pi/2 + the sum of the result's parts, which is at most pi/4 in magnitude; q modulo 4. Needs x finite. */

/* Payne and Hanek: m 2^e times the 96 bits of 2/pi that matter, in integers; the table begins a word
   above the binary point. The product's top two bits are q, the rest a fraction of a quarter turn. */
vec2 nx_reduce_far(float x, out int q)
{
    const uvec4 w0 = uvec4(0u, 0xa2f9836eu, 0x4e441529u, 0xfc2757d1u);
    const uvec4 w1 = uvec4(0xf534ddc0u, 0xdb629599u, 0x3c439041u, 0xfe5163abu);
    uint u = floatBitsToUint(x), m = (u & 0x007fffffu) | 0x00800000u;
    int start = max(int((u >> 23) & 255u) - 120, 0), i = min(start >> 5, 4), by = start & 31;
    uvec4 t = nx_words(mix(w0, w1, bvec4(i == 4)), w1, i);
    uint a0 = (t.x << by) | ((t.y >> 1) >> (31 - by)); // no shift by 32
    uint a1 = (t.y << by) | ((t.z >> 1) >> (31 - by));
    uint a2 = (t.z << by) | ((t.w >> 1) >> (31 - by));
    uint carry = 0u;
    a2 = nx_mac(a2, m, 0u, carry);
    a1 = nx_mac(a1, m, 0u, carry);
    a0 = nx_mac(a0, m, 0u, carry);
    bool up = (a0 & 0x20000000u) != 0u;
    q = int(a0 >> 30) + int(up);
    uint flip = 0u - uint(up);
    a0 = ((a0 << 2) | (a1 >> 30)) ^ flip;
    a1 = ((a1 << 2) | (a2 >> 30)) ^ flip;
    int zeros = 31 - findMSB(a0 | 1u);
    uint g0 = (a0 << zeros) | ((a1 >> 1) >> (31 - zeros)), g1 = a1 << zeros;
    float unit = uintBitsToFloat(uint(127 - 32 - zeros) << 23);
    precise float h = float(g0 & 0xffffff00u) * unit;
    precise float l = float(((g0 & 255u) << 16) | (g1 >> 16)) * (unit * 1.52587890625e-05);
    vec2 p = nx_two_prod(h, 1.57079637);
    precise float pl = p.y + (h * -4.37113883e-08 + l * 1.57079637);
    bool down = up != (x < 0.0);
    q = mix(q, -q, x < 0.0);
    return mix(vec2(p.x, pl), vec2(-p.x, -pl), bvec2(down));
}

/* Below 800, pi/2 in three parts of 15 bits, whose multiples are exact, and a rest. */
vec2 nx_reduce(float x, out int q)
{
    if (abs(x) >= 800.0)
        return nx_reduce_far(x, q);
    precise float n = floor(x * 0.636619747 + 0.5);
    q = int(n);
    precise float t = x - n * 1.57073974609375;
    vec2 a = nx_two_sum(t, n * -5.657970905303955e-05);
    vec2 b = nx_two_sum(a.x, n * -9.920881893776823e-10);
    return nx_two_sum(b.x, (a.y + b.y) - n * 5.3903028e-15);
}

/* The same, rounded to one float, and NaN if x is not finite. With a fused multiply-add, three parts of pi/2 of 24 bits
   are enough up to 2^16: the first product is exact. */
float nx_reduce_one(float x, out int q)
{
    precise float t = fma(x, 0.636619747, 12582912.0), n = t - 12582912.0; // 1.5 2^23 leaves n in the low bits
#ifdef NX_FMA
    const uint limit = 0x47800000u;
    precise float r = NX_FMA(-n, -1.71512451e-15, NX_FMA(-n, -4.37113883e-08, NX_FMA(-n, 1.57079637, x)));
#else
    const uint limit = 0x44480000u;
    precise float h = x - n * 1.57073974609375;
    vec2 a = nx_two_sum(h, n * -5.657970905303955e-05);
    vec2 b = nx_two_sum(a.x, n * -9.920881893776823e-10);
    precise float r = b.x + ((a.y + b.y) - n * 5.3903028e-15);
#endif
    q = floatBitsToInt(t);
    uint u = floatBitsToUint(x) & 0x7fffffffu;
    if (u >= limit) {
        vec2 f = nx_reduce_far(x, q);
        r = u < 0x7f800000u ? f.x + f.y : NX_NAN;
    }
    return r;
}
