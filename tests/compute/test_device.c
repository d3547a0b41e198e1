/* SPDX-License-Identifier: MIT */
/* The device, its memory, commands and pipelines, each checked by what comes back. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/support/gpu.h"

static const uint32_t double_code[] =
#include "shaders/test/double.comp.inc"
    ;
static const uint32_t vertex_code[] =
#include "shaders/test/triangle.vert.inc"
    ;
static const uint32_t fragment_code[] =
#include "shaders/test/triangle.frag.inc"
    ;

static sn_gpu_buffer create_readback(sn_gpu_device *device, VkDeviceSize size)
{
    sn_gpu_buffer buffer;
    assert_int_equal(sn_gpu_buffer_create(device, "read back", size, VK_BUFFER_USAGE_TRANSFER_DST_BIT,
                                          SN_GPU_MEMORY_READBACK, &buffer),
                     SN_OK);
    assert_non_null(buffer.mapped);
    return buffer;
}

static void test_unknown_device(void **state)
{
    (void)state;
    sn_gpu_device *device = NULL;
    assert_int_equal(sn_test_gpu_create("no such device", false, &device), SN_ERROR_UNSUPPORTED);
    assert_null(device);
    assert_int_equal(sn_test_logged.error_count, 1);
    assert_non_null(strstr(sn_test_logged.last_error, "is called 'no such device'; there are: "));
    assert_true(strlen(strstr(sn_test_logged.last_error, "there are: ")) > strlen("there are: "));
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

static void test_buffer_round_trip(void **state)
{
    enum { SIZE = 1234567 };
    sn_gpu_device *device = *state;
    uint8_t *bytes = sn_alloc(SIZE, 1);
    assert_non_null(bytes);
    for (size_t i = 0; i < SIZE; ++i) {
        bytes[i] = (uint8_t)(i * 37 >> 3);
    }
    sn_gpu_buffer buffer, empty, readback = create_readback(device, SIZE);
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
    sn_gpu_buffer readback = create_readback(device, size + 4);
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
    assert_int_equal(sn_gpu_set_layout_create(device, "double", kinds, 1, &k.set_layout), SN_OK);
    assert_int_equal(sn_gpu_pipeline_layout_create(device, "double", &k.set_layout, 1, 4, &k.layout), SN_OK);
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
    sn_gpu_buffer buffer, readback = create_readback(device, sizeof words);
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
    sn_gpu_buffer readback = create_readback(device, 4 * PICTURE_WIDTH * PICTURE_HEIGHT);
    VkPipelineLayout layout = VK_NULL_HANDLE;
    assert_int_equal(sn_gpu_image_create(device, &desc, &image), SN_OK);
    assert_int_equal(sn_gpu_pipeline_layout_create(device, "triangle", NULL, 0, sizeof(float), &layout), SN_OK);
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
    assert_int_equal(sn_gpu_set_layout_create(device, "leaked", NULL, 0, &leaked), SN_OK);
    assert_int_equal(sn_test_logged.message_count, 0);
    sn_gpu_device_destroy(&device);
    sn_set_log(NULL, NULL);
    assert_true(sn_test_logged.message_count > 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, sn_test_gpu_set_up, sn_test_gpu_tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_unknown_device),
        cmocka_unit_test(test_no_driver),
        cmocka_unit_test(test_no_validation_layer),
        TEST(test_device_names),
        TEST(test_buffer_round_trip),
        TEST(test_storage_beyond_the_device),
        TEST(test_image_round_trip),
        TEST(test_mips_of_srgb),
        TEST(test_image_beyond_the_device),
        TEST(test_timeline),
        TEST(test_timer),
        TEST(test_compute),
        TEST(test_graphics),
        cmocka_unit_test(test_wrong_use_is_counted),
        cmocka_unit_test(test_missing_barrier_is_counted),
        cmocka_unit_test(test_leaked_object_is_seen),
    };
    return cmocka_run_group_tests_name("device", tests, NULL, NULL);
}
