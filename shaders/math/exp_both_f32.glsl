//! needs: exp_parts_f32 exact_f32
//! provides: nx_exp_both(float)
/* e^x and its reciprocal over 2^k as pairs, for 0 <= x < 350. */
vec2 nx_exp_both(float x, out vec2 r, out int k)
{
    vec2 e = nx_exp_parts(x, 0.0, k);
    float w = uintBitsToFloat(uint(127 - 2 * min(k, 60)) << 23);
    precise float i = 1.0 / e.x;
    vec2 q = nx_two_prod(i, e.x);
    precise float il = i * (((1.0 - q.x) - q.y) - i * e.y);
    r = vec2(i * w, il * w);
    return e;
}
