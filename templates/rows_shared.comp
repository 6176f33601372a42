#version 450
@EXTENSIONS@
// @LABEL@
// @WHY@
layout(local_size_x = @GROUP@) in;
@BINDINGS@
@SHARED@
@FUNCTIONS@
// A workgroup has @GROUP_ROWS@ rows, and @ROW_THREADS@ threads share a row.
void main()
{
    uint lid = gl_LocalInvocationID.x;
    uint part = @PART@, row = @ROW@;
    uint o = (gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x) * @GROUP_ROWS@u + row;
    bool live = o < @ROWS@u;
    o = min(o, @LAST_ROW@u); // every thread reaches every barrier
@BODY@}
