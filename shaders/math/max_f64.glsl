//! needs: tests_f64
//! provides: nx_max(double)
/* NaN if either is NaN; +0 over -0. */
double nx_max(double a, double b)
{
    if ((nx_is_nan(a) | nx_is_nan(b)) != 0u)
        return double(NX_NAN);
    return a > b ? a : b > a ? b : packDouble2x32(unpackDouble2x32(a) & unpackDouble2x32(b));
}
