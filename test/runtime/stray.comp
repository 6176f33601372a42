// x[i] = y[i], without asking how many there are
#version 450
layout(local_size_x = 64) in;
layout(std430, binding = 0) writeonly buffer X { uint x[]; };
layout(std430, binding = 1) readonly buffer Y { uint y[]; };
void main()
{
    uint i = gl_GlobalInvocationID.x;
    x[i] = y[i];
}
