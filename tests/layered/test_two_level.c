/* SPDX-License-Identifier: MIT */
/* Two-level steps: nearer to many sweeps than one level is, the same where nothing is left to do, alike on coarse and
 * fine meshes, momenta kept, limbs that lie close not tied. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "host/layered/solver.h"
#include "tests/layered/layered_test.h"

#define FRAMES 4

typedef struct run {
    sn_layered_mode mode;
    int substeps, sweeps;
    bool is_double;
} run;

/* The leg's jump with its knee bent, at 30 frames a second; places (FRAMES x vertex_count x 3). */
static void jump(sn_test_leg *leg, run by, double *places)
{
    leg->desc.mode = by.mode;
    sn_layered_model *model = sn_leg_model(leg);
    sn_layered_settings settings = sn_default_layered_settings();
    settings.time_step = 1.0 / 30;
    settings.substep_count = by.substeps;
    settings.sweep_count = by.sweeps;
    settings.is_double = by.is_double;
    settings.gravity[1] = -9.81;
    sn_layered_body *body = sn_leg_body(model, &settings);
    for (int f = 0; f < FRAMES; ++f) {
        double pose[24];
        sn_leg_pose(0.3 * sin(0.1 * (f + 1)), 0.6 * (1 - cos(0.2 * (f + 1))), 0, pose);
        assert_false(sn_layered_body_step(body, pose, NULL).is_recovered);
        sn_layered_body_positions(body, places + 3 * (size_t)f * (size_t)leg->desc.vertex_count);
    }
    sn_layered_body_destroy(&body);
    sn_layered_model_destroy(&model);
}

static double *frames_of(sn_test_leg *leg)
{
    double *places = SN_NEW(&leg->arena, double, 3 * FRAMES * leg->desc.vertex_count);
    assert_non_null(places);
    return places;
}

static double jump_error(const sn_test_leg *leg, const double *a, const double *b)
{
    double sum = 0;
    for (size_t f = 0; f < FRAMES; ++f) {
        const size_t at = 3 * f * (size_t)leg->desc.vertex_count;
        const double one = sn_leg_distance(leg, a + at, b + at);
        sum += one * one / FRAMES;
    }
    return sqrt(sum);
}

/* Stiff flesh of a fine mesh, few substeps: what one sweep leaves out, the lattice does. */
static void test_few_substeps_are_near_to_many_sweeps(void **state)
{
    (void)state;
    sn_test_leg leg = sn_test_leg_make(12, 28);
    double *exact = frames_of(&leg), *places = frames_of(&leg), errors[2];
    sn_leg_material(&leg, 1e6, 0.4, 1);
    jump(&leg, (run){SN_LAYERED_UNORDERED, 10, 20, false}, exact);
    for (int i = 0; i < 2; ++i) {
        jump(&leg, (run){i == 0 ? SN_LAYERED_UNORDERED : SN_LAYERED_TWO_LEVEL, 10, 1, false}, places);
        errors[i] = jump_error(&leg, places, exact);
    }
    print_message("10 substeps: one level %.2f mm, two %.2f\n", 1e3 * errors[0], 1e3 * errors[1]);
    assert_true(errors[1] < 0.4 * errors[0]);
    assert_true(errors[1] < 1e-3);
    sn_arena_finish(&leg.arena);
}

/* Where sweeps, or substeps, leave nothing to do, the lattice does nothing. */
static void test_many_sweeps_end_where_one_level_does(void **state)
{
    (void)state;
    static const run runs[2] = {{SN_LAYERED_UNORDERED, 4, 30, true}, {SN_LAYERED_UNORDERED, 250, 1, true}};
    sn_test_leg leg = sn_test_leg_make(4, 10);
    double *one = frames_of(&leg), *two = frames_of(&leg);
    for (int i = 0; i < 2; ++i) {
        run by = runs[i];
        jump(&leg, by, one);
        by.mode = SN_LAYERED_TWO_LEVEL;
        jump(&leg, by, two);
        const double apart = jump_error(&leg, one, two);
        print_message("%d substeps, %d sweeps: %.1e mm apart\n", by.substeps, by.sweeps, 1e3 * apart);
        assert_true(apart < (i == 0 ? 1e-6 : 3e-5));
    }
    sn_arena_finish(&leg.arena);
}

/* Bones carry what is within a third of the radius, on any mesh. */
static void carry_core(sn_test_leg *leg)
{
    for (int v = 0; v < leg->desc.vertex_count; ++v) {
        const double *x = leg->positions + 3 * v, out = sqrt(x[0] * x[0] + x[2] * x[2]);
        leg->bones[v] = out > 0.34 * SN_LEG_RADIUS || fabs(x[1]) < 0.9 * SN_LEG_RADIUS ? -1 : x[1] > 0 ? 0 : 1;
    }
}

/* Root of the mean square distance of a leg's vertices to the same ones of twice as fine a leg. */
static double meshes_apart(sn_layered_mode mode)
{
    const int across = 6, along = 14;
    sn_test_leg coarse = sn_test_leg_make(across, along), fine = sn_test_leg_make(2 * across, 2 * along);
    sn_test_leg *const legs[2] = {&coarse, &fine};
    double *places[2], sum = 0;
    for (int i = 0; i < 2; ++i) {
        carry_core(legs[i]);
        sn_leg_material(legs[i], 1e6, 0.4, 1);
        places[i] = frames_of(legs[i]);
        jump(legs[i], (run){mode, 10, 1, false}, places[i]);
    }
    for (int v = 0; v < coarse.desc.vertex_count; ++v) {
        const int x = v % (across + 1), y = v / (across + 1) % (along + 1), z = v / ((across + 1) * (along + 1));
        const int same = (2 * z * (2 * along + 1) + 2 * y) * (2 * across + 1) + 2 * x;
        const size_t last = FRAMES - 1;
        assert_true(sn_distance3(coarse.positions + 3 * v, fine.positions + 3 * same) < 1e-12);
        const double apart = sn_distance3(places[0] + 3 * (last * (size_t)coarse.desc.vertex_count + (size_t)v),
                                          places[1] + 3 * (last * (size_t)fine.desc.vertex_count + (size_t)same));
        sum += apart * apart / coarse.desc.vertex_count;
    }
    sn_arena_finish(&coarse.arena);
    sn_arena_finish(&fine.arena);
    return sqrt(sum);
}

static void test_coarse_and_fine_meshes_are_alike(void **state)
{
    (void)state;
    const double one = meshes_apart(SN_LAYERED_UNORDERED), two = meshes_apart(SN_LAYERED_TWO_LEVEL);
    print_message("meshes apart: one level %.2f mm, two %.2f\n", 1e3 * one, 1e3 * two);
    assert_true(two < 0.6 * one);
}

/* How far the centre of mass of flesh that nothing holds drifts in two seconds besides its momentum; it is stiff, in
 * few substeps, and spins. spin: share of its angular momentum that it loses. */
static double drift(sn_layered_mode mode, bool is_double, double *spin)
{
    sn_test_leg leg = sn_test_leg_make(4, 10);
    double pose[24], *velocities = sn_leg_places(&leg), mass = 0, square = 0;
    sn_leg_set_free(&leg);
    sn_leg_material(&leg, 1e6, 0.4, 1);
    leg.desc.mode = mode;
    sn_layered_model *model = sn_leg_model(&leg);
    sn_layered_settings settings = sn_default_layered_settings();
    settings.substep_count = 10;
    settings.is_double = is_double;
    sn_layered_body *body = sn_leg_body(model, &settings);
    for (int v = 0; v < leg.desc.vertex_count; ++v) { /* about z, and in itself */
        const double *x = leg.positions + 3 * v;
        velocities[3 * v] = -4 * x[1] + 0.2 * sin(40 * x[1]);
        velocities[3 * v + 1] = 4 * x[0];
        velocities[3 * v + 2] = 0.2 * cos(60 * x[0]);
    }
    sn_xpbd_body_set_velocities(body->flesh, velocities);
    const sn_xpbd_energy before = sn_xpbd_body_energy(body->flesh);
    sn_leg_pose(0, 0, 0, pose);
    for (int i = 0; i < 120; ++i) {
        assert_false(sn_layered_body_step(body, pose, NULL).is_recovered);
    }
    const sn_xpbd_energy after = sn_xpbd_body_energy(body->flesh);
    double *places = velocities, way[3] = {0};
    sn_layered_body_positions(body, places);
    for (int v = 0; v < leg.desc.vertex_count; ++v) {
        mass += leg.masses[v];
        for (int d = 0; d < 3; ++d) {
            way[d] += leg.masses[v] * (places[3 * v + d] - leg.positions[3 * v + d]);
        }
    }
    for (int d = 0; d < 3; ++d) {
        const double besides = (way[d] - 2 * before.momentum[d]) / mass;
        square += besides * besides;
    }
    *spin = 1 - sn_length3(after.angular_momentum) / sn_length3(before.angular_momentum);
    sn_layered_body_destroy(&body);
    sn_layered_model_destroy(&model);
    sn_arena_finish(&leg.arena);
    return sqrt(square);
}

/* Momentum but for rounding; angular momentum as well as one level does, whose steps of time lose some. */
static void test_free_flesh_keeps_its_momenta(void **state)
{
    (void)state;
    double spins[3];
    drift(SN_LAYERED_UNORDERED, true, &spins[0]);
    const double exact = drift(SN_LAYERED_TWO_LEVEL, true, &spins[1]);
    const double rounded = drift(SN_LAYERED_TWO_LEVEL, false, &spins[2]);
    print_message("drift in 2 s: %.1e mm, in float %.1e; angular momentum lost: %.4f, in float %.4f, one level %.4f\n",
                  1e3 * exact, 1e3 * rounded, spins[1], spins[2], spins[0]);
    assert_true(exact < 1e-8);
    assert_true(rounded < 5e-4);
    assert_true(fabs(spins[1]) < 1.1 * fabs(spins[0]));
    assert_true(fabs(spins[2]) < 1.1 * fabs(spins[0]));
}

/* Flesh that bones carry whole has no cells. */
static void test_carried_flesh_has_no_lattice(void **state)
{
    (void)state;
    sn_test_leg leg = sn_test_leg_make(2, 2);
    double pose[24], *places = sn_leg_places(&leg);
    for (int v = 0; v < leg.desc.vertex_count; ++v) {
        leg.bones[v] = 0;
    }
    leg.desc.mode = SN_LAYERED_TWO_LEVEL;
    sn_layered_model *model = sn_leg_model(&leg);
    assert_int_equal(model->lattice->cell_count, 0);
    const sn_layered_settings settings = sn_default_layered_settings();
    sn_layered_body *body = sn_leg_body(model, &settings);
    sn_leg_pose(0.5, 0, 0, pose);
    assert_false(sn_layered_body_step(body, pose, NULL).is_recovered);
    sn_layered_body_positions(body, places);
    assert_true(fabs(places[1] - leg.positions[1] - 0.5) < 1e-6);
    sn_layered_body_destroy(&body);
    sn_layered_model_destroy(&model);
    sn_arena_finish(&leg.arena);
}

/* ---- the lattice ---- */

/* A bar bent to a U whose limbs are a fifth of a cube apart: no node moves both, but for those where they join. */
static void test_close_limbs_have_nodes_of_their_own(void **state)
{
    (void)state;
    sn_test_leg leg = {0};
    const int nx = 7, ny = 12;
    sn_tet_mesh mesh = sn_test_bar(&leg.arena, nx, ny, 2, 0.1);
    int32_t kept = 0;
    for (int t = 0; t < mesh.tet_count; ++t) { /* without the cubes of a slit */
        const int cube = t / 6, x = cube % nx, y = cube / nx % ny;
        if (x != 3 || y < 2) {
            memcpy(mesh.tets + 4 * kept++, mesh.tets + 4 * t, 4 * sizeof *mesh.tets);
        }
    }
    for (int v = 0; v < mesh.vertex_count; ++v) {
        mesh.positions[3 * v] -= mesh.positions[3 * v] > 0.35 ? 0.08 : 0;
    }
    leg = (sn_test_leg){.arena = leg.arena, .positions = mesh.positions, .tets = mesh.tets};
    leg.masses = SN_NEW(&leg.arena, double, mesh.vertex_count);
    leg.stiffness = SN_NEW(&leg.arena, double, 7 * kept);
    for (int v = 0; v < mesh.vertex_count; ++v) {
        leg.masses[v] = 1e-3; /* those of the slit have no tets */
    }
    leg.desc = (sn_layered_desc){.vertex_count = mesh.vertex_count,
                                 .positions = leg.positions,
                                 .masses = leg.masses,
                                 .tet_count = kept,
                                 .tets = leg.tets,
                                 .stiffness = leg.stiffness,
                                 .bone_count = 1,
                                 .mode = SN_LAYERED_TWO_LEVEL};
    sn_leg_material(&leg, 1e5, 0.4, 1);
    sn_layered_model *model = sn_leg_model(&leg);
    const sn_xpbd_lattice *lattice = model->lattice;
    int *sides = SN_NEW(&leg.arena, int, lattice->node_count), both = 0;
    for (int v = 0; v < mesh.vertex_count; ++v) {
        const size_t row = (size_t)model->flesh->rows[v];
        for (size_t c = 0; c < CELL_NODES; ++c) {
            if (leg.positions[3 * v + 1] > 0.8 && lattice->shares[CELL_NODES * row + c] != 0) {
                sides[lattice->nodes[CELL_NODES * row + c] / 4] |= leg.positions[3 * v] < 0.31 ? 1 : 2;
            }
        }
    }
    for (int n = 0; n < lattice->node_count; ++n) {
        both += sides[n] == 3;
    }
    assert_int_equal(both, 0);
    sn_layered_model_destroy(&model);
    sn_arena_finish(&leg.arena);
}

/* Rows' shares add up to one, nodes' masses to the flesh's, cells' means of F are those of an affine map. */
static void test_lattice_reproduces_affine_maps(void **state)
{
    (void)state;
    static const double map[9] = {0.2, 0.5, -0.3, -0.1, 0.4, 0.25, 0.15, -0.2, 0.3};
    sn_test_leg leg = sn_test_leg_make(6, 14);
    sn_leg_set_free(&leg);
    leg.desc.mode = SN_LAYERED_TWO_LEVEL;
    sn_layered_model *model = sn_leg_model(&leg);
    const sn_xpbd_lattice *l = model->lattice;
    double mass = 0, whole = 0, worst = 0;
    for (int n = 0; n < l->node_count; ++n) {
        mass += l->inverse_masses[n] > 0 ? 1 / (double)l->inverse_masses[n] : 0;
    }
    for (int v = 0; v < leg.desc.vertex_count; ++v) {
        double sum = 0;
        for (size_t c = 0; c < CELL_NODES; ++c) {
            sum += (double)l->shares[CELL_NODES * (size_t)v + c];
        }
        whole += leg.masses[v];
        assert_true(fabs(sum - 1) < 1e-6);
    }
    assert_true(fabs(mass / whole - 1) < 1e-5);
    for (int cell = 0; cell < l->cell_count; ++cell) {
        double g[9] = {0};
        for (int i = l->starts[cell]; i < l->starts[cell + 1]; ++i) {
            const double *x = leg.positions + 3 * model->flesh->order[l->members[i] / 4];
            for (int k = 0; k < 9; ++k) {
                const double moved = map[k / 3 * 3] * x[0] + map[k / 3 * 3 + 1] * x[1] + map[k / 3 * 3 + 2] * x[2];
                g[k] += moved * (double)l->gradients[4 * i + k % 3];
            }
        }
        for (int k = 0; k < 9; ++k) {
            worst = fmax(worst, fabs(g[k] - map[k]));
        }
    }
    assert_true(worst < 1e-5);
    sn_layered_model_destroy(&model);
    sn_arena_finish(&leg.arena);
}

/* Flesh with fibres that turn along it: cells' constraints are along axes of their own, what they leave to tets is not.
 */
static void test_fibres_may_turn(void **state)
{
    (void)state;
    sn_test_leg leg = sn_test_leg_make(6, 14);
    double *frames = SN_NEW(&leg.arena, double, 9 * leg.desc.tet_count), *exact = frames_of(&leg),
           *places = frames_of(&leg), errors[2];
    for (int t = 0; t < leg.desc.tet_count; ++t) {
        const double angle = 4 * leg.positions[3 * leg.tets[4 * t] + 1], c = cos(angle), s = sin(angle);
        const double axes[9] = {c, 0, s, 0, 1, 0, -s, 0, c};
        memcpy(frames + 9 * t, axes, sizeof axes);
    }
    sn_leg_material(&leg, 3e5, 0.4, 4);
    leg.desc.frames = frames;
    jump(&leg, (run){SN_LAYERED_UNORDERED, 5, 20, false}, exact);
    for (int i = 0; i < 2; ++i) {
        jump(&leg, (run){i == 0 ? SN_LAYERED_UNORDERED : SN_LAYERED_TWO_LEVEL, 5, 1, false}, places);
        errors[i] = jump_error(&leg, places, exact);
    }
    print_message("fibres: one level %.2f mm, two %.2f\n", 1e3 * errors[0], 1e3 * errors[1]);
    assert_true(errors[1] < 0.6 * errors[0]);
    sn_arena_finish(&leg.arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_few_substeps_are_near_to_many_sweeps),
                                       cmocka_unit_test(test_many_sweeps_end_where_one_level_does),
                                       cmocka_unit_test(test_coarse_and_fine_meshes_are_alike),
                                       cmocka_unit_test(test_free_flesh_keeps_its_momenta),
                                       cmocka_unit_test(test_carried_flesh_has_no_lattice),
                                       cmocka_unit_test(test_close_limbs_have_nodes_of_their_own),
                                       cmocka_unit_test(test_lattice_reproduces_affine_maps),
                                       cmocka_unit_test(test_fibres_may_turn)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
