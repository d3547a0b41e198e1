/* SPDX-License-Identifier: MIT */
/* Position-based bodies on the device against those of the CPU, in float: on software Vulkan bit for bit. Every kind of
 * constraint, coloured or along the curve, side by side in one recording; and each way to cut a step into dispatches.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "tests/support/gpu_xpbd.h"

#define SHAPE_LIMIT 14
#define MORE_COUNT 24

static const double gravity[3] = {0.3, -9.8, 0.2};
static sn_xpbd_shape shapes[SHAPE_LIMIT];
static sn_xpbd_constraint more[MORE_COUNT];
static int shape_count;

/* Volumes, bends, one with an angle of its own, and distances, some rigid. */
static void add_constraints(sn_xpbd_shape *bar)
{
    for (int i = 0; i < MORE_COUNT; ++i) {
        const int32_t *v = bar->elements + 4 * (5 * i % bar->desc.element_count);
        const sn_xpbd_constraint kinds[3] = {{SN_XPBD_VOLUME, {v[0], v[1], v[2], v[3]}, 1e5, false, 0},
                                             {SN_XPBD_BENDING, {v[0], v[1], v[2], v[3]}, 1e-2, i % 2, 0.3},
                                             {SN_XPBD_DISTANCE, {v[0], v[2]}, i % 4 ? 500 : INFINITY, false, 0}};
        more[i] = kinds[i % 3];
    }
    bar->desc.constraint_count = MORE_COUNT;
    bar->desc.constraints = more;
}

static int set_up(void **state)
{
    (void)state;
    for (int i = 0; i < SHAPE_LIMIT; ++i) {
        sn_xpbd_shape *shape = &shapes[shape_count++];
        *shape = i < 4    ? sn_xpbd_bar(4, 3, 2, 0.1)
                 : i < 8  ? sn_xpbd_sheet(7, 5, 0.1)
                 : i < 10 ? sn_xpbd_cloth(6, 5, 0.1)
                          : sn_xpbd_bar(3, 2, 2, 0.1);
        shape->desc.is_legacy = i < 8 && i / 2 % 2;
        shape->desc.is_coloured = i % 2;
        if (i >= 12) {
            sn_xpbd_shape_material(shape, 1e4, -0.4, 1000);
        } else if (i >= 10) {
            add_constraints(shape);
        }
    }
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    sn_test_gpu_close();
    for (int i = 0; i < shape_count; ++i) {
        sn_arena_finish(&shapes[i].arena);
    }
    assert_int_equal(sn_allocated_bytes(), 0);
    return 0;
}

/* Waves, so that no element is at rest. */
static void shake(sn_gpu_xpbd *xpbd, const twins *t, const double *positions, double speed)
{
    const sn_xpbd_model *model = t->cpu->model;
    double *velocities = sn_alloc(3 * (size_t)model->vertex_count, sizeof *velocities);
    assert_non_null(velocities);
    for (size_t i = 0; i < 3 * (size_t)model->vertex_count; ++i) {
        const bool is_flat = model->dimension == 2 && i % 3 == 2;
        velocities[i] = is_flat ? 0 : speed * sin(9 * positions[i / 3 * 3 + (i + 1) % 3] + (double)(i % 3));
    }
    sn_xpbd_body_set_velocities(t->cpu, velocities);
    sn_free(velocities, 3 * (size_t)model->vertex_count, sizeof *velocities);
    assert_int_equal(sn_gpu_xpbd_upload(xpbd, t->gpu, t->cpu), SN_OK);
}

typedef struct run_desc {
    int sweep_count, substep_count, step_count;
    double damping, stiffness; /* of what is no element */
    bool is_rigid_damped, has_pins;
} run_desc;
static const run_desc runs[] = {{1, 15, 3, 0, 1, false, false},
                                {3, 4, 4, 2, 0.3, false, true},
                                {1, 5, 2, 3, 7, true, true},
                                {1, 1, 3, 1, 1, false, false}};

/* Pins that jump about, of both kinds. */
static void move_pins(sn_gpu_xpbd *xpbd, const twins *t, const sn_xpbd_shape *shape, int step)
{
    const int vertices[2] = {0, shape->desc.vertex_count - 1};
    for (int i = 0; i < 2; ++i) {
        const double *rest = shape->positions + 3 * vertices[i];
        const double to[3] = {rest[0] + 0.02 * sin(step + i), rest[1] + 0.03 * cos(0.7 * step), rest[2]};
        move_twins(xpbd, t, vertices[i], to);
    }
}

static twins start_twins(sn_gpu_xpbd *xpbd, const sn_xpbd_shape *shape, const sn_xpbd_model *model, int index,
                         const run_desc *run)
{
    sn_xpbd_settings settings = sn_default_xpbd_settings();
    settings.substep_count = run->substep_count;
    settings.sweep_count = run->sweep_count;
    settings.damping = run->damping;
    settings.constraint_stiffness = run->stiffness;
    settings.is_rigid_damped = run->is_rigid_damped;
    memcpy(settings.gravity, gravity, sizeof gravity);
    const twins t = create_twins(xpbd, model, index, &settings);
    if (run->has_pins) {
        pin_twins(xpbd, &t, 0, INFINITY);
        pin_twins(xpbd, &t, shape->desc.vertex_count - 1, 300);
    }
    shake(xpbd, &t, shape->positions, 0.5);
    return t;
}

/* All shapes at once; bodies of one run go, those of the next take their places. */
static void run_all(sn_gpu_device *device, sn_gpu_xpbd *xpbd, sn_xpbd_model *const *models, const run_desc *run)
{
    twins t[SHAPE_LIMIT];
    for (int i = 0; i < shape_count; ++i) {
        t[i] = start_twins(xpbd, &shapes[i], models[i], i, run);
        assert_int_equal(t[i].gpu, i);
    }
    for (int step = 0; step < run->step_count; ++step) {
        for (int i = 0; i < shape_count && run->has_pins; ++i) {
            move_pins(xpbd, &t[i], &shapes[i], step);
        }
        step_device(device, xpbd);
        for (int i = 0; i < shape_count; ++i) {
            const sn_xpbd_report report = sn_xpbd_body_step(t[i].cpu, NULL);
            assert_false(report.is_recovered);
            assert_twins(device, xpbd, &t[i], &report);
        }
    }
    for (int i = 0; i < shape_count; ++i) {
        sn_gpu_xpbd_remove_body(xpbd, t[i].gpu);
        destroy_twins(&t[i]);
    }
}

static void run_way(sn_gpu_device *device, const sn_gpu_xpbd_desc *desc)
{
    sn_gpu_xpbd *xpbd = create_xpbd(device, desc);
    sn_xpbd_model *models[SHAPE_LIMIT];
    for (int i = 0; i < shape_count; ++i) {
        models[i] = sn_xpbd_shape_model(&shapes[i]);
        assert_int_equal(add_xpbd_model(xpbd, models[i]), i);
    }
    for (size_t i = 0; i < sizeof runs / sizeof runs[0]; ++i) {
        run_all(device, xpbd, models, &runs[i]);
    }
    sn_gpu_xpbd_destroy(&xpbd);
    for (int i = 0; i < shape_count; ++i) {
        sn_xpbd_model_destroy(&models[i]);
    }
}

static void test_in_shared_memory(void **state)
{
    const sn_gpu_xpbd_desc desc = sn_default_gpu_xpbd_desc();
    run_way(*state, &desc);
}

static void test_in_dispatches_of_two_sweeps(void **state)
{
    sn_gpu_xpbd_desc desc = sn_default_gpu_xpbd_desc();
    desc.dispatch_sweeps = 2;
    run_way(*state, &desc);
}

static void test_in_device_memory(void **state)
{
    sn_gpu_xpbd_desc desc = sn_default_gpu_xpbd_desc();
    desc.shared_bytes = 16;
    desc.split = SN_GPU_XPBD_SPLIT_NONE;
    run_way(*state, &desc);
}

static void test_in_parts(void **state)
{
    sn_gpu_xpbd_desc desc = sn_default_gpu_xpbd_desc();
    desc.split = SN_GPU_XPBD_SPLIT_ALL;
    run_way(*state, &desc);
}

int test_gpu_xpbd(void)
{
    const struct CMUnitTest tests[] = {
        SN_TEST_SHARED_GPU(test_in_shared_memory),
        SN_TEST_SHARED_GPU(test_in_dispatches_of_two_sweeps),
        SN_TEST_SHARED_GPU(test_in_device_memory),
        SN_TEST_SHARED_GPU(test_in_parts),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
