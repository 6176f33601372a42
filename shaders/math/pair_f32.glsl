//! needs: exact_f32
//! provides: nx_pair_sum(vec2) nx_pair_product(vec2) nx_pair_quotient(vec2)
/* Arithmetic on unevaluated sums of two floats, to about 2^-45 of the result (of the operands, where a sum cancels). */
vec2 nx_pair_sum(vec2 a, vec2 b)
{
    vec2 s = nx_two_sum(a.x, b.x);
    return nx_quick_sum(s.x, s.y + (a.y + b.y));
}

vec2 nx_pair_product(vec2 a, vec2 b)
{
    vec2 p = nx_two_prod(a.x, b.x);
    precise float l = p.y + (a.x * b.y + a.y * b.x);
    return nx_quick_sum(p.x, l);
}

vec2 nx_pair_quotient(vec2 a, vec2 b)
{
    precise float c = 1.0 / b.x;
    precise float q = a.x * c;
    vec2 p = nx_two_prod(q, b.x);
    precise float r = (((a.x - p.x) - p.y) + (a.y - q * b.y)) * c;
    return nx_quick_sum(q, r);
}
