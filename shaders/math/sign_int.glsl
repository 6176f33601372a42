//! needs:
//! provides: nx_sign(int)
int nx_sign(int x)
{
    return int(x > 0) - int(x < 0);
}
