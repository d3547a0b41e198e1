/* SPDX-License-Identifier: MIT */
/* Recordings: copies the state before a step, and computes matrices. */
#include "compute/core/commands.h"
#include "compute/xpbd/embedded_private.h"

_Static_assert(sizeof(struct sn_embedded_record) == 60, "as the shader reads it");

/* Index of the recording's part of the stream buffers. */
static uint32_t part_of(const sn_gpu_embedded *e)
{
    return (uint32_t)(e->recording_count % (uint64_t)e->recording_limit);
}

float *sn_gpu_embedded_bones(sn_gpu_embedded *e, int body)
{
    const sn_gpu_embedded_body *b = sn_gpu_embedded_find(e, body);
    SN_ASSERT(!e->bones);
    return (float *)e->buffers[SN_EMBEDDED_BONES].mapped + part_of(e) * e->bone_capacity + b->bones.first;
}

void sn_gpu_embedded_record_copies(sn_gpu_embedded *e, VkCommandBuffer commands)
{
    const sn_gpu_buffer *of = e->xpbd->buffers;
    uint32_t count = 0;
    for (int i = 0; i < e->body_count; ++i) {
        sn_gpu_embedded_body *b = &e->bodies[i];
        if (b->is_used && b->surface >= 0) {
            const struct sn_xpbd_record *record = &sn_gpu_xpbd_find(e->xpbd, i)->record;
            const VkDeviceSize first = record->row * SN_XPBD_ROW_BYTES;
            e->copies[count++] = (VkBufferCopy){first, first, record->row_count * SN_XPBD_ROW_BYTES};
            b->skips_interpolation = (record->flags & SN_XPBD_RESET) != 0;
        }
    }
    if (count == 0) {
        return;
    }
    const VkBufferCopy all = {.size = of[SN_XPBD_STATUSES].size < e->buffers[SN_EMBEDDED_STATUSES].size
                                          ? of[SN_XPBD_STATUSES].size
                                          : e->buffers[SN_EMBEDDED_STATUSES].size};
    sn_gpu_barrier(commands, SN_GPU_SHADER_WRITE, SN_GPU_TRANSFER_READ);
    sn_gpu_barrier(commands, SN_GPU_SHADER_WRITE, SN_GPU_TRANSFER_WRITE);
    vkCmdCopyBuffer(commands, of[SN_XPBD_DISPLACEMENTS].handle, e->buffers[SN_EMBEDDED_ROWS].handle, count, e->copies);
    vkCmdCopyBuffer(commands, of[SN_XPBD_STATUSES].handle, e->buffers[SN_EMBEDDED_STATUSES].handle, 1, &all);
    sn_gpu_barrier(commands, SN_GPU_TRANSFER_WRITE, SN_GPU_SHADER_WRITE);
    sn_gpu_barrier(commands, SN_GPU_TRANSFER_READ, SN_GPU_SHADER_WRITE);
}

static struct sn_embedded_record record_of(const sn_gpu_embedded *e, int body)
{
    const sn_gpu_embedded_body *b = &e->bodies[body];
    const struct sn_xpbd_record *flesh = &sn_gpu_xpbd_find(e->xpbd, body)->record;
    struct sn_embedded_record record = {.body = flesh->body,
                                        .row = flesh->row,
                                        .rest = flesh->rest,
                                        .bone_count = (uint32_t)b->desc.bone_count,
                                        .bones = b->bones.first + (e->bones ? 0 : part_of(e) * e->bone_capacity),
                                        .bone_matrices = b->bone_matrices.first,
                                        .empty_count = (uint32_t)b->desc.empty_count,
                                        .matrix = b->matrix.first,
                                        .flags = (b->desc.writes_bones ? SN_EMBEDDED_WRITE_BONES : 0) |
                                                 (b->skips_interpolation ? SN_EMBEDDED_NOT_INTERPOLATED : 0)};
    if (b->surface >= 0) {
        const sn_gpu_embedded_surface_data *s = &e->surfaces[b->surface];
        record.flags |= SN_EMBEDDED_WRITE_NODES;
        record.node_count = s->node_count;
        record.nodes = s->nodes;
        record.starts = s->starts;
        record.neighbours = s->neighbours;
        record.gradients = s->gradients;
        record.rest_positions = s->rest_positions;
    }
    return record;
}

void sn_gpu_embedded_record_matrices(sn_gpu_embedded *e, VkCommandBuffer commands, double fraction)
{
    const uint32_t first = part_of(e) * e->record_capacity;
    struct sn_embedded_record *records = (struct sn_embedded_record *)e->buffers[SN_EMBEDDED_RECORDS].mapped + first;
    uint32_t count = 0, limit = 1;
    for (int i = 0; i < e->body_count; ++i) {
        const sn_gpu_embedded_body *b = &e->bodies[i];
        if (b->is_used && (b->desc.writes_bones || b->surface >= 0)) {
            records[count] = record_of(e, i);
            limit = records[count].node_count > limit ? records[count].node_count : limit;
            ++count;
        }
    }
    ++e->recording_count;
    if (count == 0 || !e->set.handle) { /* null after a failure, which was logged */
        return;
    }
    const sn_gpu_xpbd_constants constants = {.first_record = first, .fraction = (float)fraction};
    const VkDescriptorSet sets[] = {e->xpbd->set.handle, e->set.handle};
    sn_gpu_barrier(commands, SN_GPU_SHADER_WRITE, SN_GPU_SHADER_WRITE);
    vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, e->layout, 0, 2, sets, 0, NULL);
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, e->pipeline);
    vkCmdPushConstants(commands, e->layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof constants, &constants);
    vkCmdDispatch(commands, (limit + SN_XPBD_GROUP_SIZE - 1) / SN_XPBD_GROUP_SIZE, count, 1);
    sn_gpu_barrier(commands, SN_GPU_SHADER_WRITE, SN_GPU_SHADER_READ);
}

const sn_gpu_buffer *sn_gpu_embedded_matrices(const sn_gpu_embedded *e)
{
    return &e->buffers[SN_EMBEDDED_MATRICES];
}

uint32_t sn_gpu_embedded_first_bone_matrix(const sn_gpu_embedded *e, int body)
{
    return sn_gpu_embedded_find(e, body)->bone_matrices.first / 12;
}

uint32_t sn_gpu_embedded_first_matrix(const sn_gpu_embedded *e, int body)
{
    return sn_gpu_embedded_find(e, body)->matrix.first / 12;
}
