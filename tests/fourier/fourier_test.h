/* SPDX-License-Identifier: MIT */
/* Include it after cmocka.h. */
#ifndef SN_TESTS_FOURIER_FOURIER_TEST_H
#define SN_TESTS_FOURIER_FOURIER_TEST_H

#include <math.h>

/* Says both, and how far apart they are. */
#define assert_near(a, b, tolerance) check_distance((a), (b), (tolerance), #a, __FILE__, __LINE__)

static inline void check_distance(double a, double b, double tolerance, const char *what, const char *file, int line)
{
    if (!(fabs(a - b) <= tolerance)) {
        fail_msg("%s:%d: %s = %.17g, not %.17g: off by %.3g, more than %.3g", file, line, what, a, b, fabs(a - b),
                 tolerance);
    }
}

#endif
