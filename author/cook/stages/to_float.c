/* SPDX-License-Identifier: MIT */
#include "author/cook/stages/stages.h"

float *sn_to_float(sn_arena *arena, const double *values, size_t count)
{
    float *converted = SN_NEW(arena, float, count);
    for (size_t i = 0; converted && i < count; ++i) {
        converted[i] = (float)values[i];
    }
    return converted;
}
