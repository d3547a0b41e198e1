/* SPDX-License-Identifier: MIT */
/* Coupled bodies through the public API: locks, targets, free bones, other rigs, grabs, wind, contact, time, threads,
 * memory. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "tests/support/count_allocations.h"
#include "tests/support/coupled_bar.h"

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
    run(world, 30);
    double place[2][3];
    bone_place(body, 0, place[0]);
    bone_place(body, 1, place[1]);
    /* x += h v after v += h g, in substeps of a 900th */
    const double fallen = 0.5 * 10 * 0.5 * (0.5 + STEP / 15);
    assert_true(fabs(place[0][1] - (0.25 - fallen)) < 1e-4 && fabs(place[1][1] - (0.25 - fallen)) < 1e-4);
    assert_true(fabs(place[0][0]) < 1e-4 && fabs(place[1][0] - LENGTH) < 1e-4);
    double flesh[3 * 9 * 3 * 3]; /* of the same step */
    assert_int_equal(sn_model_vertex_count(sn_body_model(body)), 81);
    sn_body_flesh(body, flesh, 81);
    for (int v = 0; v < 81; ++v) {
        assert_true(fabs(flesh[3 * v + 1] - (0.25 * (v / 9 % 3) - fallen)) < 1e-4);
    }
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
        assert_true(fabs(place[1] - (0.25 + 0.5 * fmin(i / 30.0, 1))) < 1e-5);
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
        for (int bone = 0; bone < 2; ++bone) {
            sn_body_lock_impulse(body, bone, impulse);
            sum += impulse[1];
        }
    }
    const double weight = 1000 * LENGTH * 0.25 * 10;
    assert_true(fabs(sum / weight - 1) < 0.05);
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
    run(world, 30);
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
    run(world, 15);
    double place[3];
    bone_place(body, 1, place);
    assert_true(fabs(place[1] - (0.25 - 0.5 * 10 * 0.5 * (0.5 + STEP / 15))) < 1e-3);
    sn_world_destroy(world);
}

/* Ten times the mass falls as fast, is flung a tenth as far, sags as soft flesh does, and bears down tenfold; in
 * flight, too. */
static void mass_changes_live(void **state)
{
    (void)state;
    const sn_model *model = cook_ends();
    sn_body_desc desc = sn_default_body_desc(), heavy;
    desc.model = model;
    desc.solver = SN_SOLVER_COUPLED;
    double places[2][3], impulses[2][6];
    for (int i = 0; i < 2; ++i) { /* the same thing: ten times the mass, or a tenth of stiffness and push */
        sn_world_id world = make_world(1);
        sn_body_id body;
        heavy = desc;
        heavy.mass = i == 0 ? 10 : 1;
        heavy.stiffness = i == 0 ? 1 : 0.1;
        memcpy(heavy.gravity, down, sizeof down);
        assert_int_equal(sn_body_create(world, &desc, &body), SN_OK);
        run(world, 3);
        assert_int_equal(sn_body_set_desc(body, &heavy), SN_OK);
        sn_body_set_locks(body, 1, 0);
        const double push = i == 0 ? 300 : 30;
        sn_body_apply_impulse(body, (const double[]){LENGTH, 0.25, 0.5}, (const double[]){0, push, 0});
        sn_body_apply_bone_impulse(body, 1, (const double[]){0, 0, push});
        run(world, 40);
        bone_place(body, 1, places[i]);
        sn_body_lock_impulse(body, 0, impulses[i]);
        sn_world_destroy(world);
    }
    for (int d = 0; d < 3; ++d) {
        assert_true(fabs(places[0][d] - places[1][d]) < 1e-6);
        assert_true(fabs(impulses[0][d] - 10 * impulses[1][d]) < 1e-3 * fabs(impulses[0][1]));
    }
    assert_true(fabs(places[0][1] - 0.25) > 0.05);
    sn_world_id world = make_world(1);
    sn_body_id body;
    assert_int_equal(sn_body_create(world, &desc, &body), SN_OK);
    const double wrong[] = {0, -1, NAN, INFINITY};
    for (int i = 0; i < 4; ++i) {
        heavy.mass = wrong[i];
        assert_int_equal(sn_body_set_desc(body, &heavy), SN_ERROR_ARGUMENT);
        assert_non_null(strstr(last_line, "mass"));
    }
    sn_world_destroy(world);
}

/* A floor that becomes a ball, and goes: the body, which lay on it, hangs around it, and falls. */
static void colliders_change_live(void **state)
{
    (void)state;
    sn_world_id world = make_world(1);
    sn_body_id body = make_body(world, cook_ends(), down);
    sn_collider_desc desc = sn_default_collider_desc();
    sn_collider_id collider;
    double place[3];
    free_all(body);
    assert_int_equal(sn_collider_create(world, &desc, &collider), SN_OK);
    run(world, 60);
    bone_place(body, 0, place);
    assert_true(fabs(place[1] - 0.25) < 0.05);
    desc.radius = -1;
    assert_int_equal(sn_collider_set_desc(collider, &desc), SN_ERROR_ARGUMENT);
    run(world, 30); /* it stayed */
    bone_place(body, 0, place);
    assert_true(fabs(place[1] - 0.25) < 0.05);
    desc.shape = SN_COLLIDER_SPHERE;
    desc.radius = 0.5;
    desc.friction = 2;
    desc.transform.m[0][3] = LENGTH / 2;
    desc.transform.m[1][3] = -0.5F;
    desc.transform.m[2][3] = 0.25F;
    assert_int_equal(sn_collider_set_desc(collider, &desc), SN_OK);
    run(world, 25);
    bone_place(body, 0, place);
    assert_true(place[1] > -0.4); /* it falls by .87 where nothing is */
    sn_collider_destroy(collider);
    run(world, 60);
    bone_place(body, 0, place);
    assert_true(place[1] < -4);
    sn_world_destroy(world);
}

/* Wind on twice the mass is wind of half the force: v |v| halves. */
static void wind_moves_mass(void **state)
{
    (void)state;
    double places[2][3];
    for (int i = 0; i < 2; ++i) {
        sn_world_id world = make_world(1);
        sn_body_desc desc = sn_default_body_desc();
        sn_body_id body;
        desc.model = cook_ends();
        desc.solver = SN_SOLVER_COUPLED;
        desc.mass = i == 0 ? 0.5 : 1;
        desc.wind[2] = 20;
        assert_int_equal(sn_body_create(world, &desc, &body), SN_OK);
        free_all(body);
        run(world, 30);
        bone_place(body, 0, places[i]);
        sn_world_destroy(world);
    }
    const double ratio = (places[0][2] - 0.25) / (places[1][2] - 0.25);
    assert_true(ratio > 1.9 && ratio < 2.05);
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

static double flesh[3 * 81];

/* Lowest of the flesh. */
static double sag_of(sn_body_id body)
{
    double lowest = INFINITY;
    sn_body_flesh(body, flesh, 81);
    for (int v = 0; v < 81; ++v) {
        lowest = fmin(lowest, flesh[3 * v + 1]);
    }
    return -lowest;
}

/* Held at its head a bar sags; torn half through it sags more, its twin does not feel it, another Poisson's ratio keeps
 * the tear, and mended it comes back. */
static void flesh_tears_and_mends(void **state)
{
    (void)state;
    sn_world_id world = make_world(1);
    sn_body_desc desc = sn_default_body_desc();
    sn_body_id bodies[2];
    desc.model = cook_ends();
    desc.solver = SN_SOLVER_COUPLED;
    desc.damping = 6;
    desc.is_rigid_damped = true;
    desc.stiffness = 2;
    memcpy(desc.gravity, down, sizeof down);
    for (int i = 0; i < 2; ++i) {
        assert_int_equal(sn_body_create(world, &desc, &bodies[i]), SN_OK);
        sn_body_set_locks(bodies[i], 1, 0);
    }
    run(world, 240);
    const double whole = sag_of(bodies[0]), wound[3] = {0.5, 0.5, 0.25};
    assert_int_equal(sn_body_tear(bodies[0], wound, 0), 0);
    const int torn = sn_body_tear(bodies[0], wound, 0.3);
    assert_true(torn > 10);
    assert_true(fabs(sag_of(bodies[0]) - whole) < 1e-12);
    run(world, 240);
    const double weakened = sag_of(bodies[0]);
    print_message("%d tets torn: sags by %.3f, whole by %.3f\n", torn, weakened, whole);
    assert_true(weakened > 1.1 * whole && fabs(sag_of(bodies[1]) / whole - 1) < 1e-3);
    desc.poisson = 0.3;
    assert_int_equal(sn_body_set_desc(bodies[0], &desc), SN_OK);
    run(world, 240);
    assert_true(fabs(sag_of(bodies[0]) / weakened - 1) < 0.2 && sag_of(bodies[0]) > 1.1 * whole);
    desc.poisson = 0.4;
    assert_int_equal(sn_body_set_desc(bodies[0], &desc), SN_OK);
    assert_int_equal(sn_body_mend(bodies[0]), SN_OK);
    run(world, 300);
    assert_true(fabs(sag_of(bodies[0]) / whole - 1) < 0.02);
    assert_int_equal(sn_body_tear(bodies[0], (const double[3]){0, 0, 0}, 100), sn_body_tear(bodies[1], wound, 100));
    run(world, 30); /* each vertex keeps a tet: nothing falls out of the world */
    assert_true(sag_of(bodies[0]) < 100);
    sn_world_destroy(world);
}

/* The far end's lowest vertex tied to the near end's: the bar bends up, and goes back when the spring is gone. */
static void springs_tie_flesh(void **state)
{
    (void)state;
    sn_world_id world = make_world(1);
    sn_body_desc desc = sn_default_body_desc();
    sn_body_id body;
    desc.model = cook_ends();
    desc.solver = SN_SOLVER_COUPLED;
    desc.damping = 6;
    desc.is_rigid_damped = true;
    assert_int_equal(sn_body_create(world, &desc, &body), SN_OK);
    sn_body_set_locks(body, 1, 0);
    sn_body_flesh(body, flesh, 81);
    int ends[2] = {0, 0};
    for (int v = 0; v < 81; ++v) {
        const double *x = flesh + 3 * v;
        ends[0] = x[0] < 0.3 && x[0] > 0.2 && x[1] < 0.1 && x[2] < 0.1 ? v : ends[0];
        ends[1] = x[0] > LENGTH - 0.1 && x[1] < 0.1 && x[2] < 0.1 ? v : ends[1];
    }
    assert_int_equal(sn_body_add_spring(body, ends[0], ends[0], 1, 1), -1);
    assert_int_equal(sn_body_add_spring(body, ends[0], ends[1], NAN, 1), -1);
    assert_int_equal(sn_body_add_spring(body, ends[0], ends[1], 1, 0), -1);
    const int still = sn_body_add_spring(body, ends[0], ends[1], -1, 1e5); /* as long as it is: nothing moves */
    run(world, 30);
    sn_body_flesh(body, flesh, 81);
    assert_true(still >= 0 && fabs(flesh[3 * ends[1]] - LENGTH) < 1e-4);
    sn_body_remove_spring(body, still);
    const int spring = sn_body_add_spring(body, ends[0], ends[1], 1.2, INFINITY);
    assert_true(spring > still);
    run(world, 240);
    sn_body_flesh(body, flesh, 81);
    const double *a = flesh + 3 * ends[0], *b = flesh + 3 * ends[1];
    const double length =
        sqrt((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) + (a[2] - b[2]) * (a[2] - b[2]));
    print_message("a rod of 1.2: %.3f\n", length);
    assert_true(fabs(length - 1.2) < 0.06);
    sn_body_remove_spring(body, spring);
    sn_body_remove_spring(body, spring); /* gone already */
    run(world, 400);
    sn_body_flesh(body, flesh, 81);
    assert_true(fabs(flesh[3 * ends[1]] - LENGTH) < 0.02);
    sn_world_destroy(world);
}

/* Without a rig: falls on the floor, is squashed as what is drawn shows, and is itself again. */
static void a_soft_body_needs_no_rig(void **state)
{
    (void)state;
    const sn_cook_soft_desc six = {.point_count = 6}, bad = {.point_count = -1};
    sn_cook_desc cook = cook_desc(NULL);
    sn_collider_desc floor = sn_default_collider_desc();
    sn_collider_id collider;
    sn_blob blob;
    cook.young = 3e4;
    assert_int_equal(cook_tets(&cook, &blob), SN_OK);
    const sn_model *one = keep(blob);
    assert_int_equal(sn_model_bone_count(one), 1);
    assert_int_equal(sn_cook_soft(one, &bad, &blob), SN_ERROR_ARGUMENT);
    assert_int_equal(error_count, 1);
    assert_int_equal(sn_cook_soft(one, &six, &blob), SN_OK);
    const sn_model *model = keep(blob);
    assert_int_equal(sn_model_bone_count(model), 6);
    for (int jelly = 0; jelly < 2; ++jelly) { /* one free bone moves well, too, and is drawn rigid */
        sn_world_id world = make_world(1);
        sn_body_id body = make_body(world, jelly ? model : one, down);
        floor.transform.m[1][3] = -0.5F;
        assert_int_equal(sn_collider_create(world, &floor, &collider), SN_OK);
        free_all(body);
        double squashed = 0, now = 0;
        for (int step = 0; step < 600; ++step) {
            run(world, 1);
            const sn_body_matrices output = sn_body_output(body);
            now = 0;
            for (int b = 0; b < output.bone_count; ++b) {
                const float(*m)[4] = output.matrices[b].m;
                double square = 0;
                for (int i = 0; i < 9; ++i) {
                    square += (double)m[i / 3][i % 3] * (double)m[i / 3][i % 3];
                }
                now = fmax(now, fabs(square - 3));
            }
            squashed = fmax(squashed, now);
            assert_true(sag_of(body) < 0.5 + 1e-4 && sag_of(body) > -1);
        }
        print_message("%d bones: squashed by %.3f, at last by %.3f\n", jelly ? 6 : 1, squashed, now);
        assert_true(jelly ? squashed > 0.1 && now < 0.5 * squashed : squashed < 1e-5);
        sn_world_destroy(world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {COUPLED_TEST(a_soft_body_needs_no_rig),
                                       COUPLED_TEST(flesh_tears_and_mends),
                                       COUPLED_TEST(springs_tie_flesh),
                                       COUPLED_TEST(locked_bones_are_the_pose),
                                       COUPLED_TEST(a_free_body_falls),
                                       COUPLED_TEST(what_is_free_follows),
                                       COUPLED_TEST(locks_bear_the_weight),
                                       COUPLED_TEST(locks_take_hold_where_bones_are),
                                       COUPLED_TEST(axes_lock_one_by_one),
                                       COUPLED_TEST(joints_are_carried),
                                       COUPLED_TEST(a_rig_is_exchanged_live),
                                       COUPLED_TEST(other_tets_are_refused),
                                       COUPLED_TEST(a_grab_pulls_the_rig),
                                       COUPLED_TEST(impulses_move_a_free_body),
                                       COUPLED_TEST(wind_carries_a_free_body),
                                       COUPLED_TEST(the_floor_holds),
                                       COUPLED_TEST(in_between_bones_are_rigid),
                                       COUPLED_TEST(teleport_is_not_felt),
                                       COUPLED_TEST(reset_is_the_pose_at_rest),
                                       COUPLED_TEST(parameters_change_live),
                                       COUPLED_TEST(poisson_changes_in_flight),
                                       COUPLED_TEST(mass_changes_live),
                                       COUPLED_TEST(wind_moves_mass),
                                       COUPLED_TEST(colliders_change_live),
                                       COUPLED_TEST(threads_do_not_matter),
                                       COUPLED_TEST(a_step_allocates_nothing)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
