/* SPDX-License-Identifier: MIT */
/* Holding flesh: what is held follows, by the force that its spring says, alike at every time step; however far it is
 * pulled, nothing is torn out, and what is released comes back. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/support/flesh.h"

static sn_cook_context cookings[2];
static sn_model *bar;   /* of three bones */
static sn_model *loose; /* that nothing holds but the user */

static int cook(void **state)
{
    (void)state;
    const int cells[3] = {12, 4, 3};
    bar = sn_test_cook_bar(&cookings[0], cells, 3, 10);
    loose = sn_test_cook_free_bar(&cookings[1], cells, 6);
    return 0;
}

static int finish(void **state)
{
    (void)state;
    sn_model_release(bar);
    sn_model_release(loose);
    sn_cook_context_finish(&cookings[0]);
    sn_cook_context_finish(&cookings[1]);
    return sn_allocated_bytes() == 0 ? 0 : -1;
}

static const sn_grab_desc usual = {.max_distance = INFINITY, .softness = 0.1, .damping_ratio = 1, .strength = 0.3};

static sn_flesh make(const sn_model *model, double rate)
{
    sn_reduced_desc desc = sn_default_reduced_desc();
    desc.time_step = 1 / rate;
    desc.iteration_limit = 100;
    return sn_flesh_make(model, &desc, NULL);
}

static void step(sn_flesh *f, int frames)
{
    for (int frame = 0; frame < frames; ++frame) {
        assert_false(sn_reduced_body_step(f->body, f->pose, NULL).is_recovered);
    }
}

/* The sample that gives way most. */
static int softest(const sn_flesh *f)
{
    int best = 0;
    for (int i = 0; i < f->model->counts.sample_count; ++i) {
        best = f->solver->response.compliance[i] > f->solver->response.compliance[best] ? i : best;
    }
    return best;
}

static int grab_sample(sn_flesh *f, int sample, const sn_grab_desc *desc, double *place)
{
    sn_flesh_sample(f, sample, place);
    const int grab = sn_reduced_body_grab(f->body, place, desc);
    assert_true(grab >= 0);
    assert_int_equal(f->body->grabs[grab].sample, sample);
    return grab;
}

static void drag(sn_flesh *f, int grab, const double *from, double x, double y, double z)
{
    sn_reduced_body_drag(f->body, grab, (const double[]){from[0] + x, from[1] + y, from[2] + z});
}

/* ---- the force ---- */

static void test_holding_still_changes_nothing(void **state)
{
    (void)state;
    sn_flesh f = make(bar, 60);
    double place[3];
    const int sample = softest(&f);
    sn_flesh_sample(&f, sample, place);
    place[1] += 1e-3; /* beside it: the offset is kept */
    assert_int_equal(sn_reduced_body_grab(f.body, place, &usual), 0);
    step(&f, 60);
    assert_true(sn_flesh_displacement(&f) < 1e-6);
    sn_flesh_finish(&f);
}

/* At rest in the pull, the flesh pulls back with the spring's force: the gradient of its energy. */
static void test_the_force_is_the_springs(void **state)
{
    (void)state;
    const double most[] = {1e3, 0.02}; /* a spring; one that has reached its strength */
    const double square = sn_reduced_unit(bar) * sn_reduced_unit(bar);
    for (int i = 0; i < 2; ++i) {
        sn_reduced_desc desc = sn_default_reduced_desc();
        desc.is_double = true;
        desc.iteration_limit = 400;
        desc.tolerance = 1e-12;
        desc.damping = 5;
        sn_flesh f = sn_flesh_make(bar, &desc, NULL);
        sn_grab_desc grab_desc = usual;
        grab_desc.strength = most[i];
        double place[3], now[3], gradient[3 * 64], error = 0, size = 0, force[3];
        const int sample = softest(&f), grab = grab_sample(&f, sample, &grab_desc, place);
        drag(&f, grab, place, 0.02, 0.08, -0.05);
        step(&f, 600);
        sn_flesh_sample(&f, sample, now);
        for (int d = 0; d < 3; ++d) {
            force[d] = square * (double)f.body->contacts.contacts[0].force[d];
        }
        sn_reduced_body_objective(f.body, f.pose, f.body->coordinates, gradient);
        for (int k = 0; k < 3 * bar->counts.coordinate_count; ++k) {
            const double pull =
                force[k % 3] * (double)bar->sample_coordinate[sample * bar->counts.coordinate_count + k / 3];
            error += (gradient[k] - pull) * (gradient[k] - pull);
            size += pull * pull;
        }
        assert_true(size > 0 && sqrt(error / size) < 1e-4);
        /* along what is left to the target */
        const double left[3] = {place[0] + 0.02 - now[0], place[1] + 0.08 - now[1], place[2] - 0.05 - now[2]};
        assert_true(sn_dot3(left, force) > 0.9999 * sn_length3(left) * sn_length3(force));
        const double max_force = square * (double)f.body->contacts.contacts[0].max_force;
        assert_true(i == 0 ? sn_length3(force) < 0.9 * max_force : fabs(sn_length3(force) / max_force - 1) < 1e-4);
        assert_true(i == 0 ? sn_length3(left) < 0.01 : sn_length3(left) > 0.01);
        sn_flesh_finish(&f);
    }
}

/* Pulled for a fifth of a second, held, released. Positions after .1, .2, .6, 1 and 1.5 s. */
#define LOOKS 5
static void pull(const sn_model *model, double rate, double softness, double (*looks)[3])
{
    static const double times[LOOKS] = {0.1, 0.2, 0.6, 1, 1.5};
    sn_flesh f = make(model, rate);
    sn_grab_desc desc = usual;
    desc.softness = softness;
    double place[3];
    const int sample = softest(&f), grab = grab_sample(&f, sample, &desc, place);
    int look = 0;
    for (int frame = 1; look < LOOKS; ++frame) {
        const double share = fmin(frame / rate / 0.2, 1);
        drag(&f, grab, place, 0, 0.12 * share, 0.06 * share);
        if (frame > rate + 0.5) {
            sn_reduced_body_release(f.body, grab);
        }
        step(&f, 1);
        if (frame / rate >= times[look] - 1e-9) {
            sn_flesh_sample(&f, sample, looks[look]);
            sn_subtract3(looks[look], place, looks[look]);
            ++look;
        }
    }
    sn_flesh_finish(&f);
}

/* While it is held: within a hundredth of the pull, and of flesh that nothing else holds, which turns freely, a sixth.
 * Released, it swings, and a larger time step damps more: what is left of the swing differs by a tenth. */
static void test_the_time_step_hardly_matters(void **state)
{
    (void)state;
    const double rates[] = {30, 60, 120, 480}, size = hypot(0.12, 0.06), softness[] = {0.02, 0.1, 0.5};
    for (int s = 0; s < 6; ++s) {
        const sn_model *model = s < 3 ? bar : loose;
        double reference[LOOKS][3];
        pull(model, 1920, softness[s % 3], reference);
        assert_true(s >= 3 || fabs(sn_length3(reference[3]) / size - 1) < 0.3);
        for (int i = 0; i < 4; ++i) {
            double looks[LOOKS][3];
            pull(model, rates[i], softness[s % 3], looks);
            for (int k = 0; k < (s < 3 ? LOOKS : 3); ++k) {
                const double most = s >= 3 ? 0.16 : k < 4 ? 0.01 : 0.1;
                assert_true(sn_distance3(looks[k], reference[k]) < most * size);
            }
        }
    }
}

/* ---- bounds ---- */

/* From a tenth of a diagonal to ten, at several places, and back. */
static void test_nothing_is_torn_out(void **state)
{
    (void)state;
    const double distances[] = {0.1, 0.3, 1, 3, 10};
    double most = 0, least_back = 0;
    for (int i = 0; i < 40; ++i) {
        sn_reduced_desc desc = sn_default_reduced_desc();
        desc.time_step = i % 2 ? 1.0 / 60 : 1.0 / 30;
        desc.damping = 3;
        sn_flesh f = sn_flesh_make(bar, &desc, NULL);
        const double length = distances[i / 2 % 5];
        double place[3];
        const int sample = i / 10 * 31 % bar->counts.sample_count;
        sn_flesh_sample(&f, sample, place);
        const int grab = sn_reduced_body_grab(f.body, place, &usual);
        assert_true(grab >= 0);
        drag(&f, grab, place, 0.3 * length, i % 4 < 2 ? -0.9 * length : 0.9 * length, -0.3 * length);
        for (int frame = 0; frame < 90; ++frame) {
            step(&f, 1);
            most = fmax(most, sn_flesh_displacement(&f));
        }
        sn_reduced_body_release(f.body, grab);
        step(&f, 400);
        least_back = fmax(least_back, sn_flesh_displacement(&f));
        sn_flesh_finish(&f);
    }
    assert_true(most > 0.1 && most < 1);
    assert_true(least_back < 1e-4);
}

/* Targets that jump about wildly, held by all hands at once, while the rig jumps too. */
static void test_violence_stays_finite(void **state)
{
    (void)state;
    uint32_t seed = 3;
    sn_flesh f = make(bar, 60);
    for (int frame = 0; frame < 300; ++frame) {
        for (int i = 0; i < SN_GRAB_LIMIT; ++i) {
            double target[3];
            for (int d = 0; d < 3; ++d) {
                seed = seed * 1664525U + 1013904223U;
                target[d] = 20 * ((double)(seed >> 8) / (1 << 23) - 1);
            }
            if (!f.body->grabs[i].is_active) {
                sn_reduced_body_grab(f.body, target, &usual);
            } else if (seed >> 28 == 0) {
                sn_reduced_body_release(f.body, i);
            }
            sn_reduced_body_drag(f.body, i, target);
            f.pose[4 * (i % 3) + 3] = 0.02 * target[0];
        }
        step(&f, 1);
        assert_true(sn_flesh_displacement(&f) < 3);
    }
    for (int i = 0; i < SN_GRAB_LIMIT; ++i) {
        sn_reduced_body_release(f.body, i);
    }
    for (int b = 0; b < 3; ++b) {
        memset(f.pose + 12 * b, 0, 12 * sizeof *f.pose);
        f.pose[12 * b] = f.pose[12 * b + 5] = f.pose[12 * b + 10] = 1;
    }
    step(&f, 2000);
    assert_true(sn_flesh_displacement(&f) < 1e-3);
    sn_flesh_finish(&f);
}

static void test_flesh_is_not_dragged_through_the_ground(void **state)
{
    (void)state;
    sn_flesh f = make(bar, 60);
    double place[3], low = INFINITY;
    for (int i = 0; i < bar->counts.sample_count; ++i) {
        sn_flesh_sample(&f, i, place);
        low = fmin(low, place[1]);
    }
    sn_collider_desc desc = sn_default_collider_desc();
    sn_collider ground;
    desc.transform.m[1][3] = (float)(low - 0.01);
    assert_int_equal(sn_collider_init(&desc, &ground), SN_OK);
    const sn_surroundings surroundings = {.collider_count = 1, .colliders = &ground};
    const int grab = grab_sample(&f, softest(&f), &usual, place);
    drag(&f, grab, place, 0, -1, 0);
    double depth = 0, lowest = 0;
    for (int frame = 0; frame < 120; ++frame) {
        assert_false(sn_reduced_body_step(f.body, f.pose, &surroundings).is_recovered);
        for (int i = 0; i < bar->counts.sample_count; ++i) {
            double now[3];
            sn_flesh_sample(&f, i, now);
            depth = fmax(depth, low - 0.01 - now[1]);
            lowest = fmin(lowest, now[1]);
        }
    }
    assert_true(depth < 0.01 && lowest < low - 0.009);
    sn_flesh_finish(&f);
}

/* ---- hands ---- */

static void test_what_can_be_grabbed(void **state)
{
    (void)state;
    sn_flesh f = make(bar, 60);
    const double far[3] = {9, 9, 9}, broken[3] = {0, NAN, 0};
    sn_grab_desc near = usual;
    double place[3], before[3], after[3];
    const int sample = softest(&f);
    near.max_distance = 1;
    assert_int_equal(sn_reduced_body_grab(f.body, far, &near), -1);
    assert_int_equal(sn_reduced_body_grab(f.body, broken, &usual), -1);
    for (int i = 0; i < SN_GRAB_LIMIT; ++i) {
        assert_int_equal(grab_sample(&f, sample, &near, place), i);
    }
    assert_int_equal(sn_reduced_body_grab(f.body, place, &usual), -1);
    sn_reduced_body_release(f.body, 2);
    sn_reduced_body_drag(f.body, 2, far);
    sn_reduced_body_release(f.body, 2);
    step(&f, 10);
    assert_true(sn_flesh_displacement(&f) < 1e-6); /* a released one does not pull */
    assert_int_equal(grab_sample(&f, sample, &near, place), 2);
    drag(&f, 2, place, 0.1, 0, 0);
    sn_reduced_body_drag(f.body, 2, broken);
    step(&f, 1);
    sn_flesh_sample(&f, sample, after);
    assert_true(after[0] > place[0] + 1e-4);
    sn_reduced_body_reset(f.body, f.pose);
    sn_flesh_sample(&f, sample, before);
    step(&f, 10);
    sn_flesh_sample(&f, sample, after);
    assert_true(sn_distance3(before, after) < 1e-9);
    sn_flesh_finish(&f);
}

/* Moved along with body and target, or not at all: the same in the body's own frame. */
static void test_a_teleport_takes_targets_along(void **state)
{
    (void)state;
    const double world[12] = {0.36, 0.48, -0.8, 3, -0.8, 0.6, 0, -2, 0.48, 0.64, 0.6, 7};
    sn_flesh f = make(bar, 60), g = make(bar, 60);
    double place[3], one[3], other[3], turned[3], largest = 0;
    const int sample = softest(&f);
    sn_flesh_sample(&f, sample, place);
    place[2] += 0.01;
    drag(&f, sn_reduced_body_grab(f.body, place, &usual), place, 0.05, 0.1, 0);
    drag(&g, sn_reduced_body_grab(g.body, place, &usual), place, 0.05, 0.1, 0);
    for (int frame = 0; frame < 60; ++frame) {
        if (frame == 7) {
            sn_reduced_body_teleport(g.body, world);
            sn_flesh_set_pose(&g, world);
        }
        step(&f, 1);
        step(&g, 1);
        largest = fmax(largest, sn_flesh_sample(&f, sample, one));
        sn_flesh_sample(&g, sample, other);
        sn_affine_apply(world, one, turned);
        assert_true(sn_distance3(frame < 7 ? one : turned, other) < 1e-5);
    }
    assert_true(largest > 0.05);
    sn_flesh_finish(&f);
    sn_flesh_finish(&g);
}

int test_grabs(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_holding_still_changes_nothing),
        cmocka_unit_test(test_the_force_is_the_springs),
        cmocka_unit_test(test_the_time_step_hardly_matters),
        cmocka_unit_test(test_nothing_is_torn_out),
        cmocka_unit_test(test_violence_stays_finite),
        cmocka_unit_test(test_flesh_is_not_dragged_through_the_ground),
        cmocka_unit_test(test_what_can_be_grabbed),
        cmocka_unit_test(test_a_teleport_takes_targets_along),
    };
    return cmocka_run_group_tests(tests, cook, finish);
}
