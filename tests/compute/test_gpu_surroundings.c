/* SPDX-License-Identifier: MIT */
/* What pushes flesh on the device: impulses, wind and contact, against the CPU's. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "host/reduced/solver.h"
#include "tests/support/gpu_colliders.h"

/* One body on the device, and its reference. */
typedef struct pair {
    sn_gpu_device *device;
    sn_gpu_reduced *reduced;
    const sn_model *model;
    int body;
    reference twin;
    double pose[12 * BONE_LIMIT];
    double worst, moved; /* fractions of the height; of mode matrices */
    int pressing;        /* contacts with a force, at most */
    body_result result;
} pair;

static pair open_pair(sn_gpu_device *device, int model, sn_solver_desc desc, const double *offset)
{
    pair p = {.device = device, .model = fixtures[model].model};
    desc.tolerance = 1e-7;
    desc.iteration_limit = 400;
    swing(p.model, 0, 0, p.pose);
    for (int b = 0; b < p.model->counts.bone_count; ++b) {
        for (int d = 0; d < 3 && offset; ++d) {
            p.pose[12 * b + 4 * d + 3] += offset[d];
        }
    }
    p.reduced = create(device, NULL);
    p.body = add(p.reduced, model, &desc, p.pose);
    p.twin = create_reference(p.model, &desc, p.pose);
    return p;
}

static float largest_of_force(const float *force)
{
    return fmaxf(fmaxf(fabsf(force[0]), fabsf(force[1])), fabsf(force[2]));
}

static void step_pair(pair *p, const sn_surroundings *surroundings)
{
    double modes[12 * MODE_LIMIT];
    sn_gpu_reduced_set_pose(p->reduced, p->body, p->pose);
    sn_gpu_reduced_set_surroundings(p->reduced, p->body, surroundings);
    run(p->device, p->reduced, true, 1);
    read_body(p->reduced, p->body, &p->result);
    sn_reduced_body_step(p->twin.body, p->pose, surroundings);
    sn_reduced_body_mode_transforms(p->twin.body, 1, modes);
    p->worst = fmax(p->worst, distance_of(p->model, p->result.matrices, p->pose, modes));
    int pressing = 0;
    for (int i = 0; i < p->twin.body->contacts.count; ++i) {
        pressing += largest_of_force(p->twin.body->contacts.contacts[i].force) > 0;
    }
    p->pressing = pressing > p->pressing ? pressing : p->pressing;
    p->moved = fmax(p->moved, largest(modes, 12 * p->model->counts.mode_count));
}

static void close_pair(pair *p, const char *name, double tolerance)
{
    print_message("%s: %.1e of the height, %d iterations, %d contacts\n", name, p->worst,
                  p->result.reading.iteration_count, p->pressing);
    assert_true(p->worst <= tolerance);
    assert_true(p->moved > 0.005);
    assert_int_equal(p->result.reading.recovery_count, 0);
    destroy_reference(&p->twin);
    sn_gpu_reduced_destroy(&p->reduced);
}

/* ---- impulses ---- */

static void hit(pair *p, const double *point, double strength)
{
    const double impulse[3] = {0.3 * strength * p->model->total_mass, strength * p->model->total_mass,
                               -0.2 * strength * p->model->total_mass};
    sn_gpu_reduced_apply_impulse(p->reduced, p->body, point, impulse);
    sn_reduced_body_apply_impulse(p->twin.body, point, impulse);
}

static void expect_impulses(sn_gpu_device *device, int model, const double *offset, double tolerance)
{
    sn_solver_desc desc = default_desc();
    desc.damping = 1;
    pair p = open_pair(device, model, desc, offset);
    const double *x = offset ? offset : (const double[3]){0, 0, 0};
    const double left[3] = {x[0] - 1, x[1] + 0.2, x[2]}, right[3] = {x[0] + 2, x[1], x[2] + 0.1};
    const double nowhere[3] = {NAN, 0, 0}, turned[12] = {0, -1, 0, 1, 1, 0, 0, 2, 0, 0, 1, 3};
    for (int frame = 0; frame < 30; ++frame) {
        if (frame % 7 == 1) {
            hit(&p, right, 0.06);
        }
        if (frame == 9) {
            hit(&p, left, 0.1);
            hit(&p, right, -0.03);
            hit(&p, nowhere, 1);
        }
        if (frame == 15) { /* moved with the body */
            hit(&p, right, 0.1);
            sn_gpu_reduced_teleport(p.reduced, p.body, turned);
            sn_reduced_body_teleport(p.twin.body, turned);
            for (int b = 0; b < p.model->counts.bone_count; ++b) {
                double moved[12];
                sn_affine_multiply(turned, p.pose + 12 * b, moved);
                memcpy(p.pose + 12 * b, moved, sizeof moved);
            }
        }
        step_pair(&p, NULL);
    }
    hit(&p, right, 5); /* forgotten by a reset */
    sn_gpu_reduced_reset(p.reduced, p.body, p.pose);
    sn_reduced_body_reset(p.twin.body, p.pose);
    step_pair(&p, NULL);
    close_pair(&p, "impulses", tolerance);
}

static void test_impulses(void **state)
{
    const double far_away[3] = {300, -200, 100};
    expect_impulses(*state, 0, NULL, 1e-5);
    expect_impulses(*state, 3, NULL, 1e-5);
    expect_impulses(*state, 4, far_away, 5e-5); /* the bones' matrices themselves round to 2e-5 */
}

/* More than there was room for at first, on several bodies in turn, and than one dispatch takes. */
static void test_many_impulses(void **state)
{
    const sn_solver_desc desc = default_desc();
    const double point[3] = {1, 0, 0}, impulse[3] = {0, 0.001, 0}, sum[3] = {0, 0.15, 0};
    double expected[3 * COORDINATE_LIMIT];
    body_result result;
    sn_gpu_reduced *reduced = create(*state, NULL);
    const int scattered = add(reduced, 0, &desc, NULL), other = add(reduced, 1, &desc, NULL);
    const int once = add(reduced, 0, &desc, NULL), untouched = add(reduced, 0, &desc, NULL);
    for (int i = 0; i < 150; ++i) {
        sn_gpu_reduced_apply_impulse(reduced, scattered, point, impulse);
        if (i % 10 == 0) {
            sn_gpu_reduced_apply_impulse(reduced, other, point, impulse);
        }
    }
    sn_gpu_reduced_apply_impulse(reduced, once, point, sum);
    run(*state, reduced, true, 1);
    memcpy(expected, read_body(reduced, once, &result)->coordinates, sizeof expected);
    assert_true(largest(expected, 3 * COORDINATE_LIMIT) > 1e-4);
    read_body(reduced, scattered, &result);
    for (int i = 0; i < 3 * COORDINATE_LIMIT; ++i) {
        assert_true(fabs(result.coordinates[i] - expected[i]) < 1e-6);
    }
    assert_true(largest(read_body(reduced, untouched, &result)->coordinates, 3 * COORDINATE_LIMIT) < 1e-6);
    assert_true(largest(read_body(reduced, other, &result)->coordinates, 3 * COORDINATE_LIMIT) > 0);
    sn_gpu_reduced_destroy(&reduced);
}

/* ---- wind ---- */

static void expect_wind(sn_gpu_device *device, int model, double strength)
{
    sn_solver_desc desc = default_desc();
    desc.damping = 0.5;
    pair p = open_pair(device, model, desc, NULL);
    for (int frame = 0; frame < 20; ++frame) {
        const sn_surroundings air = {
            .wind = {strength * cos(0.2 * frame), 0.3 * strength, frame < 15 ? strength * sin(0.3 * frame) : 0}};
        swing(p.model, frame, 0, p.pose);
        step_pair(&p, frame % 10 == 9 ? NULL : &air);
    }
    close_pair(&p, "wind", 1e-5);
}

static void test_wind(void **state)
{
    expect_wind(*state, 0, 2);
    expect_wind(*state, 2, 30); /* more than the flesh can bear in a step */
    expect_wind(*state, 4, 5);
}

/* ---- contact ---- */

static void expect_contact(sn_gpu_device *device, int model, int collider, const double *offset, double tolerance)
{
    static const char *const names[] = {"plane", "sphere", "capsule", "box", "all"};
    sn_collider colliders[4];
    sn_solver_desc desc = default_desc();
    desc.gravity[1] = -9.81;
    desc.damping = 2;
    desc.stiffness = 0.5;
    pair p = open_pair(device, model, desc, offset);
    place_colliders(p.model, offset, colliders);
    const bool is_all = collider == 4;
    const sn_surroundings around = {.collider_count = is_all ? 4 : 1, .colliders = colliders + (is_all ? 0 : collider)};
    for (int frame = 0; frame < 20; ++frame) {
        step_pair(&p, &around);
        for (int i = 0; i < 4; ++i) {
            move_collider(&colliders[i], i == 3 ? 0.01 : 0, frame < 15 ? 0.004 : 0, i > 0 && frame < 12 ? 0.004 : 0);
        }
    }
    assert_true(p.pressing > 0);
    close_pair(&p, names[collider], tolerance);
}

static void test_contact(void **state)
{
    const double far_away[3] = {64, -32, 16};
    expect_contact(*state, 0, 0, NULL, 1e-4);
    expect_contact(*state, 1, 1, NULL, 1e-4);
    expect_contact(*state, 2, 2, NULL, 1e-4);
    expect_contact(*state, 0, 3, NULL, 1e-4);
    expect_contact(*state, 4, 4, NULL, 1e-4);
    expect_contact(*state, 0, 0, far_away, 1e-4);
}

/* A ball, of a few cells. */
static sn_grid *make_ball(void)
{
    float distances[7 * 8 * 9];
    sn_grid_desc desc = {.counts = {7, 8, 9}, .origin = {-0.3, -0.35, -0.4}, .spacing = 0.1, .distances = distances};
    sn_grid *grid = NULL;
    for (int i = 0; i < 7 * 8 * 9; ++i) {
        const double at[3] = {-0.3 + 0.1 * (i % 7), -0.35 + 0.1 * (i / 7 % 8), -0.4 + 0.1 * (i / 56)};
        distances[i] = (float)(sqrt(at[0] * at[0] + at[1] * at[1] + at[2] * at[2]) - 0.2);
    }
    assert_int_equal(sn_grid_create(&desc, &grid), SN_OK);
    return grid;
}

/* What touches, at the end of the list; before it what is above the flesh, in reach of a ball around the body; and what
 * is far away. */
static void place_many(const sn_model *model, const sn_grid *grid, sn_collider *colliders, int count)
{
    const double y = lowest(model);
    const int touching = count < 5 ? count : 5;
    sn_collider ball = collider_at(SN_COLLIDER_SPHERE, 0.6, y - 0.1, 0.05);
    ball.shape = SN_COLLIDER_GRID;
    ball.grid = grid;
    for (int i = 0; i < count - touching; ++i) {
        const sn_collider_shape shape = (sn_collider_shape)(i % 5);
        const double height = shape == SN_COLLIDER_PLANE ? y - 1 : i < 1000 ? y + 0.85 : 5;
        colliders[i] = collider_at(SN_COLLIDER_BOX, 0.001 * (i % 997) - 0.3, height + 0.0001 * i, 0.1);
        colliders[i].shape = shape;
        colliders[i].radius = colliders[i].half_height = 0.01;
        colliders[i].half_extents[0] = colliders[i].half_extents[1] = 0.02;
        colliders[i].grid = grid;
        colliders[i].transform[7] += shape == SN_COLLIDER_GRID ? 0.3 : 0;
        memcpy(colliders[i].transform_before, colliders[i].transform, sizeof colliders[i].transform);
    }
    sn_collider around[5];
    place_colliders(model, NULL, around);
    around[4] = ball;
    memcpy(colliders + count - touching, around + 5 - touching, (size_t)touching * sizeof *around);
}

static void expect_many(sn_gpu_device *device, const sn_grid *grid, int count)
{
    static sn_collider colliders[2000];
    char name[32];
    sn_solver_desc desc = default_desc();
    desc.gravity[1] = -9.81;
    desc.damping = 2;
    desc.stiffness = 0.5;
    pair p = open_pair(device, 0, desc, NULL);
    place_many(p.model, grid, colliders, count);
    assert_int_equal(sn_gpu_reduced_add_grid(p.reduced, grid), SN_OK);
    const sn_surroundings around = {.collider_count = count, .colliders = colliders};
    for (int frame = 0; frame < 5; ++frame) {
        step_pair(&p, &around);
        for (int i = count > 4 ? count - 4 : 0; i < count; ++i) {
            move_collider(&colliders[i], i == 3 ? 0.01 : 0, 0.004, 0.006);
        }
    }
    assert_true(p.pressing > 0);
    snprintf(name, sizeof name, "%d colliders", count);
    close_pair(&p, name, 1e-4);
}

/* Of all shapes, and more than one list has room for. */
static void test_many_colliders(void **state)
{
    sn_grid *grid = make_ball();
    expect_many(*state, grid, 1);
    expect_many(*state, grid, 127);
    expect_many(*state, grid, 129);
    expect_many(*state, grid, 2000);
    sn_grid_destroy(&grid);
}

int test_gpu_surroundings(void)
{
    const struct CMUnitTest tests[] = {
        SN_TEST_SHARED_GPU(test_impulses), SN_TEST_SHARED_GPU(test_many_impulses),  SN_TEST_SHARED_GPU(test_wind),
        SN_TEST_SHARED_GPU(test_contact),  SN_TEST_SHARED_GPU(test_many_colliders),
    };
    return cmocka_run_group_tests(tests, cook_all, release_all);
}
