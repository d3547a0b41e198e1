/* SPDX-License-Identifier: MIT */
/* A short bar with three keys, some of whose vertices are held. */
#ifndef SN_TESTS_SPACETIME_SEQUENCES_H
#define SN_TESTS_SPACETIME_SEQUENCES_H

#include <math.h>
#include <string.h>

#include "author/spacetime/residual.h"
#include "tests/support/bar.h"

#define KEYS 3

typedef enum held_kind {
    HELD_FOOT,  /* the same vertices in all positions and velocities */
    HELD_APART, /* others for velocities, and in the last key */
    HELD_NOTHING,
    HELD_SHAPES /* all positions; the foot's velocities */
} held_kind;

typedef struct sequence {
    sn_arena arena;
    sn_tet_mesh mesh;
    sn_spacetime_key keys[KEYS];
    sn_spacetime_input input;
    sn_spacetime_desc desc;
} sequence;

static inline void sn_test_bend(double amount, double *x)
{
    const double y = x[1] + amount * x[0] * x[0];
    x[1] = y * (1 + 0.2 * amount * x[0]);
    x[2] += 0.3 * amount * x[0];
}

static inline void sequence_start(sequence *s, held_kind held, bool is_cyclic)
{
    *s = (sequence){.desc = sn_default_spacetime_desc()};
    s->mesh = sn_test_bar(&s->arena, 4, 2, 2, 0.25);
    const size_t n = (size_t)s->mesh.vertex_count;
    for (int key = 0; key < KEYS; ++key) {
        double *positions = SN_NEW(&s->arena, double, 3 * n), *velocities = SN_NEW(&s->arena, double, 3 * n);
        bool *is_fixed = SN_NEW(&s->arena, bool, n), *is_velocity_fixed = SN_NEW(&s->arena, bool, n);
        SN_ASSERT(positions && velocities && is_fixed && is_velocity_fixed);
        memcpy(positions, s->mesh.positions, 3 * n * sizeof *positions);
        for (size_t v = 0; v < n; ++v) {
            const bool is_foot = s->mesh.positions[3 * v] < 1e-9;
            sn_test_bend(key - 1, positions + 3 * v);
            velocities[3 * v + 1] = is_foot ? 0 : 0.3 * sin((double)v + key);
            is_fixed[v] = held == HELD_SHAPES ||
                          (held != HELD_NOTHING && (is_foot || (held == HELD_APART && key == 2 && v % 3 == 0)));
            is_velocity_fixed[v] =
                held == HELD_FOOT || held == HELD_SHAPES ? is_foot : held == HELD_APART && v % 7 == 0;
        }
        s->keys[key] = (sn_spacetime_key){positions, velocities, is_fixed, is_velocity_fixed, 0.4 + 0.1 * key, 5 + key};
    }
    s->input = (sn_spacetime_input){.mesh = &s->mesh,
                                    .material = {.volume = 20, .strain = 30, .density = 2},
                                    .damping = 0.5,
                                    .gravity = {0, -1, 0},
                                    .key_count = KEYS,
                                    .keys = s->keys,
                                    .is_cyclic = is_cyclic};
}

#endif
