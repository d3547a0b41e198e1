/* SPDX-License-Identifier: MIT */
/* Layered bodies, and flesh that is drawn itself, beside reduced and coupled bodies in a world on the device: against a
 * world on threads, by the same calls. Layered flesh is swept in another order there (colours, not a curve), and so is
 * near; what is drawn of it is exact. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "host/model/embedding.h"
#include "sinew/surface.h"
#include "tests/support/count_allocations.h"
#include "tests/support/gpu_world.h"

#define STEP (1 / 60.0)
#define VERTICES 400
#define MATRICES 200
#define DRAWN 2e-5      /* of matrices and places, which are about 1 */
#define OTHER_ORDER 0.1 /* of the flesh's own movement */

enum { REDUCED, COUPLED, UNORDERED, LAYERS, BODY_COUNT };

/* The first and the last of the bars, their ends their first and last bones'. */
static sn_model layered_models[2];
static sn_embedding *embeddings[BODY_COUNT];

static void make_layered(const sn_model *model, sn_arena *arena, sn_model *layered)
{
    const int n = model->counts.vertex_count, t = model->counts.tet_count, last = model->counts.bone_count - 1;
    int32_t *bones = SN_NEW(arena, int32_t, n);
    float *stiffness = SN_NEW(arena, float, SN_STRAIN_STIFFNESS_COUNT *t);
    float low = INFINITY, high = -INFINITY;
    assert_true(bones && stiffness && n <= VERTICES);
    for (int v = 0; v < n; ++v) {
        low = fminf(low, model->rest_positions[3 * v]);
        high = fmaxf(high, model->rest_positions[3 * v]);
    }
    for (int v = 0; v < n; ++v) {
        const float along = (model->rest_positions[3 * v] - low) / (high - low);
        bones[v] = along < 0.2F ? 0 : along > 0.95F ? last : -1;
    }
    for (int i = 0; i < SN_STRAIN_STIFFNESS_COUNT * t; ++i) {
        const float mu = model->tet_stiffness[i / SN_STRAIN_STIFFNESS_COUNT] / 2;
        stiffness[i] = (i % SN_STRAIN_STIFFNESS_COUNT < 3 ? 2 : i % SN_STRAIN_STIFFNESS_COUNT < 6 ? 1 : 4) * mu;
    }
    *layered = *model;
    layered->strain_type = SN_STRAIN_GLOBAL;
    layered->strain_attached_bones = bones;
    layered->strain_stiffness = stiffness;
}

static sn_arena arena;

static int set_up(void **state)
{
    twin_cook_models(state);
    make_layered(twin_models[0], &arena, &layered_models[0]);
    make_layered(twin_models[2], &arena, &layered_models[1]);
    const sn_model *of[BODY_COUNT] = {NULL, twin_models[0], &layered_models[0], &layered_models[1]};
    for (int i = COUPLED; i < BODY_COUNT; ++i) {
        assert_int_equal(sn_embedding_create(of[i], &embeddings[i]), SN_OK);
        assert_in_range(sn_embedding_matrix_count(embeddings[i]), 20, MATRICES - SN_TEST_BONE_LIMIT);
    }
    return 0;
}

static int tear_down(void **state)
{
    for (int i = COUPLED; i < BODY_COUNT; ++i) {
        sn_embedding_destroy(&embeddings[i]);
    }
    sn_arena_finish(&arena);
    return twin_release_models(state);
}

static sn_body_desc layered_desc(int body)
{
    sn_body_desc desc = sn_default_body_desc();
    desc.model = &layered_models[body - UNORDERED];
    desc.solver = SN_SOLVER_LAYERED;
    desc.damping = 1;
    desc.gravity[1] = -3;
    if (body == LAYERS) {
        desc.layered_mode = SN_LAYERED_LAYERS;
        desc.substep_count = 1;
        desc.sweep_count = 5;
        desc.consolidation_sweep_count = 2;
    }
    return desc;
}

static void put(twins *t, int body, const sn_body_desc *desc)
{
    twins_put(t, body, desc);
    if (embeddings[body]) {
        assert_int_equal(sn_body_set_embedding(t->hosts[body], embeddings[body]), SN_OK);
        assert_int_equal(sn_body_set_embedding(t->guests[body], embeddings[body]), SN_OK);
        assert_ptr_equal(sn_body_embedding(t->guests[body]), embeddings[body]);
    }
}

/* One of each kind. */
static twins make_mixed(sn_gpu_device *device)
{
    twins t = twins_make(device, 2);
    const sn_body_desc descs[BODY_COUNT] = {twin_desc(twin_models[1]), twins_coupled_desc(twin_models[0]),
                                            layered_desc(UNORDERED), layered_desc(LAYERS)};
    for (int i = 0; i < BODY_COUNT; ++i) {
        put(&t, i, &descs[i]);
    }
    for (int bone = 1; bone < 3; ++bone) {
        sn_body_set_locks(t.hosts[COUPLED], bone, 0);
        sn_body_set_locks(t.guests[COUPLED], bone, 0);
    }
    t.count = BODY_COUNT;
    return t;
}

static void pose(const twins *t, double seconds)
{
    twins_pose((twins *)t, REDUCED, seconds);
    for (int i = COUPLED; i < BODY_COUNT; ++i) {
        const double angle = 0.4 * sin(5 * seconds + i);
        const float c = (float)cos(angle), s = (float)sin(angle);
        const sn_mat3x4 m = {{{c, -s, 0, (float)(0.1 * sin(7 * seconds))}, {s, c, 0, 0.1F * (float)i}, {0, 0, 1, 0}}};
        sn_body_set_bone_pose(t->hosts[i], 0, &m);
        sn_body_set_bone_pose(t->guests[i], 0, &m);
    }
}

static void run(twins *t, int first, int last)
{
    for (int frame = first; frame < last; ++frame) {
        pose(t, frame * STEP);
        twins_step(t, STEP, frame % 3 != 0);
    }
}

static double largest_difference(const float *a, const float *b, int count)
{
    double most = 0;
    for (int i = 0; i < count; ++i) {
        most = fmax(most, fabs((double)a[i] - (double)b[i]));
    }
    return most;
}

/* What vertex shaders of the guest read of flesh, and what sn_body_embedded_output reads back. */
static int read_drawn(const twins *t, int body, float *matrices)
{
    const sn_body_gpu_matrices at = sn_body_gpu_embedded_output(t->guests[body]);
    const sn_body_matrices told = sn_body_embedded_output(t->guests[body]);
    assert_int_equal(at.bone_count,
                     sn_model_bone_count(sn_body_model(t->guests[body])) + sn_embedding_matrix_count(embeddings[body]));
    assert_int_equal(told.bone_count, at.bone_count);
    assert_true(at.bone_count <= MATRICES && at.mode_count == 0 && at.stride == 48);
    sn_test_gpu_read(t->device, sn_test_gpu_begin(t->device), at.buffer, at.offset,
                     at.stride * (VkDeviceSize)at.bone_count, matrices);
    assert_memory_equal(matrices, told.matrices, 48 * (size_t)at.bone_count);
    return at.bone_count;
}

/* Flesh at a fraction of the way, drawn by the guest. */
static void expect_drawn(const twins *t, int body, const double *before, const double *after, double fraction)
{
    static double between[3 * VERTICES];
    static float got[12 * MATRICES], expected[12 * MATRICES];
    const int bones = sn_model_bone_count(sn_body_model(t->guests[body]));
    const int count = read_drawn(t, body, got) - bones;
    for (int i = 0; i < 3 * sn_model_vertex_count(sn_body_model(t->guests[body])); ++i) {
        between[i] = before[i] + fraction * (after[i] - before[i]);
    }
    sn_embedding_matrices(embeddings[body], between, expected);
    assert_true(largest_difference(got + 12 * bones, expected, 12 * count) < DRAWN);
}

static void flesh_of(sn_body_id body, double *flesh)
{
    sn_body_tet_positions(body, flesh, sn_model_vertex_count(sn_body_model(body)));
}

/* The guests are where the hosts are, and are drawn where they are. */
static void expect_near(const twins *t, const char *what)
{
    static double flesh[2][3 * VERTICES];
    float bones[12 * TWIN_MATRICES];
    for (int i = COUPLED; i < BODY_COUNT; ++i) {
        const sn_model *model = sn_body_model(t->hosts[i]);
        const sn_body_matrices host = sn_body_output(t->hosts[i]);
        double most = 0, moved = 0;
        flesh_of(t->hosts[i], flesh[0]);
        flesh_of(t->guests[i], flesh[1]);
        for (int v = 0; v < 3 * model->counts.vertex_count; ++v) {
            most = fmax(most, fabs(flesh[0][v] - flesh[1][v]));
            moved = fmax(moved, fabs(flesh[0][v] - (double)model->rest_positions[v]));
        }
        print_message("%s: body %d: %.1e of %.1e\n", what, i, most, moved);
        assert_true(moved > 0.01 && most < (i == COUPLED ? DRAWN : OTHER_ORDER * moved));
        expect_drawn(t, i, flesh[1], flesh[1], 1);
        if (i != COUPLED) { /* bones are the pose's */
            twins_read(t, i, bones);
            assert_true(largest_difference(bones, host.matrices[0].m[0], 12 * host.bone_count) < 1e-6);
            for (int k = 0; k < 12 * model->counts.mode_count; ++k) {
                assert_true(bones[12 * host.bone_count + k] == 0);
            }
            assert_true(largest_difference(sn_body_output(t->guests[i]).matrices[0].m[0], host.matrices[0].m[0],
                                           12 * host.bone_count) < 1e-6);
        }
    }
}

static void test_agrees(void **state)
{
    twins t = make_mixed(*state);
    run(&t, 0, 8);
    expect_near(&t, "60 Hz");
    twins_finish(&t);
}

static void test_draws_what_lies_between(void **state)
{
    static double before[BODY_COUNT][3 * VERTICES], after[3 * VERTICES];
    static float got[12 * MATRICES];
    twins t = make_mixed(*state);
    run(&t, 0, 3);
    for (int i = COUPLED; i < BODY_COUNT; ++i) {
        flesh_of(t.guests[i], before[i]);
    }
    pose(&t, 3 * STEP);
    for (int part = 1; part < 4; ++part) { /* a step, then none, and a quarter of the way more each time */
        twins_step(&t, (part == 1 ? 1.25 : 0.25) * STEP, part == 2);
        for (int i = COUPLED; i < BODY_COUNT; ++i) {
            flesh_of(t.guests[i], after);
            expect_drawn(&t, i, before[i], after, 0.25 * part);
            read_drawn(&t, i, got);
            const sn_body_matrices host = sn_body_embedded_output(t.hosts[i]);
            const int bones = sn_model_bone_count(sn_body_model(t.hosts[i]));
            assert_true(largest_difference(got, host.matrices[0].m[0], 12 * bones) < 2e-6);
            assert_true(i != COUPLED || largest_difference(got, host.matrices[0].m[0], 12 * host.bone_count) < DRAWN);
        }
    }
    twins_finish(&t);
}

/* Where calls are no whole steps, the same two steps are blended, by the same fraction. */
static void test_any_frame_rate(void **state)
{
    static const int rates[] = {120, 90, 144, 30, 60, 72, 75};
    static float got[12 * MATRICES];
    twins t = make_mixed(*state);
    double seconds = 0;
    for (int call = 0; call < 4 * (int)(sizeof rates / sizeof *rates); ++call) {
        seconds += 1.0 / rates[call / 4];
        pose(&t, seconds);
        twins_step(&t, 1.0 / rates[call / 4], call % 3 != 0);
        for (int i = COUPLED; i < BODY_COUNT; ++i) {
            const sn_body_matrices host = sn_body_output(t.hosts[i]);
            const sn_body_matrices flesh = sn_body_embedded_output(t.hosts[i]);
            read_drawn(&t, i, got);
            assert_true(largest_difference(got, host.matrices[0].m[0], 12 * host.bone_count) < DRAWN);
            assert_true(largest_difference(sn_body_output(t.guests[i]).matrices[0].m[0], host.matrices[0].m[0],
                                           12 * host.bone_count) < DRAWN);
            assert_true(i != COUPLED || largest_difference(got, flesh.matrices[0].m[0], 12 * flesh.bone_count) < DRAWN);
        }
    }
    twins_finish(&t);
}

/* Calls that take a body to the processor and back, and what is drawn at once; wind, which does not. */
static void test_changes(void **state)
{
    const sn_mat3x4 move = {{{0, 0, 1, 1}, {0, 1, 0, -0.5F}, {-1, 0, 0, 1}}};
    const double impulse[3] = {0.05, 0.2, -0.1}, point[3] = {1, 0.3, 0};
    sn_grab_desc hand = sn_default_grab_desc();
    twins t = make_mixed(*state);
    hand.max_distance = 1; /* from inside of the flesh, half way along the bar */
    run(&t, 0, 3);
    for (int i = UNORDERED; i < BODY_COUNT; ++i) {
        sn_body_desc desc = layered_desc(i);
        desc.wind[2] = 6;
        desc.mass = 2;
        desc.stiffness = 0.7;
        if (i == LAYERS) { /* another order of the same tets, which keeps the state */
            desc.layered_mode = SN_LAYERED_UNORDERED;
            desc.substep_count = 15;
            desc.sweep_count = 1;
        }
        for (int side = 0; side < 2; ++side) {
            const sn_body_id body = side ? t.guests[i] : t.hosts[i];
            assert_int_equal(sn_body_set_desc(body, &desc), SN_OK);
            sn_body_apply_impulse(body, point, impulse);
            sn_body_apply_bone_impulse(body, 1, impulse);
        }
    }
    run(&t, 3, 6);
    expect_near(&t, "wind, mass, stiffness, mode, impulses");
    const sn_body_motion a = sn_body_get_motion(t.hosts[UNORDERED]), b = sn_body_get_motion(t.guests[UNORDERED]);
    assert_true(fabs(a.kinetic - b.kinetic) < 0.1 * a.kinetic && fabs(a.elastic - b.elastic) < 0.1 * a.elastic);
    for (int side = 0; side < 2; ++side) {
        sn_body_id *bodies = side ? t.guests : t.hosts;
        sn_body_teleport(bodies[UNORDERED], &move);
        sn_body_reset(bodies[LAYERS]);
    }
    twins_step(&t, 0, true); /* nothing but what is drawn */
    expect_near(&t, "moved, at once");
    run(&t, 6, 8);
    double target[3];
    static double flesh[3 * VERTICES];
    flesh_of(t.hosts[LAYERS], flesh);
    memcpy(target, flesh + 3 * (size_t)(layered_models[1].counts.vertex_count / 2 + 5), sizeof target);
    const int grabs[2] = {sn_body_grab(t.hosts[LAYERS], target, &hand), sn_body_grab(t.guests[LAYERS], target, &hand)};
    assert_true(grabs[0] == 0 && grabs[1] == 0);
    for (int frame = 8; frame < 12; ++frame) {
        target[1] += 0.05;
        sn_body_drag(t.hosts[LAYERS], 0, target);
        sn_body_drag(t.guests[LAYERS], 0, target);
        run(&t, frame, frame + 1);
    }
    expect_near(&t, "held");
    sn_body_release(t.hosts[LAYERS], 0);
    sn_body_release(t.guests[LAYERS], 0);
    twins_remove(&t, UNORDERED);
    const sn_body_desc desc = layered_desc(UNORDERED);
    put(&t, UNORDERED, &desc);
    run(&t, 12, 15);
    expect_near(&t, "a new body in an old one's place");
    twins_finish(&t);
}

/* What explodes goes back to its pose, and is told later. */
static void test_recoveries_are_told(void **state)
{
    static double flesh[3 * VERTICES];
    twins t = make_mixed(*state);
    sn_body_desc desc = layered_desc(UNORDERED);
    int told = 0;
    desc.gravity[1] = 1e8;
    desc.substep_count = 1;
    sn_test_logged.is_quiet = true;
    assert_int_equal(sn_body_set_desc(t.guests[UNORDERED], &desc), SN_OK);
    for (int i = 0; i < 4; ++i) {
        told += twins_record(&t, STEP).recovery_count;
    }
    sn_test_logged.is_quiet = false;
    assert_true(told > 0);
    flesh_of(t.guests[UNORDERED], flesh);
    for (int v = 0; v < 3 * layered_models[0].counts.vertex_count; ++v) {
        assert_true(fabs(flesh[v]) < 100);
    }
    twins_finish(&t);
}

static void test_steps_without_allocation(void **state)
{
    twins t = make_mixed(*state);
    run(&t, 0, 4);
    sn_set_allocator(sn_test_count_alloc, sn_test_count_free, NULL);
    allocation_count = 0;
    run(&t, 4, 8);
    sn_set_allocator(NULL, NULL, NULL);
    assert_int_equal(allocation_count, 0);
    twins_finish(&t);
}

static void *fail_in_turn(size_t bytes, size_t alignment, void *left)
{
    return (*(int *)left)-- == 0 ? NULL : sn_test_count_alloc(bytes, alignment, NULL);
}

/* Each allocation fails in turn, while a rig and a kind come that are new: what was made until then is in nobody's way,
 * and goes with the world. */
static void test_bodies_come_after_failures(void **state)
{
    twins t = make_mixed(*state);
    sn_body_desc descs[] = {twins_coupled_desc(twin_models[2]), layered_desc(LAYERS)};
    descs[1].model = &layered_models[0];
    sn_test_logged.is_quiet = true;
    for (int i = 0; i < 2; ++i) {
        sn_body_id body = {0};
        int failures = -1;
        sn_result result = SN_ERROR_MEMORY;
        while (result == SN_ERROR_MEMORY && failures < 2000) {
            int left = ++failures;
            sn_set_allocator(fail_in_turn, sn_test_count_free, &left);
            result = sn_body_create(t.guest, &descs[i], &body);
            sn_set_allocator(NULL, NULL, NULL);
        }
        assert_int_equal(result, SN_OK);
        assert_true(failures > 10);
        sn_body_destroy(body);
    }
    sn_test_logged.is_quiet = false;
    run(&t, 0, 2);
    twins_finish(&t);
}

static void test_embeddings_come_and_go(void **state)
{
    static float got[12 * MATRICES];
    twins t = make_mixed(*state);
    run(&t, 0, 2);
    for (int i = COUPLED; i < BODY_COUNT; ++i) {
        assert_int_equal(sn_body_set_embedding(t.guests[i], NULL), SN_OK);
        assert_null(sn_body_embedding(t.guests[i]));
    }
    run(&t, 2, 3);
    for (int i = COUPLED; i < BODY_COUNT; ++i) {
        assert_int_equal(sn_body_set_embedding(t.guests[i], embeddings[i]), SN_OK);
    }
    run(&t, 3, 4);
    expect_near(&t, "drawn again");
    sn_test_logged.is_quiet = true; /* reduced bodies have no flesh of their own */
    sn_embedding *other;
    assert_int_equal(sn_embedding_create(twin_models[1], &other), SN_OK);
    assert_int_equal(sn_body_set_embedding(t.guests[REDUCED], other), SN_ERROR_UNSUPPORTED);
    sn_test_logged.is_quiet = false;
    sn_embedding_destroy(&other);
    assert_true(read_drawn(&t, COUPLED, got) > 0);
    twins_finish(&t);
}

int test_gpu_world_layered(void)
{
    const struct CMUnitTest tests[] = {
        SN_TEST_SHARED_GPU(test_agrees),
        SN_TEST_SHARED_GPU(test_draws_what_lies_between),
        SN_TEST_SHARED_GPU(test_any_frame_rate),
        SN_TEST_SHARED_GPU(test_changes),
        SN_TEST_SHARED_GPU(test_recoveries_are_told),
        SN_TEST_SHARED_GPU(test_steps_without_allocation),
        SN_TEST_SHARED_GPU(test_bodies_come_after_failures),
        SN_TEST_SHARED_GPU(test_embeddings_come_and_go),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
