/* SPDX-License-Identifier: MIT */
/* Reads back one body. */
#include <string.h>

#include "compute/core/commands.h"
#include "compute/reduced/private.h"

/* Offsets of a body's data in the readback buffer, in bytes. */
typedef struct reading_layout {
    VkDeviceSize state, corrections, matrices, status, size; /* state up to rig_motion; corrections up to their info */
} reading_layout;

static reading_layout layout_of(const sn_gpu_reduced_model *m)
{
    const struct sn_reduced_state_layout state = sn_gpu_reduced_state_of(m);
    reading_layout at = {.state = 0};
    at.corrections = state.rig_motion * sizeof(float);
    at.matrices = at.corrections + (state.rotations - state.corrections) * sizeof(float);
    at.status = at.matrices + 3 * (m->bone_count + m->mode_count) * SN_REDUCED_VEC4_BYTES;
    at.size = at.status + sizeof(struct sn_reduced_status);
    return at;
}

static void copy(VkCommandBuffer commands, const sn_gpu_buffer *from, VkDeviceSize from_offset, const sn_gpu_buffer *to,
                 VkDeviceSize first, VkDeviceSize end)
{
    const VkBufferCopy region = {.srcOffset = from_offset, .dstOffset = first, .size = end - first};
    vkCmdCopyBuffer(commands, from->handle, to->handle, 1, &region);
}

/* Submits, and waits for the copies. */
static sn_result finish_copies(sn_gpu_reduced *r, VkCommandBuffer commands, const sn_gpu_buffer *readback)
{
    uint64_t value = 0;
    sn_gpu_barrier(commands, SN_GPU_TRANSFER_WRITE, SN_GPU_HOST_READ);
    sn_gpu_barrier(commands, SN_GPU_TRANSFER_READ, SN_GPU_SHADER_WRITE);
    SN_TRY(sn_gpu_submit(r->device, commands, &value));
    SN_TRY(sn_gpu_wait(r->device, value));
    return sn_gpu_buffer_invalidate(r->device, readback);
}

static sn_result copy_body(sn_gpu_reduced *r, const sn_gpu_reduced_model *m, const struct sn_reduced_record *record,
                           const reading_layout *at, const sn_gpu_buffer *readback)
{
    const VkDeviceSize corrections = record->state + sn_gpu_reduced_state_of(m).corrections;
    VkCommandBuffer commands = VK_NULL_HANDLE;
    const sn_result result = sn_gpu_begin(r->device, &commands);
    if (result != SN_OK) {
        return result;
    }
    sn_gpu_barrier(commands, SN_GPU_SHADER_WRITE, SN_GPU_TRANSFER_READ);
    copy(commands, &r->buffers[SN_REDUCED_STATES], record->state * sizeof(float), readback, at->state, at->corrections);
    copy(commands, &r->buffers[SN_REDUCED_STATES], corrections * sizeof(float), readback, at->corrections,
         at->matrices);
    copy(commands, &r->buffers[SN_REDUCED_MATRICES], record->matrices * SN_REDUCED_VEC4_BYTES, readback, at->matrices,
         at->status);
    copy(commands, &r->buffers[SN_REDUCED_STATUSES], record->body * sizeof(struct sn_reduced_status), readback,
         at->status, at->size);
    return finish_copies(r, commands, readback);
}

/* (3 x 4 q4) to (coordinate_count x 3); the remainder may be null. */
static void read_vector(const float *values, const float *remainder, uint32_t count, double unit, double *result)
{
    const uint32_t padded = 4 * sn_reduced_vec4_count(count);
    for (uint32_t i = 0; result && i < 3 * count; ++i) {
        const uint32_t from = i % 3 * padded + i / 3;
        result[i] = unit * ((double)values[from] + (remainder ? (double)remainder[from] : 0));
    }
}

static void unpack(const sn_gpu_reduced_model *m, const reading_layout *at, const uint8_t *bytes,
                   sn_gpu_reduced_reading *reading)
{
    const struct sn_reduced_state_layout state = sn_gpu_reduced_state_of(m);
    const float *floats = (const float *)bytes, *corrections = floats + at->corrections / sizeof(float);
    const size_t vector = 3 * (size_t)m->coordinate_count;
    struct sn_reduced_status status;
    memcpy(&status, bytes + at->status, sizeof status);
    read_vector(floats + state.coordinates, floats + state.remainder, m->coordinate_count, m->unit,
                reading->coordinates);
    read_vector(floats + state.velocity, NULL, m->coordinate_count, m->unit, reading->velocity);
    for (size_t k = 0; reading->corrections && k < SN_REDUCED_CORRECTION_COUNT; ++k) {
        read_vector(corrections + k * 12 * sn_reduced_vec4_count(m->coordinate_count), NULL, m->coordinate_count,
                    m->unit, reading->corrections + k * vector);
    }
    reading->is_extrapolable = corrections[state.correction_info - state.corrections + 1] != 0;
    if (reading->matrices) {
        memcpy(reading->matrices, bytes + at->matrices, at->status - at->matrices);
    }
    reading->iteration_count = (int)status.iteration_count;
    reading->recovery_count = (int)status.recovery_count;
    reading->change = (double)status.change / m->diagonal;
    reading->is_converged = status.is_converged != 0;
    reading->is_over_budget = status.is_over_budget != 0;
}

sn_result sn_gpu_reduced_read(sn_gpu_reduced *r, int body, sn_gpu_reduced_reading *reading)
{
    SN_ASSERT(body >= 0 && body < r->body_count && r->bodies[body].is_used);
    const sn_gpu_reduced_model *m = &r->models[r->bodies[body].previous_model];
    const reading_layout at = layout_of(m);
    sn_gpu_buffer readback;
    sn_result result = sn_gpu_buffer_create(r->device, "reduced read back", at.size, VK_BUFFER_USAGE_TRANSFER_DST_BIT,
                                            SN_GPU_MEMORY_READBACK, &readback);
    if (result != SN_OK) {
        return result;
    }
    result = copy_body(r, m, &r->bodies[body].record, &at, &readback);
    if (result == SN_OK) {
        unpack(m, &at, readback.mapped, reading);
    }
    sn_gpu_buffer_destroy(r->device, &readback);
    return result;
}

static sn_result copy_statuses(sn_gpu_reduced *r, const sn_gpu_buffer *readback)
{
    VkCommandBuffer commands = VK_NULL_HANDLE;
    const sn_result result = sn_gpu_begin(r->device, &commands);
    if (result != SN_OK) {
        return result;
    }
    sn_gpu_barrier(commands, SN_GPU_SHADER_WRITE, SN_GPU_TRANSFER_READ);
    copy(commands, &r->buffers[SN_REDUCED_STATUSES], 0, readback, 0, readback->size);
    return finish_copies(r, commands, readback);
}

sn_result sn_gpu_reduced_read_iterations(sn_gpu_reduced *r, int body_count, int *counts)
{
    SN_ASSERT(body_count > 0 && body_count <= r->body_count);
    sn_gpu_buffer readback;
    sn_result result = sn_gpu_buffer_create(r->device, "reduced read back",
                                            (VkDeviceSize)body_count * sizeof(struct sn_reduced_status),
                                            VK_BUFFER_USAGE_TRANSFER_DST_BIT, SN_GPU_MEMORY_READBACK, &readback);
    if (result != SN_OK) {
        return result;
    }
    result = copy_statuses(r, &readback);
    const struct sn_reduced_status *statuses = readback.mapped;
    for (int i = 0; i < body_count && result == SN_OK; ++i) {
        counts[i] = (int)statuses[i].iteration_count;
    }
    sn_gpu_buffer_destroy(r->device, &readback);
    return result;
}
