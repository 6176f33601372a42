// Some of everything that the verifier of SPIR-V from outside admits in memory and control flow.
#version 450
layout(local_size_x = 4) in;
struct Pair { uint a; vec4 b; };
layout(std430, binding = 0) buffer X { uint x[]; };
layout(std430, binding = 1) readonly buffer Y { vec4 y[]; };
layout(std430, binding = 2) buffer Z { ivec2 z[]; };
shared uint near[16];
shared vec4 far[4];

float sum(vec4 v, inout Pair p)
{
    p.a += 1u;
    p.b += v;
    if (v.x > 1.0)
        return v.y;
    return v.x + v.y;
}

uint count(uint n, int m)
{
    uint s = 0u;
    for (uint i = 0u; i < n; i++) {
        if (i == 3u)
            continue;
        if (i > 5u && n > 7u)
            break;
        s += i;
    }
    return s + uint(m);
}

void main()
{
    uint i = gl_LocalInvocationID.x, table[4];
    int j = int(i) - 1;
    Pair p, pairs[3];
    p.a = i;
    p.b = y[i];
    pairs[1] = p;
    pairs[j].b.z = 2.0;
    near[i] = x.length();
    far[i] = y[2];
    barrier();
    uint most = atomicMax(x[i + 4u], 3u), bits = atomicOr(near[j], 5u);
    table[2] = atomicAnd(x[1], near[2]);
    memoryBarrierBuffer();
    table[i] = count(i, j) + most + bits;
    table[3] = uint(sum(far[j], p));
    if (i > 1u || count(near[i], 3) > 2u)
        z[i] = ivec2(j, int(table[i]));
    else
        z[3].y = int(pairs[2].b[i]) + int(p.b[1]);
    x[i] = table[j] + p.a + gl_WorkGroupID.y;
}
