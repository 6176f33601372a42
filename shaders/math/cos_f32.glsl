//! needs: reduce_f32 sin_parts_f32
//! provides: nx_cos(float)
/* Reduced modulo pi/2 exactly enough for every float, then one of two minimax polynomials. */
float nx_cos(float x)
{
    bool finite = abs(x) <= 3.40282347e38;
    int q;
    vec2 r = nx_reduce(finite ? x : 0.0, q);
    vec2 s = nx_sin_parts(r), c = nx_cos_parts(r);
    vec2 v = mix(c, s, bvec2((q & 1) != 0));
    float y = v.x + v.y;
    y = mix(y, -y, ((q + 1) & 2) != 0);
    return finite ? y : NX_NAN;
}
