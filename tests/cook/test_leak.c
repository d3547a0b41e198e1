/* SPDX-License-Identifier: MIT */
/* The momentum leak of what is all surface: from its ends inwards, so that a panel, a strip and a thin flat body move.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

#include <cmocka.h>

#include "author/cook/cook.h"
#include "author/cook/stages/trial.h"
#include "host/math/vec3.h"

#define STRIP SN_BINARY_DIR "/leaking.obj"

/* Two rows of `count` vertices in the plane z = 0. */
static void write_strip(int count, double width)
{
    FILE *file = fopen(STRIP, "w");
    assert_non_null(file);
    for (int i = 0; i < 2 * count; ++i) {
        fprintf(file, "v %d %g 0\n", i / 2, i % 2 * width);
    }
    for (int i = 1; i < 2 * count - 2; i += 2) {
        fprintf(file, "f %d %d %d\nf %d %d %d\n", i, i + 2, i + 1, i + 1, i + 2, i + 3);
    }
    assert_int_equal(fclose(file), 0);
}

static void what_is_all_surface_moves(void **state)
{
    (void)state;
    static const struct {
        int count;
        double width;
        bool is_flat;
    } cases[] = {{2, 1, false}, {5, 1, false}, {30, 1, true}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        sn_cook_context k = {.path = NULL};
        sn_arena scratch = {0};
        sn_model *model = NULL;
        sn_trial *trial = NULL;
        sn_trial_report report;
        sn_cook_desc desc = sn_default_cook_desc();
        desc.is_flat = cases[i].is_flat;
        desc.tet_vertex_count = cases[i].is_flat ? 0 : 2000;
        write_strip(cases[i].count, cases[i].width);
        assert_int_equal(sn_cook_context_run(&k, STRIP, &desc), SN_OK);
        double least = 1, most = 0, farthest = 0, leak_there = 1, nearest = INFINITY, leak_here = 0;
        for (int v = 0; v < k.mesh.vertex_count; ++v) { /* the origin is the middle */
            const double distance = sn_length3(k.mesh.positions + 3 * v);
            least = fmin(least, k.leak[v]);
            most = fmax(most, k.leak[v]);
            leak_there = distance > farthest ? k.leak[v] : leak_there;
            leak_here = distance < nearest ? k.leak[v] : leak_here;
            farthest = fmax(farthest, distance);
            nearest = fmin(nearest, distance);
        }
        assert_true(fabs(least - 0.1) < 0.02 && most > 0.9 && most <= 1);
        assert_true(fabs(leak_there - least) < 0.02 && fabs(leak_here - most) < 0.02);
        assert_int_equal(sn_model_load(k.bytes, k.size, &model), SN_OK);
        assert_int_equal(sn_trial_create(model, 0, &scratch, &trial), SN_OK);
        assert_int_equal(sn_trial_run(trial, 1, &report), SN_OK);
        assert_true(report.displacement > 0.01 && report.displacement < 0.2);
        sn_arena_finish(&scratch);
        sn_model_release(model);
        sn_cook_context_finish(&k);
    }
    unlink(STRIP);
    assert_int_equal(sn_allocated_bytes(), 0);
}

int test_leak(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(what_is_all_surface_moves)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
