/* SPDX-License-Identifier: MIT */
/* Transfer of bodies between the device and the CPU. */
#include <math.h>
#include <string.h>

#include "compute/core/commands.h"
#include "compute/xpbd/private.h"

/* A range of a buffer. */
typedef struct buffer_range {
    int binding;
    VkDeviceSize offset, size;
} buffer_range;

/* Reads ranges, concatenated, into a mapped buffer. */
static sn_result read_ranges(sn_gpu_xpbd *x, const buffer_range *ranges, int count, sn_gpu_buffer *readback)
{
    VkDeviceSize size = 0;
    for (int i = 0; i < count; ++i) {
        size += ranges[i].size;
    }
    VkCommandBuffer commands = VK_NULL_HANDLE;
    uint64_t value = 0;
    sn_result result = sn_gpu_buffer_create(x->device, "xpbd read back", size, VK_BUFFER_USAGE_TRANSFER_DST_BIT,
                                            SN_GPU_MEMORY_READBACK, readback);
    if (result == SN_OK) {
        result = sn_gpu_begin(x->device, &commands);
    }
    if (result != SN_OK) {
        return result;
    }
    sn_gpu_barrier(commands, SN_GPU_SHADER_WRITE, SN_GPU_TRANSFER_READ);
    for (VkDeviceSize i = 0, to = 0; i < (VkDeviceSize)count; to += ranges[i++].size) {
        const VkBufferCopy region = {.srcOffset = ranges[i].offset, .dstOffset = to, .size = ranges[i].size};
        vkCmdCopyBuffer(commands, x->buffers[ranges[i].binding].handle, readback->handle, 1, &region);
    }
    sn_gpu_barrier(commands, SN_GPU_TRANSFER_WRITE, SN_GPU_HOST_READ);
    sn_gpu_barrier(commands, SN_GPU_TRANSFER_READ, SN_GPU_SHADER_WRITE);
    result = sn_gpu_submit(x->device, commands, &value);
    if (result == SN_OK) {
        result = sn_gpu_wait(x->device, value);
    }
    return result == SN_OK ? sn_gpu_buffer_invalidate(x->device, readback) : result;
}

static buffer_range status_of(const sn_gpu_xpbd_body *body)
{
    const size_t bytes = sizeof(struct sn_xpbd_status);
    return (buffer_range){SN_XPBD_STATUSES, body->record.body * bytes, bytes};
}

static buffer_range rows_of(const sn_gpu_xpbd_body *body, int binding, uint32_t first, uint32_t count)
{
    return (buffer_range){binding, (body->record.row + (VkDeviceSize)first) * SN_XPBD_ROW_BYTES,
                          count * SN_XPBD_ROW_BYTES};
}

sn_result sn_gpu_xpbd_read_position(sn_gpu_xpbd *x, const sn_gpu_xpbd_body *body, int row, double *position)
{
    const buffer_range ranges[] = {status_of(body), rows_of(body, SN_XPBD_DISPLACEMENTS, (uint32_t)row, 1)};
    const float *rest = sn_gpu_xpbd_model_of(x, body)->model->rest + 4 * (size_t)row;
    sn_gpu_buffer readback = {0};
    const sn_result result = read_ranges(x, ranges, 2, &readback);
    if (result == SN_OK) {
        struct sn_xpbd_status status;
        float moved[4];
        memcpy(&status, readback.mapped, sizeof status);
        memcpy(moved, (const uint8_t *)readback.mapped + sizeof status, sizeof moved);
        for (int d = 0; d < 3; ++d) {
            position[d] = (double)rest[d] + (double)moved[d] + status.origin[d];
        }
    }
    sn_gpu_buffer_destroy(x->device, &readback);
    return result;
}

sn_result sn_gpu_xpbd_copy_pins_to(const sn_gpu_xpbd_body *body, sn_xpbd_body *to)
{
    const int32_t *order = to->model->order;
    while (to->pin_count > body->coupling_pin_count) {
        sn_xpbd_body_unpin(to, order[to->pins[to->pin_count - 1].row]);
    }
    for (int i = 0; i < body->pin_count; ++i) {
        SN_TRY(sn_xpbd_body_pin(to, order[body->pins[i].row], body->pins[i].stiffness));
        to->pins[body->coupling_pin_count + i] = body->pins[i];
    }
    return SN_OK;
}

/* The state of a body that has not started, or will be reset. */
static sn_result copy_rest_state(const sn_gpu_xpbd_body *body, sn_xpbd_body *to)
{
    const sn_result result = sn_gpu_xpbd_copy_pins_to(body, to);
    if (result != SN_OK) {
        return result;
    }
    sn_xpbd_body_reset(to);
    memcpy(to->origin, body->record.origin, sizeof to->origin);
    for (int i = 0; i < body->pin_count; ++i) {
        to->pins[i] = body->pins[i];
        for (size_t d = 0; d < 3 && isinf(body->pins[i].stiffness); ++d) {
            sn_xpbd_set_real(to, to->state.displacements, 4 * (size_t)body->pins[i].row + d,
                             body->pins[i].target_before[d] - to->origin[d]);
        }
    }
    return SN_OK;
}

static void copy_state(const struct sn_xpbd_status *status, const float *displacements, const float *velocities,
                       sn_xpbd_body *to)
{
    const size_t bytes = (size_t)to->model->row_count * SN_XPBD_ROW_BYTES;
    memcpy(to->state.displacements, displacements, bytes);
    memcpy(to->state.velocities, velocities, bytes);
    memcpy(to->origin, status->origin, sizeof to->origin);
    to->still_seconds = status->still_seconds;
}

sn_result sn_gpu_xpbd_download(sn_gpu_xpbd *x, int index, sn_xpbd_body *to, sn_gpu_xpbd_reading *reading)
{
    sn_gpu_xpbd_body *body = sn_gpu_xpbd_find(x, index);
    const uint32_t rows = body->record.row_count;
    const buffer_range ranges[] = {status_of(body), rows_of(body, SN_XPBD_DISPLACEMENTS, 0, rows),
                                   rows_of(body, SN_XPBD_VELOCITIES, 0, rows)};
    SN_ASSERT(!to || (to->model->row_count == (int)rows && !to->settings.is_double));
    SN_ASSERT(!body->is_unstepped || body->coupling_pin_count == 0 || !to);
    const bool is_new = body->record.flags & SN_XPBD_ADDED, has_state = to && !body->is_unstepped;
    sn_gpu_buffer readback = {0};
    struct sn_xpbd_status status = {.is_asleep = 0};
    sn_result result = is_new ? SN_OK : read_ranges(x, ranges, has_state ? 3 : 1, &readback);
    if (result == SN_OK && to) {
        result = body->is_unstepped ? copy_rest_state(body, to) : sn_gpu_xpbd_copy_pins_to(body, to);
    }
    if (result == SN_OK && !is_new) {
        memcpy(&status, readback.mapped, sizeof status);
    }
    if (result == SN_OK && has_state) {
        const uint8_t *bytes = (const uint8_t *)readback.mapped + sizeof status;
        copy_state(&status, (const float *)(const void *)bytes, (const float *)(const void *)(bytes + ranges[1].size),
                   to);
    }
    if (reading) {
        *reading = (sn_gpu_xpbd_reading){.report = {.contact_count = (int)status.contact_count,
                                                    .is_asleep = status.is_asleep,
                                                    .is_recovered = status.is_recovered},
                                         .recovery_count = (int)status.recovery_count};
    }
    sn_gpu_buffer_destroy(x->device, &readback);
    return result;
}

static sn_result upload(sn_gpu_xpbd *x, buffer_range at, const void *bytes)
{
    return sn_gpu_upload_range(x->device, &x->buffers[at.binding], at.offset, bytes, at.size);
}

sn_result sn_gpu_xpbd_upload(sn_gpu_xpbd *x, int index, const sn_xpbd_body *from)
{
    sn_gpu_xpbd_body *body = sn_gpu_xpbd_find(x, index);
    const uint32_t rows = body->record.row_count;
    const bool is_new = body->record.flags & SN_XPBD_ADDED;
    struct sn_xpbd_status status = {.still_seconds = from->still_seconds};
    buffer_range at = status_of(body);
    SN_ASSERT(from->model->row_count == (int)rows && !from->settings.is_double);
    at.size = is_new ? at.size : offsetof(struct sn_xpbd_status, recovery_count);
    memcpy(status.origin, from->origin, sizeof status.origin);
    sn_gpu_device_wait(x->device);
    const int pin_count = from->pin_count - body->coupling_pin_count;
    const sn_xpbd_pin *pins = pin_count > 0 ? from->pins + body->coupling_pin_count : NULL;
    sn_result result = sn_gpu_xpbd_set_pins(x, body, pins, pin_count);
    if (result == SN_OK) {
        result = upload(x, at, &status);
    }
    if (result == SN_OK) {
        result = upload(x, rows_of(body, SN_XPBD_DISPLACEMENTS, 0, rows), from->state.displacements);
    }
    if (result == SN_OK) {
        result = upload(x, rows_of(body, SN_XPBD_VELOCITIES, 0, rows), from->state.velocities);
    }
    body->record.flags &= ~(uint32_t)(SN_XPBD_ADDED | SN_XPBD_RESET | SN_XPBD_PINS_CHANGED);
    body->is_unstepped = false;
    return result;
}
