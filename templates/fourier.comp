#version 450
@EXTENSIONS@
// @LABEL@
// @WHY@
layout(local_size_x = @GROUP@) in;
@BINDINGS@
@SHARED@
@FUNCTIONS@
// A workgroup has @GROUP_ROWS@ lines, and @ROW_THREADS@ threads share a line.
void main()
{
    uint lid = gl_LocalInvocationID.x;
    uint row0 = (gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x) * @GROUP_ROWS@u;
    if (row0 >= @ROWS@u)
        return;
@BODY@}
