/* SPDX-License-Identifier: MIT */
#include "author/cook/stages/stages.h"

float *sn_narrow(sn_arena *arena, const double *values, size_t count)
{
    float *narrowed = SN_NEW(arena, float, count);
    for (size_t i = 0; narrowed && i < count; ++i) {
        narrowed[i] = (float)values[i];
    }
    return narrowed;
}
