/* SPDX-License-Identifier: MIT */
/* Whatever a rig does to flesh of whatever material, at any time step, stiffness and limit on iterations or time, a
 * step ends with no more energy than where it began. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "tests/support/energy.h"
#include "tests/support/flesh.h"
#include "tests/support/poses.h"
#include "tests/support/response.h"

enum { MODEL_COUNT = 8, BODY_COUNT = 1000, FREE_COUNT = 200, FRAMES = 40, MATERIAL_COUNT = 4 };

static const double poissons[MATERIAL_COUNT] = {0, 0.1, 0.3, 0.45};
static sn_cook_context cookings[MODEL_COUNT + MATERIAL_COUNT];
/* Of each Poisson's ratio: of one bone, of two, and of one that does not hold the flesh. */
static sn_model *models[MODEL_COUNT + MATERIAL_COUNT];
static sn_model limited_models[MODEL_COUNT]; /* the first ones with strain limits */

static int cook_models(void **state)
{
    static const int cells[3] = {12, 4, 3};
    (void)state;
    for (int i = 0; i < MODEL_COUNT + MATERIAL_COUNT; ++i) {
        sn_cook_desc desc = sn_default_cook_desc();
        desc.mode_count = 12;
        desc.cluster_count = 40;
        desc.poisson = poissons[i % MATERIAL_COUNT];
        desc.leak = i < MODEL_COUNT ? desc.leak : SN_LEAK_ALL;
        models[i] = sn_test_cook_bar_as(&cookings[i], cells, i / MATERIAL_COUNT == 1 ? 2 : 1, &desc);
        if (i < MODEL_COUNT) {
            const sn_test_response response = {i % 2 ? 15 : 3, 0.02 + 0.04 * i, 0};
            limited_models[i] = sn_test_respond(models[i], &response, &cookings[i].arena);
        }
    }
    return 0;
}

static int release_models(void **state)
{
    (void)state;
    for (int i = 0; i < MODEL_COUNT + MATERIAL_COUNT; ++i) {
        sn_model_release(models[i]);
        sn_cook_context_finish(&cookings[i]);
    }
    return sn_allocated_bytes() == 0 ? 0 : -1;
}

typedef struct shaken {
    uint64_t random;
    int model, hold; /* frames of a pose */
    double violence;
    bool is_limited;
    sn_reduced_desc desc;
    sn_flesh flesh;
    sn_reduced_body *twin; /* as the body was before the last step */
} shaken;

static void start(shaken *s)
{
    s->flesh = sn_flesh_make(s->is_limited ? &limited_models[s->model] : models[s->model], &s->desc, NULL);
    assert_int_equal(sn_reduced_body_create(s->flesh.solver, NULL, &s->twin), SN_OK);
}

/* Anything that a seed may give. */
static shaken make(int seed, int first_model, int model_count, bool is_limited)
{
    shaken s = {.is_limited = is_limited, .random = (uint64_t)seed << 32, .desc = sn_default_reduced_desc()};
    uint64_t *random = &s.random;
    s.model = first_model + (int)sn_test_uniform(random, 0, model_count);
    s.hold = (int)sn_test_uniform(random, 1, 9);
    s.violence = pow(10, sn_test_uniform(random, -1.5, 0.5));
    s.desc.is_neo_hookean = sn_test_uniform(random, 0, 1) < 0.4;
    s.desc.time_step = pow(10, sn_test_uniform(random, -3, 0));
    s.desc.stiffness = pow(10, sn_test_uniform(random, -4, 4));
    s.desc.tolerance = pow(10, sn_test_uniform(random, -7, -3));
    s.desc.iteration_limit = (int)sn_test_uniform(random, 1, 31);
    s.desc.gravity[1] = sn_test_uniform(random, 0, 1) < 0.5 ? -9.81 : 0;
    s.desc.damping = fmax(0, sn_test_uniform(random, -3, 3));
    s.desc.budget_seconds = sn_test_uniform(random, 0, 1) < 0.1 ? 1e-9 : 0; /* one iteration, if that is enough */
    s.desc.is_double = sn_test_uniform(random, 0, 1) < 0.25;
    start(&s);
    return s;
}

static void release(shaken *s)
{
    sn_reduced_body_destroy(&s->twin);
    sn_flesh_finish(&s->flesh);
}

static void strike(shaken *s, double *impulse)
{
    double point[3];
    for (int d = 0; d < 3; ++d) {
        point[d] = sn_test_uniform(&s->random, -1, 1);
        impulse[d] = s->violence * sn_test_uniform(&s->random, -1, 1) * models[s->model]->total_mass;
    }
    sn_reduced_body_apply_impulse(s->flesh.body, point, impulse);
}

static void shake(shaken *s, int frame)
{
    double impulse[3];
    for (int b = 0; b < models[s->model]->counts.bone_count && frame % s->hold == 0; ++b) {
        sn_test_shake(&s->random, s->violence, s->flesh.pose + 12 * b);
    }
    if (sn_test_uniform(&s->random, 0, 1) < 0.1) {
        strike(s, impulse);
    }
}

typedef struct tally {
    int step_count, unconverged_count, rejected_count, recovered_count;
} tally;

static void step(shaken *s, tally *t)
{
    sn_reduced_body *body = s->flesh.body;
    sn_test_copy_body(body, s->twin);
    const sn_reduced_report report = sn_reduced_body_step(body, s->flesh.pose, NULL);
    const bool is_from_rest = s->desc.is_double && !s->flesh.solver->has_volume;
    const double before = is_from_rest ? sn_test_step_energy(s->twin, s->flesh.pose, s->twin->coordinates)
                                       : sn_test_first_energy(s->twin, s->flesh.pose);
    const double after = sn_test_step_energy(s->twin, s->flesh.pose, body->coordinates);
    assert_true(report.is_recovered || !sn_test_has_risen(s->flesh.solver, before, after));
    assert_true(report.is_recovered || isfinite(report.change));
    assert_true(report.iteration_count <= s->desc.iteration_limit || report.iteration_count <= 8);
    ++t->step_count;
    t->unconverged_count += report.change > s->desc.tolerance;
    t->rejected_count += report.rejected_count > 0;
    t->recovered_count += report.is_recovered;
}

static void expect_no_rise(bool is_limited)
{
    tally tallies[2][MATERIAL_COUNT] = {0};
    for (int seed = 0; seed < BODY_COUNT; ++seed) {
        shaken s = make(seed, 0, MODEL_COUNT, is_limited);
        for (int frame = 0; frame < FRAMES; ++frame) {
            shake(&s, frame);
            step(&s, &tallies[s.desc.is_neo_hookean][s.model % MATERIAL_COUNT]);
        }
        release(&s);
    }
    for (int i = 0; i < 2 * MATERIAL_COUNT; ++i) {
        const tally *t = &tallies[i / MATERIAL_COUNT][i % MATERIAL_COUNT];
        print_message("%s, ratio %.2f: %d steps, %d unconverged, %d with a refused iteration, %d recovered\n",
                      i < MATERIAL_COUNT ? "rotations" : "Neo-Hookean", poissons[i % MATERIAL_COUNT], t->step_count,
                      t->unconverged_count, t->rejected_count, t->recovered_count);
        assert_true(t->unconverged_count > t->step_count / 5 && t->rejected_count > 0);
        assert_true(t->recovered_count < t->step_count / 50); /* what falls a hundred diagonals in a step or two */
    }
}

static void test_energy_never_rises(void **state)
{
    (void)state;
    expect_no_rise(false);
}

static void test_energy_never_rises_with_strain_limits(void **state)
{
    (void)state;
    expect_no_rise(true);
}

/* The flesh's own: V^T M dZ / h. */
static void momentum(const shaken *s, double *sum)
{
    const sn_reduced_body *body = s->flesh.body;
    memset(sum, 0, 3 * sizeof *sum);
    for (int i = 0; i < 3 * s->flesh.solver->coordinate_count; ++i) {
        const double velocity = (body->coordinates[i] - body->coordinates_before[i]) / s->desc.time_step;
        sum[i % 3] += s->flesh.model->coordinate_mass[i / 3] * velocity;
    }
}

/* Flesh that nothing holds has the momentum that blows gave it, converged or not. */
static void test_free_flesh_keeps_its_momentum(void **state)
{
    (void)state;
    double worst = 0;
    for (int seed = 0; seed < FREE_COUNT; ++seed) {
        shaken s = make(seed, MODEL_COUNT, MATERIAL_COUNT, false);
        double given[3] = {0}, impulse[3], sum[3], size = 0;
        tally t = {0};
        s.desc.damping = s.desc.gravity[1] = 0;
        release(&s);
        start(&s);
        for (int frame = 0; frame < FRAMES && t.recovered_count == 0; ++frame) {
            if (frame % 10 == 0) {
                strike(&s, impulse);
                size += sn_length3(impulse);
                for (int d = 0; d < 3; ++d) {
                    given[d] += impulse[d];
                }
            }
            step(&s, &t);
            momentum(&s, sum);
            worst = t.recovered_count > 0 ? worst : fmax(worst, sn_distance3(sum, given) / size);
        }
        release(&s);
    }
    print_message("free: %.1e of the momentum\n", worst);
    assert_true(worst < 1e-4);
}

/* Where it may take one iteration only, or has no time for more, flesh still holds: it swings about where it hangs with
 * all iterations, as it would not if it stayed at its prediction. */
static void test_flesh_holds_whatever_the_limit(void **state)
{
    (void)state;
    for (int run = 0; run < 24; ++run) {
        double farthest[2] = {0};
        for (int is_limited = 0; is_limited < 2; ++is_limited) {
            sn_reduced_desc desc = sn_default_reduced_desc();
            desc.stiffness = 0.3;
            desc.gravity[1] = -9.81;
            desc.is_neo_hookean = run / 6 % 2 == 1;
            desc.is_double = run >= 12;
            desc.iteration_limit = is_limited && run % 2 ? 1 : 30;
            desc.budget_seconds = is_limited && run % 2 == 0 ? 1e-9 : 0;
            sn_flesh f = sn_flesh_make(models[1 + run / 2 % 3], &desc, NULL);
            for (int frame = 0; frame < 200; ++frame) {
                const sn_reduced_report report = sn_reduced_body_step(f.body, f.pose, NULL);
                assert_false(report.is_recovered);
                assert_true(!is_limited || report.iteration_count <= 2 || report.rejected_count > 0);
                farthest[is_limited] = fmax(farthest[is_limited], sn_flesh_displacement(&f));
            }
            sn_flesh_finish(&f);
        }
        assert_true(farthest[1] < 2 * farthest[0] && farthest[1] > 0.2 * farthest[0]);
    }
}

int test_energy(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_energy_never_rises),
        cmocka_unit_test(test_energy_never_rises_with_strain_limits),
        cmocka_unit_test(test_free_flesh_keeps_its_momentum),
        cmocka_unit_test(test_flesh_holds_whatever_the_limit),
    };
    return cmocka_run_group_tests(tests, cook_models, release_models);
}
