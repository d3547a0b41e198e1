/* SPDX-License-Identifier: MIT */
/* Coupled bodies on the CPU and on the device, side by side. Include it after cmocka.h. */
#ifndef SN_TESTS_SUPPORT_GPU_COUPLED_H
#define SN_TESTS_SUPPORT_GPU_COUPLED_H

#include "compute/coupled/coupled.h"
#include "tests/coupled/coupled_test.h"
#include "tests/support/gpu_xpbd.h"

/* A body of the CPU, its twin on the device, and a body that the twin is read into. */
typedef struct coupled_twins {
    sn_coupled_body *cpu, *read;
    int gpu;
} coupled_twins;

static inline sn_gpu_coupled *create_coupled(sn_gpu_device *device, const sn_gpu_xpbd_desc *desc)
{
    sn_gpu_coupled *coupled = NULL;
    const sn_gpu_xpbd_desc defaults = sn_default_gpu_xpbd_desc();
    assert_int_equal(sn_gpu_coupled_create(device, desc ? desc : &defaults, &coupled), SN_OK);
    return coupled;
}

static inline int add_coupled_rig(sn_gpu_coupled *coupled, const sn_coupled_rig *rig)
{
    int index = -1;
    assert_int_equal(sn_gpu_coupled_add_rig(coupled, rig, &index), SN_OK);
    return index;
}

static inline coupled_twins create_coupled_twins(sn_gpu_coupled *coupled, const sn_coupled_scene *scene, int rig,
                                                 const sn_coupled_settings *settings)
{
    coupled_twins t = {sn_coupled_test_body(scene, settings), sn_coupled_test_body(scene, settings), -1};
    assert_int_equal(sn_gpu_coupled_add_body(coupled, rig, settings, &t.gpu), SN_OK);
    return t;
}

static inline void destroy_coupled_twins(coupled_twins *t)
{
    sn_coupled_body_destroy(&t->cpu);
    sn_coupled_body_destroy(&t->read);
}

static inline void step_coupled(sn_gpu_device *device, sn_gpu_coupled *coupled)
{
    VkCommandBuffer commands = sn_test_gpu_begin(device);
    sn_gpu_coupled_record_step(coupled, commands);
    sn_test_gpu_run(device, commands);
}

static inline void lock_twins(sn_gpu_coupled *coupled, const coupled_twins *t, int handle, unsigned locks)
{
    sn_coupled_body_set_locks(t->cpu, handle, locks);
    assert_int_equal(sn_gpu_coupled_set_locks(coupled, t->gpu, handle, locks), SN_OK);
    assert_int_equal(sn_coupled_body_locks(t->cpu, handle), sn_gpu_coupled_locks(coupled, t->gpu, handle));
}

static inline void aim_twins(sn_gpu_coupled *coupled, const coupled_twins *t, int handle, const double *transform)
{
    sn_coupled_body_set_target(t->cpu, handle, transform);
    sn_gpu_coupled_set_target(coupled, t->gpu, handle, transform);
}

static inline void soften_twins(sn_gpu_coupled *coupled, const coupled_twins *t, int handle, double compliance)
{
    sn_coupled_body_set_compliance(t->cpu, handle, compliance);
    assert_int_equal(sn_gpu_coupled_set_compliance(coupled, t->gpu, handle, compliance), SN_OK);
}

/* Flesh that is mirrored beyond its middle, and a handle in the wrong minimum. */
static inline void crumple_flesh(const sn_coupled_scene *scene, sn_coupled_body *body)
{
    static double places[3 * 1024];
    const double wrong[3] = {0, 0, 3}, *last = scene->shape.positions + 3 * (scene->shape.desc.vertex_count - 1);
    SN_ASSERT(scene->shape.desc.vertex_count <= 1024);
    for (int v = 0; v < scene->shape.desc.vertex_count; ++v) {
        const double *x = scene->shape.positions + 3 * v;
        places[3 * v] = x[0];
        places[3 * v + 1] = x[0] > last[0] / 2 ? last[1] - x[1] : x[1];
        places[3 * v + 2] = x[2];
    }
    sn_xpbd_body_set_positions(body->flesh, places);
    sn_quaternion_from_vector(wrong, body->handles[0].rotation);
    sn_coupled_compose(&body->handles[0]);
}

/* Numbers of handles: equal where the device computes as the CPU does, else within a share of `size`. */
static inline void assert_numbers(bool is_exact, size_t count, const double *a, const double *b, double size)
{
    for (size_t i = 0; i < count; ++i) {
        if (is_exact ? a[i] != b[i] : !(fabs(a[i] - b[i]) <= size)) {
            fail_msg("number %zu: %.17g and %.17g", i, a[i], b[i]);
        }
    }
}

static inline void assert_coupled_twins(sn_gpu_device *device, sn_gpu_coupled *coupled, const coupled_twins *t,
                                        const sn_coupled_report *report)
{
    const bool is_exact = sn_gpu_device_is_software(device);
    const size_t handles = (size_t)t->cpu->rig->handle_count;
    const double diagonal = t->cpu->rig->length;
    double transforms[2][12 * 64], impulses[2][6];
    sn_gpu_xpbd_reading reading;
    SN_ASSERT(handles <= 64);
    assert_int_equal(sn_gpu_coupled_download(coupled, t->gpu, t->read, &reading), SN_OK);
    const double most = compare_states(t->cpu->flesh, t->read->flesh, is_exact);
    assert_true(most <= NEAR * diagonal);
    sn_coupled_body_transforms(t->cpu, transforms[0]);
    assert_int_equal(sn_gpu_coupled_transforms(coupled, t->gpu, transforms[1], NULL), SN_OK);
    assert_numbers(is_exact, 12 * handles, transforms[0], transforms[1], 10 * NEAR);
    for (int k = 0; k < t->cpu->rig->handle_count && is_exact; ++k) {
        sn_coupled_body_impulse(t->cpu, k, impulses[0]);
        assert_int_equal(sn_gpu_coupled_impulse(coupled, t->gpu, k, impulses[1]), SN_OK);
        assert_numbers(true, 6, impulses[0], impulses[1], 0);
    }
    if (report && is_exact) {
        assert_int_equal(report->contact_count, reading.report.contact_count);
        assert_int_equal(report->is_asleep, reading.report.is_asleep);
        assert_int_equal(report->is_recovered, reading.report.is_recovered);
    }
}

#endif
