//! needs: pair_f64
//! provides: nx_pair_ratio(dvec2)
/* (a + i b) / (c + i d) of pairs that are well inside the range; the imaginary part is `im`. */
dvec2 nx_pair_ratio(dvec2 a, dvec2 b, dvec2 c, dvec2 d, out dvec2 im)
{
    dvec2 m = nx_pair_sum(nx_pair_product(c, c), nx_pair_product(d, d));
    im = nx_pair_quotient(nx_pair_sum(nx_pair_product(b, c), nx_pair_product(a, -d)), m);
    return nx_pair_quotient(nx_pair_sum(nx_pair_product(a, c), nx_pair_product(b, d)), m);
}
