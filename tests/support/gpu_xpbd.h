/* SPDX-License-Identifier: MIT */
/* Position-based bodies on the CPU and on the device, side by side. Include it after cmocka.h. */
#ifndef SN_TESTS_SUPPORT_GPU_XPBD_H
#define SN_TESTS_SUPPORT_GPU_XPBD_H

#include "compute/xpbd/xpbd.h"
#include "host/xpbd/solver.h"
#include "tests/support/gpu.h"
#include "tests/xpbd/xpbd_test.h"

/* A body of the CPU, its twin on the device, and a body that the twin is read into. */
typedef struct twins {
    sn_xpbd_body *cpu, *read;
    int gpu;
} twins;

static inline sn_gpu_xpbd *create_xpbd(sn_gpu_device *device, const sn_gpu_xpbd_desc *desc)
{
    sn_gpu_xpbd *xpbd = NULL;
    const sn_gpu_xpbd_desc defaults = sn_default_gpu_xpbd_desc();
    assert_int_equal(sn_gpu_xpbd_create(device, desc ? desc : &defaults, &xpbd), SN_OK);
    return xpbd;
}

static inline int add_xpbd_model(sn_gpu_xpbd *xpbd, const sn_xpbd_model *model)
{
    int index = -1;
    assert_int_equal(sn_gpu_xpbd_add_model(xpbd, model, &index), SN_OK);
    return index;
}

static inline twins create_twins(sn_gpu_xpbd *xpbd, const sn_xpbd_model *model, int index,
                                 const sn_xpbd_settings *settings)
{
    twins t = {sn_xpbd_test_body(model, settings), sn_xpbd_test_body(model, settings), -1};
    assert_int_equal(sn_gpu_xpbd_add_body(xpbd, index, settings, &t.gpu), SN_OK);
    return t;
}

static inline void destroy_twins(twins *t)
{
    sn_xpbd_body_destroy(&t->cpu);
    sn_xpbd_body_destroy(&t->read);
}

static inline void step_device(sn_gpu_device *device, sn_gpu_xpbd *xpbd)
{
    VkCommandBuffer commands = sn_test_gpu_begin(device);
    sn_gpu_xpbd_record_step(xpbd, commands);
    sn_test_gpu_run(device, commands);
}

static inline void pin_twins(sn_gpu_xpbd *xpbd, const twins *t, int vertex, double stiffness)
{
    assert_int_equal(sn_xpbd_body_pin(t->cpu, vertex, stiffness), SN_OK);
    assert_int_equal(sn_gpu_xpbd_pin(xpbd, t->gpu, vertex, stiffness), SN_OK);
}

static inline void move_twins(sn_gpu_xpbd *xpbd, const twins *t, int vertex, const double *position)
{
    sn_xpbd_body_move_pin(t->cpu, vertex, position);
    sn_gpu_xpbd_move_pin(xpbd, t->gpu, vertex, position);
}

static inline void unpin_twins(sn_gpu_xpbd *xpbd, const twins *t, int vertex)
{
    sn_xpbd_body_unpin(t->cpu, vertex);
    sn_gpu_xpbd_unpin(xpbd, t->gpu, vertex);
}

static inline void push_twins(sn_gpu_xpbd *xpbd, const twins *t, int vertex, const double *impulse)
{
    sn_xpbd_body_apply_impulse(t->cpu, vertex, impulse);
    assert_int_equal(sn_gpu_xpbd_apply_impulse(xpbd, t->gpu, vertex, impulse), SN_OK);
}

/* The state of both in the same places: row by row, the first that differs by a bit is named. On software Vulkan they
 * are equal; on a device whose arithmetic is not the CPU's they are near: returns the largest difference of places. */
static inline double compare_states(const sn_xpbd_body *a, const sn_xpbd_body *b, bool is_exact)
{
    const float *u = a->state.displacements, *w = b->state.displacements;
    const float *v = a->state.velocities, *z = b->state.velocities;
    double most = 0;
    for (int d = 0; d < 3; ++d) {
        assert_true(!is_exact || a->origin[d] == b->origin[d]);
    }
    for (size_t i = 0; i < 4 * (size_t)a->model->vertex_count; ++i) {
        if (is_exact && (memcmp(u + i, w + i, sizeof *u) != 0 || memcmp(v + i, z + i, sizeof *v) != 0)) {
            fail_msg("row %zu, axis %zu: places %.9g %.9g, velocities %.9g %.9g", i / 4, i % 4, (double)u[i],
                     (double)w[i], (double)v[i], (double)z[i]);
        }
        const double apart = i % 4 < 3 ? (double)u[i] + a->origin[i % 4] - (double)w[i] - b->origin[i % 4] : 0;
        most = fmax(most, fabs(apart));
        assert_true(isfinite(u[i]) && isfinite(w[i]));
    }
    return most;
}

/* In diagonals, on devices whose arithmetic is not the CPU's. */
#define NEAR 1e-3

static inline void assert_twins(sn_gpu_device *device, sn_gpu_xpbd *xpbd, const twins *t, const sn_xpbd_report *report)
{
    const bool is_exact = sn_gpu_device_is_software(device);
    sn_gpu_xpbd_reading reading;
    assert_int_equal(sn_gpu_xpbd_download(xpbd, t->gpu, t->read, &reading), SN_OK);
    const double most = compare_states(t->cpu, t->read, is_exact);
    assert_true(most <= NEAR * fmax(t->cpu->model->diagonal, 1e-3));
    assert_int_equal(t->cpu->pin_count, t->read->pin_count);
    if (is_exact) {
        assert_true(t->cpu->still_seconds == t->read->still_seconds);
    }
    if (report && is_exact) {
        assert_int_equal(report->contact_count, reading.report.contact_count);
        assert_int_equal(report->is_asleep, reading.report.is_asleep);
        assert_int_equal(report->is_recovered, reading.report.is_recovered);
    }
}

#endif
