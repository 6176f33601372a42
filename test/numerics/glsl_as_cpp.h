// Enough of GLSL to compile shaders/math as C++: fast sweeps on the CPU, with no contraction.
#include <math.h>
#include <stdlib.h>
#include <stdint.h>
#include <string.h>
#define precise
typedef uint32_t uint;
struct vec2 {
    float x, y;
    vec2()
    {
    }
    vec2(float a, float b) : x(a), y(b)
    {
    }
    explicit vec2(float a) : x(a), y(a)
    {
    }
};
struct dvec2 {
    double x, y;
    dvec2()
    {
    }
    dvec2(double a, double b) : x(a), y(b)
    {
    }
    dvec2(vec2 a) : x(a.x), y(a.y)
    {
    }
    explicit dvec2(double a) : x(a), y(a)
    {
    }
};
struct uvec2 {
    uint x, y;
    uvec2()
    {
    }
    uvec2(uint a, uint b) : x(a), y(b)
    {
    }
};
struct uvec4 {
    uint x, y, z, w;
    uvec4(uint a, uint b, uint c, uint d) : x(a), y(b), z(c), w(d)
    {
    }
};
struct bvec2 {
    bool x, y;
    explicit bvec2(bool a) : x(a), y(a)
    {
    }
};
struct bvec4 {
    bool x, y, z, w;
    explicit bvec4(bool a) : x(a), y(a), z(a), w(a)
    {
    }
};
template <class T> static inline T mix(T a, T b, bool second)
{
    return second ? b : a;
}
static inline vec2 mix(vec2 a, vec2 b, bvec2 s)
{
    return vec2(mix(a.x, b.x, s.x), mix(a.y, b.y, s.y));
}
static inline uvec4 mix(uvec4 a, uvec4 b, bvec4 s)
{
    return uvec4(mix(a.x, b.x, s.x), mix(a.y, b.y, s.y), mix(a.z, b.z, s.z), mix(a.w, b.w, s.w));
}
static inline uvec2 operator&(uvec2 a, uvec2 b)
{
    return uvec2(a.x & b.x, a.y & b.y);
}
static inline uvec2 operator|(uvec2 a, uvec2 b)
{
    return uvec2(a.x | b.x, a.y | b.y);
}
#define VEC_OPS(V, T)                       \
    static inline V operator+(V a, V b)     \
    {                                       \
        return V(a.x + b.x, a.y + b.y);     \
    }                                       \
    static inline V operator-(V a, V b)     \
    {                                       \
        return V(a.x - b.x, a.y - b.y);     \
    }                                       \
    static inline V operator-(V a)          \
    {                                       \
        return V(-a.x, -a.y);               \
    }                                       \
    static inline V operator*(V a, T b)     \
    {                                       \
        return V(a.x * b, a.y * b);         \
    }                                       \
    static inline V operator*(T b, V a)     \
    {                                       \
        return V(a.x * b, a.y * b);         \
    }                                       \
    static inline bool operator==(V a, V b) \
    {                                       \
        return a.x == b.x && a.y == b.y;    \
    }
VEC_OPS(vec2, float)
VEC_OPS(dvec2, double)
static inline uint floatBitsToUint(float x)
{
    uint u;
    memcpy(&u, &x, 4);
    return u;
}
static inline int floatBitsToInt(float x)
{
    int u;
    memcpy(&u, &x, 4);
    return u;
}
static inline float uintBitsToFloat(uint u)
{
    float x;
    memcpy(&x, &u, 4);
    return x;
}
static inline uvec2 unpackDouble2x32(double x)
{
    uint64_t u;
    memcpy(&u, &x, 8);
    return uvec2(uint(u), uint(u >> 32));
}
static inline double packDouble2x32(uvec2 v)
{
    uint64_t u = uint64_t(v.y) << 32 | v.x;
    double x;
    memcpy(&x, &u, 8);
    return x;
}
static inline int findMSB(uint x)
{
    return x ? 31 - __builtin_clz(x) : -1;
}
static inline int bitCount(uint x)
{
    return __builtin_popcount(x);
}
static inline void umulExtended(uint a, uint b, uint &high, uint &low)
{
    uint64_t p = uint64_t(a) * b;
    high = uint(p >> 32);
    low = uint(p);
}
static inline uint uaddCarry(uint a, uint b, uint &carry)
{
    uint64_t s = uint64_t(a) + b;
    carry = uint(s >> 32);
    return uint(s);
}
template <class T> static inline T max(T a, T b)
{
    return a < b ? b : a;
}
template <class T> static inline T min(T a, T b)
{
    return b < a ? b : a;
}
template <class T> static inline T clamp(T x, T a, T b)
{
    return min(max(x, a), b);
}
#ifndef NX_FMA
template <class T> static inline T product_and_sum(T a, T b, T c)
{
    return a * b + c;
}
#define fma product_and_sum
#else
// As NVIDIA's driver: fma rounds once, and these take f32 subnormals for 0, operands and results.
static inline float flushed(float x)
{
    return __builtin_fabsf(x) < 0x1p-126f ? __builtin_copysignf(0, x) : x;
}
static inline float flushing_fma(float a, float b, float c)
{
    return flushed(__builtin_fmaf(flushed(a), flushed(b), flushed(c)));
}
static inline double flushing_fma(double a, double b, double c)
{
    return __builtin_fma(a, b, c);
}
static inline float flushing_abs(float x)
{
    return flushed(__builtin_fabsf(x));
}
template <class T> static inline T flushing_abs(T x)
{
    return x < 0 ? -x : x;
}
static inline float max(float a, float b)
{
    return flushed(a < b ? b : a);
}
static inline float min(float a, float b)
{
    return flushed(b < a ? b : a);
}
static inline float clamp(float x, float a, float b)
{
    return min(max(x, a), b);
}
#define fma flushing_fma
#define abs flushing_abs
#endif
static inline float inversesqrt(float x)
{
    return 1.0f / sqrtf(x);
}
static inline double inversesqrt(double x)
{
    return 1.0 / sqrt(x);
}
