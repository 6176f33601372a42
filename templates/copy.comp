#version 450
// @LABEL@
// a copy command cannot be turned off by a word in memory
layout(local_size_x = @GROUP@) in;
layout(std430, binding = 0) readonly buffer From { uint from[]; };
layout(std430, binding = 1) writeonly buffer To { uint to[]; };
void main()
{
    for (uint i = gl_GlobalInvocationID.x; i < to.length(); i += gl_NumWorkGroups.x * @GROUP@u)
        to[i] = from[i];
}
