/* SPDX-License-Identifier: MIT */
/* A rig of two bones along x, which has all of the momentum, as a constraint. Include it after cmocka.h. */
#ifndef SN_TESTS_SUPPORT_TWO_BONES_H
#define SN_TESTS_SUPPORT_TWO_BONES_H

#include "author/modes/modes.h"

/* The first bone's weight falls from 1 at x = 0 to 0 at x = length. */
static inline void sn_test_constrain_two_bones(const sn_tet_mesh *mesh, const double *mass, double length,
                                               sn_arena *arena, sn_constraint *constraint)
{
    const int n = mesh->vertex_count;
    double *weights = SN_NEW(arena, double, 2 * n), *leak = SN_NEW(arena, double, n);
    for (int v = 0; v < n; ++v) {
        weights[2 * v] = 1 - mesh->positions[3 * v] / length;
        weights[2 * v + 1] = 1 - weights[2 * v];
        leak[v] = 1;
    }
    const sn_constraint_rig rig = {2, weights, NULL};
    assert_int_equal(sn_constraint_build(mesh, mass, leak, &rig, arena, constraint), SN_OK);
}

#endif
