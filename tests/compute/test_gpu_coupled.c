/* SPDX-License-Identifier: MIT */
/* Coupled bodies on the device against those of the CPU: bit by bit on software Vulkan, whose arithmetic is exact, near
 * elsewhere. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "compute/core/spirv.h"
#include "compute/coupled/private.h"
#include "tests/support/gpu_coupled_scenes.h"

static const uint32_t step_code[] =
#include "shaders/coupled/step.comp.inc"
    ;

static void aim_some(sn_gpu_coupled *coupled, const sn_coupled_scene *scene, const coupled_twins *t, double time)
{
    for (int k = 0; k < scene->handle_count; k += 1 + (k > 0)) {
        double transform[12];
        aim(scene, k, 0.4 * sin(9 * time + k), 0.1 * sin(5 * time), transform);
        aim_twins(coupled, t, k, transform);
    }
}

/* Free, then locked and aimed, then softened and driven handles alone. */
static void check_scenes(fixture f, int first, int count, int steps)
{
    sn_coupled_settings settings = settings_of(3);
    coupled_twins bodies[SCENE_COUNT];
    for (int i = 0; i < count; ++i) {
        bodies[i] = make_moving_twins(&f, first + i, &settings);
    }
    for (int step = 0; step < steps; ++step) {
        step_all(&f, bodies, count, NULL);
    }
    for (int i = 0; i < count; ++i) {
        lock_some(f.coupled, &f.scenes[first + i], &bodies[i]);
    }
    for (int step = 0; step < 2 * steps; ++step) {
        for (int i = 0; i < count; ++i) {
            aim_some(f.coupled, &f.scenes[first + i], &bodies[i], step / 60.0);
        }
        step_all(&f, bodies, count, NULL);
    }
    settings.compliance = 1e-5;
    settings.is_constraint_locked_only = true;
    settings.xpbd.substep_count = 4;
    settings.xpbd.sweep_count = 2;
    settings.xpbd.stiffness = 0.5;
    for (int i = 0; i < count; ++i) {
        soften_twins(f.coupled, &bodies[i], 0, 1e-4);
        assert_int_equal(sn_coupled_body_set_settings(bodies[i].cpu, &settings), SN_OK);
        assert_int_equal(sn_gpu_coupled_set_settings(f.coupled, bodies[i].gpu, &settings), SN_OK);
    }
    for (int step = 0; step < steps; ++step) {
        step_all(&f, bodies, count, NULL);
    }
    for (int i = 0; i < count; ++i) {
        destroy_coupled_twins(&bodies[i]);
    }
}

static void test_scenes(void **state)
{
    (void)state;
    check_scenes(common, 0, SCENE_COUNT, 3);
    clear_common();
}

/* Each part of a substep a dispatch, with everything in device memory. */
static void test_large(void **state)
{
    sn_gpu_xpbd_desc desc = sn_default_gpu_xpbd_desc();
    desc.split = SN_GPU_XPBD_SPLIT_ALL;
    fixture f = make_fixture_of(*state, &desc, 2);
    check_scenes(f, 1, 1, 1);
    finish_fixture(&f);
}

/* The most rows that take shared memory, beside a rig whose scratch then does not: both arrays are declared. */
static void test_shared_memory(void **state)
{
    sn_gpu_device *device = *state;
    const uint32_t had = device->properties.limits.maxComputeSharedMemorySize;
    const int rows_of_pool = 1984; /* 31 KiB */
    uint64_t bytes = 0;
    device->properties.limits.maxComputeSharedMemorySize = 32768; /* 32 KiB, as many devices have */
    sn_gpu_coupled *coupled = create_coupled(device, NULL);
    for (int rows = rows_of_pool - 64; rows <= rows_of_pool; rows += 64) {
        assert_int_equal(sn_gpu_xpbd_create_pipelines(sn_gpu_coupled_flesh(coupled), rows, 0), SN_OK);
    }
    sn_gpu_coupled_destroy(&coupled);
    const uint32_t constants[] = {SN_XPBD_ALL, true, (uint32_t)rows_of_pool, 0, 1, false};
    assert_int_equal(sn_gpu_shader_shared_bytes("coupled", SN_GPU_SHADER(step_code), constants, 6, &bytes), SN_OK);
    assert_int_equal(bytes, 31744 + 1024 + 8);
    device->properties.limits.maxComputeSharedMemorySize = had;
}

/* ---- large trees ---- */

/* The scene's joints on its flesh but for the first of them, and so many handles more; from: what a body's handles
 * become. */
static sn_coupled_scene regrow(const sn_coupled_scene *scene, int more, int32_t *from)
{
    const int kept = scene->handle_count - 1;
    sn_coupled_scene other = *scene;
    other.handle_count = kept + more;
    other.handles = sn_alloc((size_t)other.handle_count, sizeof *other.handles);
    other.weights = sn_alloc((size_t)(other.handle_count * scene->shape.desc.vertex_count), sizeof *other.weights);
    assert_true(other.handles && other.weights);
    for (int k = 0; k < other.handle_count; ++k) {
        const int before = k < kept ? k + 1 : 3 * (k - kept) + 1;
        other.handles[k] = scene->handles[before];
        other.handles[k].parent -= other.handles[k].parent >= 0;
        from[k] = k < kept ? before : -1;
        if (k >= kept) { /* a free one, beside the joint */
            other.handles[k].parent = -1;
            other.handles[k].pivot[1] += 0.05;
        }
    }
    sn_coupled_bells(&other, 0.08);
    sn_coupled_scene_rig(&other);
    return other;
}

static void finish_regrown(sn_coupled_scene *scene)
{
    const size_t count = (size_t)scene->handle_count;
    sn_coupled_rig_destroy(&scene->rig);
    sn_free(scene->weights, count * (size_t)scene->shape.desc.vertex_count, sizeof *scene->weights);
    sn_free(scene->handles, count, sizeof *scene->handles);
}

/* Handles go and come while it moves. */
static void change_rig(fixture *f, coupled_twins *t, const sn_coupled_scene *to, const int32_t *from,
                       const sn_coupled_settings *settings)
{
    const int rig = add_coupled_rig(f->coupled, to->rig);
    assert_int_equal(sn_coupled_body_set_rig(t->cpu, to->rig, from), SN_OK);
    assert_int_equal(sn_gpu_coupled_set_rig(f->coupled, t->gpu, rig, from), SN_OK);
    sn_coupled_body_destroy(&t->read);
    t->read = sn_coupled_test_body(to, settings);
}

static void step_tree(const fixture *f, const coupled_twins *t, int border_count)
{
    for (int step = 0; step < 3; ++step) {
        step_all(f, t, 1, NULL);
        assert_int_equal(t->cpu->fit.border_count, border_count);
    }
}

/* In parts, whose pipelines are soon made. What moves linearly is a border of the small system, where it is little. */
static void test_tree(void **state)
{
    sn_gpu_xpbd_desc desc = sn_default_gpu_xpbd_desc();
    desc.split = SN_GPU_XPBD_SPLIT_ALL;
    fixture f = {.device = *state, .coupled = create_coupled(*state, &desc)};
    const sn_coupled_settings settings = settings_of(2);
    int32_t from[2][SN_COUPLED_TREE_JOINTS + 4];
    sn_coupled_scene scene = sn_coupled_tree(false);
    sn_coupled_scene others[2];
    others[0] = regrow(&scene, 0, from[0]);
    others[1] = regrow(&others[0], 4, from[1]);
    coupled_twins t = create_coupled_twins(f.coupled, &scene, add_coupled_rig(f.coupled, scene.rig), &settings);
    double transform[12];
    sn_coupled_bend(&scene, t.cpu, 0.02, 0.3);
    assert_int_equal(sn_gpu_coupled_upload(f.coupled, t.gpu, t.cpu), SN_OK);
    step_tree(&f, &t, 3);
    lock_twins(f.coupled, &t, SN_COUPLED_TREE_JOINTS / 2, SN_LOCK_X | SN_LOCK_ROTATION_Z);
    lock_twins(f.coupled, &t, 3, SN_LOCK_ROTATION);
    aim(&scene, 3, 0.4, 0, transform);
    aim_twins(f.coupled, &t, 3, transform);
    step_tree(&f, &t, 2);
    change_rig(&f, &t, &others[0], from[0], &settings);
    step_tree(&f, &t, 2);
    soften_twins(f.coupled, &t, 2, 1e-4);
    change_rig(&f, &t, &others[1], from[1], &settings);
    step_tree(&f, &t, 0); /* of five roots, that were too much */
    lock_twins(f.coupled, &t, others[1].handle_count - 1, SN_LOCK_ALL);
    lock_twins(f.coupled, &t, others[1].handle_count - 3, SN_LOCK_ALL);
    step_tree(&f, &t, 8);
    lock_twins(f.coupled, &t, 20, SN_LOCK_TRANSLATION); /* a joint's */
    step_tree(&f, &t, 0);
    destroy_coupled_twins(&t);
    sn_gpu_coupled_destroy(&f.coupled);
    finish_regrown(&others[1]);
    finish_regrown(&others[0]);
    sn_coupled_scene_finish(&scene);
}

/* A step in several dispatches. */
static void test_cut(void **state)
{
    (void)state;
    common.coupled->xpbd->desc.dispatch_sweeps = 2;
    check_scenes(common, 0, 2, 1);
    common.coupled->xpbd->desc.dispatch_sweeps = 0;
    clear_common();
}

/* ---- what surrounds them ---- */

static void test_contacts(void **state)
{
    (void)state;
    const fixture f = common;
    sn_coupled_settings settings = settings_of(4);
    coupled_twins bodies[2] = {make_twins(&f, 0, &settings), make_twins(&f, 1, &settings)};
    sn_collider_desc floor = sn_default_collider_desc(), ball = sn_default_collider_desc();
    sn_collider colliders[2];
    int contacts = 0;
    ball.shape = SN_COLLIDER_SPHERE;
    ball.radius = 0.1;
    assert_int_equal(sn_collider_init(&floor, &colliders[0]), SN_OK);
    assert_int_equal(sn_collider_init(&ball, &colliders[1]), SN_OK);
    colliders[0].transform[7] = colliders[0].transform_before[7] = -0.01;
    colliders[1].transform[3] = colliders[1].transform_before[3] = 0.3;
    const sn_surroundings surroundings = {.collider_count = 2, .colliders = colliders};
    lock_twins(f.coupled, &bodies[1], 5, SN_LOCK_ROTATION | SN_LOCK_TRANSLATION); /* a joint's place, too */
    for (int step = 0; step < 8; ++step) {
        step_all(&f, bodies, 2, &surroundings);
        contacts += bodies[0].cpu->flesh->contact_count + bodies[1].cpu->flesh->contact_count;
    }
    assert_true(contacts > 20);
    destroy_coupled_twins(&bodies[0]);
    destroy_coupled_twins(&bodies[1]);
    clear_common();
}

static void check_pins(int scene)
{
    const fixture f = common;
    const sn_coupled_settings settings = settings_of(3);
    const coupled_twins t = make_moving_twins(&f, scene, &settings);
    sn_gpu_xpbd *flesh = sn_gpu_coupled_flesh(f.coupled);
    const double push[3] = {0.2, 0.5, -0.1};
    const int pins[3] = {0, 17, 40};
    for (int i = 0; i < 3; ++i) {
        const double stiffness = i < 2 ? INFINITY : 500;
        assert_int_equal(sn_xpbd_body_pin(t.cpu->flesh, pins[i], stiffness), SN_OK);
        assert_int_equal(sn_gpu_coupled_pin(f.coupled, t.gpu, pins[i], stiffness), SN_OK);
        step_all(&f, &t, 1, NULL);
    }
    sn_xpbd_body_apply_impulse(t.cpu->flesh, 60, push);
    assert_int_equal(sn_gpu_xpbd_apply_impulse(flesh, t.gpu, 60, push), SN_OK);
    step_all(&f, &t, 1, NULL);
    sn_xpbd_body_unpin(t.cpu->flesh, pins[0]);
    assert_int_equal(sn_gpu_coupled_unpin(f.coupled, t.gpu, pins[0]), SN_OK);
    step_all(&f, &t, 1, NULL);
    coupled_twins last = t;
    destroy_coupled_twins(&last);
    clear_common();
}

/* Pins of vertices, exact ones of which are in the systems; impulses, also of flesh in the plane, out of it. */
static void test_pins(void **state)
{
    (void)state;
    check_pins(1);
    check_pins(0);
}

/* ---- crowds ---- */

static uint64_t hash_body(const fixture *f, int scene, int body, const sn_coupled_settings *settings)
{
    sn_coupled_body *read = sn_coupled_test_body(&f->scenes[scene], settings);
    assert_int_equal(sn_gpu_coupled_download(f->coupled, body, read, NULL), SN_OK);
    const uint64_t hash = sn_coupled_hash(SN_HASH_SEED, read);
    sn_coupled_body_destroy(&read);
    return hash;
}

/* Bodies of all scenes, with two patterns of locks; each does what it does alone, in every run. */
static void test_crowd(void **state)
{
    (void)state;
    enum { COUNT = 107, STEPS = 2 };
    const int counts[3] = {1, 7, COUNT};
    const sn_coupled_settings settings = settings_of(2);
    uint64_t hashes[COUNT] = {0};
    for (int run = 0; run < 3; ++run) {
        const fixture f = common;
        int bodies[COUNT];
        for (int i = 0; i < counts[run]; ++i) {
            const sn_coupled_scene *scene = &f.scenes[i % SCENE_COUNT];
            double transform[12];
            assert_int_equal(sn_gpu_coupled_add_body(f.coupled, f.rigs[i % SCENE_COUNT], &settings, &bodies[i]), SN_OK);
            aim(scene, 0, 0.01 * i, 0.001 * i, transform);
            assert_int_equal(sn_gpu_coupled_set_locks(f.coupled, bodies[i], 0, i % 2 ? SN_LOCK_ALL : SN_LOCK_X), SN_OK);
            sn_gpu_coupled_set_target(f.coupled, bodies[i], 0, transform);
        }
        for (int step = 0; step < STEPS; ++step) {
            step_coupled(f.device, f.coupled);
        }
        for (int i = 0; i < counts[run]; ++i) {
            const uint64_t hash = hash_body(&f, i % SCENE_COUNT, bodies[i], &settings);
            assert_true(hashes[i] == 0 || hashes[i] == hash);
            hashes[i] = hash;
        }
        if (run == 2) { /* places of removed bodies are taken again */
            int again = -1;
            sn_gpu_coupled_remove_body(f.coupled, bodies[3]);
            assert_int_equal(sn_gpu_coupled_add_body(f.coupled, f.rigs[3], &settings, &again), SN_OK);
            assert_int_equal(again, bodies[3]);
            step_coupled(f.device, f.coupled);
        }
        clear_common();
    }
}

static void test_what_is_refused(void **state)
{
    (void)state;
    const fixture f = common;
    sn_coupled_settings settings = settings_of(2);
    int body = -1;
    sn_test_logged.is_quiet = true;
    settings.regularity = 2;
    assert_int_equal(sn_gpu_coupled_add_body(f.coupled, f.rigs[0], &settings, &body), SN_ERROR_ARGUMENT);
    settings = settings_of(2);
    settings.xpbd.is_double = true;
    assert_int_equal(sn_gpu_coupled_add_body(f.coupled, f.rigs[0], &settings, &body), SN_ERROR_UNSUPPORTED);
    assert_int_equal(sn_test_logged.error_count, 2);
    clear_common();
}

int test_gpu_coupled(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_scenes),
                                       cmocka_unit_test(test_contacts),
                                       cmocka_unit_test(test_pins),
                                       cmocka_unit_test(test_crowd),
                                       cmocka_unit_test(test_cut),
                                       cmocka_unit_test(test_large),
                                       cmocka_unit_test(test_tree),
                                       cmocka_unit_test(test_what_is_refused),
                                       SN_TEST_SHARED_GPU(test_shared_memory)};
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
