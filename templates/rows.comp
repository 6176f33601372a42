#version 450
@EXTENSIONS@
// @LABEL@
// @WHY@
layout(local_size_x = @GROUP@) in;
@BINDINGS@
@FUNCTIONS@
void main()
{
    uint o = (gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x) * @GROUP@u + gl_LocalInvocationID.x;
    if (o >= @ROWS@u)
        return;
@BODY@}
