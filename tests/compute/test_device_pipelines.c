/* SPDX-License-Identifier: MIT */
/* Pipelines that compute and that draw, checked by what they write. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/support/gpu.h"

static const uint32_t double_code[] =
#include "shaders/test/double.comp.inc"
    ;
static const uint32_t grid_code[] =
#include "shaders/test/grid_cell.comp.inc"
    ;
static const uint32_t vertex_code[] =
#include "shaders/test/triangle.vert.inc"
    ;
static const uint32_t fragment_code[] =
#include "shaders/test/triangle.frag.inc"
    ;

/* A set layout of one storage buffer, a pipeline layout with 4 bytes of push constants, and the pipeline. */
typedef struct kernel {
    VkDescriptorSetLayout set_layout;
    VkPipelineLayout layout;
    VkPipeline pipeline;
    sn_gpu_set set;
} kernel;

static kernel create_kernel(sn_gpu_device *device, const sn_gpu_buffer *buffer)
{
    static const VkDescriptorType kinds[] = {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER};
    const sn_gpu_binding binding = {.buffer = buffer->handle};
    kernel k;
    assert_int_equal(sn_gpu_set_layout_create(device, "double", VK_SHADER_STAGE_ALL, kinds, 1, &k.set_layout), SN_OK);
    assert_int_equal(
        sn_gpu_pipeline_layout_create(device, "double", VK_SHADER_STAGE_ALL, &k.set_layout, 1, 4, &k.layout), SN_OK);
    assert_int_equal(
        sn_gpu_compute_create(device, "double", k.layout, SN_GPU_SHADER(double_code), NULL, 0, &k.pipeline), SN_OK);
    assert_int_equal(sn_gpu_set_create(device, "double", k.set_layout, kinds, &binding, 1, &k.set), SN_OK);
    return k;
}

static void destroy_kernel(sn_gpu_device *device, kernel *k)
{
    sn_gpu_set_destroy(device, &k->set);
    sn_gpu_set_destroy(device, &k->set); /* a zeroed one */
    vkDestroyPipeline(device->handle, k->pipeline, NULL);
    vkDestroyPipelineLayout(device->handle, k->layout, NULL);
    vkDestroyDescriptorSetLayout(device->handle, k->set_layout, NULL);
}

static void test_compute(void **state)
{
    enum { COUNT = 1234, TOTAL = 1300, GROUP = 64 };
    sn_gpu_device *device = *state;
    uint32_t words[TOTAL];
    for (uint32_t i = 0; i < TOTAL; ++i) {
        words[i] = 7 * i + 3;
    }
    sn_gpu_buffer buffer, readback = sn_test_gpu_create_readback(device, sizeof words);
    assert_int_equal(
        sn_gpu_buffer_create_filled(device, "words", words, sizeof words, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT, &buffer),
        SN_OK);
    kernel k = create_kernel(device, &buffer);
    const uint32_t count = COUNT;
    const VkBufferCopy region = {.size = sizeof words};
    VkCommandBuffer commands = sn_test_gpu_begin(device);
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, k.pipeline);
    vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, k.layout, 0, 1, &k.set.handle, 0, NULL);
    vkCmdPushConstants(commands, k.layout, VK_SHADER_STAGE_ALL, 0, sizeof count, &count);
    vkCmdDispatch(commands, (COUNT + GROUP - 1) / GROUP, 1, 1);
    sn_gpu_barrier(commands, SN_GPU_SHADER_WRITE, SN_GPU_SHADER_WRITE);
    vkCmdDispatch(commands, (COUNT + GROUP - 1) / GROUP, 1, 1);
    sn_gpu_barrier(commands, SN_GPU_SHADER_WRITE, SN_GPU_TRANSFER_READ);
    vkCmdCopyBuffer(commands, buffer.handle, readback.handle, 1, &region);
    sn_gpu_barrier(commands, SN_GPU_TRANSFER_WRITE, SN_GPU_HOST_READ);
    sn_test_gpu_run(device, commands);
    assert_int_equal(sn_gpu_buffer_invalidate(device, &readback), SN_OK);
    const uint32_t *result = readback.mapped;
    for (uint32_t i = 0; i < TOTAL; ++i) {
        assert_int_equal(result[i], i < COUNT ? 4 * words[i] : words[i]);
    }
    destroy_kernel(device, &k);
    sn_gpu_buffer_destroy(device, &buffer);
    sn_gpu_buffer_destroy(device, &readback);
}

/* Whatever a position is, its cell is in the grid. */
static void test_grid_cells(void **state)
{
    enum { COUNT = 10 };
    static const VkDescriptorType kinds[] = {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER};
    static const float grid[4] = {5, 6, 7, 0};
    static const float inputs[COUNT] = {0, 0.5F, 1, 3.99F, 4, -1, 1e30F, NAN, INFINITY, -INFINITY};
    static const int cells[COUNT] = {0, 0, 1, 3, 3, 0, 3, 0, 3, 0};
    sn_gpu_device *device = *state;
    float values[4 * COUNT] = {0};
    for (int i = 0; i < COUNT; ++i) {
        values[4 * i] = values[4 * i + 1] = values[4 * i + 2] = inputs[i];
    }
    sn_gpu_buffer buffers[2];
    const VkBufferUsageFlags usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT;
    assert_int_equal(sn_gpu_buffer_create_filled(device, "positions", values, sizeof values, usage, &buffers[0]),
                     SN_OK);
    assert_int_equal(sn_gpu_buffer_create_filled(device, "grid", grid, sizeof grid, usage, &buffers[1]), SN_OK);
    const sn_gpu_binding bindings[] = {{.buffer = buffers[0].handle}, {.buffer = buffers[1].handle}};
    kernel k;
    const VkShaderStageFlags stages = VK_SHADER_STAGE_ALL;
    assert_int_equal(sn_gpu_set_layout_create(device, "cells", stages, kinds, 2, &k.set_layout), SN_OK);
    assert_int_equal(sn_gpu_pipeline_layout_create(device, "cells", stages, &k.set_layout, 1, 4, &k.layout), SN_OK);
    assert_int_equal(sn_gpu_compute_create(device, "cells", k.layout, SN_GPU_SHADER(grid_code), NULL, 0, &k.pipeline),
                     SN_OK);
    assert_int_equal(sn_gpu_set_create(device, "cells", k.set_layout, kinds, bindings, 2, &k.set), SN_OK);
    const uint32_t count = COUNT;
    VkCommandBuffer commands = sn_test_gpu_begin(device);
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, k.pipeline);
    vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, k.layout, 0, 1, &k.set.handle, 0, NULL);
    vkCmdPushConstants(commands, k.layout, stages, 0, sizeof count, &count);
    vkCmdDispatch(commands, 1, 1, 1);
    sn_test_gpu_run(device, commands);
    assert_int_equal(sn_gpu_read_back(device, &buffers[0], 0, sizeof values, values), SN_OK);
    for (int i = 0; i < COUNT; ++i) {
        assert_true(values[4 * i] == (float)cells[i]);
        assert_in_range((int)values[4 * i + 1], 0, 4);
        assert_in_range((int)values[4 * i + 2], 0, 5);
    }
    destroy_kernel(device, &k);
    sn_gpu_buffer_destroy(device, &buffers[0]);
    sn_gpu_buffer_destroy(device, &buffers[1]);
}

enum { PICTURE_WIDTH = 67, PICTURE_HEIGHT = 45 };

static VkPipeline create_triangle(sn_gpu_device *device, VkPipelineLayout layout)
{
    const float red = 1;
    sn_gpu_graphics_desc desc = {.name = "triangle",
                                 .layout = layout,
                                 .vertex = SN_GPU_SHADER(vertex_code),
                                 .fragment = SN_GPU_SHADER(fragment_code),
                                 .constants = {0, 128},
                                 .constant_count = 2,
                                 .color_format = VK_FORMAT_R8G8B8A8_UNORM,
                                 .topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST};
    VkPipeline pipeline = VK_NULL_HANDLE;
    memcpy(&desc.constants[0], &red, sizeof red);
    assert_int_equal(sn_gpu_graphics_create(device, &desc, &pipeline), SN_OK);
    return pipeline;
}

static void record_triangle(VkCommandBuffer commands, const sn_gpu_image *image, VkPipelineLayout layout,
                            VkPipeline pipeline, VkCullModeFlags cull_mode)
{
    const float size = 0.5f;
    const VkRect2D area = {.extent = {PICTURE_WIDTH, PICTURE_HEIGHT}};
    const VkViewport viewport = {0, 0, PICTURE_WIDTH, PICTURE_HEIGHT, 0, 1};
    const VkRenderingAttachmentInfo color = {.sType = VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO,
                                             .imageView = image->view,
                                             .imageLayout = VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL,
                                             .loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR,
                                             .storeOp = VK_ATTACHMENT_STORE_OP_STORE,
                                             .clearValue.color.float32 = {0, 0, 1, 1}};
    const VkRenderingInfo rendering = {.sType = VK_STRUCTURE_TYPE_RENDERING_INFO,
                                       .renderArea = area,
                                       .layerCount = 1,
                                       .colorAttachmentCount = 1,
                                       .pColorAttachments = &color};
    vkCmdBeginRendering(commands, &rendering);
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
    vkCmdSetViewport(commands, 0, 1, &viewport);
    vkCmdSetScissor(commands, 0, 1, &area);
    vkCmdSetCullMode(commands, cull_mode);
    vkCmdPushConstants(commands, layout, VK_SHADER_STAGE_ALL, 0, sizeof size, &size);
    vkCmdDraw(commands, 3, 1, 0, 0);
    vkCmdEndRendering(commands);
}

static void draw_triangle(sn_gpu_device *device, const sn_gpu_image *image, const sn_gpu_buffer *readback,
                          VkPipelineLayout layout, VkPipeline pipeline, VkCullModeFlags cull_mode)
{
    const VkBufferImageCopy region = {.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1},
                                      .imageExtent = {PICTURE_WIDTH, PICTURE_HEIGHT, 1}};
    VkCommandBuffer commands = sn_test_gpu_begin(device);
    sn_gpu_barrier_image(commands, image, SN_GPU_NONE, SN_GPU_COLOR_WRITE);
    record_triangle(commands, image, layout, pipeline, cull_mode);
    sn_gpu_barrier_image(commands, image, SN_GPU_COLOR_WRITE, SN_GPU_TRANSFER_READ);
    vkCmdCopyImageToBuffer(commands, image->handle, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, readback->handle, 1, &region);
    sn_gpu_barrier(commands, SN_GPU_TRANSFER_WRITE, SN_GPU_HOST_READ);
    sn_test_gpu_run(device, commands);
    assert_int_equal(sn_gpu_buffer_invalidate(device, readback), SN_OK);
}

static void assert_pixel(const sn_gpu_buffer *picture, int x, int y, const uint8_t expected[4])
{
    assert_memory_equal((const uint8_t *)picture->mapped + 4 * (y * PICTURE_WIDTH + x), expected, 4);
}

static void test_graphics(void **state)
{
    static const uint8_t drawn[4] = {255, 128, 0, 255}, cleared[4] = {0, 0, 255, 255};
    sn_gpu_device *device = *state;
    const sn_gpu_image_desc desc = {.name = "target",
                                    .format = VK_FORMAT_R8G8B8A8_UNORM,
                                    .width = PICTURE_WIDTH,
                                    .height = PICTURE_HEIGHT,
                                    .mip_count = 1,
                                    .usage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT,
                                    .aspect = VK_IMAGE_ASPECT_COLOR_BIT};
    sn_gpu_image image;
    sn_gpu_buffer readback = sn_test_gpu_create_readback(device, 4 * PICTURE_WIDTH * PICTURE_HEIGHT);
    VkPipelineLayout layout = VK_NULL_HANDLE;
    assert_int_equal(sn_gpu_image_create(device, &desc, &image), SN_OK);
    assert_int_equal(
        sn_gpu_pipeline_layout_create(device, "triangle", VK_SHADER_STAGE_ALL, NULL, 0, sizeof(float), &layout), SN_OK);
    VkPipeline pipeline = create_triangle(device, layout);
    draw_triangle(device, &image, &readback, layout, pipeline, VK_CULL_MODE_BACK_BIT);
    assert_pixel(&readback, PICTURE_WIDTH / 2, PICTURE_HEIGHT / 2, drawn);
    assert_pixel(&readback, 0, 0, cleared);
    assert_pixel(&readback, PICTURE_WIDTH - 1, PICTURE_HEIGHT - 1, cleared);
    draw_triangle(device, &image, &readback, layout, pipeline, VK_CULL_MODE_FRONT_BIT);
    assert_pixel(&readback, PICTURE_WIDTH / 2, PICTURE_HEIGHT / 2, cleared);
    vkDestroyPipeline(device->handle, pipeline, NULL);
    vkDestroyPipelineLayout(device->handle, layout, NULL);
    sn_gpu_image_destroy(device, &image);
    sn_gpu_buffer_destroy(device, &readback);
}

int test_device_pipelines(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_compute, sn_test_gpu_set_up, sn_test_gpu_tear_down),
        cmocka_unit_test_setup_teardown(test_grid_cells, sn_test_gpu_set_up, sn_test_gpu_tear_down),
        cmocka_unit_test_setup_teardown(test_graphics, sn_test_gpu_set_up, sn_test_gpu_tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
