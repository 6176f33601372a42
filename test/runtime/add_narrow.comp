// c = a + b, an element for each workgroup
#version 450
layout(local_size_x = 1) in;
layout(std430, binding = 0) readonly buffer A { float a[]; };
layout(std430, binding = 1) readonly buffer B { float b[]; };
layout(std430, binding = 2) writeonly buffer C { float c[]; };
void main()
{
    uint i = gl_WorkGroupID.x;
    if (i < c.length())
        c[i] = a[i] + b[i];
}
