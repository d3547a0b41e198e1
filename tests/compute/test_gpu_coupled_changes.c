/* SPDX-License-Identifier: MIT */
/* What ends a step of coupled bodies on the device, and what is done to them, against the CPU: healing, going back to
 * rest, resets, teleports, other rigs. As test_gpu_coupled.c: bit by bit on software Vulkan, near elsewhere. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "tests/support/gpu_coupled_scenes.h"

static sn_coupled_rig *other_rig; /* of the second scene: it outlives the bodies */

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
        bodies[i].cpu->tangled_rounds = SN_COUPLED_MAX_ROUNDS - 1;
        bodies[i].cpu->flipped_rounds = SN_COUPLED_MAX_ROUNDS;
        assert_int_equal(sn_gpu_coupled_upload(f.coupled, bodies[i].gpu, bodies[i].cpu), SN_OK);
        for (int k = 0; k < 6 && i >= 2; k += 5) {
            lock_twins(f.coupled, &bodies[i], k, SN_LOCK_ALL);
            aim(&f.scenes[i % 2], k, k ? 3 : 0, 0.1, transform);
            aim_twins(f.coupled, &bodies[i], k, transform);
        }
    }
    for (int step = 0; step < SN_COUPLED_CHECK_BATCHES + 1; ++step) {
        step_all(&f, bodies, 4, NULL);
        for (int i = 0; i < 4; ++i) {
            const sn_coupled_body *cpu = bodies[i].cpu, *read = bodies[i].read;
            assert_int_equal(read->tangled_rounds, cpu->tangled_rounds);
            assert_true(read->is_tangled == cpu->is_tangled && read->is_flipped == cpu->is_flipped);
            assert_true(i >= 2 || cpu->tangled_rounds == SN_COUPLED_MAX_ROUNDS - (step + 1 < SN_COUPLED_CHECK_BATCHES));
        }
    }
    for (int i = 2; i < 4; ++i) { /* held ones, as if they had been stuck */
        bodies[i].cpu->is_tangled = true;
        bodies[i].cpu->tangled_rounds = SN_COUPLED_MAX_ROUNDS - 1;
        bodies[i].cpu->checked_part = SN_COUPLED_CHECK_BATCHES - 1;
        assert_int_equal(sn_gpu_coupled_upload(f.coupled, bodies[i].gpu, bodies[i].cpu), SN_OK);
    }
    step_all(&f, bodies, 4, NULL);
    for (int i = 2; i < 4; ++i) {
        assert_int_equal(bodies[i].read->tangled_rounds, SN_COUPLED_MAX_ROUNDS);
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
            assert_true(scene->handles[k].type == SN_HANDLE_AFFINE || fabs(length - 1) < 1e-5);
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

static int finish(void **state)
{
    sn_coupled_rig_destroy(&other_rig);
    return tear_down(state);
}

int test_gpu_coupled_changes(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_healing), cmocka_unit_test(test_moves),
                                       cmocka_unit_test(test_other_rig)};
    return cmocka_run_group_tests(tests, set_up, finish);
}
