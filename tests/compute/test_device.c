/* SPDX-License-Identifier: MIT */
/* The device: which one is found, its queue's timeline and timers, and that validation is alive. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "compute/core/open.h"
#include "tests/support/gpu.h"

static void test_unknown_device(void **state)
{
    (void)state;
    sn_gpu_device *device = NULL;
    assert_int_equal(sn_test_gpu_create("no such device", false, &device), SN_ERROR_UNSUPPORTED);
    assert_null(device);
    assert_int_equal(sn_test_logged.error_count, 1);
    assert_non_null(strstr(sn_test_logged.last_error, "matches 'no such device'; available: "));
    assert_true(strlen(strstr(sn_test_logged.last_error, "available: ")) > strlen("available: "));
    sn_gpu_device_destroy(&device); /* null is allowed */
    sn_set_log(NULL, NULL);
    assert_int_equal(sn_allocated_bytes(), 0);
}

/* Sets a variable and hands out a copy of what it was. */
static char *swap_variable(const char *name, const char *value)
{
    const char *old = getenv(name);
    char *copy = old ? strdup(old) : NULL;
    assert_int_equal(value ? setenv(name, value, 1) : unsetenv(name), 0);
    return copy;
}

/* Creates a device where the loader looks for drivers or layers in a place that has none. */
static void assert_hint_without(const char *variable, bool is_validated, const char *package)
{
    sn_gpu_device *device = NULL;
    char *old = swap_variable(variable, "/nonexistent");
    const sn_result result = sn_test_gpu_create(NULL, is_validated, &device);
    free(swap_variable(variable, old));
    free(old);
    sn_set_log(NULL, NULL);
    assert_int_equal(result, SN_ERROR_UNSUPPORTED);
    assert_null(device);
    assert_int_equal(sn_test_logged.error_count, 1);
    assert_non_null(strstr(sn_test_logged.last_error, package));
    assert_int_equal(sn_allocated_bytes(), 0);
}

static void test_no_driver(void **state)
{
    (void)state;
    char *old = swap_variable("VK_ICD_FILENAMES", "/nonexistent"); /* the older name of the same */
    assert_hint_without("VK_DRIVER_FILES", false, "mesa-vulkan-drivers");
    free(swap_variable("VK_ICD_FILENAMES", old));
    free(old);
}

static void test_no_validation_layer(void **state)
{
    (void)state;
    assert_hint_without("VK_LAYER_PATH", true, "vulkan-validationlayers");
}

static void test_device_names(void **state)
{
    sn_gpu_device *any = *state, *device = NULL;
    char name[VK_MAX_PHYSICAL_DEVICE_NAME_SIZE];
    snprintf(name, sizeof name, "%.6s", any->properties.deviceName);
    for (char *c = name; *c; ++c) { /* in any case */
        *c = (char)(*c >= 'a' && *c <= 'z' ? *c - 'a' + 'A' : *c);
    }
    assert_int_equal(sn_test_gpu_create(name, false, &device), SN_OK);
    assert_int_equal(device->validation_message_count, 0);
    sn_gpu_device_destroy(&device);
    if (sn_gpu_device_is_software(any)) {
        assert_int_equal(sn_test_gpu_create("cpu", false, &device), SN_OK);
        assert_true(sn_gpu_device_is_software(device));
        sn_gpu_device_destroy(&device);
    }
}

static void test_timeline(void **state)
{
    enum { SUBMISSION_COUNT = 100, IN_FLIGHT = 3 };
    sn_gpu_device *device = *state;
    VkCommandBuffer seen[SUBMISSION_COUNT];
    int seen_count = 0;
    const uint64_t first = device->submitted;
    for (uint64_t i = 1; i <= SUBMISSION_COUNT; ++i) {
        uint64_t value = 0;
        VkCommandBuffer commands = sn_test_gpu_begin(device);
        assert_int_equal(sn_gpu_submit(device, commands, &value), SN_OK);
        assert_int_equal(value, first + i);
        assert_int_equal(sn_gpu_wait(device, value > IN_FLIGHT ? value - IN_FLIGHT : 0), SN_OK);
        int k = 0;
        while (k < seen_count && seen[k] != commands) {
            ++k;
        }
        seen[k] = commands;
        seen_count = k == seen_count ? k + 1 : seen_count;
    }
    assert_in_range(seen_count, 1, IN_FLIGHT + 1);
    assert_int_equal(sn_gpu_wait(device, device->submitted), SN_OK);
    /* Two at a time are two; what is discarded is used again. */
    VkCommandBuffer one = sn_test_gpu_begin(device), two = sn_test_gpu_begin(device);
    assert_true(one != two);
    sn_gpu_discard(device, two);
    assert_true(sn_test_gpu_begin(device) == two);
    sn_test_gpu_run(device, two);
    sn_gpu_discard(device, one);
}

/* Spans are of the work between their ends; one of nothing is shorter than one of much. */
static void test_timer(void **state)
{
    enum { SIZE = 1 << 24 };
    sn_gpu_device *device = *state;
    sn_gpu_timer timer;
    sn_gpu_buffer buffer;
    double seconds[2] = {-1, -1};
    assert_int_equal(sn_gpu_timer_create(device, "timer", 2, &timer), SN_OK);
    assert_int_equal(sn_gpu_buffer_create(device, "filled", SIZE, 0, SN_GPU_MEMORY_DEVICE, &buffer), SN_OK);
    VkCommandBuffer commands = sn_test_gpu_begin(device);
    for (uint32_t span = 0; span < 2; ++span) {
        sn_gpu_timer_begin(&timer, commands, span);
        for (uint32_t i = 0; span == 1 && i < 20; ++i) {
            sn_gpu_barrier(commands, SN_GPU_TRANSFER_WRITE, SN_GPU_TRANSFER_WRITE);
            vkCmdFillBuffer(commands, buffer.handle, 0, SIZE, i);
        }
        sn_gpu_timer_end(&timer, commands, span);
    }
    sn_test_gpu_run(device, commands);
    for (uint32_t span = 0; span < 2; ++span) {
        assert_int_equal(sn_gpu_timer_read(device, &timer, span, &seconds[span]), SN_OK);
        assert_true(seconds[span] >= 0 && seconds[span] < 60);
    }
    assert_true(device->timestamp_mask == 0 || seconds[1] > seconds[0]);
    sn_gpu_timer_destroy(device, &timer);
    sn_gpu_timer_destroy(device, &timer); /* a zeroed one */
    /* a queue without timestamps: everything goes on, and takes no time */
    const uint64_t mask = device->timestamp_mask;
    device->timestamp_mask = 0;
    assert_int_equal(sn_gpu_timer_create(device, "timer", 1, &timer), SN_OK);
    commands = sn_test_gpu_begin(device);
    sn_gpu_timer_begin(&timer, commands, 0);
    sn_gpu_timer_end(&timer, commands, 0);
    sn_test_gpu_run(device, commands);
    assert_int_equal(sn_gpu_timer_read(device, &timer, 0, &seconds[0]), SN_OK);
    assert_true(seconds[0] == 0);
    sn_gpu_timer_destroy(device, &timer);
    device->timestamp_mask = mask;
    sn_gpu_buffer_destroy(device, &buffer);
}

/* The three below make sure that the counting is alive: each makes a mistake. */
static sn_gpu_device *create_quiet(void)
{
    sn_gpu_device *device = NULL;
    assert_int_equal(sn_test_gpu_create(getenv("SN_TEST_DEVICE"), true, &device), SN_OK);
    sn_test_logged.is_quiet = true;
    assert_int_equal(device->validation_message_count, 0);
    return device;
}

static void test_wrong_use_is_counted(void **state)
{
    (void)state;
    sn_gpu_device *device = create_quiet();
    const VkBufferCreateInfo info = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO, .size = 16}; /* without a usage */
    VkBuffer buffer = VK_NULL_HANDLE;
    if (vkCreateBuffer(device->handle, &info, NULL, &buffer) == VK_SUCCESS) {
        vkDestroyBuffer(device->handle, buffer, NULL);
    }
    assert_true(device->validation_message_count > 0);
    assert_int_equal(sn_test_logged.message_count, device->validation_message_count);
    sn_gpu_device_destroy(&device);
    sn_set_log(NULL, NULL);
}

static void test_missing_barrier_is_counted(void **state)
{
    (void)state;
    sn_gpu_device *device = create_quiet();
    sn_gpu_buffer buffer;
    assert_int_equal(sn_gpu_buffer_create(device, "twice", 64, 0, SN_GPU_MEMORY_DEVICE, &buffer), SN_OK);
    VkCommandBuffer commands = sn_test_gpu_begin(device);
    vkCmdFillBuffer(commands, buffer.handle, 0, 64, 1);
    sn_gpu_barrier(commands, SN_GPU_TRANSFER_WRITE, SN_GPU_TRANSFER_WRITE);
    vkCmdFillBuffer(commands, buffer.handle, 0, 64, 2);
    assert_int_equal(device->validation_message_count, 0);
    vkCmdFillBuffer(commands, buffer.handle, 0, 64, 3);
    assert_true(device->validation_message_count > 0);
    sn_test_gpu_run(device, commands);
    sn_gpu_buffer_destroy(device, &buffer);
    sn_gpu_device_destroy(&device);
    sn_set_log(NULL, NULL);
}

static void test_leaked_object_is_seen(void **state)
{
    (void)state;
    sn_gpu_device *device = create_quiet();
    VkDescriptorSetLayout leaked = VK_NULL_HANDLE;
    assert_int_equal(sn_gpu_set_layout_create(device, "leaked", VK_SHADER_STAGE_ALL, NULL, 0, &leaked), SN_OK);
    assert_int_equal(sn_test_logged.message_count, 0);
    sn_gpu_device_destroy(&device);
    sn_set_log(NULL, NULL);
    assert_true(sn_test_logged.message_count > 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, sn_test_gpu_set_up, sn_test_gpu_tear_down)

int test_device(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_unknown_device),
        cmocka_unit_test(test_no_driver),
        cmocka_unit_test(test_no_validation_layer),
        TEST(test_device_names),
        TEST(test_timeline),
        TEST(test_timer),
        cmocka_unit_test(test_wrong_use_is_counted),
        cmocka_unit_test(test_missing_barrier_is_counted),
        cmocka_unit_test(test_leaked_object_is_seen),
    };
    return cmocka_run_group_tests_name("device", tests, NULL, NULL);
}
