/* SPDX-License-Identifier: MIT */
/* Layered bodies in worlds: poses, pushes, grabs, colliders, teleports and resets, other parameters, the same bits for
 * any number of workers, wrong input, refusals. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "host/base/hash.h"
#include "host/math/vec3.h"
#include "host/model/model.h"
#include "tests/support/count_allocations.h"
#include "tests/world/world_test.h"

#include "tests/world/layered_bar.h"

#define VERTEX_LIMIT 2000

static double places[3 * VERTEX_LIMIT], others[3 * VERTEX_LIMIT];

static int count_vertices(void)
{
    assert_true(model->counts.vertex_count <= VERTEX_LIMIT);
    return model->counts.vertex_count;
}

static sn_mat3x4 moved(double x, double y, double angle)
{
    const float c = (float)cos(angle), s = (float)sin(angle);
    return (sn_mat3x4){{{c, -s, 0, (float)x}, {s, c, 0, (float)y}, {0, 0, 1, 0}}};
}

static void step(sn_world_id world, int count)
{
    for (int i = 0; i < count; ++i) {
        assert_int_equal(sn_world_step(world, 1.0 / 60).recovery_count, 0);
    }
}

static double mean_height(const double *x)
{
    double sum = 0;
    for (int v = 0; v < count_vertices(); ++v) {
        sum += x[3 * v + 1] / count_vertices();
    }
    return sum;
}

/* Ends follow their bones, the middle hangs; what is drawn of the bones is the pose. */
static void test_bodies_follow_their_bones(void **state)
{
    (void)state;
    const sn_world_id world = make_world(1);
    const sn_body_id body = make_layered(world, 9.81);
    const sn_mat3x4 to = moved(0, 0.1, 0);
    sn_body_set_bone_pose(body, 0, &to);
    step(world, 90);
    sn_body_tet_positions(body, places, count_vertices());
    double lowest = 0;
    for (int v = 0; v < count_vertices(); ++v) {
        const float *rest = model->rest_positions + 3 * v;
        const double rise = places[3 * v + 1] - (double)rest[1];
        if (layered_bar.strain_attached_bones[v] == 0) {
            assert_true(fabs(rise - 0.1) < 1e-6);
        } else if (layered_bar.strain_attached_bones[v] > 0) {
            assert_true(fabs(rise) < 1e-6);
        }
        lowest = fmin(lowest, rise);
    }
    assert_true(lowest < -0.001);
    assert_true(fabsf(sn_body_output(body).matrices[0].m[1][3] - 0.1F) < 1e-6F);
    assert_true(sn_body_get_motion(body).elastic > 0);
    sn_world_destroy(world);
}

static void test_impulses_and_wind_push(void **state)
{
    (void)state;
    const sn_world_id world = make_world(1);
    sn_body_desc desc = layered_desc(0);
    const sn_body_id body = make_layered(world, 0);
    const double point[3] = {0, 0.2, 0}, impulse[3] = {0, -0.05 * layered_bar.total_mass, 0};
    sn_body_apply_impulse(body, point, impulse);
    assert_true(sn_body_get_motion(body).momentum[1] < 0.5 * impulse[1]);
    step(world, 3);
    sn_body_tet_positions(body, places, count_vertices());
    assert_true(mean_height(places) < -1e-4);
    sn_body_reset(body);
    assert_true(sn_body_get_motion(body).kinetic == 0);
    desc.wind[1] = 30;
    assert_int_equal(sn_body_set_desc(body, &desc), SN_OK);
    step(world, 3);
    assert_true(sn_body_get_motion(body).momentum[1] > 0);
    sn_world_destroy(world);
}

static void test_grabs_hold_and_let_go(void **state)
{
    (void)state;
    const sn_world_id world = make_world(1);
    const sn_body_id body = make_layered(world, 0);
    const double point[3] = {0, 0.118, 0}, target[3] = {0, 0.2, 0};
    const sn_grab_desc desc = sn_default_grab_desc();
    const int grab = sn_body_grab(body, point, &desc);
    assert_true(grab >= 0);
    sn_body_drag(body, grab, target);
    step(world, 60);
    sn_body_tet_positions(body, places, count_vertices());
    assert_true(mean_height(places) > 2e-3);
    sn_body_desc other = layered_desc(0); /* what is held stays held */
    other.layered_mode = SN_LAYERED_LAYERS;
    other.consolidation_sweep_count = 0;
    other.substep_count = 1;
    other.sweep_count = 10;
    assert_int_equal(sn_body_set_desc(body, &other), SN_OK);
    step(world, 30);
    sn_body_tet_positions(body, others, count_vertices());
    assert_true(mean_height(others) > 0.5 * mean_height(places));
    sn_body_release(body, grab);
    step(world, 120);
    sn_body_tet_positions(body, places, count_vertices());
    assert_true(fabs(mean_height(places)) < 1e-4);
    sn_world_destroy(world);
}

static void test_colliders_keep_flesh_out(void **state)
{
    (void)state;
    const sn_world_id world = make_world(1);
    const sn_body_id body = make_layered(world, 9.81);
    sn_collider_desc ball = sn_default_collider_desc();
    sn_collider_id id;
    ball.shape = SN_COLLIDER_SPHERE;
    ball.radius = 0.1;
    ball.transform = moved(0, -0.18, 0);
    assert_int_equal(sn_collider_create(world, &ball, &id), SN_OK);
    step(world, 60);
    sn_body_tet_positions(body, places, count_vertices());
    for (int v = 0; v < count_vertices(); ++v) {
        const double centre[3] = {0, -0.18, 0};
        assert_true(sn_distance3(places + 3 * v, centre) > 0.099);
    }
    sn_world_destroy(world);
}

/* A world with workers has the bits of one without; a teleport and its way back are not felt but for rounding. */
static uint64_t hash_crowd(int workers)
{
    const sn_world_id world = make_world(workers);
    sn_body_id bodies[7];
    uint64_t hash = SN_HASH_SEED;
    for (int i = 0; i < 7; ++i) {
        bodies[i] = make_layered(world, 9.81 - i);
    }
    for (int frame = 0; frame < 12; ++frame) {
        for (int i = 0; i < 7; ++i) {
            const sn_mat3x4 to = moved(0.01 * i, 0.02 * frame, 0.05 * frame);
            sn_body_set_bone_pose(bodies[i], i % BONES, &to);
        }
        step(world, 1);
    }
    for (int i = 0; i < 7; ++i) {
        sn_body_tet_positions(bodies[i], places, count_vertices());
        hash = sn_hash(hash, places, 3 * sizeof *places * (size_t)count_vertices());
    }
    sn_world_destroy(world);
    return hash;
}

static void test_workers_change_no_bit(void **state)
{
    (void)state;
    const uint64_t expected = hash_crowd(1);
    assert_true(hash_crowd(2) == expected);
    assert_true(hash_crowd(5) == expected);
}

static void test_teleports_are_not_felt(void **state)
{
    (void)state;
    const sn_world_id world = make_world(1);
    const sn_body_id one = make_layered(world, 0), other = make_layered(world, 0);
    const sn_mat3x4 away = moved(2, 1, 0.7);
    const double point[3] = {0, 0.2, 0}, impulse[3] = {0, -0.02 * layered_bar.total_mass, 0};
    sn_body_apply_impulse(one, point, impulse);
    sn_body_apply_impulse(other, point, impulse);
    sn_body_teleport(one, &away);
    step(world, 20);
    sn_body_tet_positions(one, places, count_vertices());
    sn_body_tet_positions(other, others, count_vertices());
    for (int v = 0; v < count_vertices(); ++v) {
        for (int d = 0; d < 3; ++d) {
            double expected = (double)away.m[d][3];
            for (int k = 0; k < 3; ++k) {
                expected += (double)away.m[d][k] * others[3 * v + k];
            }
            assert_true(fabs(places[3 * v + d] - expected) < 1e-4);
        }
    }
    sn_world_destroy(world);
}

static void test_steps_allocate_nothing(void **state)
{
    (void)state;
    sn_set_allocator(sn_test_count_alloc, sn_test_count_free, NULL);
    const sn_world_id world = make_world(1);
    make_layered(world, 9.81);
    step(world, 2);
    allocation_count = 0;
    step(world, 10);
    assert_int_equal(allocation_count, 0);
    sn_world_destroy(world);
    sn_set_allocator(NULL, NULL, NULL);
}

static void test_wrong_input(void **state)
{
    (void)state;
    const sn_world_id world = make_world(1);
    sn_body_desc desc = layered_desc(0);
    sn_body_id body;
    begin_log();
    desc.model = model;
    assert_int_equal(sn_body_create(world, &desc, &body), SN_ERROR_UNSUPPORTED);
    assert_one_error("was not cooked for layered bodies");
    begin_log();
    desc.model = &layered_bar;
    desc.layered_mode = SN_LAYERED_MODE_COUNT;
    assert_int_equal(sn_body_create(world, &desc, &body), SN_ERROR_ARGUMENT);
    assert_one_error("mode 2: out of range");
    begin_log();
    desc.layered_mode = SN_LAYERED_LAYERS;
    desc.consolidation_sweep_count = -1;
    assert_int_equal(sn_body_create(world, &desc, &body), SN_ERROR_ARGUMENT);
    assert_one_error("consolidating sweeps -1: out of range");
    begin_log();
    body = make_layered(world, 9.81);
    sn_mat3x4 wrong = moved(0, 0, 0);
    wrong.m[1][1] = NAN;
    sn_body_set_rigid_pose(body, &wrong);
    assert_int_equal(sn_world_step(world, 1.0 / 60).recovery_count, 1);
    wrong = moved(0, 1e30, 0);
    sn_body_set_rigid_pose(body, &wrong);
    assert_int_equal(sn_world_step(world, 1.0 / 60).recovery_count, 1);
    sn_body_tet_positions(body, places, count_vertices());
    for (int i = 0; i < 3 * count_vertices(); ++i) {
        assert_true(isfinite(places[i]));
    }
    sn_world_destroy(world);
}

int test_layered_world(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bodies_follow_their_bones), cmocka_unit_test(test_impulses_and_wind_push),
        cmocka_unit_test(test_grabs_hold_and_let_go),     cmocka_unit_test(test_colliders_keep_flesh_out),
        cmocka_unit_test(test_workers_change_no_bit),     cmocka_unit_test(test_teleports_are_not_felt),
        cmocka_unit_test(test_steps_allocate_nothing),    cmocka_unit_test(test_wrong_input)};
    return cmocka_run_group_tests(tests, load_layered, unload_layered);
}
