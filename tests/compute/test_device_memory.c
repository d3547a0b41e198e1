/* SPDX-License-Identifier: MIT */
/* Buffers and images of the device, checked by what comes back. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/support/gpu.h"

static void test_buffer_round_trip(void **state)
{
    enum { SIZE = 1234567 };
    sn_gpu_device *device = *state;
    uint8_t *bytes = sn_alloc(SIZE, 1);
    assert_non_null(bytes);
    for (size_t i = 0; i < SIZE; ++i) {
        bytes[i] = (uint8_t)(i * 37 >> 3);
    }
    sn_gpu_buffer buffer, empty, readback = sn_test_gpu_create_readback(device, SIZE);
    assert_int_equal(
        sn_gpu_buffer_create_filled(device, "bytes", bytes, SIZE, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT, &buffer), SN_OK);
    assert_null(buffer.mapped);
    assert_int_equal(sn_gpu_buffer_create_filled(device, "empty", NULL, 0, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT, &empty),
                     SN_OK);
    assert_int_equal(empty.size, 16);
    VkCommandBuffer commands = sn_test_gpu_begin(device);
    const VkBufferCopy region = {.size = SIZE};
    vkCmdCopyBuffer(commands, buffer.handle, readback.handle, 1, &region);
    sn_gpu_barrier(commands, SN_GPU_TRANSFER_WRITE, SN_GPU_HOST_READ);
    sn_test_gpu_run(device, commands);
    assert_int_equal(sn_gpu_buffer_invalidate(device, &readback), SN_OK);
    assert_memory_equal(readback.mapped, bytes, SIZE);
    sn_gpu_buffer_destroy(device, &buffer);
    sn_gpu_buffer_destroy(device, &buffer); /* a zeroed one */
    sn_gpu_buffer_destroy(device, &empty);
    sn_gpu_buffer_destroy(device, &readback);
    sn_free(bytes, SIZE, 1);
}

/* The memory that it would take is never asked for. */
static void test_storage_beyond_the_device(void **state)
{
    sn_gpu_device *device = *state;
    sn_gpu_buffer buffer;
    const VkDeviceSize size = (VkDeviceSize)device->properties.limits.maxStorageBufferRange + 1;
    assert_int_equal(
        sn_gpu_buffer_create(device, "huge", size, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT, SN_GPU_MEMORY_DEVICE, &buffer),
        SN_ERROR_UNSUPPORTED);
    assert_int_equal(sn_test_logged.error_count, 1);
    assert_non_null(strstr(sn_test_logged.last_error, "huge"));
    assert_true(buffer.handle == VK_NULL_HANDLE);
}

/* Uploads pixels, and reads mip 0, then the last mip, which is one pixel. */
static void image_round_trip(sn_gpu_device *device, VkFormat format, uint32_t width, uint32_t height,
                             const uint8_t *pixels, uint8_t *mip_0, uint8_t last_mip[4])
{
    const uint32_t size = 4 * width * height;
    const sn_gpu_image_desc desc = {.name = "picture",
                                    .format = format,
                                    .width = width,
                                    .height = height,
                                    .usage = VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT |
                                             VK_IMAGE_USAGE_TRANSFER_DST_BIT,
                                    .aspect = VK_IMAGE_ASPECT_COLOR_BIT};
    sn_gpu_image image;
    sn_gpu_buffer readback = sn_test_gpu_create_readback(device, size + 4);
    assert_int_equal(sn_gpu_image_create(device, &desc, &image), SN_OK);
    assert_true(image.view != VK_NULL_HANDLE);
    assert_int_equal(sn_gpu_upload_image(device, &image, pixels), SN_OK);
    const VkBufferImageCopy regions[] = {
        {.imageSubresource = {desc.aspect, 0, 0, 1}, .imageExtent = {width, height, 1}},
        {.bufferOffset = size,
         .imageSubresource = {desc.aspect, image.desc.mip_count - 1, 0, 1},
         .imageExtent = {1, 1, 1}}};
    VkCommandBuffer commands = sn_test_gpu_begin(device);
    sn_gpu_barrier_image(commands, &image, SN_GPU_SHADER_READ, SN_GPU_TRANSFER_READ);
    vkCmdCopyImageToBuffer(commands, image.handle, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, readback.handle, 2, regions);
    sn_gpu_barrier(commands, SN_GPU_TRANSFER_WRITE, SN_GPU_HOST_READ);
    sn_test_gpu_run(device, commands);
    assert_int_equal(sn_gpu_buffer_invalidate(device, &readback), SN_OK);
    memcpy(mip_0, readback.mapped, size);
    memcpy(last_mip, (const uint8_t *)readback.mapped + size, 4);
    sn_gpu_buffer_destroy(device, &readback);
    sn_gpu_image_destroy(device, &image);
    sn_gpu_image_destroy(device, &image); /* a zeroed one */
}

static void test_image_round_trip(void **state)
{
    enum { WIDTH = 37, HEIGHT = 21, COUNT = WIDTH * HEIGHT };
    static uint8_t pixels[4 * COUNT], mip_0[4 * COUNT];
    uint8_t last_mip[4];
    double mean[4] = {0};
    for (int i = 0; i < COUNT; ++i) {
        const int x = i % WIDTH, y = i / WIDTH;
        const int pixel[4] = {x * 6, y * 12, 40 + x + 2 * y, 255};
        for (int k = 0; k < 4; ++k) {
            pixels[4 * i + k] = (uint8_t)pixel[k];
            mean[k] += pixel[k] / (double)COUNT;
        }
    }
    image_round_trip(*state, VK_FORMAT_R8G8B8A8_UNORM, WIDTH, HEIGHT, pixels, mip_0, last_mip);
    assert_memory_equal(mip_0, pixels, sizeof pixels);
    for (int k = 0; k < 4; ++k) { /* halving an odd size by linear blits is not quite a mean */
        assert_float_equal(last_mip[k], mean[k], k == 3 ? 0 : 5);
    }
}

static void test_mips_of_srgb(void **state)
{
    static const uint8_t pixels[16] = {255, 0, 255, 255, 0, 0, 255, 255, 0, 0, 255, 255, 255, 0, 255, 255};
    uint8_t mip_0[16], last_mip[4];
    image_round_trip(*state, VK_FORMAT_R8G8B8A8_SRGB, 2, 2, pixels, mip_0, last_mip);
    assert_memory_equal(mip_0, pixels, sizeof pixels);
    assert_in_range(last_mip[0], 186, 190); /* half of the light, not half of the number */
    assert_int_equal(last_mip[1], 0);
    assert_int_equal(last_mip[2], 255);
}

static void test_image_beyond_the_device(void **state)
{
    sn_gpu_device *device = *state;
    const sn_gpu_image_desc desc = {.name = "huge",
                                    .format = VK_FORMAT_R8G8B8A8_UNORM,
                                    .width = 1u << 30,
                                    .height = 1,
                                    .usage = VK_IMAGE_USAGE_SAMPLED_BIT,
                                    .aspect = VK_IMAGE_ASPECT_COLOR_BIT};
    sn_gpu_image image;
    assert_int_equal(sn_gpu_image_create(device, &desc, &image), SN_ERROR_UNSUPPORTED);
    assert_int_equal(sn_test_logged.error_count, 1);
    assert_non_null(strstr(sn_test_logged.last_error, "huge"));
    assert_true(image.handle == VK_NULL_HANDLE);
}

/* Memory that the device and the host share may be scarce: what is copied once is not in it. */
static void test_memory_types(void **state)
{
    enum { LOCAL = 1, VISIBLE = 2, COHERENT = 4, CACHED = 8 };
    static const VkMemoryPropertyFlags flags[] = {LOCAL | VISIBLE | COHERENT, LOCAL, VISIBLE | COHERENT,
                                                  VISIBLE | COHERENT | CACHED};
    sn_gpu_device device = **(sn_gpu_device **)state;
    device.memory.memoryTypeCount = 4;
    for (int i = 0; i < 4; ++i) {
        device.memory.memoryTypes[i].propertyFlags = flags[i];
    }
    assert_int_equal(sn_gpu_find_memory_type(&device, 15, SN_GPU_MEMORY_DEVICE, 0), 1);
    assert_int_equal(sn_gpu_find_memory_type(&device, 13, SN_GPU_MEMORY_DEVICE, 1), 0);
    assert_int_equal(sn_gpu_find_memory_type(&device, 15, SN_GPU_MEMORY_STREAM, 0), 0);
    assert_int_equal(sn_gpu_find_memory_type(&device, 15, SN_GPU_MEMORY_STAGING, 0), 2);
    assert_int_equal(sn_gpu_find_memory_type(&device, 15, SN_GPU_MEMORY_READBACK, 0), 3);
    device.memory.memoryTypeCount = 1; /* one memory for all, as software Vulkan has */
    assert_int_equal(sn_gpu_find_memory_type(&device, 15, SN_GPU_MEMORY_STAGING, 0), UINT32_MAX);
    assert_int_equal(sn_gpu_find_memory_type(&device, 15, SN_GPU_MEMORY_STAGING, 1), 0);
}

/* Small buffers share a block, in which they do not overlap; freed parts are used again. */
static void test_blocks(void **state)
{
    enum { COUNT = 400 };
    static sn_gpu_buffer buffers[COUNT];
    sn_gpu_device *device = *state;
    const VkBufferUsageFlags usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT;
    const int before = sn_gpu_memory_block_count(device);
    uint32_t random = 1;
    for (int round = 0; round < 4; ++round) {
        for (int i = 0; i < COUNT; ++i) {
            random = random * 1664525 + 1013904223;
            if (round > 0 && (random >> 16) % 3 > 0) {
                continue;
            }
            const VkDeviceSize size = 1 + (random >> 20) * (i % 7 == 0 ? 10U : 1U);
            sn_gpu_buffer_destroy(device, &buffers[i]);
            assert_int_equal(sn_gpu_buffer_create(device, "part", size, usage, SN_GPU_MEMORY_STREAM, &buffers[i]),
                             SN_OK);
            memset(buffers[i].mapped, i % 251, buffers[i].size);
        }
        for (int i = 0; i < COUNT; ++i) {
            const uint8_t *bytes = buffers[i].mapped;
            for (VkDeviceSize k = 0; k < buffers[i].size; ++k) {
                assert_int_equal(bytes[k], i % 251);
            }
        }
    }
    assert_in_range(sn_gpu_memory_block_count(device), before, before + 2);
    for (int i = 0; i < COUNT; ++i) {
        sn_gpu_buffer_destroy(device, &buffers[i]);
    }
    sn_gpu_buffer large;
    assert_int_equal(sn_gpu_buffer_create(device, "large", 20 << 20, usage, SN_GPU_MEMORY_DEVICE, &large), SN_OK);
    const int with_large = sn_gpu_memory_block_count(device);
    sn_gpu_buffer_destroy(device, &large);
    assert_int_equal(sn_gpu_memory_block_count(device), with_large - 1);
}

int test_device_memory(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_buffer_round_trip, sn_test_gpu_set_up, sn_test_gpu_tear_down),
        cmocka_unit_test_setup_teardown(test_memory_types, sn_test_gpu_set_up, sn_test_gpu_tear_down),
        cmocka_unit_test_setup_teardown(test_blocks, sn_test_gpu_set_up, sn_test_gpu_tear_down),
        cmocka_unit_test_setup_teardown(test_storage_beyond_the_device, sn_test_gpu_set_up, sn_test_gpu_tear_down),
        cmocka_unit_test_setup_teardown(test_image_round_trip, sn_test_gpu_set_up, sn_test_gpu_tear_down),
        cmocka_unit_test_setup_teardown(test_mips_of_srgb, sn_test_gpu_set_up, sn_test_gpu_tear_down),
        cmocka_unit_test_setup_teardown(test_image_beyond_the_device, sn_test_gpu_set_up, sn_test_gpu_tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
