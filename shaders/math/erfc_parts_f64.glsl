//! needs: exact_f64 exp_parts_f64 inverse_f64
//! provides: nx_erfc_parts(double)
/* erfc(a) = 2^k (x + y) of the result for a from 1/2 to 27.3: e^(-a^2) / (1 + 2 a) times a minimax
   polynomial in (a - 3) / (a + 3). */
dvec2 nx_erfc_parts(double a, out int k)
{
    dvec2 n = nx_two_sum(a, -3.0lf), d = nx_two_sum(a, 3.0lf);
    precise double c = nx_inverse(d.x);
    precise double t = n.x * c;
    dvec2 q = nx_two_prod(t, d.x);
    t = t + (((n.x - q.x) - q.y) + (n.y - t * d.y)) * c;
    double p = -4.144222739059654e-09lf;
    p = -1.0872968988151651e-08lf + t * p;
    p = 3.3734827762765655e-08lf + t * p;
    p = 9.9388924170842e-08lf + t * p;
    p = -1.337384211350108e-07lf + t * p;
    p = -6.153933045141894e-07lf + t * p;
    p = 3.523105094922023e-07lf + t * p;
    p = 3.4721409040994945e-06lf + t * p;
    p = -7.299018045176299e-07lf + t * p;
    p = -2.0100598211101325e-05lf + t * p;
    p = 4.949132662749518e-06lf + t * p;
    p = 0.00012509938699323538lf + t * p;
    p = -0.00010515975390055287lf + t * p;
    p = -0.000779832281445782lf + t * p;
    p = 0.0018886903557960506lf + t * p;
    p = 0.0025293918173361456lf + t * p;
    p = -0.023770514918502565lf + t * p;
    p = 0.0683080273438892lf + t * p;
    p = -0.11927366341531274lf + t * p;
    p = 0.1296451587027634lf + t * p;
    p = -0.04756229435345068lf + t * p;
    p = -0.1356211061245812lf + t * p;
    precise double w = t * p;
    dvec2 g = nx_two_sum(1.2530080582697296lf, w);
    g.y += 4.4184151975469697e-17lf;
    dvec2 s = nx_two_prod(a, a);
    dvec2 e = nx_exp_parts(-s.x, -s.y, k);
    d = nx_quick_sum(2.0 * a, 1.0lf);
    dvec2 m = nx_two_prod(e.x, g.x);
    precise double ml = m.y + (e.x * g.y + e.y * g.x);
    c = nx_inverse(d.x);
    precise double r = m.x * c;
    q = nx_two_prod(r, d.x);
    return nx_quick_sum(r, (((m.x - q.x) - q.y) + (ml - r * d.y)) * c);
}
