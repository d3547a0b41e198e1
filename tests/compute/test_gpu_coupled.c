/* SPDX-License-Identifier: MIT */
/* Coupled bodies on the device against those of the CPU: bit by bit on software Vulkan, whose arithmetic is exact, near
 * elsewhere. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "compute/coupled/solver.h"
#include "tests/support/gpu_coupled.h"

static sn_coupled_settings settings_of(int substeps)
{
    sn_coupled_settings settings = sn_default_coupled_settings();
    settings.xpbd.substep_count = substeps;
    settings.xpbd.damping = 1;
    settings.xpbd.gravity[1] = -2;
    return settings;
}

/* ---- scenes of all kinds ---- */

#define SCENE_COUNT 6

static sn_coupled_scene make_scene(int number)
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

static void aim(const sn_coupled_scene *scene, int k, double angle, double along, double *transform)
{
    const bool is_flat = scene->shape.desc.element_corners == 3;
    const double axis[3] = {is_flat ? 0 : 0.3 * angle, is_flat ? 0 : -0.2 * angle, angle};
    const double move[3] = {along, 0.5 * along, is_flat ? 0 : 0.2 * along};
    sn_coupled_aim(scene->handles[k].pivot, axis, move, transform);
}

/* The first handle driven, the last one's rotation alone, what lies between by single scalars; all move. */
static void lock_some(sn_gpu_coupled *coupled, const sn_coupled_scene *scene, const coupled_twins *t)
{
    const int last = scene->handle_count - 1;
    lock_twins(coupled, t, 0, SN_LOCK_ALL);
    if (last > 1) {
        lock_twins(coupled, t, last, SN_LOCK_ROTATION_Z | SN_LOCK_X);
        lock_twins(coupled, t, 1, SN_LOCK_STRETCH | SN_LOCK_Y);
    }
}

static void aim_some(sn_gpu_coupled *coupled, const sn_coupled_scene *scene, const coupled_twins *t, double time)
{
    for (int k = 0; k < scene->handle_count; k += 1 + (k > 0)) {
        double transform[12];
        aim(scene, k, 0.4 * sin(9 * time + k), 0.1 * sin(5 * time), transform);
        aim_twins(coupled, t, k, transform);
    }
}

/* All scenes on one device, a rig each: pipelines are then the same in all tests, and compiled once. */
typedef struct fixture {
    sn_gpu_device *device;
    sn_gpu_coupled *coupled;
    sn_coupled_scene scenes[SCENE_COUNT];
    int rigs[SCENE_COUNT];
} fixture;

static fixture make_fixture_of(sn_gpu_device *device, const sn_gpu_xpbd_desc *desc, int count)
{
    fixture f = {.device = device, .coupled = create_coupled(device, desc)};
    for (int i = 0; i < count; ++i) {
        const int number = i < 2 ? 1 - i : i; /* the largest first: pipelines are made anew for larger ones */
        f.scenes[number] = make_scene(number);
        f.rigs[number] = add_coupled_rig(f.coupled, f.scenes[number].rig);
    }
    return f;
}

static fixture make_fixture(sn_gpu_device *device, const sn_gpu_xpbd_desc *desc)
{
    return make_fixture_of(device, desc, SCENE_COUNT);
}

static void finish_fixture(fixture *f)
{
    sn_gpu_coupled_destroy(&f->coupled);
    for (int i = 0; i < SCENE_COUNT; ++i) {
        if (f->scenes[i].rig) {
            sn_coupled_scene_finish(&f->scenes[i]);
        }
    }
}

static coupled_twins make_twins(const fixture *f, int scene, const sn_coupled_settings *settings)
{
    return create_coupled_twins(f->coupled, &f->scenes[scene], f->rigs[scene], settings);
}

/* Bent, and with a spin: no part of it is at rest. */
static coupled_twins make_moving_twins(const fixture *f, int scene, const sn_coupled_settings *settings)
{
    const coupled_twins t = make_twins(f, scene, settings);
    sn_coupled_bend(&f->scenes[scene], t.cpu, 0.02, 0.3);
    assert_int_equal(sn_gpu_coupled_put(f->coupled, t.gpu, t.cpu), SN_OK);
    return t;
}

/* Of most tests: to make its pipelines takes seconds on software Vulkan. */
static fixture common;
static sn_coupled_rig *other_rig; /* of the second scene: it outlives the bodies */

static int set_up(void **state)
{
    const int result = sn_test_gpu_set_up(state);
    common = make_fixture(*state, NULL);
    return result;
}

static int tear_down(void **state)
{
    sn_coupled_rig_destroy(&other_rig);
    finish_fixture(&common);
    return sn_test_gpu_tear_down(state);
}

static void clear_common(void)
{
    for (int i = 0; i < common.coupled->body_count; ++i) {
        if (common.coupled->bodies[i].is_used) {
            sn_gpu_coupled_remove_body(common.coupled, i);
        }
    }
}

/* One step of all. */
static void step_all(const fixture *f, const coupled_twins *bodies, int count, const sn_surroundings *s)
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
    settings.is_driven_only = true;
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
    assert_int_equal(sn_gpu_coupled_put(f.coupled, t.gpu, t.cpu), SN_OK);
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

/* ---- what ends a step ---- */

/* Elements that are inside out, handles turned against their flesh, and then all of the body, free or held: by the
 * device as by the CPU. */
static void test_healing(void **state)
{
    (void)state;
    const fixture f = common;
    const sn_coupled_settings settings = settings_of(1);
    coupled_twins bodies[4];
    double transform[12];
    for (int i = 0; i < 4; ++i) {
        bodies[i] = make_twins(&f, i % 2, &settings);
        crumple_flesh(&f.scenes[i % 2], bodies[i].cpu);
        bodies[i].cpu->tangled_rounds = SN_COUPLED_MOST_ROUNDS - 1;
        bodies[i].cpu->turned_rounds = SN_COUPLED_MOST_ROUNDS;
        assert_int_equal(sn_gpu_coupled_put(f.coupled, bodies[i].gpu, bodies[i].cpu), SN_OK);
        for (int k = 0; k < 6 && i >= 2; k += 5) {
            lock_twins(f.coupled, &bodies[i], k, SN_LOCK_ALL);
            aim(&f.scenes[i % 2], k, k ? 3 : 0, 0.1, transform);
            aim_twins(f.coupled, &bodies[i], k, transform);
        }
    }
    for (int step = 0; step < SN_COUPLED_ROUND + 1; ++step) {
        step_all(&f, bodies, 4, NULL);
        for (int i = 0; i < 4; ++i) {
            const sn_coupled_body *cpu = bodies[i].cpu, *read = bodies[i].read;
            assert_int_equal(read->tangled_rounds, cpu->tangled_rounds);
            assert_true(read->is_tangled == cpu->is_tangled && read->is_turned == cpu->is_turned);
            assert_int_equal(cpu->tangled_rounds, SN_COUPLED_MOST_ROUNDS - (step + 1 < SN_COUPLED_ROUND));
        }
    }
    for (int i = 0; i < 4; ++i) {
        destroy_coupled_twins(&bodies[i]);
    }
    clear_common();
}

/* ---- what is done to bodies ---- */

static void read_matrices(const fixture *f, double fraction, const coupled_twins *t, float *matrices, int handle_count)
{
    const VkDeviceSize first = 48 * (VkDeviceSize)sn_gpu_coupled_first_matrix(f->coupled, t->gpu);
    VkCommandBuffer commands = sn_test_gpu_begin(f->device);
    sn_gpu_coupled_record_matrices(f->coupled, commands, fraction);
    sn_test_gpu_read(f->device, commands, sn_gpu_coupled_matrices(f->coupled)->handle, first,
                     48 * (VkDeviceSize)handle_count, matrices);
}

/* The last step's, to the float; halfway, pivots are in the middle and what is rigid is rigid. */
static void check_matrices(const fixture *f, const coupled_twins *t, const sn_coupled_scene *scene)
{
    float whole[12 * 64], half[12 * 64];
    double now[12 * 64], before[12 * 64];
    read_matrices(f, 1, t, whole, scene->handle_count);
    read_matrices(f, 0.5, t, half, scene->handle_count);
    assert_int_equal(sn_gpu_coupled_transforms(f->coupled, t->gpu, now, before), SN_OK);
    for (int k = 0; k < scene->handle_count; ++k) {
        const double *pivot = scene->handles[k].pivot, *a = before + 12 * k, *b = now + 12 * k;
        for (int d = 0; d < 3; ++d) {
            double there = 0, middle = 0, length = 0;
            for (int e = 0; e < 4; ++e) {
                const double x = e < 3 ? pivot[e] : 1;
                assert_true(whole[12 * k + 4 * d + e] == (float)b[4 * d + e]);
                there += (double)half[12 * k + 4 * d + e] * x;
                middle += (a[4 * d + e] + b[4 * d + e]) / 2 * x;
                length += e < 3 ? (double)half[12 * k + 4 * d + e] * (double)half[12 * k + 4 * d + e] : 0;
            }
            assert_true(fabs(there - middle) < 1e-5);
            assert_true(scene->handles[k].kind == SN_HANDLE_AFFINE || fabs(length - 1) < 1e-5);
        }
    }
}

static void test_moves(void **state)
{
    (void)state;
    const fixture f = common;
    const sn_coupled_settings settings = settings_of(3);
    const coupled_twins t = make_moving_twins(&f, 1, &settings);
    const double axis[3] = {0.3, 0.5, -0.2}, move[3] = {3, -2, 5}, nowhere[3] = {0}, turn[3] = {0, 0, 9};
    double transform[12], wrong[12];
    lock_some(f.coupled, &f.scenes[1], &t);
    step_all(&f, &t, 1, NULL);
    check_matrices(&f, &t, &f.scenes[1]);
    sn_coupled_aim(nowhere, axis, move, transform);
    sn_coupled_body_teleport(t.cpu, transform);
    assert_int_equal(sn_gpu_coupled_teleport(f.coupled, t.gpu, transform), SN_OK);
    step_all(&f, &t, 1, NULL);
    memcpy(wrong, transform, sizeof wrong);
    for (int i = 0; i < 2; ++i) { /* these are ignored */
        wrong[5] = i ? NAN : 1e300;
        aim_twins(f.coupled, &t, 0, wrong);
        step_all(&f, &t, 1, NULL);
    }
    sn_coupled_body_reset(t.cpu);
    assert_int_equal(sn_gpu_coupled_reset(f.coupled, t.gpu), SN_OK);
    step_all(&f, &t, 1, NULL);
    sn_coupled_aim(f.scenes[1].handles[0].pivot, turn, move, transform); /* at once, and far: flesh is torn */
    for (int step = 0; step < 4; ++step) {
        transform[3] += step * 500;
        aim_twins(f.coupled, &t, 0, transform);
        step_all(&f, &t, 1, NULL);
    }
    coupled_twins last = t;
    destroy_coupled_twins(&last);
    clear_common();
}

/* The same flesh with other handles, while it moves. */
static void test_other_rig(void **state)
{
    (void)state;
    const fixture f = common;
    const sn_coupled_scene *scene = &f.scenes[1];
    const sn_coupled_settings settings = settings_of(3);
    const coupled_twins t = make_moving_twins(&f, 1, &settings);
    const int32_t from[4] = {0, -1, 3, -1};
    sn_coupled_handle handles[4];
    sn_coupled_scene other = {
        .shape = scene->shape, .model = scene->model, .handle_count = 4, .handles = handles, .weights = NULL};
    other.weights = sn_alloc(4 * (size_t)scene->shape.desc.vertex_count, sizeof *other.weights);
    assert_non_null(other.weights);
    for (int k = 0; k < 4; ++k) {
        handles[k] = scene->handles[from[k] >= 0 ? from[k] : k];
        handles[k].parent = -1;
    }
    sn_coupled_bells(&other, 0.3);
    sn_coupled_scene_rig(&other);
    const int rig = add_coupled_rig(f.coupled, other.rig);
    lock_some(f.coupled, scene, &t);
    step_all(&f, &t, 1, NULL);
    assert_int_equal(sn_coupled_body_set_rig(t.cpu, other.rig, from), SN_OK);
    assert_int_equal(sn_gpu_coupled_set_rig(f.coupled, t.gpu, rig, from), SN_OK);
    coupled_twins changed = {t.cpu, sn_coupled_test_body(&other, &settings), t.gpu};
    for (int step = 0; step < 3; ++step) {
        step_all(&f, &changed, 1, NULL);
    }
    sn_coupled_body_destroy(&changed.read);
    coupled_twins last = t;
    destroy_coupled_twins(&last);
    clear_common();
    sn_free(other.weights, 4 * (size_t)scene->shape.desc.vertex_count, sizeof *other.weights);
    other_rig = other.rig;
}

/* ---- crowds ---- */

static uint64_t hash_body(const fixture *f, int scene, int body, const sn_coupled_settings *settings)
{
    sn_coupled_body *read = sn_coupled_test_body(&f->scenes[scene], settings);
    assert_int_equal(sn_gpu_coupled_get(f->coupled, body, read, NULL), SN_OK);
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

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_scenes),         cmocka_unit_test(test_contacts),
                                       cmocka_unit_test(test_pins),           cmocka_unit_test(test_healing),
                                       cmocka_unit_test(test_moves),          cmocka_unit_test(test_other_rig),
                                       cmocka_unit_test(test_crowd),          cmocka_unit_test(test_cut),
                                       cmocka_unit_test(test_large),          cmocka_unit_test(test_tree),
                                       cmocka_unit_test(test_what_is_refused)};
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
