/* SPDX-License-Identifier: MIT */
/* A world on threads and its twin on a device, which get the same calls. Models are bars that are cooked here, the
 * last one with the constraint on coordinates. Include it after cmocka.h. */
#ifndef SN_TESTS_SUPPORT_GPU_WORLD_H
#define SN_TESTS_SUPPORT_GPU_WORLD_H

#include "compute/world/world.h"
#include "tests/support/flesh.h"
#include "tests/support/gpu.h"

#define TWIN_LIMIT 48
#define TWIN_MODELS 3
#define TWIN_MATRICES 48

static sn_cook_context twin_cookings[TWIN_MODELS];
static sn_model *twin_models[TWIN_MODELS];

static inline int twin_cook_models(void **state)
{
    static const int cells[TWIN_MODELS][3] = {{8, 2, 2}, {6, 3, 2}, {10, 3, 3}};
    static const int bones[TWIN_MODELS] = {3, 1, 4}, modes[TWIN_MODELS] = {5, 8, 11};
    (void)state;
    for (int i = 0; i < TWIN_MODELS; ++i) {
        sn_cook_desc desc = sn_default_cook_desc();
        desc.mode_count = modes[i];
        desc.cluster_count = 20;
        desc.complementary = i == TWIN_MODELS - 1 ? SN_COMPLEMENTARY_COORDINATES : SN_COMPLEMENTARY_WEIGHTS;
        twin_models[i] = sn_test_cook_bar_as(&twin_cookings[i], cells[i], bones[i], &desc);
        assert_true(sn_model_cluster_level_count(twin_models[i]) > 1);
    }
    assert_true(twin_models[TWIN_MODELS - 1]->counts.min_mode_count > 1);
    return 0;
}

static inline int twin_release_models(void **state)
{
    (void)state;
    sn_test_gpu_close();
    for (int i = 0; i < TWIN_MODELS; ++i) {
        sn_model_release(twin_models[i]);
        sn_cook_context_finish(&twin_cookings[i]);
    }
    assert_int_equal(sn_allocated_bytes(), 0);
    return 0;
}

typedef struct twins {
    sn_gpu_device *device;
    sn_gpu *gpu;
    sn_world_id host, guest; /* the guest's bodies step on the device */
    sn_body_id hosts[TWIN_LIMIT], guests[TWIN_LIMIT];
    int count;
} twins;

static inline twins twins_make(sn_gpu_device *device, int frames_in_flight)
{
    twins t = {.device = device};
    sn_world_desc desc = sn_default_world_desc();
    assert_int_equal(sn_world_create(&desc, &t.host), SN_OK);
    assert_int_equal(sn_gpu_create_on(device, frames_in_flight, &t.gpu), SN_OK);
    desc.backend = sn_gpu_backend(t.gpu);
    assert_int_equal(sn_world_create(&desc, &t.guest), SN_OK);
    return t;
}

static inline void twins_finish(twins *t)
{
    sn_world_destroy(t->host);
    sn_world_destroy(t->guest);
    sn_gpu_destroy(&t->gpu);
}

/* Both end in the same minimum. */
static inline sn_body_desc twin_desc(const sn_model *model)
{
    sn_body_desc desc = sn_default_body_desc();
    desc.model = model;
    desc.stiffness = 0.5;
    desc.damping = 0.5;
    desc.gravity[1] = -2;
    desc.has_gravity_at_rest = true; /* flesh sags onto what is below it */
    desc.iteration_limit = 400;
    desc.tolerance = 1e-7;
    return desc;
}

static inline void twins_put(twins *t, int index, const sn_body_desc *desc)
{
    assert_int_equal(sn_body_create(t->host, desc, &t->hosts[index]), SN_OK);
    assert_int_equal(sn_body_create(t->guest, desc, &t->guests[index]), SN_OK);
}

static inline void twins_add(twins *t, const sn_model *model)
{
    const sn_body_desc desc = twin_desc(model);
    assert_true(t->count < TWIN_LIMIT);
    twins_put(t, t->count++, &desc);
}

static inline void twins_remove(twins *t, int index)
{
    sn_body_destroy(t->hosts[index]);
    sn_body_destroy(t->guests[index]);
}

/* Each bone swings by its own; bodies differ in pace. */
static inline void twins_pose(twins *t, int index, double seconds)
{
    sn_mat3x4 bones[SN_TEST_BONE_LIMIT];
    const int count = sn_model_bone_count(sn_body_model(t->hosts[index]));
    for (int b = 0; b < count; ++b) {
        const double angle = 0.3 * sin((9 + 0.4 * index) * seconds + b);
        const float c = (float)cos(angle), s = (float)sin(angle);
        bones[b] = (sn_mat3x4){{{c, -s, 0, (float)(0.1 * sin(11 * seconds) + index)},
                                {s, c, 0, (float)(0.05 * sin(7 * seconds + b))},
                                {0, 0, 1, 0}}};
    }
    sn_body_set_pose(t->hosts[index], bones, count);
    sn_body_set_pose(t->guests[index], bones, count);
}

static inline void twins_pose_all(twins *t, double seconds)
{
    for (int i = 0; i < t->count; ++i) {
        twins_pose(t, i, seconds);
    }
}

static inline void twins_reset_all(twins *t)
{
    for (int i = 0; i < t->count; ++i) {
        sn_body_reset(t->hosts[i]);
        sn_body_reset(t->guests[i]);
    }
}

/* The guest's steps go into commands of the test, and are waited for. */
static inline sn_world_report twins_record(const twins *t, double seconds)
{
    VkCommandBuffer commands = sn_test_gpu_begin(t->device);
    const sn_world_report report = sn_gpu_record_step(t->guest, seconds, commands);
    sn_test_gpu_run(t->device, commands);
    return report;
}

/* The guest's steps are recorded by the test, or submitted by the world. */
static inline void twins_step(twins *t, double seconds, bool is_recorded)
{
    const sn_world_report a = sn_world_step(t->host, seconds);
    const sn_world_report b = is_recorded ? twins_record(t, seconds) : sn_world_step(t->guest, seconds);
    assert_int_equal(a.step_count, b.step_count);
    assert_true(a.dropped_seconds == b.dropped_seconds);
}

/* Bodies of all models in turn, at rest in their poses. */
static inline twins twins_make_crowd(sn_gpu_device *device, int count)
{
    twins t = twins_make(device, 2);
    for (int i = 0; i < count; ++i) {
        twins_add(&t, twin_models[i % TWIN_MODELS]);
    }
    twins_pose_all(&t, 0);
    twins_reset_all(&t);
    return t;
}

/* Frames of 1/60 s, recorded and submitted. */
static inline void twins_run(twins *t, int first, int last)
{
    for (int frame = first; frame < last; ++frame) {
        twins_pose_all(t, frame / 60.0);
        twins_step(t, 1 / 60.0, frame % 3 != 0);
    }
}

/* What a guest draws, read back. */
static inline void twins_read(const twins *t, int index, float *matrices)
{
    const sn_body_gpu_matrices at = sn_body_gpu_output(t->guests[index]);
    const VkDeviceSize size = at.stride * (VkDeviceSize)(at.bone_count + at.mode_count);
    assert_true(at.bone_count + at.mode_count <= TWIN_MATRICES && at.stride == 48);
    sn_test_gpu_read(t->device, sn_test_gpu_begin(t->device), at.buffer, at.offset, size, matrices);
}

/* Largest difference of a pair's matrices; bones must be the same. `size`: the host's largest entry of its modes. */
static inline double twins_difference(const twins *t, int index, double *size)
{
    float matrices[12 * TWIN_MATRICES];
    const sn_body_matrices host = sn_body_output(t->hosts[index]), guest = sn_body_output(t->guests[index]);
    const float *expected = &host.matrices[0].m[0][0];
    double most = 0;
    twins_read(t, index, matrices);
    assert_memory_equal(matrices, expected, (size_t)host.bone_count * sizeof(sn_mat3x4));
    assert_memory_equal(guest.matrices, expected, (size_t)host.bone_count * sizeof(sn_mat3x4));
    assert_int_equal(guest.mode_count, 0);
    const int matrix_count = host.bone_count + sn_model_mode_count(sn_body_model(t->hosts[index]));
    for (int i = 12 * host.bone_count; i < 12 * matrix_count; ++i) {
        most = fmax(most, fabs((double)matrices[i] - (double)expected[i]));
        *size = fmax(*size, fabs((double)expected[i]));
    }
    return most;
}

/* Of all pairs, as a fraction of the size. */
static inline double twins_distance(const twins *t)
{
    double most = 0, size = 0;
    for (int i = 0; i < t->count; ++i) {
        most = fmax(most, twins_difference(t, i, &size));
    }
    assert_true(size > 1e-2);
    return most / size;
}

static inline void twins_expect_same(const twins *t, const char *what, double tolerance)
{
    const double distance = twins_distance(t);
    print_message("%s: %.1e of the flesh's own movement\n", what, distance);
    assert_true(distance < tolerance);
}

/* Of coupled bodies in these worlds: a few substeps, as software devices are slow. */
static inline sn_body_desc twins_coupled_desc(const sn_model *model)
{
    sn_body_desc desc = sn_default_body_desc();
    desc.model = model;
    desc.solver = SN_SOLVER_COUPLED;
    desc.damping = 1;
    desc.gravity[1] = -3;
    desc.substep_count = 4;
    return desc;
}

#endif
