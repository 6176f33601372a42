//! needs: pair_f32
//! provides: nx_pair_ratio(vec2)
/* (a + i b) / (c + i d) of pairs that are well inside the range; the imaginary part is `im`. */
vec2 nx_pair_ratio(vec2 a, vec2 b, vec2 c, vec2 d, out vec2 im)
{
    vec2 m = nx_pair_sum(nx_pair_product(c, c), nx_pair_product(d, d));
    im = nx_pair_quotient(nx_pair_sum(nx_pair_product(b, c), nx_pair_product(a, -d)), m);
    return nx_pair_quotient(nx_pair_sum(nx_pair_product(a, c), nx_pair_product(b, d)), m);
}
