//! needs: scale_f32
//! provides: nx_exp(float)
/* x = k ln 2 + r with |r| <= ln 2 / 2; e^r = 1 + r + r^2 P(r), P minimax. */
float nx_exp(float x)
{
    float c = x >= -104.0 ? (x <= 89.0 ? x : 89.0) : -104.0;
    precise float k = floor(c * 1.44269504 + 0.5);
    precise float r = (c - k * 0.693145751953125) - k * 1.42860682e-06;
    float p = 1.38235523e-3;
    p = 8.36882368e-3 + r * p;
    p = 4.16682363e-2 + r * p;
    p = 0.166665196 + r * p;
    p = 0.49999994 + r * p;
    precise float y = 1.0 + (r + r * r * p);
    return (floatBitsToUint(x) & 0x7fffffffu) > 0x7f800000u ? x : nx_scale(y, int(k));
}
