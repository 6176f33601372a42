// reads the push constant whose index is in its buffer
#version 450
layout(local_size_x = 1) in;
layout(push_constant) uniform Pushed { uint pushed[2]; };
layout(std430, binding = 0) buffer Out { uint line[]; };
void main()
{
    line[0] = pushed[line[0] & 1u];
}
