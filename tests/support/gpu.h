/* SPDX-License-Identifier: MIT */
/* A validated device for each test: any message of the validation layer, also about objects that leak, fails it.
 * SN_TEST_DEVICE names the device; without it the best is taken. Include it after cmocka.h. */
#ifndef SN_TESTS_SUPPORT_GPU_H
#define SN_TESTS_SUPPORT_GPU_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compute/core/commands.h"
#include "compute/core/memory.h"
#include "compute/core/open.h"
#include "compute/core/pipeline.h"
#include "compute/core/timer.h"

/* What was logged: lasts longer than the device, whose destruction has something to say too. */
typedef struct sn_test_log {
    int error_count, message_count; /* errors; warnings of the validation layer */
    bool is_quiet;
    char last_error[1024];
} sn_test_log;
static sn_test_log sn_test_logged;

static inline void sn_test_receive(sn_log_level level, const char *message, void *user)
{
    sn_test_log *logged = user;
    if (level == SN_LOG_ERROR) {
        ++logged->error_count;
        snprintf(logged->last_error, sizeof logged->last_error, "%s", message);
    } else if (strncmp(message, "vulkan: ", 8) == 0) {
        ++logged->message_count;
    }
    if (level != SN_LOG_INFO && !logged->is_quiet) {
        print_message("%s\n", message);
    }
}

static inline sn_result sn_test_gpu_create(const char *name, bool is_validated, sn_gpu_device **device)
{
    const sn_gpu_device_desc desc = {.name = name, .is_validated = is_validated};
    sn_test_logged = (sn_test_log){0};
    sn_set_log(sn_test_receive, &sn_test_logged);
    return sn_gpu_device_create(&desc, device);
}

/* For cmocka_unit_test_setup_teardown; the state is the sn_gpu_device. */
static inline int sn_test_gpu_set_up(void **state)
{
    sn_gpu_device *device = NULL;
    assert_int_equal(sn_test_gpu_create(getenv("SN_TEST_DEVICE"), true, &device), SN_OK);
    *state = device;
    return 0;
}

static inline int sn_test_gpu_tear_down(void **state)
{
    sn_gpu_device *device = *state;
    *state = NULL;
    const int counted = device ? device->validation_message_count : 0;
    sn_gpu_device_destroy(&device);
    sn_set_log(NULL, NULL);
    assert_int_equal(counted, 0);
    assert_int_equal(sn_test_logged.message_count, 0);
    return 0;
}

/* One device for all tests of a program that it can do with, since pipelines take software Vulkan seconds: messages
 * count for the test that they came in, objects that leak for the group, whose last call is sn_test_gpu_close. */
static sn_gpu_device *sn_test_gpu_shared;

static inline int sn_test_gpu_share(void **state)
{
    if (!sn_test_gpu_shared) {
        assert_int_equal(sn_test_gpu_create(getenv("SN_TEST_DEVICE"), true, &sn_test_gpu_shared), SN_OK);
    }
    sn_test_logged = (sn_test_log){0};
    sn_set_log(sn_test_receive, &sn_test_logged);
    sn_test_gpu_shared->validation_message_count = 0;
    *state = sn_test_gpu_shared;
    return 0;
}

static inline int sn_test_gpu_unshare(void **state)
{
    *state = NULL;
    sn_set_log(NULL, NULL);
    assert_int_equal(sn_test_gpu_shared->validation_message_count, 0);
    assert_int_equal(sn_test_logged.message_count, 0);
    return 0;
}

static inline void sn_test_gpu_close(void)
{
    sn_test_logged = (sn_test_log){0};
    sn_set_log(sn_test_receive, &sn_test_logged);
    sn_gpu_device_destroy(&sn_test_gpu_shared);
    sn_set_log(NULL, NULL);
    assert_int_equal(sn_test_logged.message_count, 0);
}

/* Around what a test records: submits it, and waits until it is done. */
static inline VkCommandBuffer sn_test_gpu_begin(sn_gpu_device *device)
{
    VkCommandBuffer commands = VK_NULL_HANDLE;
    assert_int_equal(sn_gpu_begin(device, &commands), SN_OK);
    return commands;
}

static inline void sn_test_gpu_run(sn_gpu_device *device, VkCommandBuffer commands)
{
    uint64_t value = 0;
    assert_int_equal(sn_gpu_submit(device, commands, &value), SN_OK);
    assert_int_equal(sn_gpu_wait(device, value), SN_OK);
}

static inline sn_gpu_buffer sn_test_gpu_create_readback(sn_gpu_device *device, VkDeviceSize size)
{
    sn_gpu_buffer buffer;
    assert_int_equal(sn_gpu_buffer_create(device, "read back", size, VK_BUFFER_USAGE_TRANSFER_DST_BIT,
                                          SN_GPU_MEMORY_READBACK, &buffer),
                     SN_OK);
    assert_non_null(buffer.mapped);
    return buffer;
}

/* Bytes of a buffer that shaders wrote, behind what the commands hold. */
static inline void sn_test_gpu_read(sn_gpu_device *device, VkCommandBuffer commands, VkBuffer from, VkDeviceSize offset,
                                    VkDeviceSize size, void *bytes)
{
    const VkBufferCopy region = {.srcOffset = offset, .size = size};
    sn_gpu_buffer readback = sn_test_gpu_create_readback(device, size);
    sn_gpu_barrier(commands, SN_GPU_SHADER_WRITE, SN_GPU_TRANSFER_READ);
    vkCmdCopyBuffer(commands, from, readback.handle, 1, &region);
    sn_gpu_barrier(commands, SN_GPU_TRANSFER_WRITE, SN_GPU_HOST_READ);
    sn_gpu_barrier(commands, SN_GPU_TRANSFER_READ, SN_GPU_SHADER_WRITE);
    sn_test_gpu_run(device, commands);
    assert_int_equal(sn_gpu_buffer_invalidate(device, &readback), SN_OK);
    memcpy(bytes, readback.mapped, size);
    sn_gpu_buffer_destroy(device, &readback);
}

#define SN_TEST_SHARED_GPU(function) cmocka_unit_test_setup_teardown(function, sn_test_gpu_share, sn_test_gpu_unshare)

#endif
