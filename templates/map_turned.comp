#version 450
@EXTENSIONS@
// @LABEL@
// @WHY@
layout(local_size_x = @GROUP@) in;
@BINDINGS@
@SHARED@
@FUNCTIONS@
// A workgroup takes a tile; what runs across it in memory is turned on the way.
void main()
{
    uint lid = gl_LocalInvocationID.x;
    uint tile = gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x;
    if (tile >= @TILES@u)
        return;
@BODY@}
