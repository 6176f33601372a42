// out[i] = pushed[0] * i + pushed[1]
#version 450
layout(local_size_x = 64) in;
layout(push_constant) uniform Pushed { uint pushed[2]; };
layout(std430, binding = 0) writeonly buffer Out { uint line[]; };
void main()
{
    uint i = gl_GlobalInvocationID.x;
    if (i < line.length())
        line[i] = pushed[0] * i + pushed[1];
}
