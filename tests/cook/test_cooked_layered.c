/* SPDX-License-Identifier: MIT */
/* Bodies of models that were cooked for them: at rest they stay, bent they hold their volume, and what bones carry is
 * where the bones are. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "author/cook/cook.h"
#include "host/math/affine.h"
#include "host/math/vec3.h"
#include "tests/support/bar.h"

#define STEPS 45

typedef struct scene {
    sn_cook_context k;
    sn_model *model;
    sn_world_id world;
    sn_body_id body;
} scene;

static sn_cook_desc cook_desc;

/* A limb of two bones, or of the first alone, whose flesh is a bar from 0 to 6 along x; fibres along the bones, or
 * none.
 */
static void begin(scene *s, int bone_count, bool has_fibres, double gravity)
{
    static const sn_cook_handle bones[2] = {
        {.shape = SN_HANDLE_SHAPE_BONE, .parent = -1, .start = {0.3, 0.5, 0.5}, .end = {3, 0.5, 0.5}},
        {.shape = SN_HANDLE_SHAPE_BONE, .parent = 0, .start = {3, 0.5, 0.5}, .end = {5.7, 0.5, 0.5}}};
    static sn_cook_handles handles;
    static const sn_cook_fibres fibres = {.stretch = {8, 1, 1}};
    const sn_world_desc world = sn_default_world_desc();
    sn_body_desc body = sn_default_body_desc();
    *s = (scene){.model = NULL};
    handles = (sn_cook_handles){.count = bone_count, .handles = bones};
    cook_desc = sn_default_cook_desc();
    cook_desc.is_layered = true;
    cook_desc.handles = &handles;
    cook_desc.fibres = has_fibres ? &fibres : NULL;
    s->k.mesh = sn_test_bar(&s->k.arena, 24, 4, 4, 0.25);
    assert_int_equal(sn_cook_context_run(&s->k, "limb", &cook_desc), SN_OK);
    assert_int_equal(sn_model_load(s->k.bytes, s->k.size, &s->model), SN_OK);
    body.solver = SN_SOLVER_LAYERED;
    body.model = s->model;
    body.gravity[1] = gravity;
    body.damping = 4;
    assert_int_equal(sn_world_create(&world, &s->world), SN_OK);
    assert_int_equal(sn_body_create(s->world, &body, &s->body), SN_OK);
}

static void end(scene *s)
{
    sn_world_destroy(s->world);
    sn_model_release(s->model);
    sn_cook_context_finish(&s->k);
    assert_int_equal(sn_allocated_bytes(), 0);
}

/* The lower bone turned about z by an angle, at its head. */
static void bend(const scene *s, double angle, sn_mat3x4 *pose)
{
    const double c = cos(angle), sine = sin(angle);
    const float *at = s->model->bone_pivots + 3;
    const double x = (double)at[0], y = (double)at[1];
    const double turned[12] = {c, -sine, 0, x - c * x + sine * y, sine, c, 0, y - sine * x - c * y, 0, 0, 1, 0};
    for (int i = 0; i < 12; ++i) {
        pose[0].m[i / 4][i % 4] = i % 5 == 0 ? 1 : 0;
        pose[1].m[i / 4][i % 4] = (float)turned[i];
    }
}

static double *flesh_of(scene *s)
{
    const size_t n = (size_t)s->model->counts.vertex_count;
    double *places = SN_NEW(&s->k.arena, double, 3 * n);
    sn_body_tet_positions(s->body, places, (int)n);
    return places;
}

static double volume_of(const scene *s, double *positions, int *inverted)
{
    const sn_tet_mesh mesh = {.vertex_count = s->k.mesh.vertex_count,
                              .tet_count = s->k.mesh.tet_count,
                              .positions = positions,
                              .tets = s->k.mesh.tets};
    double sum = 0;
    *inverted = 0;
    for (int t = 0; t < mesh.tet_count; ++t) {
        const double volume = sn_tet_volume(&mesh, t);
        *inverted += volume <= 0;
        sum += volume;
    }
    return sum;
}

static void test_rest_is_rest(void **state)
{
    (void)state;
    for (int fibres = 0; fibres < 2; ++fibres) {
        scene s;
        begin(&s, 2, fibres == 1, 0);
        for (int step = 0; step < 20; ++step) {
            sn_world_step(s.world, 1.0 / 60);
        }
        const double *now = flesh_of(&s);
        for (int i = 0; i < 3 * s.k.mesh.vertex_count; ++i) {
            assert_true(fabs(now[i] - (double)s.model->rest_positions[i]) < 1e-5);
        }
        end(&s);
    }
}

static void test_a_joint_bends(void **state)
{
    (void)state;
    for (int fibres = 0; fibres < 2; ++fibres) {
        scene s;
        sn_mat3x4 pose[2];
        int inverted = 0;
        begin(&s, 2, fibres == 1, 0);
        const double rest = volume_of(&s, flesh_of(&s), &inverted);
        assert_int_equal(inverted, 0);
        for (int step = 1; step <= STEPS; ++step) {
            bend(&s, 1.5707963267948966 * fmin(step / 30.0, 1), pose);
            sn_body_set_pose(s.body, pose, 2);
            sn_world_step(s.world, 1.0 / 60);
        }
        double *now = flesh_of(&s);
        const double bent = volume_of(&s, now, &inverted);
        assert_true(bent > 0.96 * rest && bent < 1.02 * rest);
        assert_true(inverted <= s.k.mesh.tet_count / 200);
        for (size_t v = 0; v < (size_t)s.k.mesh.vertex_count; ++v) {
            const int32_t bone = s.model->strain_attached_bones[v];
            double matrix[12], rested[3], place[3];
            for (int i = 0; i < 12 && bone >= 0; ++i) {
                matrix[i] = (double)pose[bone].m[i / 4][i % 4];
                rested[i % 3] = (double)s.model->rest_positions[3 * v + (size_t)(i % 3)];
            }
            if (bone >= 0) {
                sn_affine_apply(matrix, rested, place);
                assert_true(sn_distance3(place, now + 3 * v) < 1e-5);
            }
        }
        end(&s);
    }
}

/* The far half hangs out: eight times as stiff along it, it sags by less than half. */
static void test_fibres_hold(void **state)
{
    (void)state;
    double sag[2];
    for (int fibres = 0; fibres < 2; ++fibres) {
        scene s;
        begin(&s, 1, fibres == 1, -1);
        for (int step = 0; step < 90; ++step) {
            sn_world_step(s.world, 1.0 / 60);
        }
        const double *now = flesh_of(&s);
        const int last = s.k.mesh.vertex_count - 1; /* a corner of the far end */
        sag[fibres] = (double)s.model->rest_positions[3 * last + 1] - now[3 * last + 1];
        end(&s);
    }
    assert_true(sag[0] > 1e-3 && sag[0] < 0.3);
    assert_true(sag[1] > 0.05 * sag[0] && sag[1] < 0.5 * sag[0]);
}

int test_cooked_layered(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_rest_is_rest), cmocka_unit_test(test_a_joint_bends),
                                       cmocka_unit_test(test_fibres_hold)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
