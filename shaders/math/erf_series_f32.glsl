//! needs:
//! provides: nx_erf_series(float)
/* erf(x) / x - 1 of z = x^2, up to 1: a minimax polynomial. */
float nx_erf_series(float z)
{
    float p = -8.579196e-06;
    p = 0.00010859053 + z * p;
    p = -0.0008423252 + z * p;
    p = 0.0052164067 + z * p;
    p = -0.02686355 + z * p;
    p = 0.112837434 + z * p;
    p = -0.37612635 + z * p;
    precise float series = 0.12837917 + z * p;
    return series;
}
