// What an untrusted shader may try: indices out of every range, a division by 0, memory that nobody wrote.
#version 450
layout(local_size_x = 8) in;
layout(std430, binding = 0) buffer X { uint x[]; };
layout(std430, binding = 1) readonly buffer Y { uint y[]; };
shared uint near[8];

uint twice(uint a, inout uint sum)
{
    sum += a;
    return 2u * a;
}

void main()
{
    uint i = gl_LocalInvocationID.x, table[4], sum = near[i] + table[i & 3u] + x[i];
    barrier();
    near[y[0] + i] = 7u;
    barrier();
    for (uint k = 0u; k < 4u; k++) {
        if (k > 1u && twice(i, sum) > 7u)
            table[k + y[1]] = twice(near[k + y[2]], sum);
        else
            table[k] = 3u;
    }
    if (i == 0u)
        x[y[3]] = sum + table[y[1]] / y[4] + uint(int(y[5]) / int(y[6]));
}
