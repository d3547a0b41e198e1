/* SPDX-License-Identifier: MIT */
/* Layered bodies on the CPU and on the device, side by side. Include it after cmocka.h. */
#ifndef SN_TESTS_SUPPORT_GPU_LAYERED_H
#define SN_TESTS_SUPPORT_GPU_LAYERED_H

#include "compute/layered/private.h"
#include "tests/layered/layered_test.h"
#include "tests/support/gpu_xpbd.h"

/* Legs in both modes, with and without fibres; the last one's flesh hangs on no bone, and the one before is posed by
 * weights. */
#define LEG_COUNT 5
enum { LEG_PLAIN, LEG_FIBRES, LEG_LAYERS, LEG_WEIGHTS, LEG_FREE };

/* A body of the CPU, its twin on the device, and a body that the twin is read into. */
typedef struct leg_twins {
    sn_layered_body *cpu, *read;
    int gpu;
} leg_twins;

/* All on one device, and one solver: pipelines are compiled once. */
typedef struct leg_fixture {
    sn_gpu_device *device;
    sn_gpu_layered *layered;
    sn_test_leg legs[LEG_COUNT];
    sn_layered_model *models[LEG_COUNT];
    int indices[LEG_COUNT];
    bool is_near_enough; /* on software Vulkan, too: sums in another order went before */
} leg_fixture;

/* Axes that turn along the leg, and flesh that is stiffer along the first. */
static inline void lay_fibres(sn_test_leg *leg)
{
    double *frames = SN_NEW(&leg->arena, double, 9 * leg->desc.tet_count);
    assert_non_null(frames);
    for (int t = 0; t < leg->desc.tet_count; ++t) {
        const double angle = 0.9 + 3 * leg->positions[3 * leg->tets[4 * t] + 1], c = cos(angle), s = sin(angle);
        const double frame[9] = {c, -s, 0, s, c, 0, 0, 0, 1};
        memcpy(frames + 9 * t, frame, sizeof frame);
    }
    sn_leg_material(leg, 1e5, 0.4, 5);
    leg->desc.frames = frames;
}

static inline void weigh_bones(sn_test_leg *leg)
{
    float *weights = SN_NEW(&leg->arena, float, 2 * leg->desc.vertex_count);
    assert_non_null(weights);
    for (int v = 0; v < leg->desc.vertex_count; ++v) {
        weights[2 * v] = (float)(0.5 + leg->positions[3 * v + 1] / SN_LEG_LENGTH);
        weights[2 * v + 1] = 1 - weights[2 * v];
    }
    leg->desc.weights = weights;
}

static inline sn_test_leg make_leg(int number)
{
    sn_test_leg leg = number == LEG_PLAIN || number == LEG_LAYERS ? sn_test_leg_make(4, 10) : sn_test_leg_make(2, 7);
    leg.desc.is_coloured = true;
    leg.desc.mode = number == LEG_LAYERS || number == LEG_WEIGHTS ? SN_LAYERED_LAYERS : SN_LAYERED_UNORDERED;
    if (number == LEG_FIBRES || number == LEG_WEIGHTS) {
        lay_fibres(&leg);
    }
    if (number == LEG_WEIGHTS) {
        weigh_bones(&leg);
    }
    if (number == LEG_FREE) {
        sn_leg_set_free(&leg);
    }
    return leg;
}

static inline leg_fixture make_legs(sn_gpu_device *device, const sn_gpu_xpbd_desc *desc, int count)
{
    const sn_gpu_xpbd_desc defaults = sn_default_gpu_xpbd_desc();
    leg_fixture f = {.device = device};
    assert_int_equal(sn_gpu_layered_create(device, desc ? desc : &defaults, &f.layered), SN_OK);
    for (int i = 0; i < count; ++i) {
        f.legs[i] = make_leg(i);
        f.models[i] = sn_leg_model(&f.legs[i]);
        assert_int_equal(sn_gpu_layered_add_model(f.layered, f.models[i], &f.indices[i]), SN_OK);
    }
    return f;
}

static inline void finish_legs(leg_fixture *f)
{
    sn_gpu_layered_destroy(&f->layered);
    for (int i = 0; i < LEG_COUNT; ++i) {
        sn_layered_model_destroy(&f->models[i]);
        sn_arena_finish(&f->legs[i].arena);
    }
}

static inline leg_twins make_leg_twins(const leg_fixture *f, int leg, const sn_layered_settings *settings)
{
    leg_twins t = {sn_leg_body(f->models[leg], settings), sn_leg_body(f->models[leg], settings), -1};
    assert_int_equal(sn_gpu_layered_add_body(f->layered, f->indices[leg], settings, NULL, &t.gpu), SN_OK);
    return t;
}

static inline void destroy_leg_twins(const leg_fixture *f, leg_twins *t)
{
    sn_gpu_layered_remove_body(f->layered, t->gpu);
    sn_layered_body_destroy(&t->cpu);
    sn_layered_body_destroy(&t->read);
}

static inline void set_leg_twins(const leg_fixture *f, const leg_twins *t, const sn_layered_settings *settings)
{
    assert_int_equal(sn_layered_body_set_settings(t->cpu, settings), SN_OK);
    assert_int_equal(sn_gpu_layered_set_settings(f->layered, t->gpu, settings), SN_OK);
}

static inline void step_legs_on_device(const leg_fixture *f)
{
    VkCommandBuffer commands = sn_test_gpu_begin(f->device);
    sn_gpu_layered_record_step(f->layered, commands);
    sn_test_gpu_run(f->device, commands);
}

/* One step of all to a pose. On software Vulkan both have the same bits; elsewhere they are near. */
static inline void step_leg_twins(const leg_fixture *f, const leg_twins *bodies, int count, const double *pose,
                                  const sn_surroundings *surroundings)
{
    sn_layered_report reports[128];
    SN_ASSERT(count <= 128);
    for (int i = 0; i < count; ++i) {
        reports[i] = sn_layered_body_step(bodies[i].cpu, pose, surroundings);
        assert_int_equal(sn_gpu_layered_set_pose(f->layered, bodies[i].gpu, pose), !reports[i].is_refused);
        assert_int_equal(sn_gpu_xpbd_set_surroundings(sn_gpu_layered_flesh(f->layered), bodies[i].gpu, surroundings),
                         SN_OK);
    }
    step_legs_on_device(f);
    for (int i = 0; i < count; ++i) {
        const bool is_exact = sn_gpu_device_is_software(f->device) && !f->is_near_enough;
        sn_gpu_xpbd_reading reading;
        assert_int_equal(sn_gpu_layered_download(f->layered, bodies[i].gpu, bodies[i].read, &reading), SN_OK);
        const sn_xpbd_body *a = bodies[i].cpu->flesh, *b = bodies[i].read->flesh;
        const double most = sn_gpu_device_is_software(f->device) ? 1e-6 : NEAR;
        assert_true(compare_states(a, b, is_exact) <= most * a->model->diagonal);
        assert_int_equal(reading.report.is_recovered, reports[i].is_recovered);
        assert_int_equal(reading.report.is_asleep, reports[i].is_asleep);
        if (is_exact) {
            assert_int_equal(reading.report.contact_count, reports[i].contact_count);
        }
    }
}

#endif
