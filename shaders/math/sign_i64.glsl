//! needs:
//! provides: nx_sign(int64_t)
int64_t nx_sign(int64_t x)
{
    return x > int64_t(0) ? int64_t(1) : x >> 63;
}
