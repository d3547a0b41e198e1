/* SPDX-License-Identifier: MIT */
/* Bodies from a micrometre to a thousand kilometres on the device, against the CPU in double: tests/reduced's
 * test_scales.c is their twin. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/support/flesh.h"
#include "tests/support/gpu_reduced.h"

#define FRAMES 30

static const double sizes[] = {1, 0x1p-20, 0x1p-16, 0x1p16, 0x1p20};
#define SIZE_COUNT 5

/* The same body on the device and, in double, on the CPU. */
typedef struct pair {
    sn_gpu_reduced *reduced;
    reference twin;
    int body;
    const sn_model *model;
    double size, pose[12];
} pair;

static void open_pair(sn_gpu_reduced *reduced, const sn_model *model, pair *p)
{
    sn_solver_desc desc = default_desc();
    int index = -1;
    *p = (pair){.reduced = reduced, .model = model, .size = model->diagonal};
    desc.damping = 2;
    desc.gravity[1] = -2 * p->size;
    desc.tolerance = 1e-7;
    desc.iteration_limit = 400;
    assert_int_equal(sn_gpu_reduced_add_model(p->reduced, model, &index), SN_OK);
    p->body = add(p->reduced, index, &desc, NULL);
    p->twin = create_reference(model, &desc, NULL);
}

static void close_pair(pair *p)
{
    destroy_reference(&p->twin);
    sn_gpu_reduced_remove_body(p->reduced, p->body);
}

static void swing_pair(pair *p, int frame)
{
    const double angle = 0.5 * sin(0.2 * frame);
    sn_affine_identity(p->pose);
    p->pose[0] = p->pose[5] = cos(angle);
    p->pose[1] = -sin(angle);
    p->pose[4] = sin(angle);
    p->pose[3] = p->size * 0.2 * sin(0.15 * frame);
    p->pose[7] = p->size * 0.1 * sin(0.3 * frame);
    sn_gpu_reduced_set_pose(p->reduced, p->body, p->pose);
}

/* Blows, and a hand at one end. */
static void push_pair(pair *p, int frame)
{
    const double impulse[3] = {0, 0.05 * p->size * p->model->total_mass, 0};
    const double end[3] = {0.6 * p->size, 0, 0}, target[3] = {end[0], 0.01 * p->size * frame, end[2]};
    if (frame == 10) {
        sn_gpu_reduced_apply_impulse(p->reduced, p->body, end, impulse);
        sn_reduced_body_apply_impulse(p->twin.body, end, impulse);
    } else if (frame == 20) {
        sn_gpu_reduced_apply_bone_impulse(p->reduced, p->body, 0, impulse);
        sn_reduced_body_apply_bone_impulse(p->twin.body, 0, impulse);
    } else if (frame == 5) {
        sn_grab_desc desc = sn_default_grab_desc();
        desc.max_distance = p->size;
        assert_int_equal(sn_gpu_reduced_grab(p->reduced, p->body, end, &desc), 0);
        assert_int_equal(sn_reduced_body_grab(p->twin.body, end, &desc), 0);
    }
    if (frame >= 5) {
        sn_gpu_reduced_drag(p->reduced, p->body, 0, target);
        sn_reduced_body_drag(p->twin.body, 0, target);
    }
}

static sn_collider floor_at(double height)
{
    sn_collider_desc desc = sn_default_collider_desc();
    sn_collider floor;
    desc.shape = SN_COLLIDER_PLANE;
    assert_int_equal(sn_collider_init(&desc, &floor), SN_OK);
    floor.transform[7] = floor.transform_before[7] = height;
    return floor;
}

/* The largest difference, of the height. */
static double follow(sn_gpu_device *device, sn_gpu_reduced *reduced, const sn_model *model, bool is_pushed)
{
    const double none[12 * MODE_LIMIT] = {0};
    double modes[12 * MODE_LIMIT], worst = 0, moved = 0;
    body_result result;
    pair p;
    open_pair(reduced, model, &p);
    const sn_collider floor = floor_at(-0.2 * p.size);
    const sn_surroundings around = {1, &floor, {0.5 * p.size, 0, 3 * p.size}};
    for (int frame = 0; frame < FRAMES; ++frame) {
        swing_pair(&p, frame);
        if (is_pushed) {
            push_pair(&p, frame);
            sn_gpu_reduced_set_surroundings(p.reduced, p.body, &around);
        }
        run(device, p.reduced, true, 1);
        read_body(p.reduced, p.body, &result);
        sn_reduced_body_step(p.twin.body, p.pose, is_pushed ? &around : NULL);
        sn_reduced_body_mode_transforms(p.twin.body, 1, modes);
        worst = fmax(worst, distance_of(model, result.matrices, p.pose, modes));
        moved = fmax(moved, distance_of(model, result.matrices, p.pose, none));
    }
    assert_int_equal(result.reading.recovery_count, 0);
    assert_true(moved > 0.02);
    /* what is read back is in the model's units, too */
    const double *expected = sn_reduced_body_coordinates(p.twin.body);
    const int count = 3 * model->counts.coordinate_count;
    double error = 0;
    for (int i = 0; i < count; ++i) {
        error = fmax(error, fabs(result.coordinates[i] - expected[i]));
    }
    assert_true(error < 1e-3 * largest(expected, count));
    close_pair(&p);
    return worst;
}

static void expect_alike(sn_gpu_device *device, double poisson, bool is_pushed, double tolerance)
{
    const sn_gpu_reduced_desc defaults = sn_default_gpu_reduced_desc();
    sn_gpu_reduced *reduced = NULL;
    assert_int_equal(sn_gpu_reduced_create(device, &defaults, &reduced), SN_OK);
    for (int i = 0; i < SIZE_COUNT; ++i) {
        sn_cook_context cooking;
        sn_model *model = sn_test_cook_sized_bar(&cooking, sizes[i], poisson);
        const double worst = follow(device, reduced, model, is_pushed);
        print_message("Poisson's ratio %g, %s, %g: %.1e of the height\n", poisson, is_pushed ? "pushed" : "free",
                      sizes[i], worst);
        assert_true(worst < tolerance);
        sn_model_release(model);
        sn_cook_context_finish(&cooking);
    }
    sn_gpu_reduced_destroy(&reduced);
}

static void test_free_flesh(void **state)
{
    expect_alike(*state, 0, false, 1e-5);
    expect_alike(*state, 0.4, false, 1e-5);
}

static void test_what_pushes_flesh(void **state)
{
    expect_alike(*state, 0, true, 1e-4);
}

static int finish(void **state)
{
    (void)state;
    sn_test_gpu_close();
    return sn_allocated_bytes() == 0 ? 0 : -1;
}

int test_gpu_scales(void)
{
    const struct CMUnitTest tests[] = {
        SN_TEST_SHARED_GPU(test_free_flesh),
        SN_TEST_SHARED_GPU(test_what_pushes_flesh),
    };
    return cmocka_run_group_tests(tests, NULL, finish);
}
