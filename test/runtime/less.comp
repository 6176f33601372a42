// p[0] = a[0] < b[0]
#version 450
layout(local_size_x = 1) in;
layout(std430, binding = 0) readonly buffer A { uint a[]; };
layout(std430, binding = 1) readonly buffer B { uint b[]; };
layout(std430, binding = 2) writeonly buffer P { uint p[]; };
void main()
{
    p[0] = a[0] < b[0] ? 1 : 0;
}
