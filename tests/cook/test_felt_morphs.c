/* SPDX-License-Identifier: MIT */
/* From the morph targets of a scene to flesh that feels them: a head of two bones. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "author/cook/cook.h"
#include "author/cook/surface/surface.h"
#include "author/fullspace/fullspace.h"
#include "author/io/gltf/gltf_write.h"
#include "host/math/vec3.h"
#include "host/reduced/reduced.h"
#include "host/skin/skin.h"
#include "tests/support/morph_head.h"

#define PATH SN_BINARY_DIR "/felt_morphs.glb"
#define SIDECAR SN_BINARY_DIR "/felt_morphs.sinew.json"
#define MANY 60
#define MODES 8
#define VERTICES 2500
#define FRAMES 42 /* the target comes in the 30th, within 6 */

typedef struct fixture {
    sn_arena arena;
    sn_cook_context cooking;
    sn_model *model;
} fixture;

/* A target that is alone is a dimple of a tenth of the head, as an avatar's mouth is of its body. */
static void narrow_target(float *offsets, int vertex_count)
{
    for (int v = 0; v < vertex_count; ++v) {
        double x[3];
        sn_test_head_place(v, x);
        const double *at = sn_test_head_bumps[0];
        const double share = exp(-30 * sn_distance3(x, at) * sn_distance3(x, at));
        for (int d = 0; d < 3; ++d) {
            offsets[3 * v + d] = (float)(share > 0.02 ? share * at[3 + d] : 0);
        }
    }
}

/* target_modes, target_inertia_gain: of the desc, negative: what the sidecar says, a text or null. */
static void start_as(sn_cook_complementary complementary, fixture *f, int target_count, sn_cook_morphs morphs,
                     const char *sidecar, int target_modes, double target_inertia_gain)
{
    *f = (fixture){.model = NULL};
    const sn_scene_file scene = sn_test_morph_head(&f->arena, target_count);
    if (target_count == 1) {
        narrow_target(scene.primitives[0].morph_positions[0], scene.primitives[0].vertex_count);
    }
    sn_cook_desc desc = sn_default_cook_desc();
    desc.mode_count = MODES;
    desc.cluster_count = 20;
    desc.young = 500;
    desc.morphs = morphs;
    desc.tet_vertex_count = VERTICES;
    desc.complementary = complementary;
    desc.target_mode_count = target_modes;
    desc.target_inertia_gain = target_inertia_gain;
    assert_int_equal(sn_gltf_write(PATH, &scene), SN_OK);
    if (sidecar) {
        FILE *file = fopen(SIDECAR, "w");
        assert_non_null(file);
        fputs(sidecar, file);
        fclose(file);
    }
    assert_int_equal(sn_cook_context_run(&f->cooking, PATH, &desc), SN_OK);
    assert_int_equal(sn_model_load(f->cooking.bytes, f->cooking.size, &f->model), SN_OK);
    unlink(PATH);
    unlink(SIDECAR);
}

static void start(fixture *f, int target_count, sn_cook_morphs morphs, const char *sidecar, int target_modes,
                  double target_inertia_gain)
{
    start_as(SN_COMPLEMENTARY_WEIGHTS, f, target_count, morphs, sidecar, target_modes, target_inertia_gain);
}

static void stop(fixture *f)
{
    sn_model_release(f->model);
    sn_cook_context_finish(&f->cooking);
    sn_arena_finish(&f->arena);
}

static int teardown(void **state)
{
    (void)state;
    return sn_allocated_bytes() == 0 ? 0 : -1;
}

/* ---- what is kept of many targets ---- */

/* What the fields make of a target at the drawn vertices, (character's vertex_count x 3). */
static void embed_target(fixture *f, int target, double *offsets)
{
    const sn_cook_context *k = &f->cooking;
    const size_t n = (size_t)k->mesh.vertex_count, fields = (size_t)k->morph_field_count;
    double *nodes = SN_NEW(&f->arena, double, 3 * n);
    for (size_t v = 0; v < n; ++v) {
        for (size_t i = 0; i < 3 * fields; ++i) {
            nodes[3 * v + i % 3] +=
                k->morph_field_weights[i / 3 * MANY + (size_t)target] * k->morph_fields[v * 3 * fields + i];
        }
    }
    memset(offsets, 0, 3 * (size_t)k->character.vertex_count * sizeof *offsets);
    sn_embed_rows(&k->mesh, k->embedding_tets, k->embedding_weights, k->character.vertex_count, nodes, 3, offsets);
}

/* 60 targets that are sums of six are six fields, which give all of them back. They ask nothing of the
 * modes, and get up to eight. */
static void test_many_targets_are_a_few_fields(void **state)
{
    (void)state;
    fixture f;
    start(&f, MANY, SN_MORPHS_AUTO, NULL, -1, -1);
    const sn_cook_context *k = &f.cooking;
    assert_int_equal(k->morph_field_count, SN_TEST_HEAD_BUMPS);
    assert_int_equal(k->report.morph_field_count, k->morph_field_count);
    assert_int_equal(f.model->counts.morph_pair_count, k->morph_pair_count);
    assert_true(k->morph_pair_count > k->morph_field_count); /* bumps that both bones move */
    assert_true(k->morph_pair_count <= 2 * k->morph_field_count);
    assert_true(k->constraint.row_count <= 20);
    assert_in_range(k->report.target_mode_count, 1, 8);
    assert_int_equal(k->modes.mode_count, MODES + k->report.target_mode_count);
    double *offsets = SN_NEW(&f.arena, double, 3 * k->character.vertex_count);
    for (int target = 0; target < MANY; target += 7) {
        const sn_character_morph *morph = &k->character.morphs[target];
        double size = 0, error = 0;
        embed_target(&f, target, offsets);
        for (int i = morph->first_delta; i < morph->first_delta + morph->delta_count; ++i) {
            const sn_character_delta *delta = &k->character.deltas[i];
            for (int d = 0; d < 3; ++d) {
                const double wanted = k->scale * delta->offset[d], apart = offsets[3 * delta->vertex + d] - wanted;
                size += wanted * wanted;
                error += apart * apart;
            }
        }
        assert_true(size > 0 && error < 0.1 * 0.1 * size); /* the lattice is coarser than the surface */
    }
    stop(&f);
}

/* ---- what the flesh does ---- */

typedef struct run {
    double most, last; /* of the displacement of a tet's vertex */
    double owed;       /* |J^T M D u| over the size of its terms, at the worst frame, J of the bones */
    double *u;         /* (FRAMES x vertex_count x 3), of the first frames */
} run;

/* The flesh's displacement in double: the model's own modes are floats. */
static void displace(const sn_cook_context *k, const double *transforms, size_t used, double *u)
{
    const size_t n = (size_t)k->mesh.vertex_count, modes = (size_t)k->modes.mode_count;
    memset(u, 0, 3 * n * sizeof *u);
    for (size_t j = 0; j < used; ++j) {
        double largest = 0;
        for (size_t v = 0; v < n; ++v) {
            largest = fmax(largest, fabs(k->modes.weights[v * modes + j]));
        }
        for (size_t v = 0; v < n; ++v) {
            double moved[3];
            sn_affine_apply(transforms + 12 * j, k->mesh.positions + 3 * v, moved);
            for (size_t d = 0; d < 3; ++d) {
                u[3 * v + d] += k->modes.weights[v * modes + j] / largest * moved[d];
            }
        }
    }
}

static double owed(const sn_cook_context *k, const double *u)
{
    const size_t n = (size_t)k->mesh.vertex_count, bones = (size_t)k->bone_count;
    double worst = 0;
    for (size_t i = 0; i < 12 * bones; ++i) {
        double sum = 0, size = 0;
        for (size_t v = 0; v < n; ++v) {
            const double x = i / 3 % 4 < 3 ? k->mesh.positions[3 * v + i / 3 % 4] : 1;
            const double term = k->mass[v] * k->leak[v] * k->rig_weights[v * bones + i / 12] * x * u[3 * v + i % 3];
            sum += term;
            size += fabs(term);
        }
        worst = size > 0 ? fmax(worst, fabs(sum) / size) : worst;
    }
    return worst;
}

static double longest(const double *u, int vertex_count)
{
    double most = 0;
    for (int v = 0; v < vertex_count; ++v) {
        most = fmax(most, sn_length3(u + 3 * (size_t)v));
    }
    return most;
}

/* What the target does to a tet's vertex at most. */
static double movement(const sn_cook_context *k)
{
    double most = 0;
    for (int v = 0; v < k->mesh.vertex_count; ++v) {
        most = fmax(most, sn_length3(k->morph_fields + 3 * (size_t)v * (size_t)k->morph_field_count));
    }
    return most;
}

static void weigh_target(const fixture *f, int frame, float *weight)
{
    sn_model_clip_morphs(f->model, 0, fmin(frame / 60.0, 1.5), weight, 1);
}

/* Through the clip, then on with its last weights, with the first `used` modes (0: all). */
static run play(fixture *f, int frame_count, double damping, int used)
{
    const sn_cook_context *k = &f->cooking;
    const size_t width = 3 * (size_t)k->mesh.vertex_count;
    sn_reduced_desc desc = sn_default_reduced_desc();
    sn_reduced_solver *solver = NULL;
    sn_reduced_body *body = NULL;
    run result = {.u = SN_NEW(&f->arena, double, FRAMES *width)};
    double *u = SN_NEW(&f->arena, double, width), pose[24];
    double *transforms = SN_NEW(&f->arena, double, 12 * k->modes.mode_count);
    float weight;
    desc.is_double = true;
    desc.damping = damping;
    desc.mode_count = used;
    sn_affine_identity(pose);
    sn_affine_identity(pose + 12);
    assert_int_equal(sn_reduced_solver_create(f->model, &desc, &solver), SN_OK);
    assert_int_equal(sn_reduced_body_create(solver, pose, &body), SN_OK);
    for (int frame = 1; frame < frame_count; ++frame) {
        weigh_target(f, frame, &weight);
        sn_reduced_body_set_morphs(body, &weight);
        sn_reduced_body_step(body, pose, NULL);
        if (frame < FRAMES || frame == frame_count - 1) {
            sn_reduced_body_mode_transforms(body, 1, transforms);
            displace(k, transforms, (size_t)(used > 0 ? used : k->modes.mode_count), u);
            memcpy(result.u + (size_t)(frame < FRAMES ? frame : 0) * width, u, width * sizeof *u);
            result.last = longest(u, k->mesh.vertex_count);
            result.most = fmax(result.most, result.last);
            result.owed = result.last > 1e-4 ? fmax(result.owed, owed(k, u)) : result.owed;
        }
    }
    assert_true(weight == 1 || frame_count <= FRAMES);
    sn_reduced_body_destroy(&body);
    sn_reduced_solver_destroy(&solver);
    return result;
}

/* Flesh shakes, owes the bones what it did, and ends as drawn. The desc stands above the sidecar. */
static void test_flesh_feels_a_target(void **state)
{
    (void)state;
    fixture f;
    start(&f, 1, SN_MORPHS_DYNAMIC, "{\"morphs\": \"visual\"}", -1, -1);
    assert_int_equal(f.model->counts.morph_field_count, 1);
    const run found = play(&f, 900, 3, 0);
    assert_true(found.most > 0.1 * movement(&f.cooking));
    assert_true(found.owed < 1e-8);
    assert_true(found.last < 1e-7);
    stop(&f);
}

static void test_drawn_targets_are_not_felt(void **state)
{
    (void)state;
    fixture f;
    start(&f, 1, SN_MORPHS_AUTO, "{\"morphs\": \"visual\"}", -1, -1);
    assert_int_equal(f.model->counts.morph_count, 1);
    assert_int_equal(f.model->counts.morph_field_count, 0);
    assert_int_equal(f.model->counts.morph_pair_count, 0);
    assert_int_equal(f.cooking.report.target_mode_count, 0);
    assert_true(play(&f, 60, 3, 0).most < 1e-9);
    stop(&f);
}

/* ---- modes of their own ---- */

/* The full space's displacements in the same frames. */
static double *play_full(fixture *f)
{
    const size_t width = 3 * (size_t)f->cooking.mesh.vertex_count;
    sn_fullspace_desc desc = sn_default_fullspace_desc();
    sn_fullspace_input input;
    sn_fullspace_solver *solver = NULL;
    sn_fullspace_body *body = NULL;
    double *u = SN_NEW(&f->arena, double, FRAMES *width), field;
    float weight;
    desc.is_clustered = true;
    assert_int_equal(sn_fullspace_input_from_model(f->model, "head", &f->arena, &input), SN_OK);
    assert_int_equal(sn_fullspace_solver_create(&input, &desc, &solver), SN_OK);
    assert_int_equal(sn_fullspace_body_create(solver, NULL, &body), SN_OK);
    double pose[24];
    sn_affine_identity(pose);
    sn_affine_identity(pose + 12);
    for (int frame = 1; frame < FRAMES; ++frame) {
        weigh_target(f, frame, &weight);
        sn_model_morph_fields(f->model, &weight, &field);
        sn_fullspace_body_set_fields(body, &field);
        sn_fullspace_body_step(body, pose);
        sn_fullspace_body_displacements(body, u + (size_t)frame * width);
    }
    sn_fullspace_body_destroy(&body);
    sn_fullspace_solver_destroy(&solver);
    return u;
}

static double error_of(const fixture *f, const double *u, const double *wanted)
{
    const size_t width = 3 * (size_t)f->cooking.mesh.vertex_count;
    double apart = 0, size = 0;
    for (size_t i = 0; i < FRAMES * width; ++i) {
        apart += (u[i] - wanted[i]) * (u[i] - wanted[i]);
        size += wanted[i] * wanted[i];
    }
    return sqrt(apart / size);
}

/* With them flesh is off by little more than half of what it is off by with the eigenmodes alone, of which the error is
 * again where a level of detail leaves them out, as it does first. */
static void expect_near(sn_cook_complementary complementary)
{
    fixture with, without;
    start_as(complementary, &with, 1, SN_MORPHS_AUTO, NULL, -1, SN_MAX_INERTIA_GAIN);
    start_as(complementary, &without, 1, SN_MORPHS_AUTO, "{\"target_modes\": 0}", -1, SN_MAX_INERTIA_GAIN);
    assert_int_equal(without.cooking.modes.mode_count, MODES);
    assert_int_equal(without.cooking.report.target_mode_count, 0);
    const int added = with.cooking.report.target_mode_count;
    assert_true(added > 0 && added <= 3); /* a field has three components */
    assert_int_equal(with.cooking.modes.mode_count, MODES + added);
    assert_int_equal(with.model->counts.mode_count, MODES + added);
    const double *full = play_full(&with);
    const run few = play(&without, FRAMES, 0, 0), all = play(&with, FRAMES, 0, 0),
              level = play(&with, FRAMES, 0, MODES);
    const double wanted = longest(full, FRAMES * with.cooking.mesh.vertex_count);
    print_message("of %.3f: %.3f with target modes, %.3f without, %.3f at that level; errors %.2f, %.2f, %.2f\n",
                  wanted, all.most, few.most, level.most, error_of(&with, all.u, full), error_of(&with, few.u, full),
                  error_of(&with, level.u, full));
    assert_true(error_of(&with, all.u, full) < 0.6 * error_of(&with, few.u, full));
    assert_true(all.most > 0.5 * wanted && few.most < 0.8 * all.most);
    assert_true(error_of(&with, level.u, full) > 0.9 * error_of(&with, few.u, full));
    assert_true(all.owed < 1e-8 && few.owed < 1e-8 && level.owed < 1e-8);
    stop(&with);
    stop(&without);
}

static void test_target_modes_bring_the_full_space_near(void **state)
{
    (void)state;
    expect_near(SN_COMPLEMENTARY_WEIGHTS);
}

static void test_they_do_with_the_constraint_on_coordinates(void **state)
{
    (void)state;
    expect_near(SN_COMPLEMENTARY_COORDINATES);
}

/* x less what it has along the `count` orthonormal columns, each of length q. */
static double leave_columns(size_t q, const double *columns, size_t count, double *x)
{
    for (size_t k = 0; k < 2 * count; ++k) { /* twice, for rounding */
        const double *column = columns + k % count * q;
        double along = 0;
        for (size_t i = 0; i < q; ++i) {
            along += column[i] * x[i];
        }
        for (size_t i = 0; i < q; ++i) {
            x[i] -= along * column[i];
        }
    }
    double square = 0;
    for (size_t i = 0; i < q; ++i) {
        square += x[i] * x[i];
    }
    return sqrt(square);
}

/* How much a matrix (q x columns) pushes along x, of its longest column. */
static double push_along(size_t q, const double *x, const double *matrix, size_t columns)
{
    double most = 0, longest_column = 0;
    for (size_t c = 0; c < columns; ++c) {
        double along = 0, square = 0;
        for (size_t i = 0; i < q; ++i) {
            along += x[i] * matrix[i * columns + c];
            square += matrix[i * columns + c] * matrix[i * columns + c];
        }
        most = fmax(most, fabs(along));
        longest_column = fmax(longest_column, sqrt(square));
    }
    return most / longest_column;
}

/* What no eigenmode does, targets set going, and neither bones nor gravity: a face keeps its expression in a hop. */
static void test_bones_leave_target_modes_alone(void **state)
{
    (void)state;
    fixture f;
    start(&f, 1, SN_MORPHS_AUTO, NULL, -1, -1);
    const sn_cook_context *k = &f.cooking;
    const size_t q = (size_t)k->reduced.coordinate_count, columns = 4 * (size_t)k->modes.mode_count;
    double *basis = SN_NEW(&f.arena, double, q *(columns + 1)), pushed = 0;
    size_t count = 0;
    for (int is_target = 0; is_target < 2; ++is_target) {
        for (size_t c = 0; c < columns; ++c) {
            double *x = basis + count * q;
            if (k->modes.is_target[c / 4] != (is_target == 1) || count == q) {
                continue;
            }
            for (size_t i = 0; i < q; ++i) {
                x[i] = k->reduced.coordinate_from_mode[i * columns + c];
            }
            const double length = leave_columns(q, basis, count, x);
            for (size_t i = 0; i < q; ++i) {
                x[i] /= length;
            }
            ++count;
            if (is_target) {
                assert_true(push_along(q, x, k->reduced.mass_cross, 4 * (size_t)k->bone_count) < 1e-9);
                assert_true(push_along(q, x, k->reduced.coordinate_mass, 1) < 1e-9);
                pushed = fmax(pushed, push_along(q, x, k->reduced.morph_cross, 3 * (size_t)k->morph_pair_count));
            }
        }
    }
    assert_int_equal(count, q);
    assert_true(pushed > 0.1);
    stop(&f);
}

/* Soft flesh goes as far as it may; what may go further goes as far as it does. The desc stands above the sidecar. */
static void test_shake_is_limited(void **state)
{
    (void)state;
    static const double limits[] = {0.05, 0.2, SN_MAX_INERTIA_GAIN};
    double shakes[3];
    for (int i = 0; i < 3; ++i) {
        fixture f;
        start(&f, 1, SN_MORPHS_AUTO, i == 0 ? "{\"target_shake\": 0.05}" : "{\"target_shake\": 1}", -1,
              i == 0 ? -1 : limits[i]);
        shakes[i] = play(&f, FRAMES, 0, 0).most / movement(&f.cooking);
        stop(&f);
    }
    print_message("shakes: %.3f %.3f %.3f\n", shakes[0], shakes[1], shakes[2]);
    assert_true(fabs(shakes[0] - 0.05) < 0.01);
    assert_true(fabs(shakes[1] - 0.2) < 0.04);
    assert_true(shakes[2] > 0.3);
}

int test_felt_morphs(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(test_many_targets_are_a_few_fields, teardown),
        cmocka_unit_test_teardown(test_flesh_feels_a_target, teardown),
        cmocka_unit_test_teardown(test_drawn_targets_are_not_felt, teardown),
        cmocka_unit_test_teardown(test_target_modes_bring_the_full_space_near, teardown),
        cmocka_unit_test_teardown(test_they_do_with_the_constraint_on_coordinates, teardown),
        cmocka_unit_test_teardown(test_bones_leave_target_modes_alone, teardown),
        cmocka_unit_test_teardown(test_shake_is_limited, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
