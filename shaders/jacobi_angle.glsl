//! Statements: the rotation of a pair that is to be turned.
//! needs: jacobi.glsl; nx_sqrt and nx_div of REAL; REAL SIZE ROOT PHASE; g = <x_p, x_q>, `square` |g|^2, a = <x_p, x_p>,
//!   d = <x_q, x_q>; c, s and e of the type of g
//! provides: nothing
//! threads: each by itself
//! leaves: c, s and e
@REAL@ size, t;
if (QUICK) {
    size = @SIZE@;
    @REAL@ z = (d - a) / (2.0 * size);
    t = (z >= 0.0 ? 1.0 : -1.0) / (abs(z) + sqrt(1.0 + z * z));
    c = inversesqrt(1.0 + t * t);
} else {
    size = @ROOT@;
    @REAL@ z = nx_div(d - a, 2.0 * size);
    t = nx_div(z >= 0.0 ? 1.0 : -1.0, abs(z) + nx_sqrt(1.0 + z * z));
    c = nx_div(1.0, nx_sqrt(1.0 + t * t));
}
s = c * t;
e = @PHASE@;
