//! needs:
//! provides: nx_sinh_rest(float)
/* sinh(x) - x for |x| <= 1: an odd minimax polynomial. */
float nx_sinh_rest(float x)
{
    float z = x * x;
    float p = 2.790056e-06;
    p = 0.0001984166 + z * p;
    p = 0.008333315 + z * p;
    p = 0.16666667 + z * p;
    precise float rest = x * (z * p);
    return rest;
}
