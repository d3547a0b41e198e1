/* SPDX-License-Identifier: MIT */
/* Worlds of bodies with strain limits, decay rates and relative gravity: the same bits for any number of workers. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "host/base/hash.h"
#include "tests/support/response.h"
#include "tests/world/posed_bar.h"

#define COUNT 6

static uint64_t run(const sn_model *of, int workers)
{
    const sn_world_id world = make_world(workers);
    sn_body_id bodies[COUNT];
    uint64_t hash = SN_HASH_SEED;
    for (int i = 0; i < COUNT; ++i) {
        sn_body_desc desc = sn_default_body_desc();
        desc.model = of;
        desc.gravity[1] = -4;
        desc.has_gravity_at_rest = i == 1;
        desc.is_neo_hookean = i == 2;
        desc.mode_count = i == 3 ? 3 : 0;
        assert_int_equal(sn_body_create(world, &desc, &bodies[i]), SN_OK);
    }
    for (int frame = 0; frame < 40; ++frame) {
        for (int i = 0; i < COUNT; ++i) {
            sn_mat3x4 bones[BONES];
            pose_at(frame / 60.0 + 0.2 * i, bones);
            sn_body_set_pose(bodies[i], bones, BONES);
        }
        sn_world_step(world, 1.0 / 60);
    }
    for (int i = 0; i < COUNT; ++i) {
        const sn_body_matrices out = sn_body_output(bodies[i]);
        hash = sn_hash(hash, out.matrices, (size_t)(out.bone_count + out.mode_count) / 2 * 2 * sizeof(sn_mat3x4));
    }
    sn_world_destroy(world);
    return hash;
}

static void test_the_same_bits_for_any_number_of_workers(void **state)
{
    sn_arena arena = {0};
    (void)state;
    const sn_model limited = sn_test_respond(model, &(sn_test_response){15, 0.02, 5}, &arena);
    const uint64_t first = run(&limited, 1);
    assert_true(first != run(model, 1));
    for (int workers = 2; workers <= 4; ++workers) {
        assert_true(run(&limited, workers) == first);
    }
    sn_arena_finish(&arena);
}

int test_world_response(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_the_same_bits_for_any_number_of_workers)};
    return cmocka_run_group_tests_name("world_response", tests, load, unload);
}
