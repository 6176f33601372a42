//! needs: sqrt_c64 div_c64
//! provides: nx_rsqrt(vec2)
vec2 nx_rsqrt(vec2 z)
{
    return nx_div(vec2(1.0, 0.0), nx_sqrt(z));
}
