//! needs:
//! provides: nx_expm1_rest(float)
/* e^x - 1 - x for |x| < 0.35, with the polynomial of exp. */
float nx_expm1_rest(float x)
{
    float p = 1.95780143e-4;
    p = 1.39357708e-3 + x * p;
    p = 8.33388697e-3 + x * p;
    p = 4.16664556e-2 + x * p;
    p = 0.166666642 + x * p;
    p = 0.5 + x * p;
    precise float rest = x * x * p;
    return rest;
}
