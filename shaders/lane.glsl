/* SPDX-License-Identifier: MIT */
/* Index of an invocation in its workgroup. A build may permute it (CMake's SN_LANES): software Vulkan runs the
 * invocations of a group one vector after the other, so a missing barrier shows up only in another order. The results
 * must have the same bits in any order. */
uint lane_of(uint count)
{
#if defined(SN_LANES_REVERSED)
    return count - 1 - gl_LocalInvocationIndex;
#elif defined(SN_LANES_TRANSPOSED)
    return gl_LocalInvocationIndex % 8 * (count / 8) + gl_LocalInvocationIndex / 8; // separates the invocations of a
                                                                                    // vector
#else
    return gl_LocalInvocationIndex;
#endif
}
