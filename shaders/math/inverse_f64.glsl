//! needs:
//! provides: nx_inverse(double)
/* 1 / d to about 1 ULP for d well inside the range: Vulkan promises no more of a double quotient than of
   a float one, and two Newton steps make that good. */
double nx_inverse(double d)
{
    precise double c = 1.0lf / d;
    c = c + c * (1.0lf - d * c);
    c = c + c * (1.0lf - d * c);
    return c;
}
