// w[0], a loop that goes on, and the group counts after it: 0 when p is
#version 450
layout(local_size_x = 1) in;
layout(std430, binding = 0) buffer W { uint w[]; };
layout(std430, binding = 1) readonly buffer P { uint p[]; };
void main()
{
    for (uint i = 0; i < 4; i++)
        w[i] *= p[0];
}
