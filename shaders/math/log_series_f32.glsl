//! needs:
//! provides: nx_log_series(float)
/* log(1 + f) + n ln 2 for 1 + f in [sqrt(1/2), sqrt(2)): f - f^2/2 + f^3 P(f), P minimax. */
float nx_log_series(float f, float n)
{
    float p = -7.54609331e-2;
    p = 0.127226517 + f * p;
    p = -0.131791592 + f * p;
    p = 0.142104521 + f * p;
    p = -0.166221499 + f * p;
    p = 0.200006425 + f * p;
    p = -0.250008434 + f * p;
    p = 0.333333433 + f * p;
    p = -0.5 + f * p;
    precise float ff = f * f;
    precise float y = fma(n, 0.693147182, fma(ff, p, f));
    return y;
}
