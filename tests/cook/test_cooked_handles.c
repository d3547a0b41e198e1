/* SPDX-License-Identifier: MIT */
/* Rigs of handles, cooked: what cages weigh, that modes owe an affine handle ten rows and a translated one four, and
 * that no more than that holds the flesh as it moves. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "author/cook/cook.h"
#include "host/math/affine.h"
#include "host/math/vec3.h"
#include "host/reduced/reduced.h"
#include "host/skin/skin.h"
#include "tests/support/bar.h"
#include "tests/support/log.h"

#define assert_near(a, b, tolerance) assert_true(fabs((a) - (b)) <= (tolerance))

/* 3 x 1 x 1 */
enum { NX = 12, NY = 4, NZ = 4 };
#define SIZE 0.25

/* A box around it, as near as the ends of `low` and `high`. */
#define CAGE_FACES "\"faces\": [[0,2,3,1],[4,5,7,6],[0,1,5,4],[2,6,7,3],[0,4,6,2],[1,3,7,5]]"
static const char loose_cage[] = "{\"name\": \"box\", \"cage\": [[-1,-1,-1],[4,-1,-1],[-1,2,-1],[4,2,-1],[-1,-1,2],"
                                 "[4,-1,2],[-1,2,2],[4,2,2]], " CAGE_FACES "}";
static const char tight_cage[] =
    "{\"name\": \"box\", \"cage\": [[0,0,0],[3,0,0],[0,1,0],[3,1,0],[0,0,1],[3,0,1],[0,1,1],"
    "[3,1,1]], " CAGE_FACES "}";

static int setup(void **state)
{
    (void)state;
    begin_log();
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    sn_set_log(NULL, NULL);
    assert_int_equal(sn_allocated_bytes(), 0);
    return 0;
}

static sn_cook_desc plain_desc(void)
{
    sn_cook_desc desc = sn_default_cook_desc();
    desc.units = SN_UNITS_KEEP;
    desc.leak = SN_LEAK_NONE; /* D = 1: all of the flesh is complementary */
    desc.mode_count = 8;
    desc.cluster_count = 20;
    desc.rig_path = "rig.json";
    return desc;
}

/* The mesh is in place, or a bar. The cooking keeps the desc. */
static sn_result cook(sn_cook_context *k, const char *handles, const sn_cook_desc *desc)
{
    char text[2048];
    snprintf(text, sizeof text, "{\"handles\": [%s]}", handles);
    const sn_source source = {"rig.json", (const uint8_t *)text, strlen(text)};
    assert_int_equal(sn_rig_read(&source, &k->arena, &k->rig), SN_OK);
    k->has_rig = true;
    if (k->mesh.tet_count == 0) {
        k->mesh = sn_test_bar(&k->arena, NX, NY, NZ, SIZE);
    }
    return sn_cook_context_run(k, "bar", desc);
}

static void check_rows(const sn_cook_context *k)
{
    for (int v = 0; v < k->mesh.vertex_count; ++v) {
        double sum = 0;
        for (int b = 0; b < k->bone_count; ++b) {
            const double weight = k->rig_weights[v * k->bone_count + b];
            assert_true(weight >= 0 && weight <= 1);
            sum += weight;
        }
        assert_near(sum, 1, 1e-12);
    }
}

static double weight_at(const sn_cook_context *k, double x, double y, double z, int bone)
{
    const double at[3] = {x, y, z};
    int best = 0;
    for (int v = 1; v < k->mesh.vertex_count; ++v) {
        if (sn_distance3(k->mesh.positions + 3 * v, at) < sn_distance3(k->mesh.positions + 3 * best, at)) {
            best = v;
        }
    }
    return k->rig_weights[best * k->bone_count + bone];
}

/* ---- weights ---- */

/* At a cage's corners, edges and faces its weights are linear; inside they are near what eight corners give a place. */
static void a_tight_cage_is_linear_on_its_faces(void **state)
{
    (void)state;
    sn_cook_context k = {0};
    const sn_cook_desc desc = plain_desc();
    assert_int_equal(cook(&k, tight_cage, &desc), SN_OK);
    assert_int_equal(k.bone_count, 8);
    assert_int_equal(logged.warnings, 0);
    check_rows(&k);
    for (int b = 0; b < 8; ++b) {
        const double x = b % 2 * 3, y = b / 2 % 2, z = b / 4;
        assert_true(weight_at(&k, x, y, z, b) > 0.93);
        assert_near(weight_at(&k, 1.5, y, z, b), 0.5, 0.05);
        assert_near(weight_at(&k, x, 0.5, z, b), 0.5, 0.08);
        assert_near(weight_at(&k, 1.5, 0.5, 0.5, b), 0.125, 0.05);
    }
    sn_cook_context_finish(&k);
}

static void a_loose_cage_moves_all_as_one(void **state)
{
    (void)state;
    sn_cook_context k = {0};
    const sn_cook_desc desc = plain_desc();
    assert_int_equal(cook(&k, loose_cage, &desc), SN_OK);
    check_rows(&k);
    for (int b = 0; b < 8; ++b) { /* its corners are far: none has a vertex for itself */
        const double x = b % 2 * 3, y = b / 2 % 2, z = b / 4;
        const double near = weight_at(&k, x, y, z, b), far = weight_at(&k, 3 - x, 1 - y, 1 - z, b);
        assert_true(near < 0.6 && near > 4 * far);
    }
    sn_cook_context_finish(&k);
}

/* The cage holds what is on it; the bone has the rest of its line. */
static void a_bone_may_leave_a_cage(void **state)
{
    (void)state;
    char handles[1024];
    sn_cook_context k = {0};
    const sn_cook_desc desc = plain_desc();
    snprintf(handles, sizeof handles, "%s, {\"name\": \"spike\", \"bone\": [[1.5,0.5,0.5],[1.5,2,0.5]]}", tight_cage);
    assert_int_equal(cook(&k, handles, &desc), SN_OK);
    check_rows(&k);
    assert_true(weight_at(&k, 1.5, 0.5, 0.5, 8) > 0.9); /* the mesher's nodes are beside the line */
    assert_true(weight_at(&k, 1.5, 1, 0.5, 8) < 0.9);
    assert_true(weight_at(&k, 3, 1, 0.5, 8) < 0.02);
    sn_cook_context_finish(&k);
}

static void a_loop_is_linear_along_its_edges(void **state)
{
    (void)state;
    sn_cook_context k = {0};
    const sn_cook_desc desc = plain_desc();
    assert_int_equal(cook(&k,
                          "{\"name\": \"belt\", \"cage\": [[0,0,0],[3,0,0],[3,1,1],[0,1,1]], \"edges\": "
                          "[[0,1],[1,2],[2,3],[3,0]]}",
                          &desc),
                     SN_OK);
    check_rows(&k);
    for (int i = 0; i <= NX; ++i) {
        assert_near(weight_at(&k, SIZE * i, 0, 0, 1), SIZE * i / 3, 1e-9);
        assert_near(weight_at(&k, SIZE * i, 1, 1, 3), 1 - SIZE * i / 3, 1e-9);
    }
    assert_near(weight_at(&k, 3, 0.5, 0.5, 1), 0.5, 1e-9);
    sn_cook_context_finish(&k);
}

/* Two bars; a point in one: the other follows it as a whole, and somebody is told. */
static void a_piece_without_a_handle_is_rigid(void **state)
{
    (void)state;
    sn_cook_context k = {0};
    const sn_cook_desc desc = plain_desc();
    const sn_tet_mesh one = sn_test_bar(&k.arena, NX, NY, NZ, SIZE);
    const int n = one.vertex_count, t = one.tet_count;
    k.mesh = (sn_tet_mesh){2 * n, 2 * t, SN_NEW(&k.arena, double, 6 * n), SN_NEW(&k.arena, int32_t, 8 * t), false};
    assert_true(k.mesh.positions && k.mesh.tets);
    for (int i = 0; i < 6 * n; ++i) {
        k.mesh.positions[i] = one.positions[i % (3 * n)] + (i >= 3 * n && i % 3 == 1 ? 2 : 0);
    }
    for (int i = 0; i < 8 * t; ++i) {
        k.mesh.tets[i] = one.tets[i % (4 * t)] + (i >= 4 * t ? n : 0);
    }
    assert_int_equal(
        cook(&k, "{\"name\": \"a\", \"point\": [0,0.5,0.5]}, {\"name\": \"b\", \"point\": [3,1,1]}", &desc), SN_OK);
    assert_int_equal(logged.warnings, 2); /* the other says that there are two pieces */
    assert_non_null(strstr(logged.last, "rig.json: handles: 1 piece of bar without a handle; each follows"));
    for (int v = n; v < 2 * n; ++v) {
        assert_true(k.rig_weights[2 * v + 1] == 1);
    }
    sn_cook_context_finish(&k);
}

/* ---- complementarity ---- */

/* The largest sum of m D g_b x~_l w_j x~_k over all modes, relative to its terms; l from `first`: 0 to 2 are the axes,
 * 3 is 1. */
static double coupling(const sn_cook_context *k, int bone, int first)
{
    double largest = 0;
    for (int i = 0; i < 16 * k->modes.mode_count; ++i) {
        const int mode = i / 16, a = i / 4 % 4, b = i % 4;
        double sum = 0, size = 0;
        for (int v = 0; v < k->mesh.vertex_count && a >= first; ++v) {
            const double *x = k->mesh.positions + 3 * v;
            const double term = k->mass[v] * k->leak[v] * k->rig_weights[v * k->bone_count + bone] *
                                (a < 3 ? x[a] : 1) * k->modes.weights[v * k->modes.mode_count + mode] *
                                (b < 3 ? x[b] : 1);
            sum += term;
            size += fabs(term);
        }
        largest = fmax(largest, size > 0 ? fabs(sum) / size : 0);
    }
    return largest;
}

static void modes_owe_translations_no_more(void **state)
{
    (void)state;
    char handles[1024];
    sn_cook_context k = {0};
    const sn_cook_desc desc = plain_desc();
    snprintf(handles, sizeof handles, "{\"name\": \"heart\", \"point\": [1.5,0.5,0.5]}, %s", tight_cage);
    assert_int_equal(cook(&k, handles, &desc), SN_OK);
    assert_false(k.is_translated[0]);
    assert_true(coupling(&k, 0, 0) < 1e-9);
    double turned = 0;
    for (int b = 1; b < 9; ++b) {
        assert_true(k.is_translated[b]);
        assert_true(coupling(&k, b, 3) < 1e-9);
        turned = fmax(turned, coupling(&k, b, 0));
    }
    assert_true(turned > 1e-3); /* and are free to undo what no translation does */
    assert_true(k.constraint.row_count <= 10 + 8 * 4);
    /* all of them affine: more than twice as many */
    sn_constraint affine;
    const sn_constraint_rig rig = {k.bone_count, k.rig_weights, NULL};
    assert_int_equal(sn_constraint_build(&k.mesh, k.mass, k.leak, &rig, &k.arena, &affine), SN_OK);
    assert_true(affine.row_count > 1.5 * k.constraint.row_count);
    sn_cook_context_finish(&k);
}

/* J^T M D u = 0 in every step of a cage that swings; J has one column a corner. */
static void flesh_is_complementary_to_a_cage_as_it_moves(void **state)
{
    (void)state;
    sn_cook_context k = {0};
    const sn_cook_desc cooked = plain_desc();
    assert_int_equal(cook(&k, loose_cage, &cooked), SN_OK);
    sn_model *model = NULL;
    sn_reduced_solver *solver = NULL;
    sn_reduced_body *body = NULL;
    sn_reduced_desc desc = sn_default_reduced_desc();
    desc.is_double = true;
    const size_t n = (size_t)k.mesh.vertex_count;
    double *displacement = SN_NEW(&k.arena, double, 3 * n), transforms[12 * 8], pose[12 * 8], largest = 0;
    assert_int_equal(sn_model_load(k.bytes, k.size, &model), SN_OK);
    assert_true(sn_model_is_bone_translation_only(model, 7) && !sn_model_is_bone_translation_only(model, 8));
    assert_string_equal(sn_model_bone_name(model, 7), "box.7");
    assert_null(sn_model_bone_name(model, 8));
    assert_int_equal(sn_reduced_solver_create(model, &desc, &solver), SN_OK);
    assert_int_equal(sn_reduced_body_create(solver, NULL, &body), SN_OK);
    for (int frame = 0; frame < 40; ++frame) {
        for (int b = 0; b < 8; ++b) {
            sn_affine_identity(pose + 12 * b);
            pose[12 * b + 7] = b % 2 ? 0.4 * sin(0.4 * frame) : 0;
            pose[12 * b + 11] = b / 4 ? 0.2 * sin(0.3 * frame) : 0;
        }
        assert_false(sn_reduced_body_step(body, pose, NULL).is_recovered);
        memset(displacement, 0, 3 * n * sizeof *displacement);
        sn_reduced_body_mode_transforms(body, 1, transforms);
        sn_skin_add(model->mode_weights, model->counts.mode_count, transforms, model->rest_positions, (int)n,
                    displacement);
        for (size_t i = 0; i < 24; ++i) {
            double sum = 0, size = 0;
            for (size_t v = 0; v < n; ++v) {
                const double term = k.mass[v] * k.leak[v] * k.rig_weights[8 * v + i / 3] * displacement[3 * v + i % 3];
                sum += term;
                size += fabs(term);
                largest = fmax(largest, fabs(displacement[3 * v + i % 3]));
            }
            assert_true(fabs(sum) <= 1e-5 * size + 1e-9); /* weights are floats */
        }
    }
    assert_true(largest > 1e-3);
    sn_reduced_body_destroy(&body);
    sn_reduced_solver_destroy(&solver);
    sn_model_release(model);
    sn_cook_context_finish(&k);
}

int test_cooked_handles(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_tight_cage_is_linear_on_its_faces, setup, teardown),
        cmocka_unit_test_setup_teardown(a_loose_cage_moves_all_as_one, setup, teardown),
        cmocka_unit_test_setup_teardown(a_bone_may_leave_a_cage, setup, teardown),
        cmocka_unit_test_setup_teardown(a_loop_is_linear_along_its_edges, setup, teardown),
        cmocka_unit_test_setup_teardown(a_piece_without_a_handle_is_rigid, setup, teardown),
        cmocka_unit_test_setup_teardown(modes_owe_translations_no_more, setup, teardown),
        cmocka_unit_test_setup_teardown(flesh_is_complementary_to_a_cage_as_it_moves, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
