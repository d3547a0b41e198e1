/* SPDX-License-Identifier: MIT */
/* Worlds on a device that the program made: what is refused, and two of them in the same commands. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "tests/support/gpu_world.h"

typedef struct program_features {
    VkPhysicalDeviceVulkan12Features v12;
    VkPhysicalDeviceVulkan13Features v13;
} program_features;

static sn_gpu_desc program_desc(const sn_gpu_device *device, program_features *features)
{
    sn_gpu_desc desc = sn_default_gpu_desc();
    *features = (program_features){.v12 = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES,
                                           .pNext = &features->v13,
                                           .timelineSemaphore = VK_TRUE},
                                   .v13 = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES,
                                           .synchronization2 = VK_TRUE,
                                           .maintenance4 = VK_TRUE}};
    desc.instance = device->instance;
    desc.physical_device = device->physical;
    desc.device = device->handle;
    desc.queue = device->queue;
    desc.queue_family = device->queue_family;
    desc.enabled_features = features;
    return desc;
}

static void expect_refusal(const sn_gpu_desc *desc, sn_result expected, const char *part)
{
    sn_gpu *gpu = NULL;
    const int before = sn_test_logged.error_count;
    assert_int_equal(sn_gpu_create(desc, &gpu), expected);
    assert_null(gpu);
    assert_int_equal(sn_test_logged.error_count, before + 1);
    assert_non_null(strstr(sn_test_logged.last_error, part));
}

static void test_refuses_a_device(void **state)
{
    program_features features;
    const sn_gpu_desc good = program_desc(*state, &features);
    sn_gpu_desc bad = good;
    const size_t allocated = sn_allocated_bytes();
    sn_test_logged.is_quiet = true;
    bad.instance = VK_NULL_HANDLE;
    expect_refusal(&bad, SN_ERROR_ARGUMENT, "the instance is null");
    bad = good;
    bad.physical_device = VK_NULL_HANDLE;
    expect_refusal(&bad, SN_ERROR_ARGUMENT, "the physical device is null");
    bad = good;
    bad.device = VK_NULL_HANDLE;
    expect_refusal(&bad, SN_ERROR_ARGUMENT, "the device is null");
    bad = good;
    bad.queue = VK_NULL_HANDLE;
    expect_refusal(&bad, SN_ERROR_ARGUMENT, "the queue is null");
    bad = good;
    bad.queue_family = 31;
    expect_refusal(&bad, SN_ERROR_ARGUMENT, "queue family 31");
    bad = good;
    bad.frames_in_flight = 9;
    expect_refusal(&bad, SN_ERROR_ARGUMENT, "9 frames in flight");
    bad = good;
    bad.enabled_features = NULL;
    expect_refusal(&bad, SN_ERROR_UNSUPPORTED, "without timelineSemaphore synchronization2 maintenance4");
    features.v13.maintenance4 = VK_FALSE;
    expect_refusal(&good, SN_ERROR_UNSUPPORTED, "without maintenance4");
    features.v13.maintenance4 = VK_TRUE;
    features.v12.timelineSemaphore = VK_FALSE;
    expect_refusal(&good, SN_ERROR_UNSUPPORTED, "without timelineSemaphore");
    VkPhysicalDeviceTimelineSemaphoreFeatures alone = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TIMELINE_SEMAPHORE_FEATURES, .timelineSemaphore = VK_TRUE};
    features.v13.pNext = &alone;
    sn_gpu *gpu = NULL;
    assert_int_equal(sn_gpu_create(&good, &gpu), SN_OK);
    sn_gpu_destroy(&gpu);
    sn_gpu_destroy(&gpu); /* null is allowed */
    assert_int_equal(sn_allocated_bytes(), allocated);
    sn_test_logged.is_quiet = false;
}

/* The same hardware, by an instance that asked for too little. */
static void test_refuses_an_old_instance(void **state)
{
    const sn_gpu_device *device = *state;
    program_features features;
    sn_gpu_desc desc = program_desc(device, &features);
    const VkApplicationInfo application = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
                                           .apiVersion = VK_API_VERSION_1_2};
    const VkInstanceCreateInfo instance = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
                                           .pApplicationInfo = &application};
    const float priority = 1;
    const VkDeviceQueueCreateInfo queue = {.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
                                           .queueFamilyIndex = device->queue_family,
                                           .queueCount = 1,
                                           .pQueuePriorities = &priority};
    const VkDeviceCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO, .queueCreateInfoCount = 1, .pQueueCreateInfos = &queue};
    VkPhysicalDevice physicals[16];
    uint32_t count = 16, index = 0;
    assert_int_equal(vkCreateInstance(&instance, NULL, &desc.instance), VK_SUCCESS);
    assert_true(vkEnumeratePhysicalDevices(desc.instance, &count, physicals) >= 0);
    VkPhysicalDeviceProperties properties = {.deviceID = device->properties.deviceID + 1};
    for (; index < count && properties.deviceID != device->properties.deviceID; ++index) {
        vkGetPhysicalDeviceProperties(physicals[index], &properties);
    }
    desc.physical_device = physicals[index - 1];
    assert_int_equal(vkCreateDevice(desc.physical_device, &info, NULL, &desc.device), VK_SUCCESS);
    vkGetDeviceQueue(desc.device, device->queue_family, 0, &desc.queue);
    sn_test_logged.is_quiet = true;
    expect_refusal(&desc, SN_ERROR_UNSUPPORTED, "below 1.3");
    sn_test_logged.is_quiet = false;
    vkDestroyDevice(desc.device, NULL);
    vkDestroyInstance(desc.instance, NULL);
}

/* Two worlds on the program's device, one after the other in the same commands. */
static void test_steps_on_the_programs_device(void **state)
{
    program_features features;
    const sn_gpu_desc desc = program_desc(*state, &features);
    twins t = twins_make_crowd(*state, 3);
    sn_world_desc world_desc = sn_default_world_desc();
    sn_gpu *gpu = NULL;
    sn_world_id world;
    sn_body_id body;
    assert_int_equal(sn_gpu_create(&desc, &gpu), SN_OK);
    world_desc.backend = sn_gpu_backend(gpu);
    assert_int_equal(sn_world_create(&world_desc, &world), SN_OK);
    const sn_body_desc body_desc = twin_desc(twin_models[0]);
    assert_int_equal(sn_body_create(world, &body_desc, &body), SN_OK);
    const sn_body_id guest = t.guests[0];
    for (int frame = 1; frame < 30; ++frame) {
        VkCommandBuffer commands = VK_NULL_HANDLE;
        uint64_t value = 0;
        twins_pose_all(&t, frame / 60.0);
        t.guests[0] = body;
        twins_pose(&t, 0, frame / 60.0);
        t.guests[0] = guest;
        if (frame == 1) {
            twins_reset_all(&t);
            sn_body_reset(body);
        }
        sn_world_step(t.host, 1.0 / 60);
        assert_int_equal(sn_gpu_begin(t.device, &commands), SN_OK);
        sn_gpu_record_step(world, 1.0 / 60, commands);
        sn_gpu_record_step(t.guest, 1.0 / 60, commands);
        assert_int_equal(sn_gpu_submit(t.device, commands, &value), SN_OK);
        assert_int_equal(sn_gpu_wait(t.device, value), SN_OK);
    }
    twins_expect_same(&t, "the second world", 5e-5);
    t.guests[0] = body;
    twins_expect_same(&t, "the first", 5e-5);
    sn_world_destroy(world);
    sn_gpu_destroy(&gpu);
    twins_finish(&t);
}

int test_gpu_program_device(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_refuses_a_device, sn_test_gpu_set_up, sn_test_gpu_tear_down),
        cmocka_unit_test_setup_teardown(test_refuses_an_old_instance, sn_test_gpu_set_up, sn_test_gpu_tear_down),
        cmocka_unit_test_setup_teardown(test_steps_on_the_programs_device, sn_test_gpu_set_up, sn_test_gpu_tear_down),
    };
    return cmocka_run_group_tests(tests, twin_cook_models, twin_release_models);
}
