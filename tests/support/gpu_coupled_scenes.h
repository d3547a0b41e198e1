/* SPDX-License-Identifier: MIT */
/* Coupled bodies of all kinds on one device, beside those of the CPU. Include it after cmocka.h. */
#ifndef SN_TESTS_SUPPORT_GPU_COUPLED_SCENES_H
#define SN_TESTS_SUPPORT_GPU_COUPLED_SCENES_H

#include "compute/coupled/private.h"
#include "tests/support/gpu_coupled.h"

static inline sn_coupled_settings settings_of(int substeps)
{
    sn_coupled_settings settings = sn_default_coupled_settings();
    settings.xpbd.substep_count = substeps;
    settings.xpbd.damping = 1;
    settings.xpbd.gravity[1] = -2;
    return settings;
}

#define SCENE_COUNT 6

static inline sn_coupled_scene make_scene(int number)
{
    switch (number) {
    case 0:
        return sn_coupled_mixed(2);
    case 1:
        return sn_coupled_mixed(3);
    case 2:
        return sn_coupled_row(sn_xpbd_sheet(19, 5, 0.06), 4, SN_HANDLE_AFFINE);
    case 3:
        return sn_coupled_row(sn_xpbd_bar(9, 3, 3, 0.1), 3, SN_HANDLE_AFFINE);
    case 4:
        return sn_coupled_row(sn_xpbd_bar(7, 2, 2, 0.1), 5, SN_HANDLE_TRANSLATION);
    default:
        return sn_coupled_row(sn_xpbd_bar(11, 3, 2, 0.1), 1, SN_HANDLE_RIGID);
    }
}

static inline void aim(const sn_coupled_scene *scene, int k, double angle, double along, double *transform)
{
    const bool is_flat = scene->shape.desc.element_corners == 3;
    const double axis[3] = {is_flat ? 0 : 0.3 * angle, is_flat ? 0 : -0.2 * angle, angle};
    const double move[3] = {along, 0.5 * along, is_flat ? 0 : 0.2 * along};
    sn_coupled_aim(scene->handles[k].pivot, axis, move, transform);
}

/* The first handle driven, the last one's rotation alone, what lies between by single scalars; all move. */
static inline void lock_some(sn_gpu_coupled *coupled, const sn_coupled_scene *scene, const coupled_twins *t)
{
    const int last = scene->handle_count - 1;
    lock_twins(coupled, t, 0, SN_LOCK_ALL);
    if (last > 1) {
        lock_twins(coupled, t, last, SN_LOCK_ROTATION_Z | SN_LOCK_X);
        lock_twins(coupled, t, 1, SN_LOCK_STRETCH | SN_LOCK_Y);
    }
}

/* All scenes on one device, a rig each: pipelines are then the same in all tests, and compiled once. */
typedef struct fixture {
    sn_gpu_device *device;
    sn_gpu_coupled *coupled;
    sn_coupled_scene scenes[SCENE_COUNT];
    int rigs[SCENE_COUNT];
} fixture;

static inline fixture make_fixture_of(sn_gpu_device *device, const sn_gpu_xpbd_desc *desc, int count)
{
    fixture f = {.device = device, .coupled = create_coupled(device, desc)};
    for (int i = 0; i < count; ++i) {
        const int number = i < 2 ? 1 - i : i; /* the largest first: pipelines are made anew for larger ones */
        f.scenes[number] = make_scene(number);
        f.rigs[number] = add_coupled_rig(f.coupled, f.scenes[number].rig);
    }
    return f;
}

static inline fixture make_fixture(sn_gpu_device *device, const sn_gpu_xpbd_desc *desc)
{
    return make_fixture_of(device, desc, SCENE_COUNT);
}

static inline void finish_fixture(fixture *f)
{
    sn_gpu_coupled_destroy(&f->coupled);
    for (int i = 0; i < SCENE_COUNT; ++i) {
        if (f->scenes[i].rig) {
            sn_coupled_scene_finish(&f->scenes[i]);
        }
    }
}

static inline coupled_twins make_twins(const fixture *f, int scene, const sn_coupled_settings *settings)
{
    return create_coupled_twins(f->coupled, &f->scenes[scene], f->rigs[scene], settings);
}

/* Bent, and with a spin: no part of it is at rest. */
static inline coupled_twins make_moving_twins(const fixture *f, int scene, const sn_coupled_settings *settings)
{
    const coupled_twins t = make_twins(f, scene, settings);
    sn_coupled_bend(&f->scenes[scene], t.cpu, 0.02, 0.3);
    assert_int_equal(sn_gpu_coupled_upload(f->coupled, t.gpu, t.cpu), SN_OK);
    return t;
}

/* Of most tests: to make its pipelines takes seconds on software Vulkan. */
static fixture common;

static inline int set_up(void **state)
{
    const int result = sn_test_gpu_set_up(state);
    common = make_fixture(*state, NULL);
    return result;
}

static inline int tear_down(void **state)
{
    finish_fixture(&common);
    return sn_test_gpu_tear_down(state);
}

static inline void clear_common(void)
{
    for (int i = 0; i < common.coupled->body_count; ++i) {
        if (common.coupled->bodies[i].is_used) {
            sn_gpu_coupled_remove_body(common.coupled, i);
        }
    }
}

/* One step of all. */
static inline void step_all(const fixture *f, const coupled_twins *bodies, int count, const sn_surroundings *s)
{
    sn_coupled_report reports[SCENE_COUNT];
    SN_ASSERT(count <= SCENE_COUNT);
    for (int i = 0; i < count; ++i) {
        reports[i] = sn_coupled_body_step(bodies[i].cpu, s);
        assert_int_equal(sn_gpu_xpbd_set_surroundings(sn_gpu_coupled_flesh(f->coupled), bodies[i].gpu, s), SN_OK);
    }
    step_coupled(f->device, f->coupled);
    for (int i = 0; i < count; ++i) {
        assert_coupled_twins(f->device, f->coupled, &bodies[i], &reports[i]);
    }
}

#endif
