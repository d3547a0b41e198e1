/* SPDX-License-Identifier: MIT */
/* One cooked bar for all tests of a file. */
#ifndef SN_TESTS_SUPPORT_ONE_BAR_H
#define SN_TESTS_SUPPORT_ONE_BAR_H

#include "tests/support/flesh.h"

static sn_cook_context cooking;
static sn_model *bar;

static inline int cook_three_bones(void **state)
{
    (void)state;
    bar = sn_test_cook_bar(&cooking, (const int[3]){12, 4, 3}, 3, 8);
    return 0;
}

static inline int cook_one_handle(void **state)
{
    (void)state;
    bar = sn_test_cook_bar(&cooking, (const int[3]){12, 3, 3}, 1, 8);
    return 0;
}

static inline int release_bar(void **state)
{
    (void)state;
    sn_model_release(bar);
    sn_cook_context_finish(&cooking);
    return sn_allocated_bytes() == 0 ? 0 : -1;
}

#endif
