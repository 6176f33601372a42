// x[i] = x[i] + 1, the long way round: work that takes the device a while
#version 450
layout(local_size_x = 64) in;
layout(std430, binding = 0) buffer X { float x[]; };
void main()
{
    uint i = gl_GlobalInvocationID.x;
    float y = x[i], z = 0;
    for (uint k = 0; k < 4000; k++)
        z = z > 1 ? z - 1 : z + y * 0.001;
    x[i] = y + (z < 2 ? 1 : 0);
}
