#version 450
@EXTENSIONS@
// @LABEL@
// @WHY@
layout(local_size_x = @GROUP@) in;
@BINDINGS@
@SHARED@
@FUNCTIONS@
// A workgroup computes @TILE_M@ x @TILE_N@ elements; a thread has its slice of the sums of @THREAD_M@ x @THREAD_N@.
void main()
{
    uint lid = gl_LocalInvocationID.x;
    uint tile = gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x;
    if (tile >= @TILES@u)
        return;
@BODY@}
