#version 450
@EXTENSIONS@
// @LABEL@
// @WHY@
layout(local_size_x = @GROUP@) in;
@BINDINGS@
@FUNCTIONS@
// A thread computes @THREAD_M@ x @THREAD_N@ elements from memory: a CPU has no shared memory worth using.
void main()
{
    uint tile = (gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x) * @GROUP@u + gl_LocalInvocationID.x;
    if (tile >= @TILES@u)
        return;
@BODY@}
