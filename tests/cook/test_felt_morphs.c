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

#include "author/cook/surface.h"
#include "author/io/gltf_write.h"
#include "host/math/vec3.h"
#include "host/reduced/reduced.h"
#include "host/skin/skin.h"
#include "tests/support/morph_head.h"

#define PATH SN_BINARY_DIR "/felt_morphs.glb"
#define SIDECAR SN_BINARY_DIR "/felt_morphs.sinew.json"
#define MANY 60
#define MODES 8

typedef struct fixture {
    sn_arena arena;
    sn_cooking cooking;
    sn_model *model;
} fixture;

static void start(fixture *f, int target_count, sn_cook_morphs morphs, bool is_drawn_by_sidecar)
{
    *f = (fixture){.model = NULL};
    const sn_scene_file scene = sn_test_morph_head(&f->arena, target_count);
    sn_cook_desc desc = sn_default_cook_desc();
    desc.mode_count = MODES;
    desc.cluster_count = 20;
    desc.young = 500;
    desc.morphs = morphs;
    assert_int_equal(sn_gltf_write(PATH, &scene), SN_OK);
    if (is_drawn_by_sidecar) {
        FILE *file = fopen(SIDECAR, "w");
        assert_non_null(file);
        fputs("{\"morphs\": \"drawn\"}\n", file);
        fclose(file);
    }
    assert_int_equal(sn_cooking_run(&f->cooking, PATH, &desc), SN_OK);
    assert_int_equal(sn_model_load(f->cooking.bytes, f->cooking.size, &f->model), SN_OK);
    unlink(PATH);
    unlink(SIDECAR);
}

static void stop(fixture *f)
{
    sn_model_release(f->model);
    sn_cooking_finish(&f->cooking);
    sn_arena_finish(&f->arena);
    assert_int_equal(sn_allocated_bytes(), 0);
}

/* ---- what is kept of many targets ---- */

/* What the fields make of a target at the drawn vertices, (character's vertex_count x 3). */
static void embed_target(fixture *f, int target, double *offsets)
{
    const sn_cooking *k = &f->cooking;
    const size_t n = (size_t)k->mesh.vertex_count, fields = (size_t)k->morph_field_count;
    double *nodes = SN_NEW(&f->arena, double, 3 * n);
    for (size_t v = 0; v < n; ++v) {
        for (size_t i = 0; i < 3 * fields; ++i) {
            nodes[3 * v + i % 3] +=
                k->morph_shares[i / 3 * MANY + (size_t)target] * k->morph_fields[v * 3 * fields + i];
        }
    }
    memset(offsets, 0, 3 * (size_t)k->character.vertex_count * sizeof *offsets);
    sn_embed_rows(&k->mesh, k->embedding_tets, k->embedding_weights, k->character.vertex_count, nodes, 3, offsets);
}

/* 60 targets that are sums of six are six fields, which give all of them back; the rows of the constraint stay few. */
static void test_many_targets_are_a_few_fields(void **state)
{
    (void)state;
    fixture f;
    start(&f, MANY, SN_MORPHS_AUTO, false);
    const sn_cooking *k = &f.cooking;
    assert_int_equal(k->morph_field_count, SN_TEST_HEAD_BUMPS);
    assert_int_equal(k->report.morph_field_count, k->morph_field_count);
    assert_int_equal(f.model->counts.morph_pair_count, k->morph_pair_count);
    assert_true(k->morph_pair_count > k->morph_field_count); /* bumps that both bones move */
    assert_true(k->morph_pair_count <= 2 * k->morph_field_count);
    assert_true(k->constraint.row_count <= 20 + SN_CONSTRAINT_MORPH_CAP);
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
    double undone;     /* |E^T M D u| over the size of its terms, at the worst frame */
} run;

/* The flesh's displacement in double: the model's own modes are floats. */
static void displace(const sn_cooking *k, const double *coordinates, double *u)
{
    const size_t n = (size_t)k->mesh.vertex_count, q = (size_t)k->reduced.coordinate_count;
    memset(u, 0, 3 * n * sizeof *u);
    for (size_t column = 0; column < 4 * MODES; ++column) {
        const double *map = k->reduced.mode_from_coordinate + column * q;
        double transform[3] = {0};
        for (size_t i = 0; i < 3 * q; ++i) {
            transform[i % 3] += map[i / 3] * coordinates[i];
        }
        for (size_t i = 0; i < 3 * n; ++i) {
            const double x = column % 4 < 3 ? k->mesh.positions[i / 3 * 3 + column % 4] : 1;
            u[i] += k->modes.weights[i / 3 * MODES + column / 4] * x * transform[i % 3];
        }
    }
}

static double undone(const sn_cooking *k, const double *u)
{
    const size_t n = (size_t)k->mesh.vertex_count, columns = 3 * (size_t)k->morph_pair_count;
    double worst = 0;
    for (size_t i = 0; i < 3 * columns; ++i) {
        double sum = 0, size = 0;
        for (size_t v = 0; v < n; ++v) {
            const double term = k->mass[v] * k->leak[v] * k->morph_columns[v * columns + i / 3] * u[3 * v + i % 3];
            sum += term;
            size += fabs(term);
        }
        worst = size > 0 ? fmax(worst, fabs(sum) / size) : worst;
    }
    return worst;
}

/* Through the clip, then on with its last weights. */
static run play(fixture *f, int frame_count)
{
    const sn_cooking *k = &f->cooking;
    sn_reduced_desc desc = sn_default_reduced_desc();
    sn_reduced_solver *solver = NULL;
    sn_reduced_body *body = NULL;
    run result = {0};
    double *u = SN_NEW(&f->arena, double, 3 * k->mesh.vertex_count), pose[24];
    float weight;
    desc.is_double = true;
    desc.damping = 3;
    sn_affine_identity(pose);
    sn_affine_identity(pose + 12);
    assert_int_equal(sn_reduced_solver_create(f->model, &desc, &solver), SN_OK);
    assert_int_equal(sn_reduced_body_create(solver, pose, &body), SN_OK);
    for (int frame = 1; frame < frame_count; ++frame) {
        sn_model_clip_morphs(f->model, 0, fmin(frame / 60.0, 1.5), &weight, 1);
        sn_reduced_body_set_morphs(body, &weight);
        sn_reduced_body_step(body, pose, NULL);
        if (frame % 10 == 5 || frame == frame_count - 1) {
            displace(k, sn_reduced_body_coordinates(body), u);
            result.last = 0;
            for (int i = 0; i < 3 * k->mesh.vertex_count; ++i) {
                result.last = fmax(result.last, fabs(u[i]));
            }
            result.most = fmax(result.most, result.last);
            result.undone = result.last > 1e-4 ? fmax(result.undone, undone(k, u)) : result.undone;
        }
    }
    assert_true(weight == 1);
    sn_reduced_body_destroy(&body);
    sn_reduced_solver_destroy(&solver);
    return result;
}

/* Flesh moves where it did not, undoes nothing of what the target does where no momentum leaks, and ends as drawn. The
 * desc stands above the sidecar. */
static void test_flesh_feels_a_target(void **state)
{
    (void)state;
    fixture f;
    start(&f, 1, SN_MORPHS_FELT, true);
    assert_int_equal(f.model->counts.morph_field_count, 1);
    const run found = play(&f, 900);
    assert_true(found.most > 2e-4);
    assert_true(found.undone < 1e-8);
    assert_true(found.last < 1e-7);
    stop(&f);
}

static void test_drawn_targets_are_not_felt(void **state)
{
    (void)state;
    fixture f;
    start(&f, 1, SN_MORPHS_AUTO, true);
    assert_int_equal(f.model->counts.morph_count, 1);
    assert_int_equal(f.model->counts.morph_field_count, 0);
    assert_int_equal(f.model->counts.morph_pair_count, 0);
    assert_true(play(&f, 60).most < 1e-9);
    stop(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_many_targets_are_a_few_fields),
        cmocka_unit_test(test_flesh_feels_a_target),
        cmocka_unit_test(test_drawn_targets_are_not_felt),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
