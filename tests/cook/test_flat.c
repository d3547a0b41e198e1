/* SPDX-License-Identifier: MIT */
/* Flat bodies: modes against those of a rectangle, six parameters a mode, a trajectory in the plane, clusters that are
 * turned over, and what is refused. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "host/base/hash.h"
#include "host/mesh/flat_mesh.h"
#include "host/model/check.h"
#include "host/skin/skin.h"
#include "sinew/world.h"
#include "tests/support/flesh.h"
#include "tests/support/hessian.h"
#include "tests/support/log.h"

#define PI 3.14159265358979323846
#define PLANE 0.7

enum { NX = 40, NY = 24, SMALL_X = 16, SMALL_Y = 6, MOST_VERTICES = (NX + 1) * (NY + 1) };

static void cook_sheet(sn_cook_context *k, int nx, int ny, int bone_count, const sn_cook_desc *desc)
{
    *k = (sn_cook_context){.path = NULL};
    k->mesh = sn_test_sheet(&k->arena, nx, ny, 1.0 / NX, PLANE);
    if (bone_count > 1) {
        sn_test_rig(k, bone_count, (double)nx / NX);
    }
    assert_int_equal(sn_cook_context_run(k, "sheet", desc), SN_OK);
}

static sn_model *load(sn_cook_context *k)
{
    sn_model *model = NULL;
    assert_int_equal(sn_model_load(k->bytes, k->size, &model), SN_OK);
    assert_true(sn_model_is_flat(model));
    return model;
}

static void finish(sn_cook_context *k, sn_model *model)
{
    sn_model_release(model);
    sn_cook_context_finish(k);
    assert_int_equal(sn_allocated_bytes(), 0);
}

static sn_cook_desc sheet_desc(sn_cook_leak leak)
{
    sn_cook_desc desc = sn_default_cook_desc();
    desc.mode_count = 10;
    desc.cluster_count = 30;
    desc.leak = leak;
    return desc;
}

/* ---- modes ---- */

static void modes_are_those_of_a_rectangle(void **state)
{
    (void)state;
    sn_cook_context k;
    sn_cook_desc desc = sheet_desc(SN_LEAK_ALL);
    desc.units = SN_UNITS_KEEP;
    cook_sheet(&k, NX, NY, 1, &desc);
    double expected[25];
    for (int i = 0; i < 25; ++i) { /* of a side of 1 and one of NY / NX */
        const int column = i % 5, row = i / 5;
        const double x = column, y = (double)row * NX / NY;
        expected[i] = PI * PI * (x * x + y * y);
    }
    for (int i = 1; i < 25; ++i) {
        for (int j = i; j > 0 && expected[j - 1] > expected[j]; --j) {
            const double value = expected[j];
            expected[j] = expected[j - 1];
            expected[j - 1] = value;
        }
    }
    assert_true(k.modes.eigenvalues[0] < 1e-6);
    for (int j = 1; j < k.modes.mode_count; ++j) {
        assert_true(fabs(k.modes.eigenvalues[j] / expected[j] - 1) < 0.015);
    }
    double mass = 0;
    for (int v = 0; v < k.mesh.vertex_count; ++v) {
        mass += k.mass[v];
        assert_true(k.mesh.positions[3 * v + 2] == 0);
    }
    assert_true(fabs(mass - (double)NY / NX) < 1e-12);
    assert_true(k.origin[2] == PLANE);
    sn_cook_context_finish(&k);
}

static void the_hessian_is_that_of_the_size(void **state)
{
    (void)state;
    sn_cook_context k;
    sn_cook_desc desc = sheet_desc(SN_LEAK_AUTO);
    desc.size = 3;
    cook_sheet(&k, SMALL_X, SMALL_Y, 1, &desc);
    sn_test_expect_hessian(&k);
    sn_cook_context_finish(&k);
}

/* sum_v m D g_b q w_j, for every bone and quadratic q. */
static double complementarity(const sn_cook_context *k, int bone, int mode)
{
    double sums[6] = {0}, largest = 0;
    for (int v = 0; v < k->mesh.vertex_count; ++v) {
        const double x = k->mesh.positions[3 * v], y = k->mesh.positions[3 * v + 1];
        const double q[6] = {1, x, y, x * x, x * y, y * y};
        const double own = k->mass[v] * k->leak[v] * k->rig_weights[k->bone_count * v + bone] *
                           k->modes.weights[k->modes.mode_count * v + mode];
        for (int i = 0; i < 6; ++i) {
            sums[i] += own * q[i];
        }
    }
    for (int i = 0; i < 6; ++i) {
        largest = fmax(largest, fabs(sums[i]));
    }
    return largest;
}

static void six_rows_a_bone_and_six_parameters_a_mode(void **state)
{
    (void)state;
    for (int bones = 1; bones <= 2; ++bones) {
        sn_cook_context k;
        const sn_cook_desc desc = sheet_desc(SN_LEAK_AUTO);
        cook_sheet(&k, NX, NY, bones, &desc);
        /* two bones whose weights are linear in x share what is cubic, and all below: 12 less 3 */
        assert_true(bones == 1 ? k.constraint.row_count == 6 : k.constraint.row_count <= 12);
        for (int bone = 0; bone < bones; ++bone) {
            for (int j = 0; j < k.modes.mode_count; ++j) {
                assert_true(complementarity(&k, bone, j) < 1e-10);
            }
        }
        const int q = k.reduced.coordinate_count;
        assert_int_equal(q, 3 * k.modes.mode_count);
        for (int i = 0; i < q * k.modes.mode_count; ++i) {
            assert_true(k.reduced.mode_from_coordinate[(4 * (i / q) + 2) * q + i % q] == 0);
        }
        for (int v = 0; v < k.mesh.vertex_count; ++v) {
            const int x = v % (NX + 1), y = v / (NX + 1);
            const bool is_outer = x == 0 || x == NX || y == 0 || y == NY;
            assert_true(is_outer ? k.leak[v] < 0.11 : k.leak[v] > 0.11);
        }
        finish(&k, load(&k));
    }
}

/* ---- motion ---- */

/* A swing about the origin, in the plane; further bones lag behind. */
static void swing(const sn_flesh *f, int step, double turned, double *pose)
{
    for (int b = 0; b < f->model->counts.bone_count; ++b) {
        const double angle = turned + 0.5 * sin(0.25 * step - b), c = cos(angle), s = sin(angle);
        const double lift = 0.1 * sin(0.4 * step);
        const double transform[12] = {c, -s, 0, -sin(turned) * lift, s, c, 0, cos(turned) * lift, 0, 0, 1, 0};
        memcpy(pose + 12 * b, transform, sizeof transform);
    }
}

static void positions(const sn_flesh *f, double *x)
{
    const sn_model *m = f->model;
    double modes[12 * 64];
    memset(x, 0, 3 * (size_t)m->counts.vertex_count * sizeof *x);
    sn_reduced_body_mode_transforms(f->body, 1, modes);
    sn_skin_add(m->rig_weights, m->counts.bone_count, f->pose, m->rest_positions, m->counts.vertex_count, x);
    sn_skin_add(m->mode_weights, m->counts.mode_count, modes, m->rest_positions, m->counts.vertex_count, x);
}

static void stays_in_the_plane_and_turns_with_it(void **state)
{
    (void)state;
    for (int precise = 0; precise < 2; ++precise) {
        sn_cook_context k;
        static double plain[3 * MOST_VERTICES], turned[3 * MOST_VERTICES];
        sn_cook_desc desc = sheet_desc(SN_LEAK_AUTO);
        desc.poisson = precise ? 0.3 : 0;
        cook_sheet(&k, SMALL_X, SMALL_Y, 2, &desc);
        sn_model *model = load(&k);
        sn_reduced_desc reduced = sn_default_reduced_desc();
        reduced.is_double = precise;
        const double angle = 2, c = cos(angle), s = sin(angle);
        const double start[12] = {c, -s, 0, 0, s, c, 0, 0, 0, 0, 1, 0};
        sn_flesh a = sn_flesh_make(model, &reduced, NULL), b = sn_flesh_make(model, &reduced, start);
        double moved = 0;
        swing(&a, 0, 0, a.pose);
        swing(&b, 0, angle, b.pose);
        sn_reduced_body_reset(a.body, a.pose);
        sn_reduced_body_reset(b.body, b.pose);
        for (int step = 1; step < 60; ++step) {
            swing(&a, step, 0, a.pose);
            swing(&b, step, angle, b.pose);
            assert_false(sn_reduced_body_step(a.body, a.pose, NULL).is_recovered);
            sn_reduced_body_step(b.body, b.pose, NULL);
            positions(&a, plain);
            positions(&b, turned);
            moved = fmax(moved, sn_flesh_displacement(&a));
            for (int v = 0; v < model->counts.vertex_count; ++v) {
                const double *p = plain + 3 * v, *t = turned + 3 * v;
                assert_true(p[2] == 0 && t[2] == 0);
                assert_true(fabs(c * p[0] - s * p[1] - t[0]) < 1e-4 && fabs(s * p[0] + c * p[1] - t[1]) < 1e-4);
            }
        }
        assert_true(moved > 0.01);
        sn_flesh_finish(&a);
        sn_flesh_finish(&b);
        finish(&k, model);
    }
}

static void rests_and_settles(void **state)
{
    (void)state;
    sn_cook_context k;
    const sn_cook_desc desc = sheet_desc(SN_LEAK_AUTO);
    cook_sheet(&k, SMALL_X, SMALL_Y, 2, &desc);
    sn_model *model = load(&k);
    sn_reduced_desc reduced = sn_default_reduced_desc();
    reduced.is_double = true;
    reduced.iteration_limit = 200;
    sn_flesh f = sn_flesh_make(model, &reduced, NULL);
    for (int step = 0; step < 20; ++step) {
        sn_reduced_body_step(f.body, f.pose, NULL);
    }
    assert_true(sn_flesh_displacement(&f) < 1e-12);
    assert_true(sn_flesh_energy(&f) < 1e-12 * model->total_stiffness);
    for (int step = 0; step < 20; ++step) { /* what it then has is its own */
        swing(&f, step, 0, f.pose);
        sn_reduced_body_step(f.body, f.pose, NULL);
    }
    sn_reduced_body_step(f.body, f.pose, NULL);
    sn_reduced_body_step(f.body, f.pose, NULL);
    double before = sn_flesh_energy(&f);
    assert_true(before > 0);
    for (int step = 0; step < 100; ++step) {
        sn_reduced_body_step(f.body, f.pose, NULL);
        const double now = sn_flesh_energy(&f);
        assert_true(now <= before * (1 + 1e-9));
        before = now;
    }
    sn_flesh_finish(&f);
    finish(&k, model);
}

/* A body that is free in its plane is mirrored and stretched: its clusters' nearest rotation in three dimensions would
 * turn them about an axis in the plane, were it not for SN_FLAT_DEPTH. */
static void what_is_turned_over_recovers(void **state)
{
    (void)state;
    sn_cook_context k;
    const sn_cook_desc desc = sheet_desc(SN_LEAK_ALL);
    cook_sheet(&k, SMALL_X, SMALL_Y, 1, &desc);
    sn_model *model = load(&k);
    sn_reduced_desc reduced = sn_default_reduced_desc();
    reduced.damping = 1;
    sn_flesh f = sn_flesh_make(model, &reduced, NULL);
    static double coordinates[3 * 64], x[3 * MOST_VERTICES];
    const int q = model->counts.coordinate_count, columns = 4 * model->counts.mode_count;
    assert_true(q <= 64 && model->mode_eigenvalues[0] < 1e-6); /* the first mode is constant */
    const double weight = (double)model->mode_weights[0];
    for (int i = 0; i < q; ++i) { /* x becomes -1.6 x, y becomes 1.2 y */
        coordinates[3 * i] = -2.6 / weight * model->coordinate_from_mode[i * columns];
        coordinates[3 * i + 1] = 0.2 / weight * model->coordinate_from_mode[i * columns + 1];
    }
    sn_reduced_body_set_coordinates(f.body, coordinates);
    positions(&f, x);
    const int32_t *first = model->tets;
    sn_tet_mesh now = {model->counts.vertex_count, model->counts.tet_count, x, (int32_t *)(uintptr_t)first, true};
    const double at_rest = sn_flat_area(&k.mesh, 0);
    for (int t = 0; t < now.tet_count; ++t) {
        assert_true(fabs(sn_flat_area(&now, t) / at_rest + 1.92) < 1e-3);
    }
    /* |F - R|^2 of a half turn in the plane: (-1.6 + 1)^2 + (1.2 + 1)^2 */
    assert_true(fabs(sn_reduced_body_energy(f.body).elastic / model->total_stiffness - 2.6) < 1e-3);
    for (int step = 0; step < 400; ++step) {
        assert_false(sn_reduced_body_step(f.body, f.pose, NULL).is_recovered);
    }
    positions(&f, x);
    for (int t = 0; t < now.tet_count; ++t) {
        assert_true(sn_flat_area(&now, t) > 0.8 * at_rest);
    }
    for (int v = 0; v < now.vertex_count; ++v) {
        assert_true(x[3 * v + 2] == 0);
    }
    assert_true(sn_reduced_body_energy(f.body).elastic < 1e-3 * model->total_stiffness);
    sn_flesh_finish(&f);
    finish(&k, model);
}

/* Samples lie on the outline, which is as long as it is; the floor holds it, and air pushes along the plane alone. */
static void floor_and_air_meet_the_outline(void **state)
{
    (void)state;
    sn_cook_context k;
    const sn_cook_desc desc = sheet_desc(SN_LEAK_ALL);
    cook_sheet(&k, SMALL_X, SMALL_Y, 1, &desc);
    sn_model *model = load(&k);
    sn_reduced_desc reduced = sn_default_reduced_desc();
    reduced.gravity[1] = -1;
    sn_flesh f = sn_flesh_make(model, &reduced, NULL);
    const double width = (double)SMALL_X / NX * model->scale, height = (double)SMALL_Y / NX * model->scale;
    double length = 0, x[3], middle = 0;
    for (int i = 0; i < model->counts.sample_count; ++i) {
        const float *p = model->surface_positions + 3 * model->sample_vertices[i], *n = model->sample_normals + 3 * i;
        length += (double)model->sample_areas[i];
        assert_true(fabs(fmax(fabs((double)p[0]) / width, fabs((double)p[1]) / height) - 0.5) < 1e-5);
        assert_true(n[2] == 0 && n[0] * p[0] + n[1] * p[1] > 0);
    }
    assert_true(fabs(length - 2 * (width + height)) < 1e-5);
    const sn_collider_desc ground_desc = {
        .shape = SN_COLLIDER_PLANE,
        .transform = {{{1, 0, 0, 0}, {0, 1, 0, (float)(-0.5 * height - 0.1)}, {0, 0, 1, 0}}}};
    sn_collider ground;
    assert_int_equal(sn_collider_init(&ground_desc, &ground), SN_OK);
    const sn_surroundings surroundings = {.collider_count = 1, .colliders = &ground, .wind = {2, 0, 3}};
    for (int step = 0; step < 120; ++step) {
        assert_false(sn_reduced_body_step(f.body, f.pose, &surroundings).is_recovered);
        for (int i = 0; i < model->counts.sample_count; ++i) {
            sn_flesh_sample(&f, i, x);
            assert_true(x[2] == 0 && x[1] > -0.5 * height - 0.1 - 2e-3);
            middle += step == 119 ? x[0] / model->counts.sample_count : 0;
        }
    }
    assert_true(sn_flesh_displacement(&f) > 0.09 && middle > 1e-4);
    sn_flesh_finish(&f);
    finish(&k, model);
}

static uint64_t run_world(const sn_model *model, int workers)
{
    enum { BODIES = 5 };
    sn_world_desc desc = sn_default_world_desc();
    sn_world_id world;
    sn_body_id bodies[BODIES];
    desc.worker_count = workers;
    assert_int_equal(sn_world_create(&desc, &world), SN_OK);
    for (int i = 0; i < BODIES; ++i) {
        sn_body_desc body = sn_default_body_desc();
        body.model = model;
        body.gravity[1] = -1 - i;
        assert_int_equal(sn_body_create(world, &body, &bodies[i]), SN_OK);
    }
    for (int step = 0; step < 40; ++step) {
        sn_mat3x4 bones[2] = {{{{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}}},
                              {{{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}}}};
        bones[1].m[1][3] = 0.05F * (float)(step % 10);
        for (int i = 0; i < BODIES; ++i) {
            sn_body_set_pose(bodies[i], bones, 2);
        }
        sn_world_step(world, 1.0 / 60);
    }
    uint64_t hash = SN_HASH_SEED;
    for (int i = 0; i < BODIES; ++i) {
        const sn_body_matrices out = sn_body_output(bodies[i]);
        for (int m = out.bone_count; m < out.bone_count + out.mode_count; ++m) {
            for (int column = 0; column < 4; ++column) {
                assert_true(out.matrices[m].m[2][column] == 0);
            }
            assert_true(out.matrices[m].m[0][2] == 0 && out.matrices[m].m[1][2] == 0);
        }
        hash = sn_hash(hash, out.matrices, (size_t)(out.bone_count + out.mode_count) * sizeof(sn_mat3x4));
    }
    sn_world_destroy(world);
    return hash;
}

static void any_number_of_threads_gives_the_same_bits(void **state)
{
    (void)state;
    sn_cook_context k;
    const sn_cook_desc desc = sheet_desc(SN_LEAK_AUTO);
    cook_sheet(&k, SMALL_X, SMALL_Y, 2, &desc);
    sn_model *model = load(&k);
    const uint64_t hash = run_world(model, 1);
    for (int workers = 2; workers <= 4; ++workers) {
        assert_true(run_world(model, workers) == hash);
    }
    finish(&k, model);
}

/* ---- bad input ---- */

typedef void damage_function(sn_tet_mesh *mesh);

static void raise_vertex(sn_tet_mesh *mesh)
{
    mesh->positions[3 * 5 + 2] += 0.01;
}

static void crush(sn_tet_mesh *mesh)
{
    const int32_t *v = mesh->tets + 4 * 7;
    memcpy(mesh->positions + 3 * v[0], mesh->positions + 3 * v[1], 3 * sizeof(double));
}

static void repeat_vertex(sn_tet_mesh *mesh)
{
    mesh->tets[4 * 3] = mesh->tets[4 * 3 + 1];
}

static void repeat_triangle(sn_tet_mesh *mesh)
{
    memcpy(mesh->tets + 4 * 9, mesh->tets + 4 * 8, 3 * sizeof(int32_t));
}

static void fold(sn_tet_mesh *mesh) /* a third triangle at the edge between the first two */
{
    const int32_t *a = mesh->tets;
    mesh->tets[4 * 11] = a[2];
    mesh->tets[4 * 11 + 1] = a[0];
    mesh->tets[4 * 11 + 2] = mesh->vertex_count - 1;
}

static void leave_out(sn_tet_mesh *mesh) /* the last corner */
{
    mesh->tet_count -= 2;
}

static void bad_triangles_are_refused(void **state)
{
    (void)state;
    const struct {
        damage_function *damage;
        const char *says;
    } cases[] = {{raise_vertex, "drawing: vertex 5: z is"},
                 {crush, "has no area"},
                 {repeat_vertex, "drawing: triangle 3 repeats a vertex"},
                 {repeat_triangle, "drawing: triangles 8 and 9 are the same"},
                 {fold, "share the edge from vertex"},
                 {leave_out, "belongs to no triangle"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        sn_arena arena = {0};
        sn_tet_mesh mesh = sn_test_sheet(&arena, SMALL_X, SMALL_Y, 1, PLANE);
        double plane;
        begin_log();
        cases[i].damage(&mesh);
        assert_int_equal(sn_flat_mesh_validate(&mesh, "drawing", &plane), SN_ERROR_FORMAT);
        assert_one_error(cases[i].says);
        sn_arena_finish(&arena);
    }
    sn_arena arena = {0};
    sn_tet_mesh mesh = sn_test_sheet(&arena, SMALL_X, SMALL_Y, 1, PLANE);
    double plane;
    const int32_t kept = mesh.tets[4];
    mesh.tets[4] = mesh.tets[5];
    mesh.tets[5] = kept;
    begin_log();
    assert_int_equal(sn_flat_mesh_validate(&mesh, "drawing", &plane), SN_OK);
    assert_int_equal(logged.warnings, 1);
    assert_true(plane == PLANE && sn_flat_area(&mesh, 1) == 0.5);
    sn_arena_finish(&arena);
    sn_set_log(NULL, NULL);
}

static void a_damaged_model_is_refused(void **state)
{
    (void)state;
    sn_cook_context k;
    const sn_cook_desc desc = sheet_desc(SN_LEAK_AUTO);
    cook_sheet(&k, SMALL_X, SMALL_Y, 1, &desc);
    sn_model *model = load(&k);
    sn_model copy = *model;
    assert_int_equal(sn_model_check_contents("copy", &copy), SN_OK);
    copy.is_flat = 0.5;
    assert_int_equal(sn_model_check_contents("copy", &copy), SN_ERROR_FORMAT);
    copy.is_flat = 1;
    ((float *)(uintptr_t)model->rest_positions)[2] = 1;
    begin_log();
    assert_int_equal(sn_model_check_contents("copy", &copy), SN_ERROR_FORMAT);
    assert_one_error("not flat");
    sn_set_log(NULL, NULL);
    finish(&k, model);
}

int test_flat(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(modes_are_those_of_a_rectangle),
        cmocka_unit_test(the_hessian_is_that_of_the_size),
        cmocka_unit_test(six_rows_a_bone_and_six_parameters_a_mode),
        cmocka_unit_test(stays_in_the_plane_and_turns_with_it),
        cmocka_unit_test(rests_and_settles),
        cmocka_unit_test(what_is_turned_over_recovers),
        cmocka_unit_test(floor_and_air_meet_the_outline),
        cmocka_unit_test(any_number_of_threads_gives_the_same_bits),
        cmocka_unit_test(bad_triangles_are_refused),
        cmocka_unit_test(a_damaged_model_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
