/* SPDX-License-Identifier: MIT */
#include "compute/reduced/private.h"
#include "host/contact/grid.h"

static float shape_of(const sn_collider *c)
{
    static const float shapes[] = {[SN_COLLIDER_PLANE] = SN_REDUCED_PLANE,
                                   [SN_COLLIDER_SPHERE] = SN_REDUCED_SPHERE,
                                   [SN_COLLIDER_CAPSULE] = SN_REDUCED_CAPSULE,
                                   [SN_COLLIDER_BOX] = SN_REDUCED_BOX,
                                   [SN_COLLIDER_GRID] = SN_REDUCED_GRID};
    return shapes[c->shape];
}

/* The layout is in shaders/shared/reduced.h. */
void sn_gpu_reduced_pack_collider(const sn_gpu_reduced *r, const sn_collider *c, const double *root, float *rows)
{
    const bool is_grid = c->shape == SN_COLLIDER_GRID;
    const double *extents = is_grid ? c->grid->origin : c->half_extents;
    for (int i = 0; i < 12; ++i) {
        rows[i] = (float)(c->transform[i] - (root && i % 4 == 3 ? root[i] : 0));
        rows[12 + i] = (float)(c->transform[i] - c->transform_before[i]);
    }
    for (int d = 0; d < 3; ++d) {
        rows[24 + d] = (float)extents[d];
    }
    rows[27] = (float)(is_grid ? c->grid->spacing : c->radius);
    rows[28] = (float)(is_grid ? c->grid->slope : c->half_height);
    rows[29] = (float)c->friction;
    rows[30] = shape_of(c);
    rows[31] = is_grid ? (float)sn_gpu_grids_first(&r->grids, c->grid) : 0;
    rows[32] = (float)(c->key & 0xffff);
    rows[33] = (float)(c->key >> 16);
    rows[34] = rows[35] = 0;
}
