//! needs:
//! provides: nx_asin_series(float)
/* asin(x) / x - 1 of z = x^2, up to 1/4: a minimax polynomial. */
float nx_asin_series(float z)
{
    float p = 0.03766627;
    p = 0.014334776 + z * p;
    p = 0.031834465 + z * p;
    p = 0.04451382 + z * p;
    p = 0.0750052 + z * p;
    p = 0.1666666 + z * p;
    precise float series = z * p;
    return series;
}
