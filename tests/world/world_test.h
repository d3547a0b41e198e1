/* SPDX-License-Identifier: MIT */
/* A committed model, a bar along x of three bones, +-.471 x +-.118 x +-.118 (test_world.c cooks it), and worlds for it.
 * Include it after cmocka.h. */
#ifndef SN_TESTS_WORLD_WORLD_TEST_H
#define SN_TESTS_WORLD_WORLD_TEST_H

#include "sinew/world.h"
#include "tests/support/log.h"

#define MODEL_PATH SN_SOURCE_DIR "/tests/golden/bar.sinew"
#define BONES 3
#define MODES 4

static sn_model *model;

/* For a group of tests; unload finds memory that is left. */
static inline int load(void **state)
{
    (void)state;
    assert_int_equal(sn_model_open(MODEL_PATH, &model), SN_OK);
    begin_log();
    return 0;
}

static inline int unload(void **state)
{
    (void)state;
    sn_set_log(NULL, NULL);
    sn_model_release(model);
    assert_int_equal(sn_allocated_bytes(), 0);
    return 0;
}

static inline sn_world_id make_world(int workers)
{
    sn_world_desc desc = sn_default_world_desc();
    sn_world_id world;
    desc.worker_count = workers;
    assert_int_equal(sn_world_create(&desc, &world), SN_OK);
    return world;
}

#endif
