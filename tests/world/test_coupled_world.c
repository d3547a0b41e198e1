/* SPDX-License-Identifier: MIT */
/* Coupled bodies through the public API: locks, targets, free bones, other rigs, grabs, wind, contact, time, threads,
 * memory. The character is a bar of arrays with point handles at its ends. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "sinew/author.h"
#include "tests/support/bar.h"
#include "tests/support/count_allocations.h"

#define STEP (1.0 / 60)
#define LENGTH 2.0 /* of the bar, along x; it is .5 high and deep */

static sn_blob blobs[8];
static sn_model *models[8];
static int model_count;
static int error_count, warning_count;
static char last_line[512];

static void count_lines(sn_log_level level, const char *message, void *user)
{
    (void)user;
    error_count += level == SN_LOG_ERROR;
    warning_count += level == SN_LOG_WARNING;
    snprintf(last_line, sizeof last_line, "%s", message);
}

static size_t bytes_before; /* a test that fails leaves its world */

static int start(void **state)
{
    (void)state;
    bytes_before = sn_allocated_bytes();
    sn_set_log(count_lines, NULL);
    error_count = warning_count = model_count = 0;
    return 0;
}

static int finish(void **state)
{
    (void)state;
    while (model_count > 0) {
        sn_model_release(models[--model_count]);
        sn_blob_release(&blobs[model_count]);
    }
    sn_set_log(NULL, NULL);
    return sn_allocated_bytes() == bytes_before ? 0 : -1;
}

/* Takes the blob over. */
static const sn_model *keep(sn_blob blob)
{
    blobs[model_count] = blob;
    assert_int_equal(sn_model_load(blob.bytes, blob.size, &models[model_count]), SN_OK);
    return models[model_count++];
}

static sn_cook_handle point(const char *name, double x, double y, double z)
{
    return (sn_cook_handle){.shape = SN_HANDLE_SHAPE_POINT, .name = name, .parent = -1, .start = {x, y, z}};
}

static sn_cook_desc cook_desc(const sn_cook_handles *handles)
{
    sn_cook_desc desc = sn_default_cook_desc();
    desc.units = SN_UNITS_KEEP;
    desc.is_coupled = true;
    desc.handles = handles;
    return desc;
}

static sn_result cook_tets(const sn_cook_desc *desc, sn_blob *blob)
{
    sn_arena arena = {0};
    const sn_tet_mesh bar = sn_test_bar(&arena, 8, 2, 2, 0.25);
    const sn_cook_mesh_input input = {.name = "bar",
                                      .vertex_count = bar.vertex_count,
                                      .positions = bar.positions,
                                      .tet_count = bar.tet_count,
                                      .tets = bar.tets};
    const sn_result result = sn_cook_mesh(&input, desc, blob, NULL);
    sn_arena_finish(&arena);
    return result;
}

static const sn_model *cook_bar(const sn_cook_handle *handles, int count)
{
    const sn_cook_handles list = {.count = count, .handles = handles};
    const sn_cook_desc desc = cook_desc(&list);
    sn_blob blob;
    assert_int_equal(cook_tets(&desc, &blob), SN_OK);
    return keep(blob);
}

/* "head" at x = 0, "tail" at the other end. */
static const sn_model *cook_ends(void)
{
    const sn_cook_handle ends[2] = {point("head", 0, 0.25, 0.25), point("tail", LENGTH, 0.25, 0.25)};
    return cook_bar(ends, 2);
}

static sn_world_id make_world(int workers)
{
    sn_world_desc desc = sn_default_world_desc();
    sn_world_id world;
    desc.worker_count = workers;
    assert_int_equal(sn_world_create(&desc, &world), SN_OK);
    return world;
}

static sn_body_id make_body(sn_world_id world, const sn_model *model, const double *gravity)
{
    sn_body_desc desc = sn_default_body_desc();
    sn_body_id body;
    desc.model = model;
    desc.solver = SN_SOLVER_COUPLED;
    memcpy(desc.gravity, gravity, sizeof desc.gravity);
    assert_int_equal(sn_body_create(world, &desc, &body), SN_OK);
    return body;
}

static const double none[3] = {0, 0, 0}, down[3] = {0, -10, 0};

/* Where a bone's pivot is drawn. */
static void bone_place(sn_body_id body, int bone, double *place)
{
    const sn_body_matrices output = sn_body_output(body);
    double pivot[3];
    sn_model_bone_pivot(sn_body_model(body), bone, pivot);
    for (int d = 0; d < 3; ++d) {
        const float *m = output.matrices[bone].m[d];
        place[d] = (double)m[0] * pivot[0] + (double)m[1] * pivot[1] + (double)m[2] * pivot[2] + (double)m[3];
    }
}

static double difference(const sn_mat3x4 *a, const sn_mat3x4 *b)
{
    double most = 0;
    for (int i = 0; i < 12; ++i) {
        most = fmax(most, fabs((double)a->m[i / 4][i % 4] - (double)b->m[i / 4][i % 4]));
    }
    return most;
}

static const sn_mat3x4 identity = {{{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}}};

/* About z, then a translation along y. */
static sn_mat3x4 turned(double angle, double y)
{
    const float c = (float)cos(angle), s = (float)sin(angle);
    return (sn_mat3x4){{{c, -s, 0, 0}, {s, c, 0, (float)y}, {0, 0, 1, 0}}};
}

/* What is drawn is a step behind. */
static void run(sn_world_id world, int steps)
{
    for (int i = 0; i < steps; ++i) {
        assert_int_equal(sn_world_step(world, STEP).recovery_count, 0);
    }
}

static void free_all(sn_body_id body)
{
    for (int bone = 0; bone < sn_model_bone_count(sn_body_model(body)); ++bone) {
        sn_body_set_locks(body, bone, 0);
    }
}

static void locked_bones_are_the_pose(void **state)
{
    (void)state;
    sn_world_id world = make_world(1);
    sn_body_id body = make_body(world, cook_ends(), down);
    const sn_mat3x4 pose[2] = {identity, turned(0.4, 0.1)};
    assert_int_equal(sn_body_locks(body, 1), SN_LOCK_ALL);
    run(world, 5);
    assert_true(difference(sn_body_output(body).matrices, &identity) < 1e-6);
    sn_body_set_pose(body, pose, 2);
    run(world, 2);
    assert_true(difference(&sn_body_output(body).matrices[0], &pose[0]) < 1e-6);
    assert_true(difference(&sn_body_output(body).matrices[1], &pose[1]) < 1e-6);
    assert_int_equal(sn_body_output(body).mode_count, 0);
    sn_world_destroy(world);
}

static void a_free_body_falls(void **state)
{
    (void)state;
    sn_world_id world = make_world(1);
    sn_body_id body = make_body(world, cook_ends(), down);
    free_all(body);
    run(world, 31);
    double place[2][3];
    bone_place(body, 0, place[0]);
    bone_place(body, 1, place[1]);
    /* x += h v after v += h g, in substeps of a 900th */
    const double fallen = 0.5 * 10 * 0.5 * (0.5 + STEP / 15);
    assert_true(fabs(place[0][1] - (0.25 - fallen)) < 1e-4 && fabs(place[1][1] - (0.25 - fallen)) < 1e-4);
    assert_true(fabs(place[0][0]) < 1e-4 && fabs(place[1][0] - LENGTH) < 1e-4);
    sn_world_destroy(world);
}

/* The head is moved sideways; the tail is free, and comes along after. */
static void what_is_free_follows(void **state)
{
    (void)state;
    sn_world_id world = make_world(1);
    sn_body_desc desc = sn_default_body_desc();
    sn_body_id body;
    desc.model = cook_ends();
    desc.solver = SN_SOLVER_COUPLED;
    desc.damping = 4;
    desc.is_rigid_damped = true;
    assert_int_equal(sn_body_create(world, &desc, &body), SN_OK);
    sn_body_set_locks(body, 1, 0);
    double place[3], early = 0;
    for (int i = 1; i <= 300; ++i) {
        const sn_mat3x4 pose = turned(0, 0.5 * fmin(i / 30.0, 1));
        sn_body_set_bone_pose(body, 0, &pose);
        run(world, 1);
        bone_place(body, 0, place);
        assert_true(fabs(place[1] - (0.25 + 0.5 * fmin((i - 1) / 30.0, 1))) < 1e-5);
        bone_place(body, 1, place);
        early = i == 7 ? place[1] - 0.25 : early;
    }
    assert_true(early < 0.06); /* the head is at .1 then */
    assert_true(fabs(place[1] - 0.75) < 0.02 && fabs(place[0] - LENGTH) < 0.02);
    sn_world_destroy(world);
}

/* Held at its head, at rest under its weight: the locks give m g t. */
static void locks_bear_the_weight(void **state)
{
    (void)state;
    sn_world_id world = make_world(1);
    sn_body_desc desc = sn_default_body_desc();
    sn_body_id body;
    desc.model = cook_ends();
    desc.solver = SN_SOLVER_COUPLED;
    desc.damping = 8;
    desc.stiffness = 10;
    memcpy(desc.gravity, down, sizeof down);
    assert_int_equal(sn_body_create(world, &desc, &body), SN_OK);
    sn_body_set_locks(body, 1, 0);
    run(world, 600);
    double impulse[6], sum = 0;
    for (int i = 0; i < 60; ++i) {
        run(world, 1);
        sn_body_lock_impulse(body, 0, impulse);
        sum += impulse[1];
    }
    const double weight = 1000 * LENGTH * 0.25 * 10;
    assert_true(fabs(sum / weight - 1) < 0.05);
    sn_body_lock_impulse(body, 1, impulse);
    for (int i = 0; i < 6; ++i) {
        assert_true(impulse[i] == 0);
    }
    sn_world_destroy(world);
}

/* What is locked while it moves stays there, not where the pose was. */
static void locks_take_hold_where_bones_are(void **state)
{
    (void)state;
    sn_world_id world = make_world(1);
    sn_body_id body = make_body(world, cook_ends(), down);
    double before[3], after[3];
    free_all(body);
    run(world, 20);
    sn_body_set_locks(body, 0, SN_LOCK_TRANSLATION);
    run(world, 2);
    bone_place(body, 0, before);
    assert_true(before[1] < -0.2);
    assert_int_equal(sn_body_locks(body, 0), SN_LOCK_TRANSLATION);
    run(world, 20);
    bone_place(body, 0, after);
    for (int d = 0; d < 3; ++d) {
        assert_true(fabs(after[d] - before[d]) < 1e-4);
    }
    sn_world_destroy(world);
}

static void axes_lock_one_by_one(void **state)
{
    (void)state;
    sn_world_id world = make_world(1);
    sn_body_id body = make_body(world, cook_ends(), (const double[]){3, 0, 0});
    double place[3];
    sn_body_set_locks(body, 0, SN_LOCK_Y | SN_LOCK_Z);
    sn_body_set_locks(body, 1, SN_LOCK_Y | SN_LOCK_Z);
    run(world, 31);
    for (int bone = 0; bone < 2; ++bone) {
        bone_place(body, bone, place);
        assert_true(fabs(place[1] - 0.25) < 1e-5 && fabs(place[2] - 0.25) < 1e-5);
        assert_true(fabs(place[0] - (bone * LENGTH + 0.5 * 3 * 0.5 * (0.5 + STEP / 15))) < 1e-2);
    }
    sn_world_destroy(world);
}

/* A chain of two bones, held at its root: the joint is carried, and both swing down. */
static void joints_are_carried(void **state)
{
    (void)state;
    const sn_cook_handle chain[2] = {{.shape = SN_HANDLE_SHAPE_BONE,
                                      .name = "upper",
                                      .parent = -1,
                                      .start = {0, 0.25, 0.25},
                                      .end = {LENGTH / 2, 0.25, 0.25}},
                                     {.shape = SN_HANDLE_SHAPE_BONE,
                                      .name = "lower",
                                      .parent = 0,
                                      .start = {LENGTH / 2, 0.25, 0.25},
                                      .end = {LENGTH, 0.25, 0.25}}};
    const sn_model *model = cook_bar(chain, 2);
    assert_int_equal(sn_model_bone_parent(model, 1), 0);
    assert_int_equal(sn_model_bone_parent(model, 0), -1);
    sn_world_id world = make_world(1);
    sn_body_id body = make_body(world, model, down);
    sn_body_set_locks(body, 0, SN_LOCK_TRANSLATION);
    sn_body_set_locks(body, 1, 0);
    run(world, 25);
    double root[3], joint[3], carried[3];
    const sn_mat3x4 *upper = &sn_body_output(body).matrices[0];
    bone_place(body, 0, root);
    bone_place(body, 1, joint);
    const double at[3] = {LENGTH / 2, 0.25, 0.25};
    for (int d = 0; d < 3; ++d) {
        const float *m = upper->m[d];
        carried[d] = (double)m[0] * at[0] + (double)m[1] * at[1] + (double)m[2] * at[2] + (double)m[3];
        assert_true(fabs(carried[d] - joint[d]) < 1e-5);
    }
    assert_true(fabs(root[0]) < 1e-5 && fabs(root[1] - 0.25) < 1e-5);
    assert_true(joint[1] < 0.1);
    sn_world_destroy(world);
}

/* ---- other rigs ---- */

static const sn_model *cook_other(const sn_model *model, const sn_cook_handle *handles, int count)
{
    const sn_cook_rig_desc desc = {.handles = {.name = "edit", .count = count, .handles = handles}};
    sn_blob blob;
    assert_int_equal(sn_cook_rig(model, &desc, &blob), SN_OK);
    return keep(blob);
}

static void a_rig_is_exchanged_live(void **state)
{
    (void)state;
    const sn_model *model = cook_ends();
    const sn_cook_handle three[3] = {point("middle", LENGTH / 2, 0.25, 0.25), point("tail", LENGTH, 0.25, 0.25),
                                     point("head", 0, 0.25, 0.25)};
    const sn_model *other = cook_other(model, three, 3);
    sn_world_id world = make_world(1);
    sn_body_id body = make_body(world, model, down);
    sn_body_set_locks(body, 1, 0);
    run(world, 12);
    double head[3], tail[3], now[3];
    bone_place(body, 0, head);
    bone_place(body, 1, tail);
    assert_true(tail[1] < 0.2);
    assert_int_equal(sn_body_set_rig(body, other), SN_OK);
    assert_ptr_equal(sn_body_model(body), other);
    assert_int_equal(sn_body_locks(body, 0), 0);
    assert_int_equal(sn_body_locks(body, 1), 0);
    assert_int_equal(sn_body_locks(body, 2), SN_LOCK_ALL);
    bone_place(body, 2, now);
    assert_true(fabs(now[1] - head[1]) < 1e-4);
    bone_place(body, 1, now);
    assert_true(fabs(now[1] - tail[1]) < 0.03); /* fitted to the same flesh with one handle more */
    bone_place(body, 0, now);
    assert_true(now[1] < 0.25 && now[1] > tail[1]);
    run(world, 30);
    bone_place(body, 2, now);
    assert_true(fabs(now[1] - 0.25) < 1e-5);
    sn_world_destroy(world);
}

static void other_tets_are_refused(void **state)
{
    (void)state;
    const sn_model *model = cook_ends();
    const sn_cook_handle one[1] = {point("all", 1, 0.25, 0.25)};
    sn_cook_handles list = {.count = 1, .handles = one};
    sn_cook_desc desc = cook_desc(&list);
    sn_blob blob;
    desc.density = 500;
    assert_int_equal(cook_tets(&desc, &blob), SN_OK);
    const sn_model *other = keep(blob);
    sn_world_id world = make_world(1);
    sn_body_id body = make_body(world, model, none);
    error_count = 0;
    assert_int_equal(sn_body_set_rig(body, other), SN_ERROR_ARGUMENT);
    assert_int_equal(error_count, 1);
    assert_ptr_equal(sn_body_model(body), model);
    run(world, 2);
    sn_world_destroy(world);
}

/* ---- pushes ---- */

static void a_grab_pulls_the_rig(void **state)
{
    (void)state;
    sn_world_id world = make_world(1);
    sn_body_desc desc = sn_default_body_desc();
    sn_body_id body;
    desc.model = cook_ends();
    desc.solver = SN_SOLVER_COUPLED;
    desc.damping = 5;
    assert_int_equal(sn_body_create(world, &desc, &body), SN_OK);
    free_all(body);
    const double at[3] = {LENGTH, 0.5, 0.5}, to[3] = {LENGTH, 1.5, 0.5};
    const sn_grab_desc grab_desc = sn_default_grab_desc();
    const int grab = sn_body_grab(body, at, &grab_desc);
    assert_true(grab >= 0);
    run(world, 10);
    double place[3];
    bone_place(body, 1, place);
    assert_true(fabs(place[1] - 0.25) < 1e-4); /* it holds still until it is dragged */
    sn_body_drag(body, grab, to);
    run(world, 240);
    bone_place(body, 1, place);
    assert_true(place[1] > 0.9);
    sn_body_release(body, grab);
    run(world, 1);
    const double far[3] = {50, 50, 50};
    sn_grab_desc near = grab_desc;
    near.reach = 0.1;
    assert_int_equal(sn_body_grab(body, far, &near), -1);
    sn_body_reset(body);
    for (int i = 0; i < SN_GRAB_LIMIT; ++i) {
        const double spread[3] = {LENGTH * i / 3, 0, 0};
        assert_int_equal(sn_body_grab(body, spread, &grab_desc), i);
    }
    assert_int_equal(sn_body_grab(body, at, &grab_desc), -1);
    sn_body_reset(body);
    assert_int_equal(sn_body_grab(body, at, &grab_desc), 0);
    sn_world_destroy(world);
}

static void impulses_move_a_free_body(void **state)
{
    (void)state;
    sn_world_id world = make_world(1);
    sn_body_id body = make_body(world, cook_ends(), none);
    const double middle[3] = {LENGTH / 2, 0, 0.25}, up[3] = {0, 500, 0};
    double place[2][3];
    free_all(body);
    sn_body_apply_impulse(body, middle, up);
    run(world, 60);
    bone_place(body, 0, place[0]);
    bone_place(body, 1, place[1]);
    /* 500 kg: a metre a second */
    assert_true(fabs((place[0][1] + place[1][1]) / 2 - 1.25) < 0.15);
    sn_body_reset(body);
    sn_body_apply_bone_impulse(body, 1, up);
    run(world, 6);
    bone_place(body, 0, place[0]);
    bone_place(body, 1, place[1]);
    assert_true(place[1][1] > place[0][1] + 0.05);
    const double bad[3] = {NAN, 0, 0};
    sn_body_apply_impulse(body, bad, up);
    sn_body_apply_impulse(body, middle, bad);
    run(world, 2);
    sn_world_destroy(world);
}

static void wind_carries_a_free_body(void **state)
{
    (void)state;
    sn_world_id world = make_world(1);
    sn_body_desc desc = sn_default_body_desc();
    sn_body_id body;
    desc.model = cook_ends();
    desc.solver = SN_SOLVER_COUPLED;
    desc.wind[2] = 20;
    assert_int_equal(sn_body_create(world, &desc, &body), SN_OK);
    free_all(body);
    run(world, 60);
    double place[3];
    bone_place(body, 0, place);
    /* 1/2 rho v^2 A = 240 N on 500 kg for a second */
    assert_true(fabs(place[2] - (0.25 + 0.24)) < 0.08);
    sn_world_destroy(world);
}

static void the_floor_holds(void **state)
{
    (void)state;
    sn_world_id world = make_world(1);
    sn_body_id body = make_body(world, cook_ends(), down);
    sn_collider_desc floor = sn_default_collider_desc();
    sn_collider_id id;
    floor.transform.m[1][3] = -0.5F;
    assert_int_equal(sn_collider_create(world, &floor, &id), SN_OK);
    free_all(body);
    run(world, 240);
    double place[3];
    bone_place(body, 0, place);
    assert_true(place[1] > -0.5 && place[1] < 0);
    sn_world_destroy(world);
}

/* ---- time ---- */

static double determinant(const sn_mat3x4 *a)
{
    double m[3][3];
    for (int i = 0; i < 9; ++i) {
        m[i / 3][i % 3] = (double)a->m[i / 3][i % 3];
    }
    return m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1]) - m[0][1] * (m[1][0] * m[2][2] - m[1][2] * m[2][0]) +
           m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0]);
}

/* Between two steps bones stay rigid, also where they spin fast. */
static void in_between_bones_are_rigid(void **state)
{
    (void)state;
    sn_world_id world = make_world(1);
    sn_body_id body = make_body(world, cook_ends(), none);
    double last = 0;
    free_all(body);
    sn_body_set_locks(body, 0, SN_LOCK_ROTATION);
    for (int i = 1; i <= 4; ++i) {
        const sn_mat3x4 pose = turned(i, 0);
        sn_body_set_bone_pose(body, 0, &pose);
        run(world, 1);
    }
    for (int i = 0; i < 4; ++i) {
        sn_world_step(world, STEP / 5);
        const sn_mat3x4 *m = sn_body_output(body).matrices;
        assert_true(fabs(determinant(m) - 1) < 1e-5);
        const double angle = atan2((double)m->m[1][0], (double)m->m[0][0]);
        assert_true(i == 0 || fabs(angle - last) > 0.1);
        last = angle;
    }
    sn_world_destroy(world);
}

static void teleport_is_not_felt(void **state)
{
    (void)state;
    sn_world_id worlds[2] = {make_world(1), make_world(1)};
    const sn_model *model = cook_ends();
    sn_body_id bodies[2];
    const sn_mat3x4 jump = {{{0, 0, 1, 30}, {0, 1, 0, 5}, {-1, 0, 0, -7}}};
    for (int i = 0; i < 2; ++i) {
        bodies[i] = make_body(worlds[i], model, down);
        sn_body_set_locks(bodies[i], 1, 0);
        run(worlds[i], 8);
    }
    sn_body_teleport(bodies[1], &jump);
    double here[3], there[3];
    for (int i = 0; i < 30; ++i) {
        for (int k = 0; k < 2; ++k) {
            run(worlds[k], 1);
        }
        bone_place(bodies[0], 1, here);
        bone_place(bodies[1], 1, there);
        assert_true(fabs(there[0] - (here[2] + 30)) < 1e-3 && fabs(there[1] - (here[1] + 5)) < 1e-3 &&
                    fabs(there[2] - (-here[0] - 7)) < 1e-3);
    }
    sn_world_destroy(worlds[0]);
    sn_world_destroy(worlds[1]);
}

static void reset_is_the_pose_at_rest(void **state)
{
    (void)state;
    sn_world_id world = make_world(1);
    sn_body_id body = make_body(world, cook_ends(), none);
    const sn_mat3x4 pose = turned(0.7, 2);
    free_all(body);
    sn_body_set_rigid_pose(body, &pose);
    sn_body_reset(body);
    run(world, 30);
    assert_true(difference(&sn_body_output(body).matrices[0], &pose) < 1e-5);
    assert_true(difference(&sn_body_output(body).matrices[1], &pose) < 1e-5);
    sn_world_destroy(world);
}

/* ---- parameters ---- */

/* At rest under gravity, held at the head. */
static double sag(const sn_model *model, sn_body_desc desc)
{
    sn_world_id world = make_world(1);
    sn_body_id body = make_body(world, model, down);
    double place[3];
    desc.model = model;
    desc.solver = SN_SOLVER_COUPLED;
    desc.damping = 6;
    desc.is_rigid_damped = true;
    memcpy(desc.gravity, down, sizeof down);
    assert_int_equal(sn_body_set_desc(body, &desc), SN_OK);
    sn_body_set_locks(body, 1, 0);
    run(world, 180);
    bone_place(body, 1, place);
    sn_world_destroy(world);
    return 0.25 - place[1];
}

static void parameters_change_live(void **state)
{
    (void)state;
    const sn_model *model = cook_ends();
    sn_body_desc desc = sn_default_body_desc();
    const double plain = sag(model, desc);
    desc.stiffness = 10;
    const double stiff = sag(model, desc);
    desc = sn_default_body_desc();
    desc.compliance = 1e-4;
    const double loose = sag(model, desc);
    assert_true(plain > 0.05 && plain < 0.4);
    assert_true(stiff < 0.15 * plain && stiff > 0.05 * plain);
    assert_true(loose > 2 * plain);
}

/* Another Poisson's ratio in flight: other constraints, the same motion. */
static void poisson_changes_in_flight(void **state)
{
    (void)state;
    sn_world_id world = make_world(1);
    sn_body_desc desc = sn_default_body_desc();
    sn_body_id body;
    desc.model = cook_ends();
    desc.solver = SN_SOLVER_COUPLED;
    memcpy(desc.gravity, down, sizeof down);
    assert_int_equal(sn_body_create(world, &desc, &body), SN_OK);
    free_all(body);
    run(world, 15);
    desc.poisson = 0.1;
    assert_int_equal(sn_body_set_desc(body, &desc), SN_OK);
    run(world, 16);
    double place[3];
    bone_place(body, 1, place);
    assert_true(fabs(place[1] - (0.25 - 0.5 * 10 * 0.5 * (0.5 + STEP / 15))) < 1e-3);
    sn_world_destroy(world);
}

/* ---- what is wrong ---- */

static void a_model_of_no_modes_is_coupled_alone(void **state)
{
    (void)state;
    sn_world_id world = make_world(1);
    sn_body_desc desc = sn_default_body_desc();
    sn_body_id body;
    desc.model = cook_ends();
    assert_int_equal(sn_model_mode_count(desc.model), 0);
    assert_int_equal(sn_model_cluster_count(desc.model), 0);
    error_count = 0;
    assert_int_equal(sn_body_create(world, &desc, &body), SN_ERROR_UNSUPPORTED);
    assert_int_equal(error_count, 1);
    assert_non_null(strstr(last_line, "modes"));
    sn_world_destroy(world);
}

static void bad_parameters_are_refused(void **state)
{
    (void)state;
    sn_world_id world = make_world(1);
    const sn_model *model = cook_ends();
    for (int i = 0; i < 6; ++i) {
        sn_body_desc desc = sn_default_body_desc();
        sn_body_id body;
        desc.model = model;
        desc.solver = i == 5 ? (sn_body_solver)7 : SN_SOLVER_COUPLED;
        desc.substep_count = i == 0 ? 0 : 15;
        desc.sweep_count = i == 1 ? 100000 : 1;
        desc.poisson = i == 2 ? 0.5 : i == 3 ? (double)NAN : 0.3;
        desc.compliance = i == 4 ? -1 : 0;
        error_count = 0;
        assert_int_equal(sn_body_create(world, &desc, &body), SN_ERROR_ARGUMENT);
        assert_int_equal(error_count, 1);
    }
    sn_world_destroy(world);
}

static void bad_targets_are_refused_and_over(void **state)
{
    (void)state;
    static const float bad[] = {(float)NAN, INFINITY, -INFINITY, 1e30F};
    sn_world_id world = make_world(1);
    sn_body_id body = make_body(world, cook_ends(), down);
    sn_body_set_locks(body, 1, 0);
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; ++i) {
        sn_mat3x4 pose = identity;
        pose.m[1][3] = bad[i];
        sn_body_set_bone_pose(body, 0, &pose);
        sn_world_step(world, STEP);
        sn_body_set_bone_pose(body, 0, &identity);
        run(world, 3);
        const sn_mat3x4 *m = sn_body_output(body).matrices;
        for (int k = 0; k < 24; ++k) {
            assert_true(isfinite(m[k / 12].m[k % 12 / 4][k % 4]) && fabsf(m[k / 12].m[k % 12 / 4][k % 4]) < 100);
        }
    }
    sn_world_destroy(world);
}

/* Dragged about wildly, at up to 600 units a second: what explodes is counted; in the end it rests again. */
static void violence_ends(void **state)
{
    (void)state;
    sn_world_id world = make_world(1);
    sn_body_desc desc = sn_default_body_desc();
    sn_body_id body;
    uint32_t seed = 1;
    desc.model = cook_ends();
    desc.solver = SN_SOLVER_COUPLED;
    desc.damping = 5;
    desc.is_rigid_damped = true;
    assert_int_equal(sn_body_create(world, &desc, &body), SN_OK);
    sn_body_set_locks(body, 1, 0);
    for (int i = 0; i < 120; ++i) {
        seed = seed * 1664525 + 1013904223;
        const sn_mat3x4 pose = turned((seed >> 8) % 7, (double)(seed >> 16) / 6000 - 5);
        sn_body_set_bone_pose(body, 0, &pose);
        sn_world_step(world, STEP);
    }
    sn_body_set_bone_pose(body, 0, &identity);
    for (int i = 0; i < 300; ++i) {
        sn_world_step(world, STEP);
    }
    double place[3];
    bone_place(body, 1, place);
    assert_true(fabs(place[0] - LENGTH) < 0.05 && fabs(place[1] - 0.25) < 0.05 && fabs(place[2] - 0.25) < 0.05);
    sn_world_destroy(world);
}

/* ---- handles that are wrong ---- */

static void expect_refused(const sn_model *model, const sn_cook_rig_desc *desc, const char *part)
{
    sn_blob blob;
    error_count = 0;
    const sn_result result = sn_cook_rig(model, desc, &blob);
    if (result != SN_ERROR_ARGUMENT || error_count != 1 || !strstr(last_line, part)) {
        print_message("'%s' instead of '%s'\n", last_line, part);
    }
    assert_int_equal(result, SN_ERROR_ARGUMENT);
    assert_int_equal(error_count, 1);
    assert_non_null(strstr(last_line, part));
    assert_null(blob.bytes);
}

static void bad_handles_have_a_line(void **state)
{
    (void)state;
    const sn_model *model = cook_ends();
    sn_cook_handle h[3] = {point("a", 0, 0.25, 0.25), point("b", LENGTH, 0.25, 0.25), point("c", 9, 9, 9)};
    sn_cook_rig_desc desc = {.handles = {.name = "edit", .count = 3, .handles = h}};
    expect_refused(model, &desc, "'c'"); /* outside */
    h[2] = point("c", LENGTH, 0.25, 0.25);
    expect_refused(model, &desc, "'c'"); /* two at one place */
    h[2] = point("c", NAN, 0, 0);
    expect_refused(model, &desc, "handles[2]");
    h[2] = point("c", 1, 0.25, 0.25);
    h[2].parent = 2;
    expect_refused(model, &desc, "handles[2]");
    h[2].parent = 1;
    h[1].parent = 2;
    expect_refused(model, &desc, "above itself");
    h[1].parent = -1;
    h[2].parent = 3;
    expect_refused(model, &desc, "parent");
    desc.handles.count = 0;
    expect_refused(model, &desc, "0 handles");
}

/* On a flat sheet: a loop that crosses itself. */
static const sn_model *cook_sheet(const sn_cook_handles *handles, sn_result expected)
{
    sn_arena arena = {0};
    const sn_tet_mesh sheet = sn_test_sheet(&arena, 16, 8, 0.125, 0);
    int32_t *triangles = SN_NEW(&arena, int32_t, 3 * sheet.tet_count);
    for (int i = 0; i < 3 * sheet.tet_count; ++i) {
        triangles[i] = sheet.tets[4 * (i / 3) + i % 3];
    }
    const sn_cook_mesh_input input = {.name = "sheet",
                                      .vertex_count = sheet.vertex_count,
                                      .positions = sheet.positions,
                                      .triangle_count = sheet.tet_count,
                                      .triangles = triangles};
    sn_cook_desc desc = cook_desc(handles);
    sn_blob blob;
    desc.is_flat = true;
    assert_int_equal(sn_cook_mesh(&input, &desc, &blob, NULL), expected);
    sn_arena_finish(&arena);
    return expected == SN_OK ? keep(blob) : NULL;
}

static sn_cook_handle cage_vertex(double x, double y)
{
    return (sn_cook_handle){.shape = SN_HANDLE_SHAPE_CAGE, .parent = -1, .start = {x, y, 0}};
}

static void a_flat_body_has_a_cage(void **state)
{
    (void)state;
    const sn_cook_handle corners[4] = {cage_vertex(0, 0), cage_vertex(2, 0), cage_vertex(2, 1), cage_vertex(0, 1)};
    static const int32_t loop[8] = {0, 1, 1, 2, 2, 3, 3, 0}, crossed[8] = {0, 2, 2, 1, 1, 3, 3, 0};
    sn_cook_handles list = {.count = 4, .handles = corners, .edge_count = 4, .edges = crossed};
    error_count = 0;
    cook_sheet(&list, SN_ERROR_ARGUMENT);
    assert_int_equal(error_count, 1);
    assert_non_null(strstr(last_line, "crosses"));
    list.edges = loop;
    const sn_model *model = cook_sheet(&list, SN_OK);
    assert_true(sn_model_is_flat(model) && sn_model_is_bone_translated(model, 3));
    sn_world_id world = make_world(1);
    sn_body_id body = make_body(world, model, down);
    sn_body_set_locks(body, 1, 0);
    sn_body_set_locks(body, 2, 0);
    run(world, 20);
    double place[3];
    bone_place(body, 0, place);
    assert_true(fabs(place[0]) < 1e-6 && fabs(place[1]) < 1e-6);
    bone_place(body, 2, place);
    assert_true(place[1] < 0.95 && place[2] == 0);
    const sn_mat3x4 *m = &sn_body_output(body).matrices[2];
    assert_true(m->m[0][0] == 1 && m->m[0][1] == 0 && m->m[1][0] == 0 && m->m[1][1] == 1);
    sn_world_destroy(world);
}

static bool stop(void *user)
{
    int *left = user;
    return (*left)-- <= 0;
}

static void cooking_a_rig_is_cancelled(void **state)
{
    (void)state;
    const sn_model *model = cook_ends();
    const sn_cook_handle h[2] = {point("a", 0, 0.25, 0.25), point("b", LENGTH, 0.25, 0.25)};
    int left = 1;
    const sn_cook_rig_desc desc = {.handles = {.count = 2, .handles = h}, .is_cancelled = stop, .cancel_user = &left};
    sn_blob blob;
    assert_int_equal(sn_cook_rig(model, &desc, &blob), SN_ERROR_CANCELLED);
    assert_null(blob.bytes);
}

/* ---- bits and bytes ---- */

#define CROWD 6

/* Bodies of both solvers in one world. */
static void run_crowd(int workers, const sn_model *coupled, const sn_model *reduced, sn_mat3x4 *result)
{
    sn_world_id world = make_world(workers);
    sn_body_id bodies[CROWD];
    sn_body_desc desc = sn_default_body_desc();
    desc.model = reduced;
    memcpy(desc.gravity, down, sizeof down);
    for (int i = 0; i < CROWD; ++i) {
        if (i % 3 == 2) {
            assert_int_equal(sn_body_create(world, &desc, &bodies[i]), SN_OK);
        } else {
            bodies[i] = make_body(world, i == 0 ? reduced : coupled, down);
            sn_body_set_locks(bodies[i], 1, 0);
        }
    }
    for (int step = 0; step < 40; ++step) {
        const sn_mat3x4 pose = turned(0.02 * step, 0.01 * step);
        for (int i = 0; i < CROWD; ++i) {
            sn_body_set_bone_pose(bodies[i], 0, &pose);
        }
        sn_world_step(world, 0.013);
    }
    for (int i = 0; i < CROWD; ++i) {
        const sn_body_matrices output = sn_body_output(bodies[i]);
        memcpy(result + 4 * i, output.matrices, 2 * sizeof *result);
        if (output.mode_count > 0) {
            memcpy(result + 4 * i + 2, output.matrices + 2, 2 * sizeof *result);
        }
    }
    sn_world_destroy(world);
}

static void threads_do_not_matter(void **state)
{
    (void)state;
    const sn_cook_handle ends[2] = {point("head", 0, 0.25, 0.25), point("tail", LENGTH, 0.25, 0.25)};
    const sn_cook_handles list = {.count = 2, .handles = ends};
    sn_cook_desc desc = cook_desc(&list);
    sn_blob blob;
    desc.is_coupled = false;
    desc.mode_count = 4;
    desc.cluster_count = 10;
    assert_int_equal(cook_tets(&desc, &blob), SN_OK);
    const sn_model *coupled = cook_ends(), *reduced = keep(blob);
    sn_mat3x4 one[4 * CROWD] = {0}, many[4 * CROWD] = {0};
    run_crowd(1, coupled, reduced, one);
    for (int workers = 2; workers <= 4; ++workers) {
        run_crowd(workers, coupled, reduced, many);
        assert_memory_equal(one, many, sizeof one);
    }
}

static void a_step_allocates_nothing(void **state)
{
    (void)state;
    sn_set_allocator(sn_test_count_alloc, sn_test_count_free, NULL);
    {
        sn_world_id world = make_world(1);
        sn_body_desc desc = sn_default_body_desc();
        sn_body_id body;
        desc.model = cook_ends();
        desc.solver = SN_SOLVER_COUPLED;
        desc.wind[2] = 3;
        assert_int_equal(sn_body_create(world, &desc, &body), SN_OK);
        sn_body_set_locks(body, 1, SN_LOCK_Y);
        const double at[3] = {LENGTH, 0.5, 0.5}, to[3] = {LENGTH, 1.5, 0.5};
        const sn_grab_desc grab_desc = sn_default_grab_desc();
        const int grab = sn_body_grab(body, at, &grab_desc);
        run(world, 2);
        allocation_count = 0;
        for (int i = 0; i < 20; ++i) {
            const sn_mat3x4 pose = turned(0.05 * i, 0);
            sn_body_set_bone_pose(body, 0, &pose);
            sn_body_drag(body, grab, to);
            sn_body_set_locks(body, 1, i % 2 ? SN_LOCK_Y : SN_LOCK_X);
            sn_world_step(world, 0.02);
        }
        assert_int_equal(allocation_count, 0);
        sn_world_destroy(world);
    }
    while (model_count > 0) {
        sn_model_release(models[--model_count]);
        sn_blob_release(&blobs[model_count]);
    }
    sn_set_allocator(NULL, NULL, NULL);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, start, finish)

int main(void)
{
    const struct CMUnitTest tests[] = {TEST(locked_bones_are_the_pose),
                                       TEST(a_free_body_falls),
                                       TEST(what_is_free_follows),
                                       TEST(locks_bear_the_weight),
                                       TEST(locks_take_hold_where_bones_are),
                                       TEST(axes_lock_one_by_one),
                                       TEST(joints_are_carried),
                                       TEST(a_rig_is_exchanged_live),
                                       TEST(other_tets_are_refused),
                                       TEST(a_grab_pulls_the_rig),
                                       TEST(impulses_move_a_free_body),
                                       TEST(wind_carries_a_free_body),
                                       TEST(the_floor_holds),
                                       TEST(in_between_bones_are_rigid),
                                       TEST(teleport_is_not_felt),
                                       TEST(reset_is_the_pose_at_rest),
                                       TEST(parameters_change_live),
                                       TEST(poisson_changes_in_flight),
                                       TEST(a_model_of_no_modes_is_coupled_alone),
                                       TEST(bad_parameters_are_refused),
                                       TEST(bad_targets_are_refused_and_over),
                                       TEST(violence_ends),
                                       TEST(bad_handles_have_a_line),
                                       TEST(a_flat_body_has_a_cage),
                                       TEST(cooking_a_rig_is_cancelled),
                                       TEST(threads_do_not_matter),
                                       TEST(a_step_allocates_nothing)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
