/* SPDX-License-Identifier: MIT */
/* Transfer of bodies between the device and the CPU. */
#include <math.h>
#include <string.h>

#include "compute/core/commands.h"
#include "compute/xpbd/private.h"

/* A range of a buffer. */
typedef struct piece {
    int binding;
    VkDeviceSize offset, size;
} piece;

/* Reads ranges, concatenated, into a mapped buffer. */
static sn_result read_pieces(sn_gpu_xpbd *x, const piece *pieces, int count, sn_gpu_buffer *readback)
{
    VkDeviceSize size = 0;
    for (int i = 0; i < count; ++i) {
        size += pieces[i].size;
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
    for (VkDeviceSize i = 0, to = 0; i < (VkDeviceSize)count; to += pieces[i++].size) {
        const VkBufferCopy region = {.srcOffset = pieces[i].offset, .dstOffset = to, .size = pieces[i].size};
        vkCmdCopyBuffer(commands, x->buffers[pieces[i].binding].handle, readback->handle, 1, &region);
    }
    sn_gpu_barrier(commands, SN_GPU_TRANSFER_WRITE, SN_GPU_HOST_READ);
    sn_gpu_barrier(commands, SN_GPU_TRANSFER_READ, SN_GPU_SHADER_WRITE);
    result = sn_gpu_submit(x->device, commands, &value);
    if (result == SN_OK) {
        result = sn_gpu_wait(x->device, value);
    }
    return result == SN_OK ? sn_gpu_buffer_invalidate(x->device, readback) : result;
}

static piece status_of(const sn_gpu_xpbd_body *body)
{
    const size_t bytes = sizeof(struct sn_xpbd_status);
    return (piece){SN_XPBD_STATUSES, body->record.body * bytes, bytes};
}

static piece rows_of(const sn_gpu_xpbd_body *body, int binding, uint32_t first, uint32_t count)
{
    return (piece){binding, (body->record.row + (VkDeviceSize)first) * SN_XPBD_ROW_BYTES, count * SN_XPBD_ROW_BYTES};
}

sn_result sn_gpu_xpbd_read_place(sn_gpu_xpbd *x, const sn_gpu_xpbd_body *body, int row, double *place)
{
    const piece pieces[] = {status_of(body), rows_of(body, SN_XPBD_DISPLACEMENTS, (uint32_t)row, 1)};
    const float *rest = sn_gpu_xpbd_model_of(x, body)->model->rest + 4 * (size_t)row;
    sn_gpu_buffer readback = {0};
    const sn_result result = read_pieces(x, pieces, 2, &readback);
    if (result == SN_OK) {
        struct sn_xpbd_status status;
        float moved[4];
        memcpy(&status, readback.mapped, sizeof status);
        memcpy(moved, (const uint8_t *)readback.mapped + sizeof status, sizeof moved);
        for (int d = 0; d < 3; ++d) {
            place[d] = (double)rest[d] + (double)moved[d] + status.origin[d];
        }
    }
    sn_gpu_buffer_destroy(x->device, &readback);
    return result;
}

sn_result sn_gpu_xpbd_give_pins(const sn_gpu_xpbd_body *body, sn_xpbd_body *to)
{
    const int32_t *order = to->model->order;
    sn_result result = SN_OK;
    while (to->pin_count > body->foreign_pins) {
        sn_xpbd_body_unpin(to, order[to->pins[to->pin_count - 1].row]);
    }
    for (int i = 0; i < body->pin_count && result == SN_OK; ++i) {
        result = sn_xpbd_body_pin(to, order[body->pins[i].row], body->pins[i].stiffness);
        if (result == SN_OK) {
            to->pins[body->foreign_pins + i] = body->pins[i];
        }
    }
    return result;
}

/* The state of a body that has not started, or will be reset. */
static sn_result give_rest(const sn_gpu_xpbd_body *body, sn_xpbd_body *to)
{
    const sn_result result = sn_gpu_xpbd_give_pins(body, to);
    if (result != SN_OK) {
        return result;
    }
    sn_xpbd_body_reset(to);
    memcpy(to->origin, body->record.origin, sizeof to->origin);
    for (int i = 0; i < body->pin_count; ++i) {
        to->pins[i] = body->pins[i];
        for (size_t d = 0; d < 3 && isinf(body->pins[i].stiffness); ++d) {
            sn_xpbd_put(to, to->state.displacements, 4 * (size_t)body->pins[i].row + d,
                        body->pins[i].target_before[d] - to->origin[d]);
        }
    }
    return SN_OK;
}

static void give_state(const struct sn_xpbd_status *status, const float *displacements, const float *velocities,
                       sn_xpbd_body *to)
{
    const size_t bytes = (size_t)to->model->row_count * SN_XPBD_ROW_BYTES;
    memcpy(to->state.displacements, displacements, bytes);
    memcpy(to->state.velocities, velocities, bytes);
    memcpy(to->origin, status->origin, sizeof to->origin);
    to->still_seconds = status->still_seconds;
}

sn_result sn_gpu_xpbd_get(sn_gpu_xpbd *x, int index, sn_xpbd_body *to, sn_gpu_xpbd_reading *reading)
{
    sn_gpu_xpbd_body *body = sn_gpu_xpbd_find(x, index);
    const uint32_t rows = body->record.row_count;
    const piece pieces[] = {status_of(body), rows_of(body, SN_XPBD_DISPLACEMENTS, 0, rows),
                            rows_of(body, SN_XPBD_VELOCITIES, 0, rows)};
    SN_ASSERT(!to || (to->model->row_count == (int)rows && !to->settings.is_double));
    SN_ASSERT(!body->is_known || body->foreign_pins == 0 || !to);
    const bool is_fresh = body->record.flags & SN_XPBD_FRESH, has_state = to && !body->is_known;
    sn_gpu_buffer readback = {0};
    struct sn_xpbd_status status = {.is_asleep = 0};
    sn_result result = is_fresh ? SN_OK : read_pieces(x, pieces, has_state ? 3 : 1, &readback);
    if (result == SN_OK && to) {
        result = body->is_known ? give_rest(body, to) : sn_gpu_xpbd_give_pins(body, to);
    }
    if (result == SN_OK && !is_fresh) {
        memcpy(&status, readback.mapped, sizeof status);
    }
    if (result == SN_OK && has_state) {
        const uint8_t *bytes = (const uint8_t *)readback.mapped + sizeof status;
        give_state(&status, (const float *)(const void *)bytes, (const float *)(const void *)(bytes + pieces[1].size),
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

static sn_result upload(sn_gpu_xpbd *x, piece at, const void *bytes)
{
    return sn_gpu_upload_range(x->device, &x->buffers[at.binding], at.offset, bytes, at.size);
}

sn_result sn_gpu_xpbd_put(sn_gpu_xpbd *x, int index, const sn_xpbd_body *from)
{
    sn_gpu_xpbd_body *body = sn_gpu_xpbd_find(x, index);
    const uint32_t rows = body->record.row_count;
    const bool is_fresh = body->record.flags & SN_XPBD_FRESH;
    struct sn_xpbd_status status = {.still_seconds = from->still_seconds};
    piece at = status_of(body);
    SN_ASSERT(from->model->row_count == (int)rows && !from->settings.is_double);
    at.size = is_fresh ? at.size : offsetof(struct sn_xpbd_status, recovery_count);
    memcpy(status.origin, from->origin, sizeof status.origin);
    sn_gpu_device_wait(x->device);
    sn_result result =
        sn_gpu_xpbd_take_pins(x, body, from->pins + body->foreign_pins, from->pin_count - body->foreign_pins);
    if (result == SN_OK) {
        result = upload(x, at, &status);
    }
    if (result == SN_OK) {
        result = upload(x, rows_of(body, SN_XPBD_DISPLACEMENTS, 0, rows), from->state.displacements);
    }
    if (result == SN_OK) {
        result = upload(x, rows_of(body, SN_XPBD_VELOCITIES, 0, rows), from->state.velocities);
    }
    body->record.flags &= ~(uint32_t)(SN_XPBD_FRESH | SN_XPBD_RESET | SN_XPBD_MASSES);
    body->is_known = false;
    return result;
}
