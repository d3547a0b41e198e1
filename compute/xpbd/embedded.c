/* SPDX-License-Identifier: MIT */
#include "compute/xpbd/embedded.h"

#include <string.h>

#include "compute/core/buffer_set.h"
#include "compute/core/commands.h"
#include "compute/core/shared.h"
#include "compute/xpbd/private.h"
#include "host/base/hash.h"
#include "shaders/shared/embedded.h"

static const uint32_t embed_shader[] =
#include "shaders/xpbd/embed.comp.inc"
    ;
static const uint32_t single_embed_shader[] =
#include "shaders/xpbd/embed_single.comp.inc"
    ;

_Static_assert(sizeof(struct sn_embedded_record) == 60, "as the shader reads it");

typedef struct embedded_surface {
    const sn_xpbd_model *flesh;
    uint64_t hash; /* of the nodes */
    uint32_t node_count, nodes, starts, neighbours, gradients, places;
} embedded_surface;

typedef struct embedded_body {
    bool is_used, is_snapped;
    int surface;
    sn_gpu_embedded_desc desc;
    sn_gpu_xpbd_range bones, plain, matrix; /* floats */
} embedded_body;

struct sn_gpu_embedded {
    sn_gpu_device *device;
    sn_gpu_xpbd *xpbd;
    int recording_limit;
    VkDescriptorSetLayout set_layout;
    VkPipelineLayout layout;
    VkPipeline pipeline; /* null until a body needs it */
    sn_gpu_set set;
    sn_gpu_buffer buffers[SN_EMBEDDED_BINDING_COUNT];
    VkBuffer bones; /* of others, or null */
    uint32_t used_words, used_numbers, used_bones, used_floats;
    uint32_t record_room, bone_room; /* of a recording */
    uint64_t recording_count;
    embedded_surface *surfaces;
    int surface_count, surface_room;
    embedded_body *bodies;
    int body_count, body_room;
    VkBufferCopy *copies; /* (copy_room) of what lies before a step */
    int copy_room;
};

static const sn_gpu_buffer_desc buffer_descs[SN_EMBEDDED_BINDING_COUNT] = {
    [SN_EMBEDDED_TABLES] = {"embedded tables", SN_GPU_MEMORY_DEVICE},
    [SN_EMBEDDED_NUMBERS] = {"embedded numbers", SN_GPU_MEMORY_DEVICE},
    [SN_EMBEDDED_RECORDS] = {"embedded records", SN_GPU_MEMORY_STREAM},
    [SN_EMBEDDED_BONES] = {"embedded bones", SN_GPU_MEMORY_STREAM},
    [SN_EMBEDDED_ROWS] = {"embedded rows", SN_GPU_MEMORY_DEVICE},
    [SN_EMBEDDED_STATUSES] = {"embedded statuses", SN_GPU_MEMORY_DEVICE},
    [SN_EMBEDDED_MATRICES] = {"embedded matrices", SN_GPU_MEMORY_DEVICE},
};

/* ---- buffers ---- */

static sn_result enlarge(sn_gpu_embedded *e, int binding, VkDeviceSize size)
{
    return sn_gpu_buffer_set_enlarge(e->device, &buffer_descs[binding], size, &e->buffers[binding], &e->set);
}

static sn_result append(sn_gpu_embedded *e, int binding, const void *items, size_t count, uint32_t *used,
                        uint32_t *first)
{
    *first = *used;
    return sn_gpu_buffer_set_append(e->device, &buffer_descs[binding], items, (uint32_t)count, sizeof(uint32_t), used,
                                    &e->buffers[binding], &e->set);
}

static sn_result make_room(sn_gpu_embedded *e, int binding, uint32_t count, size_t size, uint32_t *room)
{
    return sn_gpu_buffer_set_make_room(e->device, &buffer_descs[binding], e->recording_limit, count, size, room,
                                       &e->buffers[binding], &e->set);
}

static sn_result bind(sn_gpu_embedded *e)
{
    sn_gpu_buffer buffers[SN_EMBEDDED_BINDING_COUNT];
    memcpy(buffers, e->buffers, sizeof buffers);
    if (e->bones) {
        buffers[SN_EMBEDDED_BONES].handle = e->bones;
    }
    return sn_gpu_buffer_set_bind(e->device, "embedded", e->set_layout, buffers, SN_EMBEDDED_BINDING_COUNT, &e->set);
}

/* Whatever became of a change: a buffer that has grown has undone the set, which other bodies need. */
static sn_result end_change(sn_gpu_embedded *e, sn_result result)
{
    const sn_result bound = bind(e);
    return result == SN_OK ? bound : result;
}

/* Of floats, at the end. */
static sn_result fit_matrices(sn_gpu_embedded *e, uint32_t matrices, sn_gpu_xpbd_range *range)
{
    const uint32_t count = 12 * matrices;
    if (count <= range->room) {
        return SN_OK;
    }
    const VkDeviceSize size = (e->used_floats + (VkDeviceSize)count) * sizeof(float);
    const sn_result result = enlarge(e, SN_EMBEDDED_MATRICES, size);
    if (result == SN_OK) {
        *range = (sn_gpu_xpbd_range){e->used_floats, count};
        e->used_floats += count;
    }
    return result;
}

sn_result sn_gpu_embedded_set_bones(sn_gpu_embedded *e, VkBuffer bones)
{
    if (bones == e->bones && e->set.handle) {
        return SN_OK;
    }
    sn_gpu_device_wait(e->device);
    e->bones = bones;
    sn_gpu_set_destroy(e->device, &e->set);
    return bind(e);
}

/* ---- the whole ---- */

static sn_result init(sn_gpu_embedded *e)
{
    sn_result result = sn_gpu_share_set_layout(e->device, SN_EMBEDDED_BINDING_COUNT, &e->set_layout);
    if (result == SN_OK) {
        const VkDescriptorSetLayout sets[] = {e->xpbd->set_layout, e->set_layout};
        result = sn_gpu_share_layout(e->device, "embedded", sets, 2, sizeof(sn_gpu_xpbd_constants), &e->layout);
    }
    for (int i = 0; i < SN_EMBEDDED_BINDING_COUNT && result == SN_OK; ++i) {
        result = enlarge(e, i, 0);
    }
    return result;
}

sn_result sn_gpu_embedded_create(sn_gpu_device *device, sn_gpu_xpbd *xpbd, int recording_limit,
                                 sn_gpu_embedded **embedded)
{
    *embedded = NULL;
    sn_gpu_embedded *e = sn_alloc(1, sizeof *e);
    if (!e) {
        return SN_ERROR_MEMORY;
    }
    *e = (sn_gpu_embedded){.device = device, .xpbd = xpbd, .recording_limit = recording_limit};
    const sn_result result = init(e);
    if (result != SN_OK) {
        sn_gpu_embedded_destroy(&e);
    }
    *embedded = e;
    return result;
}

void sn_gpu_embedded_destroy(sn_gpu_embedded **embedded)
{
    sn_gpu_embedded *e = *embedded;
    *embedded = NULL;
    if (!e) {
        return;
    }
    sn_gpu_device_wait(e->device);
    sn_gpu_set_destroy(e->device, &e->set);
    for (int i = 0; i < SN_EMBEDDED_BINDING_COUNT; ++i) {
        sn_gpu_buffer_destroy(e->device, &e->buffers[i]);
    }
    sn_free(e->surfaces, (size_t)e->surface_room, sizeof *e->surfaces);
    sn_free(e->bodies, (size_t)e->body_room, sizeof *e->bodies);
    sn_free(e->copies, (size_t)e->copy_room, sizeof *e->copies);
    sn_free(e, 1, sizeof *e);
}

static sn_result build(sn_gpu_embedded *e)
{
    const sn_gpu_shader in_double = SN_GPU_SHADER(embed_shader), single = SN_GPU_SHADER(single_embed_shader);
    const uint32_t constants[] = {SN_XPBD_WHOLE, false, 1, 0};
    return e->pipeline ? SN_OK
                       : sn_gpu_share_compute(e->device, "embedded matrices", e->layout,
                                              e->xpbd->desc.is_single ? single : in_double, constants, 4, &e->pipeline);
}

/* ---- surfaces ---- */

/* Rows in place of vertices, floats in place of doubles. */
static sn_result upload(sn_gpu_embedded *e, const sn_embedding *embedding, embedded_surface *s, sn_arena *scratch)
{
    const sn_nodal_gradients *nodal = &embedding->nodal;
    const size_t nodes = (size_t)nodal->node_count, neighbours = (size_t)nodal->starts[nodes];
    uint32_t *rows = SN_NEW(scratch, uint32_t, nodes + neighbours);
    float *numbers = SN_NEW(scratch, float, 3 * (nodes + neighbours));
    if (!rows || !numbers) {
        return SN_ERROR_MEMORY;
    }
    for (size_t i = 0; i < nodes; ++i) {
        rows[i] = (uint32_t)s->flesh->rows[nodal->vertices[i]];
    }
    for (size_t i = 0; i < neighbours; ++i) {
        rows[nodes + i] = (uint32_t)s->flesh->rows[nodal->neighbours[i]];
    }
    for (size_t i = 0; i < 3 * nodes; ++i) {
        numbers[i] = (float)embedding->rest[i];
    }
    for (size_t i = 0; i < 3 * neighbours; ++i) {
        numbers[3 * nodes + i] = (float)nodal->gradients[i];
    }
    sn_result result = append(e, SN_EMBEDDED_TABLES, rows, nodes + neighbours, &e->used_words, &s->nodes);
    if (result == SN_OK) {
        result = append(e, SN_EMBEDDED_TABLES, nodal->starts, nodes + 1, &e->used_words, &s->starts);
    }
    if (result == SN_OK) {
        result = append(e, SN_EMBEDDED_NUMBERS, numbers, 3 * (nodes + neighbours), &e->used_numbers, &s->places);
    }
    s->node_count = (uint32_t)nodes;
    s->neighbours = s->nodes + (uint32_t)nodes;
    s->gradients = s->places + (uint32_t)(3 * nodes);
    return result;
}

static uint64_t hash_nodes(const sn_embedding *embedding)
{
    const sn_nodal_gradients *nodal = &embedding->nodal;
    const size_t nodes = (size_t)nodal->node_count, neighbours = (size_t)nodal->starts[nodes];
    uint64_t hash = sn_hash(SN_HASH_SEED, nodal->vertices, nodes * sizeof *nodal->vertices);
    hash = sn_hash(hash, nodal->starts, (nodes + 1) * sizeof *nodal->starts);
    hash = sn_hash(hash, nodal->neighbours, neighbours * sizeof *nodal->neighbours);
    hash = sn_hash(hash, nodal->gradients, 3 * neighbours * sizeof *nodal->gradients);
    return sn_hash(hash, embedding->rest, 3 * nodes * sizeof *embedding->rest);
}

sn_result sn_gpu_embedded_add_surface(sn_gpu_embedded *e, const sn_embedding *embedding, const sn_xpbd_model *flesh,
                                      int *surface)
{
    const uint64_t hash = hash_nodes(embedding);
    for (*surface = 0; *surface < e->surface_count; ++*surface) {
        if (e->surfaces[*surface].hash == hash && e->surfaces[*surface].flesh == flesh) {
            return SN_OK;
        }
    }
    embedded_surface *grown = sn_grow(e->surfaces, e->surface_count, &e->surface_room, sizeof *grown);
    if (!grown) {
        return SN_ERROR_MEMORY;
    }
    e->surfaces = grown;
    grown[e->surface_count] = (embedded_surface){.flesh = flesh, .hash = hash};
    sn_arena scratch = {0};
    sn_result result = build(e);
    if (result == SN_OK) {
        sn_gpu_device_wait(e->device);
        result = end_change(e, upload(e, embedding, &grown[e->surface_count], &scratch));
    }
    sn_arena_finish(&scratch);
    e->surface_count += result == SN_OK;
    return result;
}

/* ---- bodies ---- */

static embedded_body *find(const sn_gpu_embedded *e, int body)
{
    SN_ASSERT(body >= 0 && body < e->body_count && e->bodies[body].is_used);
    return &e->bodies[body];
}

static sn_result reserve(sn_gpu_embedded *e, int body)
{
    while (body >= e->body_count) {
        embedded_body *grown = sn_grow(e->bodies, e->body_count, &e->body_room, sizeof *grown);
        if (!grown) {
            return SN_ERROR_MEMORY;
        }
        e->bodies = grown;
        e->bodies[e->body_count++] = (embedded_body){.surface = -1};
    }
    if (e->copy_room < e->body_room) {
        VkBufferCopy *copies = sn_alloc((size_t)e->body_room, sizeof *copies);
        if (!copies) {
            return SN_ERROR_MEMORY;
        }
        sn_free(e->copies, (size_t)e->copy_room, sizeof *copies);
        e->copies = copies;
        e->copy_room = e->body_room;
    }
    return make_room(e, SN_EMBEDDED_RECORDS, (uint32_t)e->body_count, sizeof(struct sn_embedded_record),
                     &e->record_room);
}

/* Room for the bones as they come in, and as they are drawn. */
static sn_result fit_bones(sn_gpu_embedded *e, embedded_body *b)
{
    const uint32_t floats = 12 * (uint32_t)b->desc.bone_count;
    if (e->bones) {
        b->bones.first = b->desc.bones;
        b->bones.room = 0;
        return SN_OK;
    }
    if (floats > b->bones.room) {
        b->bones = (sn_gpu_xpbd_range){e->used_bones, floats};
        e->used_bones += floats;
    }
    return make_room(e, SN_EMBEDDED_BONES, e->used_bones, sizeof(float), &e->bone_room);
}

sn_result sn_gpu_embedded_set_body(sn_gpu_embedded *e, int body, const sn_gpu_embedded_desc *desc)
{
    sn_result result = reserve(e, body);
    if (result != SN_OK) {
        return end_change(e, result);
    }
    embedded_body *b = &e->bodies[body];
    b->desc = *desc;
    b->surface = -1;
    b->is_used = b->is_snapped = true;
    result = fit_bones(e, b);
    if (result == SN_OK && desc->is_plain) {
        result = fit_matrices(e, (uint32_t)(desc->bone_count + desc->empty_count), &b->plain);
    }
    if (result == SN_OK && desc->is_plain) {
        result = build(e);
    }
    return end_change(e, result);
}

void sn_gpu_embedded_remove_body(sn_gpu_embedded *e, int body)
{
    if (body < e->body_count) {
        e->bodies[body].is_used = false;
        e->bodies[body].surface = -1;
    }
}

sn_result sn_gpu_embedded_set_surface(sn_gpu_embedded *e, int body, int surface)
{
    embedded_body *b = find(e, body);
    if (surface < 0) {
        b->surface = -1;
        return SN_OK;
    }
    const uint32_t matrices = (uint32_t)b->desc.bone_count + e->surfaces[surface].node_count;
    sn_result result = fit_matrices(e, matrices, &b->matrix);
    if (result == SN_OK) {
        result = enlarge(e, SN_EMBEDDED_ROWS, e->xpbd->buffers[SN_XPBD_DISPLACEMENTS].size);
    }
    if (result == SN_OK) {
        result = enlarge(e, SN_EMBEDDED_STATUSES, e->xpbd->buffers[SN_XPBD_STATUSES].size);
    }
    result = end_change(e, result);
    b->surface = result == SN_OK ? surface : b->surface;
    b->is_snapped = true;
    return result;
}

int sn_gpu_embedded_surface(const sn_gpu_embedded *e, int body)
{
    return find(e, body)->surface;
}

void sn_gpu_embedded_snap(sn_gpu_embedded *e, int body)
{
    find(e, body)->is_snapped = true;
}

/* ---- recordings ---- */

/* What software writes for a recording lies in its part. */
static uint32_t part_of(const sn_gpu_embedded *e)
{
    return (uint32_t)(e->recording_count % (uint64_t)e->recording_limit);
}

float *sn_gpu_embedded_bones(sn_gpu_embedded *e, int body)
{
    const embedded_body *b = find(e, body);
    SN_ASSERT(!e->bones);
    return (float *)e->buffers[SN_EMBEDDED_BONES].mapped + part_of(e) * e->bone_room + b->bones.first;
}

void sn_gpu_embedded_record_keep(sn_gpu_embedded *e, VkCommandBuffer commands)
{
    const sn_gpu_buffer *of = e->xpbd->buffers;
    uint32_t count = 0;
    for (int i = 0; i < e->body_count; ++i) {
        embedded_body *b = &e->bodies[i];
        if (b->is_used && b->surface >= 0) {
            const struct sn_xpbd_record *record = &sn_gpu_xpbd_find(e->xpbd, i)->record;
            const VkDeviceSize first = record->row * SN_XPBD_ROW_BYTES;
            e->copies[count++] = (VkBufferCopy){first, first, record->row_count * SN_XPBD_ROW_BYTES};
            b->is_snapped = (record->flags & SN_XPBD_RESET) != 0;
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
    const embedded_body *b = &e->bodies[body];
    const struct sn_xpbd_record *flesh = &sn_gpu_xpbd_find(e->xpbd, body)->record;
    struct sn_embedded_record record = {.body = flesh->body,
                                        .row = flesh->row,
                                        .rest = flesh->rest,
                                        .bone_count = (uint32_t)b->desc.bone_count,
                                        .bones = b->bones.first + (e->bones ? 0 : part_of(e) * e->bone_room),
                                        .plain = b->plain.first,
                                        .empty_count = (uint32_t)b->desc.empty_count,
                                        .matrix = b->matrix.first,
                                        .flags = (b->desc.is_plain ? SN_EMBEDDED_PLAIN : 0) |
                                                 (b->is_snapped ? SN_EMBEDDED_SNAPPED : 0)};
    if (b->surface >= 0) {
        const embedded_surface *s = &e->surfaces[b->surface];
        record.flags |= SN_EMBEDDED_FLESH;
        record.node_count = s->node_count;
        record.nodes = s->nodes;
        record.starts = s->starts;
        record.neighbours = s->neighbours;
        record.gradients = s->gradients;
        record.places = s->places;
    }
    return record;
}

void sn_gpu_embedded_record_matrices(sn_gpu_embedded *e, VkCommandBuffer commands, double fraction)
{
    const uint32_t first = part_of(e) * e->record_room;
    struct sn_embedded_record *records = (struct sn_embedded_record *)e->buffers[SN_EMBEDDED_RECORDS].mapped + first;
    uint32_t count = 0, most = 1;
    for (int i = 0; i < e->body_count; ++i) {
        const embedded_body *b = &e->bodies[i];
        if (b->is_used && (b->desc.is_plain || b->surface >= 0)) {
            records[count] = record_of(e, i);
            most = records[count].node_count > most ? records[count].node_count : most;
            ++count;
        }
    }
    ++e->recording_count;
    if (count == 0 || !e->set.handle) { /* null after a failure, which has its line */
        return;
    }
    const sn_gpu_xpbd_constants constants = {.first_record = first, .fraction = (float)fraction};
    const VkDescriptorSet sets[] = {e->xpbd->set.handle, e->set.handle};
    sn_gpu_barrier(commands, SN_GPU_SHADER_WRITE, SN_GPU_SHADER_WRITE);
    vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, e->layout, 0, 2, sets, 0, NULL);
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, e->pipeline);
    vkCmdPushConstants(commands, e->layout, VK_SHADER_STAGE_ALL, 0, sizeof constants, &constants);
    vkCmdDispatch(commands, (most + SN_XPBD_GROUP_SIZE - 1) / SN_XPBD_GROUP_SIZE, count, 1);
    sn_gpu_barrier(commands, SN_GPU_SHADER_WRITE, SN_GPU_SHADER_READ);
}

const sn_gpu_buffer *sn_gpu_embedded_matrices(const sn_gpu_embedded *e)
{
    return &e->buffers[SN_EMBEDDED_MATRICES];
}

uint32_t sn_gpu_embedded_first_plain(const sn_gpu_embedded *e, int body)
{
    return find(e, body)->plain.first / 12;
}

uint32_t sn_gpu_embedded_first_matrix(const sn_gpu_embedded *e, int body)
{
    return find(e, body)->matrix.first / 12;
}
