/* SPDX-License-Identifier: MIT */
#include "compute/core/grids.h"

#include <string.h>

#include "compute/core/commands.h"
#include "host/base/hash.h"

#define VEC4_BYTES (4 * sizeof(float))

/* An uploaded grid. */
struct sn_gpu_grid {
    const sn_grid *grid; /* its last known address, which may be reused by another grid */
    uint64_t hash;
    uint32_t first;
};

/* The destination of uploads. */
typedef struct upload_target {
    sn_gpu_device *device;
    const sn_gpu_buffer_desc *desc;
    sn_gpu_buffer *buffer;
    sn_gpu_set *set;
} upload_target;

static uint64_t hash_of(const sn_grid *grid)
{
    const uint64_t hash = sn_hash(SN_HASH_SEED, grid->counts, sizeof grid->counts);
    return sn_hash(hash, grid->distances, grid->node_count * sizeof *grid->distances);
}

static sn_result upload(const upload_target *to, const sn_grid *grid, uint32_t first_vec4, uint32_t size)
{
    const VkDeviceSize first = first_vec4 * VEC4_BYTES, bytes = size * VEC4_BYTES;
    float *packed = sn_alloc(size, VEC4_BYTES);
    if (!packed) {
        return SN_ERROR_MEMORY;
    }
    for (int d = 0; d < 3; ++d) {
        packed[d] = (float)grid->counts[d];
    }
    memcpy(packed + 4, grid->distances, grid->node_count * sizeof *packed);
    sn_result result = sn_gpu_buffer_set_enlarge(to->device, to->desc, first + bytes, to->buffer, to->set);
    if (result == SN_OK) {
        result = sn_gpu_upload_range(to->device, to->buffer, first, packed, bytes);
    }
    sn_free(packed, size, VEC4_BYTES);
    return result;
}

/* Adds an entry for a grid, sharing the upload of a grid with the same contents if there is one. */
static sn_result append(sn_gpu_grids *g, const sn_grid *grid, uint64_t hash, const struct sn_gpu_grid *duplicate,
                        const upload_target *to)
{
    const size_t size = duplicate ? 0 : 1 + (grid->node_count + 3) / 4;
    const struct sn_gpu_grid added = {grid, hash, duplicate ? duplicate->first : g->vec4s};
    struct sn_gpu_grid *grown = sn_grow(g->items, g->count, &g->capacity, sizeof *grown);
    if (!grown) {
        return SN_ERROR_MEMORY;
    }
    g->items = grown;
    if (size > SN_GPU_GRID_LIMIT - g->vec4s) {
        return sn_fail(SN_ERROR_UNSUPPORTED, "grid: %zu more nodes exceed the limit of all grids on a device",
                       grid->node_count);
    }
    SN_TRY(duplicate ? SN_OK : upload(to, grid, g->vec4s, (uint32_t)size));
    g->items[g->count++] = added;
    g->vec4s += (uint32_t)size;
    return SN_OK;
}

/* An entry serves one address at a time: a second grid with the same contents gets its own entry, which shares the
 * upload. */
sn_result sn_gpu_grids_add(sn_gpu_device *device, sn_gpu_grids *g, const sn_grid *grid, const sn_gpu_buffer_desc *desc,
                           sn_gpu_buffer *buffer, sn_gpu_set *set)
{
    const upload_target to = {device, desc, buffer, set};
    const uint64_t hash = hash_of(grid);
    struct sn_gpu_grid *duplicate = NULL, *unused = NULL;
    for (int i = 0; i < g->count; ++i) {
        struct sn_gpu_grid *entry = &g->items[i];
        entry->grid = entry->grid == grid ? NULL : entry->grid;
        duplicate = entry->hash == hash ? entry : duplicate;
        unused = entry->hash == hash && !entry->grid ? entry : unused;
    }
    if (unused) {
        unused->grid = grid;
        return SN_OK;
    }
    return append(g, grid, hash, duplicate, &to);
}

static int find(const sn_gpu_grids *g, const sn_grid *grid)
{
    int i = 0;
    while (i < g->count && g->items[i].grid != grid) {
        ++i;
    }
    return i;
}

bool sn_gpu_grids_has(const sn_gpu_grids *g, const sn_grid *grid)
{
    return find(g, grid) < g->count;
}

uint32_t sn_gpu_grids_first(const sn_gpu_grids *g, const sn_grid *grid)
{
    const int i = find(g, grid);
    SN_ASSERT(i < g->count);
    return g->items[i].first;
}

static sn_result copy_vec4s(sn_gpu_device *device, const sn_gpu_buffer *from, VkDeviceSize bytes,
                            const sn_gpu_buffer *to)
{
    const VkBufferCopy region = {.size = bytes};
    VkCommandBuffer commands = VK_NULL_HANDLE;
    uint64_t value = 0;
    SN_TRY(sn_gpu_begin(device, &commands));
    vkCmdCopyBuffer(commands, from->handle, to->handle, 1, &region);
    sn_gpu_barrier(commands, SN_GPU_TRANSFER_WRITE, SN_GPU_SHADER_READ);
    SN_TRY(sn_gpu_submit(device, commands, &value));
    return sn_gpu_wait(device, value);
}

sn_result sn_gpu_grids_copy(sn_gpu_device *device, const sn_gpu_grids *from, const sn_gpu_buffer *from_buffer,
                            const sn_gpu_buffer_desc *desc, sn_gpu_grids *g, sn_gpu_buffer *buffer, sn_gpu_set *set)
{
    const VkDeviceSize bytes = from->vec4s * VEC4_BYTES;
    SN_ASSERT(g->count == 0);
    if (from->count == 0) {
        return SN_OK;
    }
    struct sn_gpu_grid *items = sn_alloc((size_t)from->count, sizeof *items);
    if (!items) {
        return SN_ERROR_MEMORY;
    }
    sn_result result = sn_gpu_buffer_set_enlarge(device, desc, bytes, buffer, set);
    if (result == SN_OK) {
        result = copy_vec4s(device, from_buffer, bytes, buffer);
    }
    if (result != SN_OK) {
        sn_free(items, (size_t)from->count, sizeof *items);
        return result;
    }
    memcpy(items, from->items, (size_t)from->count * sizeof *items);
    sn_gpu_grids_finish(g);
    *g = (sn_gpu_grids){items, from->count, from->count, from->vec4s};
    return SN_OK;
}

void sn_gpu_grids_finish(sn_gpu_grids *g)
{
    sn_free(g->items, (size_t)g->capacity, sizeof *g->items);
    *g = (sn_gpu_grids){.items = NULL};
}
