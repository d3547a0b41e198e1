/* SPDX-License-Identifier: MIT */
/* The step in a comparison subspace: what turns with its input, and where a long one ends. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/baselines/baseline_bar.h"

static double *place_rig(fixture *f, double angle, double shift)
{
    double *positions = SN_NEW(&f->arena, double, 3 * f->n);
    const double w[3] = {0, 0, angle};
    for (int v = 0; v < f->n; ++v) {
        const double *x = f->body.mesh.positions + 3 * v;
        double moved[3] = {0};
        if (angle != 0) {
            turn(w, x, moved);
        }
        for (int d = 0; d < 3; ++d) {
            positions[3 * v + d] = x[d] + moved[d];
        }
        positions[3 * v] -= shift * sin(angle);
        positions[3 * v + 1] += shift * cos(angle);
    }
    return positions;
}

/* A rig that jolts sideways, all of it turned by `angle`; the displacements come back turned to 0. */
static double *jolt(fixture *f, const sn_subspace *subspace, double angle)
{
    const sn_subspace_desc desc = {.time_step = 0.02, .iteration_limit = 200, .tolerance = 1e-12};
    sn_subspace_solver *solver = NULL;
    double *u = SN_NEW(&f->arena, double, 3 * f->n);
    assert_int_equal(sn_subspace_solver_create(&f->body, subspace, &desc, place_rig(f, angle, 0), &solver), SN_OK);
    assert_int_equal(sn_subspace_solver_step(solver, place_rig(f, angle, 0)), 1); /* at rest */
    for (int frame = 1; frame < 12; ++frame) {
        sn_subspace_solver_step(solver, place_rig(f, angle, 0.3 * sin(0.5 * frame)));
    }
    sn_subspace_solver_displacements(solver, u);
    assert_true(sn_subspace_solver_potential(solver) > 0);
    sn_subspace_solver_destroy(&solver);
    for (int v = 0; v < f->n; ++v) {
        const double x = u[3 * v], y = u[3 * v + 1];
        u[3 * v] = cos(angle) * x + sin(angle) * y;
        u[3 * v + 1] = cos(angle) * y - sin(angle) * x;
    }
    return u;
}

static double turned_difference(fixture *f, const sn_subspace *subspace)
{
    const double *before = jolt(f, subspace, 0), *after = jolt(f, subspace, 1.3);
    double *difference = SN_NEW(&f->arena, double, 3 * f->n);
    for (int i = 0; i < 3 * f->n; ++i) {
        difference[i] = after[i] - before[i];
    }
    assert_true(sn_mass_norm(f->body.mass, f->n, before) > 1e-3);
    return sn_mass_norm(f->body.mass, f->n, difference) / sn_mass_norm(f->body.mass, f->n, before);
}

static void test_only_weights_turn_with_their_input(void **state)
{
    (void)state;
    fixture f;
    sn_subspace displacement, derivatives, skinning, late; /* late: constrained after its weights */
    sn_constraint constraint;
    sn_modes modes;
    double eigenvalues[24];
    start(&f, 12, 3, 3, 0.1);
    assert_int_equal(sn_momentum_leak(&f.body.mesh, f.body.gradients, f.body.volumes, f.body.mass, &f.arena, f.leak),
                     SN_OK);
    hold_by_rig(&f);
    assert_int_equal(sn_displacement_modes(&f.body, 24, &f.arena, eigenvalues, &displacement), SN_OK);
    sn_subspace primary = {6, displacement.basis};
    assert_int_equal(sn_modal_derivatives(&f.body, &primary, eigenvalues, 24, &f.arena, &derivatives), SN_OK);
    assert_int_equal(sn_constraint_build(&f.body.mesh, f.body.mass, f.leak,
                                         &(sn_constraint_rig){1, f.rig_weights, NULL}, &f.arena, &constraint),
                     SN_OK);
    assert_int_equal(sn_modes_build(&f.body.mesh, f.body.gradients, f.body.volumes, f.body.mass, NULL, &constraint, 2,
                                    &f.arena, &modes),
                     SN_OK);
    assert_int_equal(sn_weight_subspace(&f.body, modes.weights, 2, true, &f.arena, &skinning), SN_OK);
    const sn_constraint none = {.row_count = 0};
    assert_int_equal(
        sn_modes_build(&f.body.mesh, f.body.gradients, f.body.volumes, f.body.mass, NULL, &none, 3, &f.arena, &modes),
        SN_OK);
    assert_int_equal(sn_weight_subspace(&f.body, modes.weights, 3, true, &f.arena, &late), SN_OK);
    assert_int_equal(sn_subspace_constrain(&f.body, &f.arena, &late), SN_OK);
    const sn_subspace *const all[] = {&displacement, &derivatives, &skinning, &late};
    for (int i = 0; i < 4; ++i) {
        assert_int_equal(all[i]->dimension, 24);
        assert_orthonormal(&f, all[i]);
        assert_complementary(&f, all[i]);
    }
    assert_true(turned_difference(&f, &skinning) < 1e-8 && turned_difference(&f, &late) < 1e-8);
    assert_true(turned_difference(&f, &displacement) > 1e-2);
    assert_true(turned_difference(&f, &derivatives) > 1e-2);
    stop(&f);
}

/* Under its weight a step of a long time ends where no direction of the subspace lowers the potential. */
static void test_a_long_step_ends_in_equilibrium(void **state)
{
    (void)state;
    fixture f;
    sn_subspace modes;
    double eigenvalues[8], potential[2];
    start(&f, 10, 2, 2, 0.1);
    pin_end(&f);
    assert_int_equal(sn_displacement_modes(&f.body, 8, &f.arena, eigenvalues, &modes), SN_OK);
    for (int more = 0; more < 2; ++more) {
        const sn_subspace_desc desc = {
            .time_step = 1e3, .gravity = {0, -0.002, 0}, .iteration_limit = 20000, .tolerance = more ? 1e-13 : 1e-9};
        sn_subspace_solver *solver = NULL;
        assert_int_equal(sn_subspace_solver_create(&f.body, &modes, &desc, f.body.mesh.positions, &solver), SN_OK);
        sn_subspace_solver_step(solver, f.body.mesh.positions);
        potential[more] = sn_subspace_solver_potential(solver);
        sn_subspace_solver_destroy(&solver);
    }
    /* Linear theory: minus half the work of the weight, q^T E q / 2 = (U^T M g)^2 / (2 E). */
    double linear = 0;
    for (int c = 0; c < 8; ++c) {
        double force = 0;
        for (int v = 0; v < f.n; ++v) {
            force -= 0.002 * f.body.mass[v] * modes.basis[3 * (size_t)f.n * (size_t)c + 3 * (size_t)v + 1];
        }
        linear -= force * force / (2 * eigenvalues[c]);
    }
    assert_true(potential[0] < 0 && fabs(potential[1] / potential[0] - 1) < 1e-4);
    assert_true(fabs(potential[1] / linear - 1) < 0.02);
    stop(&f);
}

int test_subspace_step(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_only_weights_turn_with_their_input),
        cmocka_unit_test(test_a_long_step_ends_in_equilibrium),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
