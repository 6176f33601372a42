#version 450
// @LABEL@
// @WHY@
layout(local_size_x = 1) in;
layout(std430, binding = 0) buffer Words { uint w[]; };

#include "gate.glsl"

@PREDICATE@
// Words are 0 or 1, followed by the group counts of the dispatches that depend on them.
void main()
{
@BODY@}
