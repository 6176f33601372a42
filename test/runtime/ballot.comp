// What subgroups may do: a ballot, a sum of those before, a barrier.
#version 450
#extension GL_KHR_memory_scope_semantics : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_ballot : require
layout(local_size_x = 32) in;
layout(std430, binding = 0) buffer X { uint x[]; };
shared uint near[32];

void main()
{
    uint i = gl_LocalInvocationID.x;
    near[i] = subgroupBallot(x[i] > 1u).x;
    controlBarrier(gl_ScopeSubgroup, gl_ScopeSubgroup, gl_StorageSemanticsShared, gl_SemanticsAcquireRelease);
    x[i] = near[i ^ 1u] + subgroupExclusiveAdd(i);
}
