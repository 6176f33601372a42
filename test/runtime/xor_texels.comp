// c = a ^ b, of which a and b are texels
#version 450
layout(local_size_x = 64) in;
layout(binding = 0) uniform utextureBuffer a;
layout(binding = 1) uniform utextureBuffer b;
layout(std430, binding = 2) writeonly buffer C { uint c[]; };
void main()
{
    uint i = gl_GlobalInvocationID.x;
    if (i < c.length())
        c[i] = texelFetch(a, int(i / 4u))[i % 4u] ^ texelFetch(b, int(i / 4u))[i % 4u];
}
