#version 450
@EXTENSIONS@
// @LABEL@
// @WHY@
layout(local_size_x = @GROUP@) in;
@BINDINGS@
@SHARED@
@FUNCTIONS@
@FINISH@// A workgroup computes @TILE_M@ x @TILE_N@ elements, as one matrix of its matrix units.
void main()
{
    uint tile = gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x;
    if (tile >= @TILES@u)
        return;
@BODY@}
