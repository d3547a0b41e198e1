/* SPDX-License-Identifier: MIT */
/* Models that change while bodies live, against models that are made so: the same constraints, batches that share no
 * vertex, the same physics; what is not edited does not feel it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "host/base/hash.h"
#include "host/xpbd/solver.h"
#include "tests/support/log.h"
#include "tests/xpbd/xpbd_test.h"

#define LIMIT 4096
static double slots[3 * LIMIT], other_places[3 * LIMIT];

static sn_xpbd_element element_of(const sn_xpbd_shape *shape, int e)
{
    const int corners = shape->desc.element_corners;
    sn_xpbd_element of = {.lambda = shape->lambda[e], .mu = shape->mu[e]};
    memcpy(of.vertices, shape->elements + corners * e, (size_t)corners * sizeof *of.vertices);
    return of;
}

/* Elements of a batch share no vertex, and each stands where its number says. */
static void check_elements(const sn_xpbd_model *model)
{
    const sn_xpbd_batches *b = &model->elements;
    for (int batch = 0; batch < b->batch_count; ++batch) {
        static bool is_taken[LIMIT];
        memset(is_taken, 0, sizeof is_taken);
        for (int lane = 0; lane < b->fill[batch]; ++lane) {
            const int32_t owner = b->owners[SN_BATCH * batch + lane];
            assert_int_equal(b->slots[owner], SN_BATCH * batch + lane);
            for (int k = 0; k < b->corner_count; ++k) {
                const int32_t row = b->corners[(batch * b->corner_count + k) * SN_BATCH + lane] / 4;
                assert_false(is_taken[row]);
                is_taken[row] = true;
            }
        }
    }
}

/* Held at one end under its weight, until it rests. */
static sn_xpbd_energy settle(const sn_xpbd_model *model, const sn_xpbd_shape *shape, double *ends)
{
    sn_xpbd_settings settings = sn_default_xpbd_settings();
    settings.gravity[1] = -9.8;
    settings.damping = 6;
    settings.is_rigid_damped = true;
    sn_xpbd_body *body = sn_xpbd_test_body(model, &settings);
    for (int v = 0; v < shape->desc.vertex_count; ++v) {
        if (shape->positions[3 * v] == 0) {
            assert_int_equal(sn_xpbd_body_pin(body, v, INFINITY), SN_OK);
        }
    }
    sn_xpbd_run(body, NULL, 240);
    const sn_xpbd_energy energy = sn_xpbd_body_energy(body);
    sn_xpbd_body_positions(body, ends);
    sn_xpbd_body_destroy(&body);
    return energy;
}

static double farthest_apart(int vertex_count)
{
    double most = 0;
    for (int v = 0; v < vertex_count; ++v) {
        most = fmax(most, sn_distance3(slots + 3 * v, other_places + 3 * v));
    }
    return most;
}

/* Elements that came one by one, in a random order, with as many that went again, against all of them at once. */
static void test_elements_come_and_go(void **state)
{
    (void)state;
    for (int i = 0; i < 4; ++i) {
        sn_xpbd_shape shape = i % 2 ? sn_xpbd_sheet(24, 6, 0.1) : sn_xpbd_bar(12, 4, 3, 0.1);
        const int count = shape.desc.element_count, vertices = shape.desc.vertex_count;
        double *masses = SN_NEW(&shape.arena, double, vertices);
        int32_t *order = SN_NEW(&shape.arena, int32_t, count), *numbers = SN_NEW(&shape.arena, int32_t, count);
        sn_xpbd_shape_material(&shape, 1e4, 0.3, 0);
        for (int v = 0; v < vertices; ++v) {
            masses[v] = 1;
        }
        shape.desc.masses = masses;
        shape.desc.is_coloured = i >= 2;
        sn_xpbd_model *whole = sn_xpbd_shape_model(&shape), *grown = NULL;
        uint64_t seed = 4 + (uint64_t)i;
        for (int e = 0; e < count; ++e) { /* a shuffled order */
            const int j = (int)((e + 1) * sn_random_unit(&seed));
            order[e] = order[j];
            order[j] = e;
        }
        sn_xpbd_shape first = shape; /* one element, to be removed at last */
        first.desc.element_count = 1;
        grown = sn_xpbd_shape_model(&first);
        for (int e = 0; e < count; ++e) {
            const sn_xpbd_element of = element_of(&shape, order[e]);
            assert_int_equal(sn_xpbd_model_add_element(grown, &of, &numbers[e]), SN_OK);
            assert_int_equal(numbers[e], e + 1);
            if (e % 3 == 2) { /* an earlier one goes and comes back */
                const int back = (int)((e + 1) * sn_random_unit(&seed));
                sn_xpbd_model *copied = NULL;
                assert_int_equal(sn_xpbd_model_copy(grown, &copied), SN_OK);
                sn_xpbd_model_remove_element(grown, numbers[back]);
                assert_false(sn_xpbd_model_has_element(grown, numbers[back]));
                assert_true(sn_xpbd_model_has_element(copied, numbers[back]));
                assert_int_equal(sn_xpbd_model_restore_element(grown, copied, numbers[back]), SN_OK);
                sn_xpbd_model_destroy(&copied);
            }
        }
        sn_xpbd_model_remove_element(grown, 0);
        assert_int_equal(sn_xpbd_model_counts(grown).element_count, count);
        check_elements(grown);
        const sn_xpbd_energy made = settle(whole, &shape, slots), found = settle(grown, &shape, other_places);
        print_message("%d elements: elastic %g and %g, %.2e apart; batches %d and %d\n", count, made.elastic,
                      found.elastic, farthest_apart(vertices), whole->elements.batch_count,
                      grown->elements.batch_count);
        assert_true(fabs(found.elastic / made.elastic - 1) < 0.02);
        assert_true(farthest_apart(vertices) < 0.02 * whole->diagonal);
        sn_xpbd_model_destroy(&whole);
        sn_xpbd_model_destroy(&grown);
        sn_arena_finish(&shape.arena);
    }
    assert_int_equal(sn_allocated_bytes(), 0);
}

/* An edit moves nothing by itself; and a body with a model of its own leaves the others of the shared one alone, to the
 * bit. */
static void test_own_models(void **state)
{
    (void)state;
    sn_xpbd_shape bar = sn_xpbd_bar(6, 3, 3, 0.1);
    sn_xpbd_model *model = sn_xpbd_shape_model(&bar), *own = NULL, *again = NULL;
    sn_xpbd_settings settings = sn_default_xpbd_settings();
    settings.gravity[1] = -9.8;
    sn_xpbd_body *bodies[3];
    for (int i = 0; i < 3; ++i) {
        bodies[i] = sn_xpbd_test_body(model, &settings);
        assert_int_equal(sn_xpbd_body_pin(bodies[i], 0, INFINITY), SN_OK);
        sn_xpbd_run(bodies[i], NULL, 20);
    }
    assert_int_equal(sn_xpbd_body_editable_model(bodies[1], &own), SN_OK);
    assert_int_equal(sn_xpbd_body_editable_model(bodies[1], &again), SN_OK);
    assert_ptr_equal(own, again);
    sn_xpbd_run(bodies[1], NULL, 20); /* a copy alone changes no bit */
    sn_xpbd_run(bodies[2], NULL, 20);
    sn_xpbd_body_positions(bodies[1], slots);
    sn_xpbd_body_positions(bodies[2], other_places);
    assert_memory_equal(slots, other_places, 3 * sizeof(double) * (size_t)bar.desc.vertex_count);
    for (int e = 0; e < 40; ++e) {
        sn_xpbd_model_remove_element(own, 3 * e);
    }
    sn_xpbd_body_positions(bodies[1], other_places);
    assert_memory_equal(slots, other_places, 3 * sizeof(double) * (size_t)bar.desc.vertex_count);
    assert_int_equal(sn_xpbd_model_counts(model).element_count, bar.desc.element_count);
    sn_xpbd_run(bodies[0], NULL, 50);
    sn_xpbd_run(bodies[1], NULL, 30);
    sn_xpbd_run(bodies[2], NULL, 30);
    sn_xpbd_body_positions(bodies[0], slots);
    sn_xpbd_body_positions(bodies[2], other_places);
    assert_memory_equal(slots, other_places, 3 * sizeof(double) * (size_t)bar.desc.vertex_count);
    sn_xpbd_body_positions(bodies[1], other_places);
    assert_true(farthest_apart(bar.desc.vertex_count) > 1e-3); /* softer now */
    for (int i = 0; i < 3; ++i) {
        sn_xpbd_body_destroy(&bodies[i]);
    }
    sn_xpbd_model_destroy(&model);
    sn_arena_finish(&bar.arena);
    assert_int_equal(sn_allocated_bytes(), 0);
}

/* Two of a bar in one shape, half a unit apart. */
static sn_xpbd_shape doubled(const sn_xpbd_shape *bar)
{
    sn_xpbd_shape both = *bar;
    const int n = bar->desc.vertex_count, t = bar->desc.element_count;
    both.arena = (sn_arena){0};
    both.positions = SN_NEW(&both.arena, double, 6 * n);
    both.elements = SN_NEW(&both.arena, int32_t, 8 * t);
    for (int i = 0; i < 3 * n; ++i) {
        both.positions[i] = bar->positions[i];
        both.positions[3 * n + i] = bar->positions[i] + (i % 3 == 0 ? 0.5 : 0);
    }
    for (int i = 0; i < 4 * t; ++i) {
        both.elements[i] = bar->elements[i];
        both.elements[4 * t + i] = bar->elements[i] + n;
    }
    sn_xpbd_shape_describe(&both, 2 * n, 2 * t, 4);
    sn_xpbd_shape_material(&both, 1e5, 0.3, 1000);
    return both;
}

typedef struct tie {
    int near, far; /* vertices of the first bar's last face and of the second's first */
    int32_t number;
} tie;

/* Holds the first bar's end and ties the other one to the second bar; returns the number of ties. */
static int weld(const sn_xpbd_shape *bar, sn_xpbd_model *model, sn_xpbd_body *body, tie *ties)
{
    const int n = bar->desc.vertex_count;
    int count = 0;
    for (int v = 0; v < n; ++v) {
        const double *x = bar->positions + 3 * v;
        if (x[0] == 0) {
            assert_int_equal(sn_xpbd_body_pin(body, v, INFINITY), SN_OK);
        }
        for (int u = 0; u < n && x[0] > 0.4 - 1e-9; ++u) {
            const double *y = bar->positions + 3 * u;
            if (y[0] == 0 && y[1] == x[1] && y[2] == x[2]) {
                const sn_xpbd_constraint constraint = {SN_XPBD_DISTANCE, {v, n + u}, INFINITY, true, 0};
                ties[count] = (tie){.near = v, .far = n + u};
                assert_int_equal(sn_xpbd_model_add(model, &constraint, &ties[count++].number), SN_OK);
            }
        }
    }
    return count;
}

/* Tied from vertex to vertex the second bar hangs on the first, and falls when the ties are gone. */
static void test_weld_and_tear_off(void **state)
{
    (void)state;
    sn_xpbd_shape bar = sn_xpbd_bar(4, 2, 2, 0.1), both = doubled(&bar);
    const int n = bar.desc.vertex_count;
    sn_xpbd_model *model = sn_xpbd_shape_model(&both);
    sn_xpbd_settings settings = sn_default_xpbd_settings();
    settings.gravity[1] = -9.8;
    settings.damping = 6;
    settings.is_rigid_damped = true;
    sn_xpbd_body *body = sn_xpbd_test_body(model, &settings);
    tie ties[32];
    const int tie_count = weld(&bar, model, body, ties);
    assert_int_equal(tie_count, 9);
    sn_xpbd_run(body, NULL, 180);
    sn_xpbd_body_positions(body, slots);
    double gap = 0, lowest = 0;
    for (int i = 0; i < tie_count; ++i) {
        gap = fmax(gap, sn_distance3(slots + 3 * ties[i].near, slots + 3 * ties[i].far));
    }
    for (int v = n; v < 2 * n; ++v) {
        lowest = fmin(lowest, slots[3 * v + 1]);
    }
    print_message("welded: gap %.1e, lowest %.2f\n", gap, lowest);
    assert_true(gap < 0.01 && lowest > -1);
    for (int i = 0; i < tie_count; ++i) {
        sn_xpbd_model_remove(model, SN_XPBD_DISTANCE, ties[i].number);
    }
    sn_xpbd_run(body, NULL, 180);
    sn_xpbd_body_positions(body, slots);
    for (int v = 0; v < n; ++v) {
        assert_true(slots[3 * v + 1] > -1 && slots[3 * (n + v) + 1] < -3);
    }
    sn_xpbd_body_destroy(&body);
    sn_xpbd_model_destroy(&model);
    sn_arena_finish(&both.arena);
    sn_arena_finish(&bar.arena);
    assert_int_equal(sn_allocated_bytes(), 0);
}

static uint64_t edit_and_run(sn_jobs *jobs, sn_xpbd_shape *bar)
{
    sn_xpbd_model *model = sn_xpbd_shape_model(bar), *own = NULL;
    sn_xpbd_settings settings = sn_default_xpbd_settings();
    settings.gravity[1] = -9.8;
    settings.sweep_count = 2; /* with multipliers, that follow */
    sn_xpbd_body *bodies[5];
    uint64_t hash = SN_HASH_SEED;
    for (int i = 0; i < 5; ++i) {
        bodies[i] = sn_xpbd_test_body(model, &settings);
        assert_int_equal(sn_xpbd_body_pin(bodies[i], i, INFINITY), SN_OK);
    }
    for (int step = 0; step < 30; ++step) {
        for (int i = 0; i < 5; i += 2) {
            assert_int_equal(sn_xpbd_body_editable_model(bodies[i], &own), SN_OK);
            if (step % 3 == 0) {
                sn_xpbd_model_remove_element(own, 5 * step + i);
            } else if (step % 3 == 2) {
                assert_int_equal(sn_xpbd_model_restore_element(own, model, 5 * (step - 2) + i), SN_OK);
            }
        }
        sn_xpbd_bodies_step(jobs, bodies, 5, NULL, NULL);
    }
    for (int i = 0; i < 5; ++i) {
        sn_xpbd_body_positions(bodies[i], slots);
        hash = sn_hash(hash, slots, 3 * sizeof(double) * (size_t)bar->desc.vertex_count);
        sn_xpbd_body_destroy(&bodies[i]);
    }
    sn_xpbd_model_destroy(&model);
    return hash;
}

static void test_threads_agree(void **state)
{
    (void)state;
    sn_xpbd_shape bar = sn_xpbd_bar(6, 3, 3, 0.1);
    const uint64_t alone = edit_and_run(NULL, &bar);
    for (int workers = 2; workers <= 8; workers *= 2) {
        sn_jobs *jobs = NULL;
        assert_int_equal(sn_jobs_create(workers, &jobs), SN_OK);
        assert_true(edit_and_run(jobs, &bar) == alone);
        sn_jobs_destroy(&jobs);
    }
    sn_arena_finish(&bar.arena);
    assert_int_equal(sn_allocated_bytes(), 0);
}

static void test_what_is_wrong_is_refused(void **state)
{
    (void)state;
    sn_xpbd_shape bar = sn_xpbd_bar(2, 1, 1, 0.1), cloth = sn_xpbd_cloth(3, 3, 0.1);
    sn_xpbd_model *model = sn_xpbd_shape_model(&bar), *springs = sn_xpbd_shape_model(&cloth);
    const sn_xpbd_element sound = element_of(&bar, 0);
    sn_xpbd_element bad[6];
    int32_t number = -1;
    for (int i = 0; i < 6; ++i) {
        bad[i] = sound;
    }
    bad[0].vertices[1] = sound.vertices[0];
    bad[1].vertices[2] = bar.desc.vertex_count;
    bad[2].mu = 0;
    bad[3].lambda = -1; /* a model that had none at first */
    bad[4].lambda = NAN;
    bad[5].vertices[0] = sound.vertices[1], bad[5].vertices[1] = sound.vertices[0]; /* inside out */
    for (int i = 0; i < 6; ++i) {
        begin_log();
        assert_int_equal(sn_xpbd_model_add_element(model, &bad[i], &number), SN_ERROR_ARGUMENT);
        assert_int_equal(logged.errors, 1);
    }
    assert_int_equal(sn_xpbd_model_add_element(springs, &sound, &number), SN_ERROR_ARGUMENT);
    sn_set_log(NULL, NULL);
    assert_int_equal(number, -1);
    assert_int_equal(sn_xpbd_model_counts(model).element_count, bar.desc.element_count);
    sn_xpbd_model_destroy(&model);
    sn_xpbd_model_destroy(&springs);
    sn_arena_finish(&bar.arena);
    sn_arena_finish(&cloth.arena);
    assert_int_equal(sn_allocated_bytes(), 0);
}

int test_xpbd_edit(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_elements_come_and_go), cmocka_unit_test(test_own_models),
                                       cmocka_unit_test(test_weld_and_tear_off), cmocka_unit_test(test_threads_agree),
                                       cmocka_unit_test(test_what_is_wrong_is_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
