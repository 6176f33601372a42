//! needs: sin_cos_f32
//! provides: nx_cos(float)
float nx_cos(float x)
{
    return nx_sin_at(x, 1);
}
