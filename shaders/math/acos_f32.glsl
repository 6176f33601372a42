//! needs: asin_series_f32 exact_f32 root_parts_f32
//! provides: nx_acos(float)
/* Up to 1/2, pi/2 - asin(x); above, 2 asin(sqrt((1 - |x|) / 2)), or pi less that. */
float nx_acos(float x)
{
    float a = abs(x);
    bool far = a > 0.5;
    precise float z = far ? 0.5 - 0.5 * min(a, 1.0) : x * x;
    float p = nx_asin_series(z);
    vec2 s = nx_root_parts(far ? z : 1.0, 0.0);
    precise float rest = far ? 2.0 * (s.x * p + s.y) : x * p;
    vec2 t = far ? vec2(2.0 * s.x, rest) : vec2(x, rest);
    bool turn = far && x < 0.0;
    vec2 b = nx_quick_sum(turn ? 3.1415927 : 1.5707964, -t.x);
    precise float y = b.x + (b.y + ((turn ? -8.742278e-08 : -4.371139e-08) - t.y));
    if (!(a <= 1.0))
        return NX_NAN;
    return far && !turn ? t.x + t.y : y;
}
