//! needs: sin_cos_f32
//! provides: nx_sin(float)
/* Near 0 x itself: a subnormal one, and the sign of a zero. */
float nx_sin(float x)
{
    float y = nx_sin_at(x, 0);
    return abs(x) < 0.0001 ? x : y;
}
