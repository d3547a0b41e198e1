/* SPDX-License-Identifier: MIT */
/* A small model's file, and files that are refused. */
#ifndef SN_TESTS_MODEL_MODEL_TEST_H
#define SN_TESTS_MODEL_MODEL_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "author/cook/cook.h"
#include "tests/support/bar.h"
#include "tests/support/log.h"

static void cook_bar(sn_cook_context *cooking)
{
    *cooking = (sn_cook_context){.path = NULL};
    cooking->mesh = sn_test_bar(&cooking->arena, 6, 2, 2, 0.5);
    static sn_cook_desc desc;
    desc = sn_default_cook_desc();
    desc.mode_count = 5;
    desc.cluster_count = 7;
    assert_int_equal(sn_cook_context_run(cooking, "bar", &desc), SN_OK);
}

static void expect_refused(const uint8_t *bytes, size_t size, sn_result expected)
{
    sn_model *model = NULL;
    begin_log();
    assert_int_equal(sn_model_load(bytes, size, &model), expected);
    assert_null(model);
    assert_int_equal(logged.errors, 1);
}

#endif
