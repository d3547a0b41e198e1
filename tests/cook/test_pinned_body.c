/* SPDX-License-Identifier: MIT */
/* Bodies that their makers hold, or let go: free fall and momentum where nothing holds them, a cantilever, pins that
 * the rig moves, rows and pins on the input's vertices, and what is refused. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "author/cook/cook.h"
#include "host/math/affine.h"
#include "host/math/vec3.h"
#include "host/reduced/reduced.h"
#include "host/skin/skin.h"
#include "tests/support/bar.h"
#include "tests/support/log.h"

#define assert_near(a, b, tolerance) assert_true(fabs((a) - (b)) <= (tolerance))

enum { NX = 10, NY = 3, NZ = 3, VERTEX_COUNT = (NX + 1) * (NY + 1) * (NZ + 1), FACE = (NY + 1) * (NZ + 1) };

typedef struct body {
    sn_cook_context cooking;
    sn_cook_desc desc;
    sn_model *model;
    sn_reduced_solver *solver;
    sn_reduced_body *body;
    double *displacement; /* (VERTEX_COUNT x 3) by the modes */
} body;

static sn_cook_desc bar_desc(void)
{
    sn_cook_desc desc = sn_default_cook_desc();
    desc.leak = SN_LEAK_ALL;
    desc.mode_count = 12;
    desc.cluster_count = 40;
    return desc;
}

/* One end of the bar. */
static const int32_t *end_pins(void)
{
    static int32_t pins[FACE];
    for (int i = 0; i < FACE; ++i) {
        pins[i] = i * (NX + 1);
    }
    return pins;
}

static sn_result cook_bar(sn_cook_context *k, const sn_cook_desc *desc)
{
    *k = (sn_cook_context){.path = NULL};
    k->mesh = sn_test_bar(&k->arena, NX, NY, NZ, 0.25);
    return sn_cook_context_run(k, "bar", desc);
}

static void start(body *b, const sn_cook_desc *desc, const sn_reduced_desc *reduced)
{
    *b = (body){.desc = *desc};
    assert_int_equal(cook_bar(&b->cooking, &b->desc), SN_OK);
    assert_int_equal(sn_model_load(b->cooking.bytes, b->cooking.size, &b->model), SN_OK);
    assert_int_equal(sn_reduced_solver_create(b->model, reduced, &b->solver), SN_OK);
    assert_int_equal(sn_reduced_body_create(b->solver, NULL, &b->body), SN_OK);
    b->displacement = SN_NEW(&b->cooking.arena, double, 3 * VERTEX_COUNT);
}

static void stop(body *b)
{
    sn_reduced_body_destroy(&b->body);
    sn_reduced_solver_destroy(&b->solver);
    sn_model_release(b->model);
    sn_cook_context_finish(&b->cooking);
    assert_int_equal(sn_allocated_bytes(), 0);
}

static void step(body *b, const double *pose)
{
    double rest[12], transforms[12 * 256];
    sn_affine_identity(rest);
    assert_false(sn_reduced_body_step(b->body, pose ? pose : rest, NULL).is_recovered);
    memset(b->displacement, 0, 3 * VERTEX_COUNT * sizeof(double));
    sn_reduced_body_mode_transforms(b->body, 1, transforms);
    sn_skin_add(b->model->mode_weights, b->model->counts.mode_count, transforms, b->model->rest_positions, VERTEX_COUNT,
                b->displacement);
}

static sn_reduced_desc exact(void)
{
    sn_reduced_desc desc = sn_default_reduced_desc();
    desc.is_double = true;
    desc.iteration_limit = 5000;
    desc.tolerance = 1e-13;
    return desc;
}

/* ---- nothing holds it ---- */

/* From rest, backward Euler falls by g h^2 n (n + 1) / 2. */
static void free_fall(void **state)
{
    (void)state;
    for (int is_double = 0; is_double < 2; ++is_double) {
        body b;
        const sn_cook_desc cook = bar_desc();
        sn_reduced_desc desc = sn_default_reduced_desc();
        desc.is_double = is_double;
        desc.gravity[1] = -9.81;
        start(&b, &cook, &desc);
        assert_int_equal(b.cooking.constraint.row_count, 0);
        assert_near(b.cooking.modes.eigenvalues[0], 0, 1e-8);
        assert_near(b.model->coordinate_stiffness[0], 0, 1e-6 * b.model->coordinate_stiffness[1]);
        for (int n = 1; n <= 60; ++n) {
            const double fallen = -9.81 / 3600 * n * (n + 1) / 2;
            step(&b, NULL);
            for (int i = 0; i < 3 * VERTEX_COUNT; ++i) {
                assert_near(b.displacement[i], i % 3 == 1 ? fallen : 0, (is_double ? 1e-6 : 1e-5) * (1 - fallen));
            }
        }
        stop(&b);
    }
}

/* The handle turns and leaves; the body stays where it is. */
static void handle_leaves(void **state)
{
    (void)state;
    body b;
    const sn_cook_desc cook = bar_desc();
    const sn_reduced_desc desc = exact();
    start(&b, &cook, &desc);
    for (int n = 1; n <= 20; ++n) {
        double pose[12];
        sn_affine_identity(pose);
        pose[0] = pose[5] = cos(0.05 * n);
        pose[4] = sin(0.05 * n);
        pose[1] = -pose[4];
        pose[11] = 0.02 * n;
        step(&b, pose);
        for (size_t v = 0; v < VERTEX_COUNT; ++v) {
            double x[3], moved[3];
            for (size_t d = 0; d < 3; ++d) {
                x[d] = (double)b.model->rest_positions[3 * v + d];
            }
            sn_affine_apply(pose, x, moved);
            for (size_t d = 0; d < 3; ++d) {
                assert_near(moved[d] + b.displacement[3 * v + d], x[d], 1e-6);
            }
        }
    }
    stop(&b);
}

/* Sums over the vertices of m (x - x_n) and of x_n x m (v_n - v_(n-1)). */
typedef struct motion {
    double before[3 * VERTEX_COUNT], now[3 * VERTEX_COUNT], next[3 * VERTEX_COUNT];
} motion;

static void sum_momenta(const body *b, const motion *m, double *linear, double *torque)
{
    memset(linear, 0, 3 * sizeof *linear);
    memset(torque, 0, 3 * sizeof *torque);
    for (int v = 0; v < VERTEX_COUNT; ++v) {
        double x[3], push[3], turn[3];
        for (int d = 0; d < 3; ++d) {
            const int i = 3 * v + d;
            const double mass = (double)b->model->vertex_mass[v] * 60;
            x[d] = (double)b->model->rest_positions[i] + m->next[i];
            linear[d] += mass * (m->next[i] - m->now[i]);
            push[d] = mass * (m->next[i] - 2 * m->now[i] + m->before[i]);
        }
        sn_cross3(x, push, turn);
        for (int d = 0; d < 3; ++d) {
            torque[d] += turn[d];
        }
    }
}

/* A blow stays in it as momentum, and what the flesh does to itself turns nothing. */
static void momentum_of_a_blow(void **state)
{
    (void)state;
    body b;
    const sn_cook_desc cook = bar_desc();
    const sn_reduced_desc desc = exact();
    static motion m;
    m = (motion){{0}, {0}, {0}};
    start(&b, &cook, &desc);
    const double point[3] = {0.4, 0.1, 0.1}, impulse[3] = {2, 30, -4};
    sn_reduced_body_apply_impulse(b.body, point, impulse);
    for (int n = 0; n < 60; ++n) {
        double linear[3], torque[3];
        step(&b, NULL);
        memcpy(m.next, b.displacement, sizeof m.next);
        sum_momenta(&b, &m, linear, torque);
        for (int d = 0; d < 3; ++d) {
            assert_near(linear[d], impulse[d], 1e-4);
            assert_true(n == 0 || fabs(torque[d]) < 1e-4);
        }
        memcpy(m.before, m.now, sizeof m.now);
        memcpy(m.now, m.next, sizeof m.now);
    }
    double tip = 0;
    for (int v = 0; v < VERTEX_COUNT; ++v) {
        tip = fmax(tip, fabs(b.displacement[3 * v + 1]));
    }
    assert_true(tip > 0.05); /* it did turn */
    stop(&b);
}

/* ---- pins ---- */

static double largest_at_pins(const body *b)
{
    double largest = 0;
    for (int v = 0; v < VERTEX_COUNT; ++v) {
        for (int d = 0; d < 3 && b->cooking.is_pinned[v]; ++d) {
            largest = fmax(largest, fabs(b->displacement[3 * v + d]));
        }
    }
    return largest;
}

/* How far the free end of the bar has sunk when it has come to rest. */
static double sag(sn_cook_leak leak, int mode_count)
{
    body b;
    sn_cook_desc cook = bar_desc();
    sn_reduced_desc desc = sn_default_reduced_desc();
    cook.leak = leak;
    cook.mode_count = mode_count;
    cook.young = 1e6;
    cook.pins = end_pins();
    cook.pin_count = FACE;
    desc.gravity[1] = -9.81;
    desc.damping = 12;
    start(&b, &cook, &desc);
    assert_int_equal(b.cooking.report.pin_count, FACE);
    double sunk = 0, moved = 1;
    for (int n = 0; n < 600; ++n) {
        step(&b, NULL);
        assert_true(largest_at_pins(&b) == 0);
        moved = fabs(-b.displacement[3 * NX + 1] - sunk);
        sunk = -b.displacement[3 * NX + 1];
    }
    assert_true(moved < 1e-5);
    stop(&b);
    return sunk;
}

static void cantilever(void **state)
{
    (void)state;
    const double few = sag(SN_LEAK_ALL, 4), some = sag(SN_LEAK_ALL, 12), most = sag(SN_LEAK_ALL, 60);
    const double complementary = sag(SN_LEAK_NONE, 12);
    print_message("the end sinks by %.4f with 4 modes, %.4f with 12, %.4f with 60; complementary to a handle %.4f\n",
                  few, some, most, complementary);
    assert_true(few > 0.02 && few < 0.4);
    assert_true(few < some && some < most);
    assert_near(some / most, 1, 0.1);
    assert_true(complementary < 1e-3 * some); /* gravity does no work on modes without momentum */
}

/* The handle carries the pins, the flesh follows late. */
static void pins_follow_the_handle(void **state)
{
    (void)state;
    body b;
    sn_cook_desc cook = bar_desc();
    const sn_reduced_desc desc = sn_default_reduced_desc();
    cook.pins = end_pins();
    cook.pin_count = FACE;
    start(&b, &cook, &desc);
    double lag = 0;
    for (int n = 1; n <= 30; ++n) {
        double pose[12];
        sn_affine_identity(pose);
        pose[11] = 0.02 * n;
        step(&b, pose);
        assert_true(largest_at_pins(&b) == 0);
        lag = fmin(lag, b.displacement[3 * NX + 2]);
    }
    assert_true(lag < -0.05);
    stop(&b);
}

/* ---- the input's vertices ---- */

/* The bar behind a vertex that no tet uses: rows and pins count it, the model does not have it. */
static void unused_vertices(void **state)
{
    (void)state;
    static double rows[2 * (VERTEX_COUNT + 1)];
    static uint8_t mask[VERTEX_COUNT + 1];
    sn_cook_context k = {.path = NULL};
    const sn_tet_mesh bar = sn_test_bar(&k.arena, NX, NY, NZ, 0.25);
    k.mesh = (sn_tet_mesh){VERTEX_COUNT + 1, bar.tet_count, SN_NEW(&k.arena, double, 3 * (VERTEX_COUNT + 1)), bar.tets,
                           false};
    memcpy(k.mesh.positions + 3, bar.positions, 3 * VERTEX_COUNT * sizeof(double));
    for (int i = 0; i < 4 * bar.tet_count; ++i) {
        ++k.mesh.tets[i];
    }
    mask[0] = 1;
    for (int v = 1; v <= VERTEX_COUNT; ++v) {
        mask[v] = (v - 1) % (NX + 1) == 0;
        rows[v] = (v - 1) % (NX + 1) == NX;
        rows[VERTEX_COUNT + 1 + v] = sin(v);
    }
    rows[0] = 1e6;
    sn_cook_desc desc = bar_desc();
    desc.rows = rows;
    desc.row_count = 2;
    desc.row_length = VERTEX_COUNT + 1;
    desc.pin_mask = mask;
    desc.pin_mask_count = VERTEX_COUNT + 1;
    begin_log(); /* a warning about the vertex */
    assert_int_equal(sn_cook_context_run(&k, "bar", &desc), SN_OK);
    sn_set_log(NULL, NULL);
    assert_int_equal(k.mesh.vertex_count, VERTEX_COUNT);
    assert_int_equal(k.report.pin_count, FACE);
    assert_int_equal(k.constraint.row_count, 2);
    for (int mode = 0; mode < 12; ++mode) {
        double sums[2] = {0, 0};
        for (int v = 0; v < VERTEX_COUNT; ++v) {
            const double w = k.modes.weights[12 * v + mode];
            assert_true(v % (NX + 1) != 0 || fabs(w) <= 1e-12);
            sums[0] += rows[v + 1] * w;
            sums[1] += rows[VERTEX_COUNT + 2 + v] * w;
        }
        assert_near(sums[0], 0, 1e-10);
        assert_near(sums[1], 0, 1e-10);
    }
    sn_cook_context_finish(&k);
    assert_int_equal(sn_allocated_bytes(), 0);
}

/* A list and a mask of the same vertices, twice. */
static void same_bytes(void **state)
{
    (void)state;
    static uint8_t mask[VERTEX_COUNT], first[1 << 20];
    static double rows[3 * VERTEX_COUNT];
    size_t size = 0;
    for (int v = 0; v < VERTEX_COUNT; ++v) {
        mask[v] = v % (NX + 1) == 0;
        rows[v] = cos(v);
    }
    for (int i = 0; i < 3; ++i) {
        sn_cook_context k;
        sn_cook_desc desc = bar_desc();
        desc.pins = end_pins();
        desc.pin_count = i == 1 ? 0 : FACE;
        desc.pin_mask = i == 1 ? mask : NULL;
        desc.pin_mask_count = VERTEX_COUNT;
        desc.rows = rows;
        desc.row_count = 3;
        desc.row_length = VERTEX_COUNT;
        assert_int_equal(cook_bar(&k, &desc), SN_OK);
        assert_true(k.size <= sizeof first);
        if (i == 0) {
            memcpy(first, k.bytes, size = k.size);
        }
        assert_int_equal(k.size, size);
        assert_memory_equal(k.bytes, first, size);
        sn_cook_context_finish(&k);
    }
}

static void expect_refusal(const sn_cook_desc *desc, const char *message)
{
    sn_cook_context k;
    begin_log();
    assert_int_not_equal(cook_bar(&k, desc), SN_OK);
    sn_set_log(NULL, NULL);
    assert_one_error(message);
    sn_cook_context_finish(&k);
}

static void refusals(void **state)
{
    (void)state;
    static double rows[2 * VERTEX_COUNT];
    static uint8_t mask[VERTEX_COUNT];
    static int32_t pins[VERTEX_COUNT];
    sn_cook_desc desc = bar_desc();
    desc.rows = rows;
    desc.row_count = 2;
    desc.row_length = VERTEX_COUNT - 1;
    expect_refusal(&desc, "rows: rows of 175 entries for the 176 vertices of bar");
    desc.row_length = VERTEX_COUNT;
    desc.rows_name = "c.npy";
    rows[VERTEX_COUNT + 5] = NAN;
    expect_refusal(&desc, "c.npy: row 1, entry 5: is not finite");
    desc.row_count = 5000;
    expect_refusal(&desc, "c.npy: 5000 rows, more than 4096");

    desc = bar_desc();
    desc.pin_name = "p.npy";
    desc.pin_mask = mask;
    desc.pin_mask_count = 7;
    expect_refusal(&desc, "p.npy: 7 entries for the 176 vertices of bar");
    desc.pin_mask_count = VERTEX_COUNT;
    mask[4] = 2;
    expect_refusal(&desc, "p.npy: entry 4 is 2, neither 0 (free) nor 1 (pinned)");
    memset(mask, 1, sizeof mask);
    expect_refusal(&desc, "bar: all 176 vertices are pinned");
    memset(mask, 0, 20);
    expect_refusal(
        &(sn_cook_desc){
            .density = 1, .leak = SN_LEAK_ALL, .mode_count = 21, .pin_mask = mask, .pin_mask_count = VERTEX_COUNT},
        "21 modes requested, but 176 vertices minus 156 pinned and 0 constraint rows leave 20");

    desc = bar_desc();
    desc.pins = pins;
    desc.pin_count = 1;
    pins[0] = VERTEX_COUNT;
    expect_refusal(&desc, "pins: entry 0 is 176, outside 0 .. 175");
    pins[0] = -1;
    expect_refusal(&desc, "pins: entry 0 is -1, outside 0 .. 175");
    pins[0] = pins[2] = 3;
    desc.pin_count = 3;
    expect_refusal(&desc, "pins: entry 2: vertex 3 is listed twice");
}

int test_pinned_body(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(free_fall),
        cmocka_unit_test(handle_leaves),
        cmocka_unit_test(momentum_of_a_blow),
        cmocka_unit_test(cantilever),
        cmocka_unit_test(pins_follow_the_handle),
        cmocka_unit_test(unused_vertices),
        cmocka_unit_test(same_bytes),
        cmocka_unit_test(refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
