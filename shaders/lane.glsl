/* SPDX-License-Identifier: MIT */
/* The number of an invocation in its workgroup. A build may give them another order (CMake's SN_LANES): software Vulkan
 * runs a group's invocations one vector after the other, so that a missing barrier shows nothing else. In any order the
 * results must have the same bits. */
uint lane_of(uint count)
{
#if defined(SN_LANES_REVERSED)
    return count - 1 - gl_LocalInvocationIndex;
#elif defined(SN_LANES_TRANSPOSED)
    return gl_LocalInvocationIndex % 8 * (count / 8) + gl_LocalInvocationIndex / 8; // those of a vector lie apart
#else
    return gl_LocalInvocationIndex;
#endif
}
