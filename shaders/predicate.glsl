//! What a condition came to, of which only the lowest byte counts.
//! needs: binding 1
//! provides: predicate()
//! threads: any
layout(std430, binding = 1) readonly buffer Predicate { uint p[]; };

uint predicate()
{
    return (p[0] & 0xffu) != 0u ? 1u : 0u;
}
