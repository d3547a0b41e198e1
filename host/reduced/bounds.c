/* SPDX-License-Identifier: MIT */
/* Displacement bounds, and rigs relative to their root. */
#include <math.h>

#include "host/reduced/solver.h"

double sn_reduced_squared_bound(const sn_model *model, int i, double dx, double dy, double dz)
{
    const double bound = model->coordinate_bounds[i];
    return bound * bound * (dx * dx + dy * dy + dz * dz);
}

double sn_reduced_displacement_bound(const sn_model *model, const double *coordinates)
{
    double square = 0;
    for (int i = 0; i < model->counts.coordinate_count; ++i, coordinates += 3) {
        square += sn_reduced_squared_bound(model, i, coordinates[0], coordinates[1], coordinates[2]);
    }
    return sqrt(square);
}

void sn_reduced_centre_rig(const sn_model *model, const double *rig, double *centred)
{
    for (int b = 0; b < model->counts.bone_count; ++b, rig += 12, centred += 12) {
        const double *root = rig - 12 * (size_t)b + 9;
        for (int i = 0; i < 9; ++i) {
            centred[i] = rig[i];
        }
        for (int d = 0; d < 3; ++d) {
            centred[9 + d] = rig[9 + d] - root[d];
        }
    }
}
