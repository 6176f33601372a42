//! needs: tests_f64
//! provides: nx_min(double)
/* NaN if either is NaN; -0 under +0. */
double nx_min(double a, double b)
{
    if ((nx_is_nan(a) | nx_is_nan(b)) != 0u)
        return double(NX_NAN);
    return a < b ? a : b < a ? b : packDouble2x32(unpackDouble2x32(a) | unpackDouble2x32(b));
}
