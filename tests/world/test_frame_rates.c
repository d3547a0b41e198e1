/* SPDX-License-Identifier: MIT */
/* What is drawn of a steady motion at any frame rate: it never goes back, and is at most one step late. Modes, bones
 * and flesh of every solver. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "sinew/surface.h"
#include "tests/world/sprung_bar.h"

#include "tests/world/layered_bar.h"

#define SPEED 0.5     /* model units/s, along y */
#define EPSILON 2e-6  /* of coordinates below 1 */
#define STEP_RATE 60  /* the world's */
#define STEPS 60      /* of a run */
#define VERTICES 4000 /* of the bar's surface, at most */

typedef enum output_kind {
    DRIVEN_BONE,
    MODES_OF_REDUCED,
    SPRING_BONE,
    COUPLED_BONE,
    COUPLED_FLESH,
    LAYERED_BONE,
    LAYERED_FLESH,
    KIND_COUNT
} output_kind;
static const char *const names[KIND_COUNT] = {"driven bones",  "modes",         "spring bones", "coupled bones",
                                              "coupled flesh", "layered bones", "layered flesh"};

static sn_embedding *embeddings[KIND_COUNT];

static int load_all(void **state)
{
    load_layered(state);
    make_sprung();
    for (int i = 0; i < 2; ++i) { /* no swing to and fro */
        joints[i].drag = 1;
        joints[i].link_count = 0;
    }
    assert_int_equal(sn_embedding_create(model, &embeddings[COUPLED_FLESH]), SN_OK);
    assert_int_equal(sn_embedding_create(&layered_bar, &embeddings[LAYERED_FLESH]), SN_OK);
    return 0;
}

static int unload_all(void **state)
{
    for (int i = 0; i < KIND_COUNT; ++i) {
        sn_embedding_destroy(&embeddings[i]);
    }
    return unload_layered(state);
}

static sn_body_id make_kind(sn_world_id world, output_kind kind)
{
    sn_body_desc desc = sn_default_body_desc();
    sn_body_id body;
    desc.model = kind == SPRING_BONE ? &sprung : kind >= LAYERED_BONE ? &layered_bar : model;
    desc.solver = kind >= LAYERED_BONE   ? SN_SOLVER_LAYERED
                  : kind >= COUPLED_BONE ? SN_SOLVER_COUPLED
                                         : SN_SOLVER_REDUCED;
    desc.damping = kind == MODES_OF_REDUCED ? 0 : 20; /* flesh that follows, without a bounce */
    assert_int_equal(sn_body_create(world, &desc, &body), SN_OK);
    if (embeddings[kind]) {
        assert_int_equal(sn_body_set_embedding(body, embeddings[kind]), SN_OK);
    }
    return body;
}

/* A number of the output that grows with time, but for modes. */
static double drawn(sn_body_id body, output_kind kind)
{
    static float positions[3 * VERTICES];
    const sn_body_matrices out = sn_body_output(body);
    double sum = 0;
    if (kind == SPRING_BONE) { /* it turns against the motion */
        return -(double)out.matrices[BONES - 1].m[1][0];
    }
    if (kind == MODES_OF_REDUCED) {
        return (double)out.matrices[BONES].m[1][3];
    }
    if (!embeddings[kind]) {
        return (double)out.matrices[0].m[1][3];
    }
    const sn_surface surface = sn_embedding_surface(embeddings[kind]);
    const sn_body_matrices flesh = sn_body_embedded_output(body);
    assert_in_range(surface.vertex_count, 1, VERTICES);
    assert_int_equal(sn_surface_skin(&surface, &flesh, positions, NULL, NULL), SN_OK);
    for (int v = 0; v < surface.vertex_count; ++v) {
        sum += (double)positions[3 * v + 1];
    }
    return sum / surface.vertex_count;
}

static void pose_steadily(sn_body_id body, double seconds)
{
    const sn_mat3x4 at = {{{1, 0, 0, 0}, {0, 1, 0, (float)(SPEED * seconds)}, {0, 0, 1, 0}}};
    sn_body_set_rigid_pose(body, &at);
}

/* Steps by the durations of `seconds`, cyclically. Writes what is drawn after each step of the world, if `steps` is
 * null, or compares with it. */
typedef struct frame_rhythm {
    double seconds[8];
    int count;
} frame_rhythm;

static void run_reference(output_kind kind, double *states)
{
    const sn_world_id world = make_world(1);
    const sn_body_id body = make_kind(world, kind);
    pose_steadily(body, 0);
    sn_body_reset(body);
    states[0] = drawn(body, kind);
    for (int step = 1; step <= STEPS; ++step) { /* a whole step a call: the last one is drawn */
        pose_steadily(body, step / (double)STEP_RATE);
        assert_int_equal(sn_world_step(world, 1.0 / STEP_RATE).step_count, 1);
        states[step] = drawn(body, kind);
    }
    if (kind == MODES_OF_REDUCED) { /* these are drawn a step late */
        for (int step = 0; step < STEPS; ++step) {
            states[step] = states[step + 1];
        }
    }
    sn_world_destroy(world);
}

static void run_rhythm(output_kind kind, const frame_rhythm *rhythm, const double *states)
{
    const sn_world_id world = make_world(1);
    const sn_body_id body = make_kind(world, kind);
    const double step = 1.0 / STEP_RATE;
    double seconds = 0, before = states[0];
    int done = 0;
    pose_steadily(body, 0);
    sn_body_reset(body);
    for (int call = 0; done < STEPS - 5; ++call) {
        seconds += rhythm->seconds[call % rhythm->count];
        pose_steadily(body, seconds);
        done += sn_world_step(world, rhythm->seconds[call % rhythm->count]).step_count;
        const double now = drawn(body, kind), fraction = fmax(seconds / step - done, 0);
        const double late =
            done > 0 ? states[done - 1] + fmin(fraction, 1) * (states[done] - states[done - 1]) : states[0];
        if (kind == DRIVEN_BONE) {
            assert_true(fabs(now - SPEED * seconds) < EPSILON);
        } else if (kind == MODES_OF_REDUCED) {
            assert_true(fabs(now - late) < EPSILON);
        } else {
            assert_true(now >= before - EPSILON);
            assert_true(now >= late - EPSILON && now <= states[done] + EPSILON);
            if (rhythm->count == 1 && fabs(fmod(rhythm->seconds[0] + 1e-9, step)) < 1e-6) { /* whole steps: no delay */
                assert_true(fabs(now - states[done]) < EPSILON);
            }
        }
        before = now;
    }
    sn_world_destroy(world);
}

static void steady_motion_never_goes_back(void **state)
{
    (void)state;
    const frame_rhythm rhythms[] = {{{1.0 / 30}, 1},
                                    {{1.0 / 60}, 1},
                                    {{1.0 / 72}, 1},
                                    {{1.0 / 75}, 1},
                                    {{1.0 / 90}, 1},
                                    {{1.0 / 120}, 1},
                                    {{1.0 / 144}, 1},
                                    /* rates that change, and pauses */
                                    {{1.0 / 60, 1.0 / 60, 1.0 / 120, 0, 1.0 / 120, 0, 1.0 / 144, 1.0 / 20}, 8},
                                    {{1.0 / 120, 1.0 / 120, 1.0 / 60, 1.0 / 240, 1.0 / 240, 1.0 / 30, 0}, 7}};
    for (int kind = 0; kind < KIND_COUNT; ++kind) {
        double states[STEPS + 1];
        run_reference((output_kind)kind, states);
        print_message("%s: from %.3g to %.3g\n", names[kind], states[0], states[STEPS - 1]);
        assert_true(fabs(states[3] - states[0]) > 100 * EPSILON);
        for (int i = 0; i < (int)(sizeof rhythms / sizeof *rhythms); ++i) {
            run_rhythm((output_kind)kind, &rhythms[i], states);
        }
    }
}

int test_frame_rates(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(steady_motion_never_goes_back)};
    return cmocka_run_group_tests(tests, load_all, unload_all);
}
