// c = a + b, which are large: each is the addresses of its parts of 64 KiB
#version 450
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference_uvec2 : require
layout(local_size_x = 64) in;
layout(buffer_reference, std430, buffer_reference_align = 16) buffer Part { float at[]; };
layout(std430, binding = 0) readonly buffer A { uvec2 a[]; };
layout(std430, binding = 1) readonly buffer B { uvec2 b[]; };
layout(std430, binding = 2) readonly buffer C { uvec2 c[]; };
layout(std430, binding = 3) readonly buffer D { uint count; };
void main()
{
    uint i = gl_WorkGroupID.x * 64 + gl_LocalInvocationID.x;
    if (i < count)
        Part(c[i >> 14]).at[i & 16383] = Part(a[i >> 14]).at[i & 16383] + Part(b[i >> 14]).at[i & 16383];
}
