//! needs:
//! provides: nx_sign(int64_t)
int64_t nx_sign(int64_t x)
{
    return int64_t(int(x > int64_t(0)) - int(x < int64_t(0)));
}
