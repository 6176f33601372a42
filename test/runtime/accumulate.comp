// x += y, in place
#version 450
layout(local_size_x = 64) in;
layout(std430, binding = 0) buffer X { float x[]; };
layout(std430, binding = 1) readonly buffer Y { float y[]; };
void main()
{
    uint i = gl_GlobalInvocationID.x;
    if (i < x.length())
        x[i] += y[i];
}
