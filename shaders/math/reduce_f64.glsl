//! needs: exact_f64 mac_int words_int
//! provides: nx_reduce(double) nx_reduce_far(double)
/* x = q pi/2 + the sum of the result's parts, which is at most pi/4 in magnitude; q modulo 4. Needs x finite. */

/* As in reduce_f32, with 192 bits of 2/pi; the table begins two words above the binary point. */
dvec2 nx_reduce_far(double x, out int q)
{
    const uvec4 w0 = uvec4(0u, 0u, 0xa2f9836eu, 0x4e441529u);
    const uvec4 w1 = uvec4(0xfc2757d1u, 0xf534ddc0u, 0xdb629599u, 0x3c439041u);
    const uvec4 w2 = uvec4(0xfe5163abu, 0xdebbc561u, 0xb7246e3au, 0x424dd2e0u);
    const uvec4 w3 = uvec4(0x06492eeau, 0x09d1921cu, 0xfe1deb1cu, 0xb129a73eu);
    const uvec4 w4 = uvec4(0xe88235f5u, 0x2ebb4484u, 0xe99c7026u, 0xb45f7e41u);
    const uvec4 w5 = uvec4(0x3991d639u, 0x835339f4u, 0x9c845f8bu, 0xbdf9283bu);
    const uvec4 w6 = uvec4(0x1ff897ffu, 0xde05980fu, 0xef2f118bu, 0x5a0a6d1fu);
    const uvec4 w7 = uvec4(0x6d367ecfu, 0x27cb09b7u, 0x4f463f66u, 0x9e5fea2du);
    const uvec4 w8 = uvec4(0x7527bac7u, 0xebe5f17bu, 0x3d0739f7u, 0x8a5292eau);
    const uvec4 w9 = uvec4(0x6bfb5fb1u, 0x1f8d5d08u, 0x56033046u, 0xfc7b6babu);
    uvec2 u = unpackDouble2x32(x);
    uint m1 = (u.y & 0x000fffffu) | 0x00100000u, m0 = u.x;
    int start = max(int((u.y >> 20) & 2047u) - 1013, 0), i = min(start >> 5, 33), by = start & 31, back = 31 - by;
    bool by_32 = (i & 32) != 0, by_16 = (i & 16) != 0, by_8 = (i & 8) != 0, by_4 = (i & 4) != 0;
    uvec4 v0 = by_32 ? w8 : by_16 ? w4 : w0, v1 = by_32 ? w9 : by_16 ? w5 : w1, v2 = by_16 ? w6 : w2, v3 = by_16 ? w7 : w3;
    uvec4 v4 = by_16 ? w8 : w4, v5 = by_16 ? w9 : w5;
    v0 = by_8 ? v2 : v0, v1 = by_8 ? v3 : v1, v2 = by_8 ? v4 : v2, v3 = by_8 ? v5 : v3;
    uvec4 t = nx_words(by_4 ? v1 : v0, by_4 ? v2 : v1, i), s = nx_words(by_4 ? v2 : v1, by_4 ? v3 : v2, i);
    uint a0 = (t.x << by) | ((t.y >> 1) >> back), a1 = (t.y << by) | ((t.z >> 1) >> back), a2 = (t.z << by) | ((t.w >> 1) >> back);
    uint a3 = (t.w << by) | ((s.x >> 1) >> back), a4 = (s.x << by) | ((s.y >> 1) >> back), a5 = (s.y << by) | ((s.z >> 1) >> back);
    uint c = 0u;
    uint p5 = nx_mac(a5, m0, 0u, c), p4 = nx_mac(a4, m0, 0u, c), p3 = nx_mac(a3, m0, 0u, c);
    uint p2 = nx_mac(a2, m0, 0u, c), p1 = nx_mac(a1, m0, 0u, c), p0 = nx_mac(a0, m0, 0u, c);
    c = 0u;
    p4 = nx_mac(a5, m1, p4, c);
    p3 = nx_mac(a4, m1, p3, c);
    p2 = nx_mac(a3, m1, p2, c);
    p1 = nx_mac(a2, m1, p1, c);
    p0 = nx_mac(a1, m1, p0, c);
    bool up = (p0 & 0x20000000u) != 0u;
    q = int(p0 >> 30) + int(up);
    uint flip = up ? 0xffffffffu : 0u;
    p0 = ((p0 << 2) | (p1 >> 30)) ^ flip;
    p1 = ((p1 << 2) | (p2 >> 30)) ^ flip;
    p2 = ((p2 << 2) | (p3 >> 30)) ^ flip;
    p3 = ((p3 << 2) | (p4 >> 30)) ^ flip;
    p4 = ((p4 << 2) | (p5 >> 30)) ^ flip;
    int e = 1023 - 64;
    if (p0 == 0u) {
        p0 = p1;
        p1 = p2;
        p2 = p3;
        p3 = p4;
        e -= 32;
    }
    int zeros = 31 - findMSB(p0 | 1u), rest = 31 - zeros;
    p0 = (p0 << zeros) | ((p1 >> 1) >> rest);
    p1 = (p1 << zeros) | ((p2 >> 1) >> rest);
    p2 = (p2 << zeros) | ((p3 >> 1) >> rest);
    double unit = packDouble2x32(uvec2(0u, uint(e - zeros) << 20));
    precise double h = (double(p0) * 4294967296.0lf + double(p1 & 0xfffff800u)) * unit;
    precise double l = (double(p1 & 0x7ffu) * 4294967296.0lf + double(p2)) * (unit * 2.3283064365386963e-10lf);
    dvec2 p = nx_two_prod(h, 1.5707963267948966lf);
    precise double pl = p.y + (h * 6.123233995736766e-17lf + l * 1.5707963267948966lf);
    bool down = up != (x < 0.0lf);
    q = x < 0.0lf ? -q : q;
    return down ? dvec2(-p.x, -pl) : dvec2(p.x, pl);
}

/* Below 2^20, pi/2 in three parts of 33 bits, whose multiples are exact, and a rest. */
dvec2 nx_reduce(double x, out int q)
{
    if (abs(x) >= 1048576.0lf)
        return nx_reduce_far(x, q);
    precise double n = floor(x * 0.6366197723675814lf + 0.5lf);
    q = int(n);
    precise double t = x - n * 1.5707963267341256lf;
    dvec2 a = nx_two_sum(t, n * -6.077100506303966e-11lf);
    dvec2 b = nx_two_sum(a.x, n * -2.0222662487111665e-21lf);
    return nx_two_sum(b.x, (a.y + b.y) - n * 8.4784276603689e-32lf);
}
