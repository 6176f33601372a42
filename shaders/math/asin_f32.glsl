//! needs: asin_series_f32 exact_f32 root_parts_f32
//! provides: nx_asin(float)
/* Up to 1/2 an odd minimax polynomial; above, pi/2 - 2 asin(sqrt((1 - x) / 2)). */
float nx_asin(float x)
{
    float a = abs(x);
    bool far = a > 0.5;
    precise float z = far ? 0.5 - 0.5 * min(a, 1.0) : x * x;
    float p = nx_asin_series(z);
    precise float near = x + x * p;
    vec2 s = nx_root_parts(far ? z : 1.0, 0.0);
    vec2 t = nx_quick_sum(1.5707964, -2.0 * s.x);
    precise float y = t.x + (t.y + (-4.371139e-08 - 2.0 * (s.x * p + s.y)));
    if (!(a <= 1.0))
        return NX_NAN;
    if (far)
        return x < 0.0 ? -y : y;
    return a < 0.0001 ? x : near;
}
