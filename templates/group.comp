#version 450
@EXTENSIONS@
// @LABEL@
// @WHY@
layout(local_size_x = @GROUP@) in;
@BINDINGS@
@SHARED@
@FUNCTIONS@
void main()
{
    uint lid = gl_LocalInvocationID.x;
@BODY@}
