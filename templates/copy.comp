#version 450
@EXTENSIONS@// @LABEL@
layout(local_size_x = @GROUP@) in;
@BUFFERS@
@FUNCTIONS@
void main()
{
    uint threads = gl_NumWorkGroups.x * @GROUP@u;
@COPIES@}
