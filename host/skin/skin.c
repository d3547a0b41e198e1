/* SPDX-License-Identifier: MIT */
#include "host/skin/skin.h"

#include <stddef.h>

void sn_skin_add(const float *weights, int weight_count, const double *transforms, const float *rest_positions,
                 int vertex_count, double *positions)
{
    for (int v = 0; v < vertex_count; ++v, weights += weight_count, rest_positions += 3, positions += 3) {
        double blended[12] = {0};
        for (int j = 0; j < weight_count; ++j) {
            const double weight = (double)weights[j];
            const double *t = transforms + 12 * (size_t)j;
            for (int i = 0; i < 12; ++i) {
                blended[i] += weight * t[i];
            }
        }
        for (int d = 0; d < 3; ++d) {
            const double *row = blended + 4 * d;
            positions[d] += row[0] * (double)rest_positions[0] + row[1] * (double)rest_positions[1] +
                            row[2] * (double)rest_positions[2] + row[3];
        }
    }
}
