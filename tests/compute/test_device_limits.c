/* SPDX-License-Identifier: MIT */
/* Devices with few resources refuse in words what they cannot do, and do the rest. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "host/world/backend.h"
#include "tests/support/gpu_world.h"

/* Adds a body to a world on a device whose shaders access so many storage buffers. */
static sn_result add_body(sn_gpu_device *device, uint32_t buffers, sn_body_solver solver)
{
    const VkPhysicalDeviceLimits limits = device->properties.limits;
    sn_gpu *gpu = NULL;
    sn_world_id world = {0, 0};
    sn_body_id body;
    device->properties.limits.maxPerStageDescriptorStorageBuffers = buffers;
    sn_test_logged.is_quiet = true;
    sn_result result = sn_gpu_create_on(device, 2, &gpu);
    if (result == SN_OK) {
        sn_world_desc world_desc = sn_default_world_desc();
        world_desc.backend = sn_gpu_backend(gpu);
        assert_int_equal(sn_world_create(&world_desc, &world), SN_OK);
        sn_body_desc desc = twin_desc(twin_models[0]);
        desc.solver = solver;
        result = sn_body_create(world, &desc, &body);
        sn_world_destroy(world);
    }
    sn_gpu_destroy(&gpu);
    device->properties.limits = limits;
    return result;
}

static void test_storage_buffers(void **state)
{
    assert_int_equal(add_body(*state, 24, SN_SOLVER_COUPLED), SN_OK);
    assert_int_equal(sn_test_logged.error_count, 0);
    assert_int_equal(add_body(*state, 23, SN_SOLVER_COUPLED), SN_ERROR_UNSUPPORTED);
    assert_non_null(strstr(sn_test_logged.last_error, "does not support coupled bodies"));
    assert_int_equal(add_body(*state, 11, SN_SOLVER_REDUCED), SN_OK);
    assert_int_equal(add_body(*state, 10, SN_SOLVER_REDUCED), SN_ERROR_UNSUPPORTED);
    assert_non_null(strstr(sn_test_logged.last_error, "allows 10 storage buffers in a shader; the solvers need 11"));
    assert_int_equal(sn_test_logged.error_count, 2);
}

/* The solvers themselves refuse, too. */
static void test_layouts(void **state)
{
    sn_gpu_device *device = *state;
    const VkPhysicalDeviceLimits limits = device->properties.limits;
    const sn_gpu_xpbd_desc desc = sn_default_gpu_xpbd_desc();
    sn_gpu_coupled *coupled = NULL;
    device->properties.limits.maxPerStageDescriptorStorageBuffers = 16;
    sn_test_logged.is_quiet = true;
    assert_int_equal(sn_gpu_coupled_create(device, &desc, &coupled), SN_ERROR_UNSUPPORTED);
    assert_non_null(strstr(sn_test_logged.last_error, "needs 24 storage buffers in a shader"));
    device->properties.limits = limits;
}

/* Layouts are not created before the first body that needs them. */
static void test_solvers_come_late(void **state)
{
    twins t = twins_make_crowd(*state, 1);
    sn_gpu_world *world = sn_world_backend_world(t.guest, &sn_gpu_table);
    twins_run(&t, 0, 4);
    assert_null(world->coupled);
    assert_null(world->layered);
    const sn_body_desc desc = twins_coupled_desc(twin_models[0]);
    twins_put(&t, t.count++, &desc);
    assert_non_null(world->coupled);
    assert_null(world->layered);
    twins_run(&t, 4, 8);
    print_message("%d blocks of memory\n", sn_gpu_memory_block_count(t.device));
    assert_in_range(sn_gpu_memory_block_count(t.device), 1, 8);
    twins_finish(&t);
}

int test_device_limits(void)
{
    const struct CMUnitTest tests[] = {SN_TEST_SHARED_GPU(test_layouts), SN_TEST_SHARED_GPU(test_storage_buffers),
                                       SN_TEST_SHARED_GPU(test_solvers_come_late)};
    return cmocka_run_group_tests(tests, twin_cook_models, twin_release_models);
}
