//! needs:
//! provides: nx_asin_series(double)
/* asin(x) / x - 1 of z = x^2, up to 1/4: a minimax polynomial. */
double nx_asin_series(double z)
{
    double p = 0.03287860576502083lf;
    p = -0.021389145897042484lf + z * p;
    p = 0.021976058139028427lf + z * p;
    p = 0.003599004195119205lf + z * p;
    p = 0.010807862458473896lf + z * p;
    p = 0.011394140436543413lf + z * p;
    p = 0.013981383851996383lf + z * p;
    p = 0.017351566795050805lf + z * p;
    p = 0.022372217398537435lf + z * p;
    p = 0.03038194262635001lf + z * p;
    p = 0.04464285717621311lf + z * p;
    p = 0.07499999999969237lf + z * p;
    p = 0.16666666666666766lf + z * p;
    precise double series = z * p;
    return series;
}
