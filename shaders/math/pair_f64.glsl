//! needs: exact_f64 inverse_f64
//! provides: nx_pair_sum(dvec2) nx_pair_product(dvec2) nx_pair_quotient(dvec2)
/* Arithmetic on unevaluated sums of two doubles, to about 2^-103 of the result (of the operands, where a sum cancels). */
dvec2 nx_pair_sum(dvec2 a, dvec2 b)
{
    dvec2 s = nx_two_sum(a.x, b.x);
    return nx_quick_sum(s.x, s.y + (a.y + b.y));
}

dvec2 nx_pair_product(dvec2 a, dvec2 b)
{
    dvec2 p = nx_two_prod(a.x, b.x);
    precise double l = p.y + (a.x * b.y + a.y * b.x);
    return nx_quick_sum(p.x, l);
}

dvec2 nx_pair_quotient(dvec2 a, dvec2 b)
{
    precise double c = nx_inverse(b.x);
    precise double q = a.x * c;
    dvec2 p = nx_two_prod(q, b.x);
    precise double r = (((a.x - p.x) - p.y) + (a.y - q * b.y)) * c;
    return nx_quick_sum(q, r);
}
