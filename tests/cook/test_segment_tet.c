/* SPDX-License-Identifier: MIT */
/* Segments and tets: through, beside, touching, inside, points; and random ones against places along them. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "author/cook/colliders/segment_tet.h"
#include "host/base/random.h"

static double corners[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
static int32_t tet[4] = {0, 1, 2, 3};

static bool meets(const double *start, const double *end)
{
    const sn_tet_mesh mesh = {.vertex_count = 4, .tet_count = 1, .positions = corners, .tets = tet};
    double gradients[12], volume;
    sn_tet_gradients(&mesh, gradients, &volume);
    return sn_segment_intersects_tet(&mesh, 0, gradients, start, end);
}

static void test_places(void **state)
{
    (void)state;
    const struct {
        double start[3], end[3];
        bool meets;
    } cases[] = {
        {{-1, 0.2, 0.2}, {2, 0.2, 0.2}, true},     /* through */
        {{2, 0.2, 0.2}, {-1, 0.2, 0.2}, true},     /* and back */
        {{-1, 0.2, 0.2}, {-0.1, 0.2, 0.2}, false}, /* ends before */
        {{0.7, 0.2, 0.2}, {2, 0.2, 0.2}, false},   /* begins behind */
        {{-1, 0.2, 0.2}, {0.1, 0.2, 0.2}, true},   /* ends inside */
        {{0.1, 0.2, 0.2}, {0.2, 0.2, 0.2}, true},  /* inside as a whole */
        {{0.2, 0.2, 0.2}, {0.2, 0.2, 0.2}, true},  /* a point inside */
        {{0.4, 0.4, 0.4}, {0.4, 0.4, 0.4}, false}, /* a point outside */
        {{0.2, 0.2, 0}, {0.2, 0.2, 0}, true},      /* a point on a face */
        {{-1, 0.2, 0}, {2, 0.2, 0}, true},         /* in a face's plane, through the face */
        {{-1, 1.2, 0}, {2, 1.2, 0}, false},        /* in it, beside the face */
        {{-1, 0, 0}, {2, 0, 0}, true},             /* along an edge */
        {{0, -1, -1}, {0, 1, 1}, true},            /* through a corner into a face */
        {{-1, 1, -1}, {1, -1, 1}, true},           /* through a corner alone */
        {{-1, 0.6, -1}, {1, 0.6, 1}, true},        /* aslant */
        {{-1, 1, 1}, {1, 1, 1}, false},            /* beside an edge, where every half-space is met in turn */
        {{0, 0, 1 + 1e-12}, {0, 0, 2}, true},      /* touching but for rounding */
        {{0, 0, 1 + 1e-6}, {0, 0, 2}, false},
        {{-1e6, 0.2, 0.2}, {1e6, 0.2, 0.2}, true}, /* a long one */
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        assert_true(meets(cases[i].start, cases[i].end) == cases[i].meets);
    }
}

/* What a thousand places along a segment say of it, where these are not too near to a face to tell. */
static void test_random_segments(void **state)
{
    (void)state;
    uint64_t seed = 7;
    int met = 0, told = 0;
    for (int i = 0; i < 400; ++i) {
        double ends[6], deepest = -INFINITY;
        for (int j = 0; j < 6; ++j) {
            ends[j] = -0.5 + 2 * sn_random_unit(&seed);
        }
        for (int j = 0; j <= 1000; ++j) {
            double least = 1, rest = 1;
            for (int d = 0; d < 3; ++d) {
                const double x = ends[d] + j / 1000.0 * (ends[3 + d] - ends[d]);
                least = fmin(least, x);
                rest -= x;
            }
            deepest = fmax(deepest, fmin(least, rest));
        }
        if (fabs(deepest) > 1e-2) {
            assert_true(meets(ends, ends + 3) == (deepest > 0));
            met += deepest > 0;
            ++told;
        }
    }
    assert_true(told > 300 && met > 30 && met < told - 30);
}

int test_segment_tet(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_places), cmocka_unit_test(test_random_segments)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
