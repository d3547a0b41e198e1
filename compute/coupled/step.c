/* SPDX-License-Identifier: MIT */
/* Recordings: writes records and targets of the bodies to this recording's part of the stream buffers, and state
 * changes by the host to the command buffer. */
#include <string.h>

#include "compute/core/commands.h"
#include "compute/coupled/private.h"

#define UPDATE_LIMIT 65536 /* maximum bytes of vkCmdUpdateBuffer */

static void write_targets(const sn_coupled_rig *rig, const sn_gpu_coupled_body *body, double *to)
{
    for (int k = 0; k < rig->handle_count; ++k, to += SN_COUPLED_POSE_NUMBERS) {
        const sn_coupled_pose *target = &body->handles[k].target;
        memcpy(to, target->position, sizeof target->position);
        memcpy(to + 3, target->rotation, sizeof target->rotation);
        memcpy(to + 7, target->stretch, sizeof target->stretch);
    }
}

static void record_state_upload(const sn_gpu_coupled *c, const sn_gpu_coupled_body *body, VkCommandBuffer commands)
{
    const size_t size = c->rigs[body->rig].state_count * sizeof(double);
    const uint8_t *bytes = (const uint8_t *)body->state;
    for (size_t done = 0; done < size; done += UPDATE_LIMIT) {
        const size_t part = size - done < UPDATE_LIMIT ? size - done : UPDATE_LIMIT;
        vkCmdUpdateBuffer(commands, c->buffers[SN_COUPLED_STATES].handle,
                          body->state_range.first * sizeof(double) + done, part, bytes + done);
    }
}

/* Includes barriers, since the device may still be using the states. */
static void record_state_uploads(sn_gpu_coupled *c, VkCommandBuffer commands)
{
    bool is_any = false;
    for (int i = 0; i < c->body_count; ++i) {
        sn_gpu_coupled_body *body = &c->bodies[i];
        if (!body->is_used || !body->needs_upload) {
            continue;
        }
        if (!is_any) {
            sn_gpu_barrier(commands, SN_GPU_SHADER_WRITE, SN_GPU_TRANSFER_WRITE);
            is_any = true;
        }
        record_state_upload(c, body, commands);
        body->needs_upload = false;
    }
    if (is_any) {
        sn_gpu_barrier(commands, SN_GPU_TRANSFER_WRITE, SN_GPU_SHADER_WRITE);
    }
}

static void begin(sn_gpu_coupled *c, VkCommandBuffer commands)
{
    const uint32_t part = (uint32_t)(c->recording_count++ % (uint64_t)c->recording_limit);
    const uint32_t first_target = part * c->target_capacity;
    c->coupling.first_record = part * c->record_capacity;
    struct sn_coupled_record *records =
        (struct sn_coupled_record *)c->buffers[SN_COUPLED_RECORDS].mapped + c->coupling.first_record;
    double *targets = (double *)c->buffers[SN_COUPLED_TARGETS].mapped + first_target;
    for (int i = 0; i < c->body_count; ++i) {
        const sn_gpu_coupled_body *body = &c->bodies[i];
        records[i] = (struct sn_coupled_record){.flags = 0};
        if (body->is_used) {
            const sn_coupled_rig *rig = sn_gpu_coupled_rig_of(c, body);
            const double *wind = body->wind;
            const bool has_wind = wind[0] != 0 || wind[1] != 0 || wind[2] != 0;
            records[i] = (struct sn_coupled_record){
                .wind = {wind[0], wind[1], wind[2]},
                .wind_limit = c->rigs[body->rig].wind_limit,
                .mass = body->mass,
                .rig = (uint32_t)body->rig,
                .system = (uint32_t)body->system,
                .target = first_target + body->target.first,
                .state = body->state_range.first,
                .work = body->work.first,
                .lanes = body->lanes.first,
                .matrix = body->matrix.first,
                .empty_count = c->rigs[body->rig].empty_count,
                .elements = body->is_edited ? body->elements.first : c->rigs[body->rig].elements,
                .flags = SN_COUPLED_USED | (rig->dimension == 2 ? SN_COUPLED_FLAT : 0) |
                         (has_wind ? SN_COUPLED_HAS_WIND : 0)};
            write_targets(rig, body, targets + body->target.first);
        }
    }
    record_state_uploads(c, commands);
}

void sn_gpu_coupled_record_step(sn_gpu_coupled *c, VkCommandBuffer commands)
{
    begin(c, commands);
    for (int i = 0; i < c->body_count; ++i) {
        c->bodies[i].is_state_current = false;
    }
    sn_gpu_xpbd_record_step(c->xpbd, commands);
}

void sn_gpu_coupled_record_matrices(sn_gpu_coupled *c, VkCommandBuffer commands, double fraction)
{
    if (c->body_count == 0) {
        return;
    }
    begin(c, commands);
    const sn_gpu_xpbd_constants constants = {.first_coupled = c->coupling.first_record, .fraction = (float)fraction};
    const VkDescriptorSet sets[] = {c->xpbd->set.handle, c->set.handle};
    const VkPipelineLayout layout = c->xpbd->layout;
    sn_gpu_barrier(commands, SN_GPU_SHADER_WRITE, SN_GPU_SHADER_WRITE);
    vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 2, sets, 0, NULL);
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, c->matrix_pipeline);
    vkCmdPushConstants(commands, layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof constants, &constants);
    vkCmdDispatch(commands, (uint32_t)c->body_count, 1, 1);
    sn_gpu_barrier(commands, SN_GPU_SHADER_WRITE, SN_GPU_SHADER_READ);
}

const sn_gpu_buffer *sn_gpu_coupled_matrices(const sn_gpu_coupled *c)
{
    return &c->buffers[SN_COUPLED_MATRICES];
}

uint32_t sn_gpu_coupled_first_matrix(const sn_gpu_coupled *c, int body)
{
    return sn_gpu_coupled_find(c, body)->matrix.first / 12;
}
