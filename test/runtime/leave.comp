// What others left in shared memory, and leaves something there, whatever the workgroup's size.
#version 450
layout(local_size_x = 1) in;
layout(std430, binding = 0) buffer X { uint x[]; };
shared uint near[192];
void main()
{
    uint all = 0u;
    for (uint k = 0u; k < 192u; k++)
        all |= near[k];
    if (all != 0u)
        x[0] = all;
    barrier();
    for (uint k = 0u; k < 192u; k++)
        near[k] = 0xffu;
}
