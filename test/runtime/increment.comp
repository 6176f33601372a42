// n[0] += 1
#version 450
layout(local_size_x = 1) in;
layout(std430, binding = 0) buffer N { uint n[]; };
void main()
{
    n[0] += 1;
}
