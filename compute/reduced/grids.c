/* SPDX-License-Identifier: MIT */
/* Grids of signed distances, uploaded once and shared by all bodies. What is there is known by its content, since a
 * grid that goes leaves its address to another. */
#include <string.h>

#include "compute/reduced/solver.h"
#include "host/base/hash.h"
#include "host/contact/grid.h"

static uint64_t hash_of(const sn_grid *grid)
{
    const uint64_t hash = sn_hash(SN_HASH_SEED, grid->counts, sizeof grid->counts);
    return sn_hash(hash, grid->distances, grid->node_count * sizeof *grid->distances);
}

static sn_result upload(sn_gpu_reduced *r, const sn_grid *grid, uint32_t size)
{
    const VkDeviceSize first = r->grid_vec4s * SN_REDUCED_VEC4_BYTES, bytes = size * SN_REDUCED_VEC4_BYTES;
    float *packed = sn_alloc(size, SN_REDUCED_VEC4_BYTES);
    if (!packed) {
        return SN_ERROR_MEMORY;
    }
    for (int d = 0; d < 3; ++d) {
        packed[d] = (float)grid->counts[d];
    }
    memcpy(packed + 4, grid->distances, grid->node_count * sizeof *packed);
    sn_result result = sn_gpu_reduced_enlarge(r, SN_REDUCED_GRIDS, first + bytes);
    if (result == SN_OK) {
        result = sn_gpu_upload_range(r->device, &r->buffers[SN_REDUCED_GRIDS], first, packed, bytes);
    }
    if (result == SN_OK && r->body_count > 0) {
        result = sn_gpu_reduced_bind(r);
    }
    sn_free(packed, size, SN_REDUCED_VEC4_BYTES);
    return result;
}

/* An entry for a grid, with the upload of a twin, where there is one. */
static sn_result append(sn_gpu_reduced *r, const sn_grid *grid, uint64_t hash, const sn_gpu_reduced_grid *twin)
{
    const size_t size = twin ? 0 : 1 + (grid->node_count + 3) / 4;
    const sn_gpu_reduced_grid added = {grid, hash, twin ? twin->first : r->grid_vec4s};
    sn_gpu_reduced_grid *grown = sn_gpu_reduced_grow(r->grids, r->grid_count, &r->grid_room, sizeof *r->grids);
    if (!grown) {
        return SN_ERROR_MEMORY;
    }
    r->grids = grown;
    if (size > SN_REDUCED_GRID_LIMIT - r->grid_vec4s) {
        return sn_fail(SN_ERROR_UNSUPPORTED, "grid: %zu nodes more than a device takes", grid->node_count);
    }
    const sn_result result = twin ? SN_OK : upload(r, grid, (uint32_t)size);
    if (result == SN_OK) {
        r->grids[r->grid_count++] = added;
        r->grid_vec4s += (uint32_t)size;
    }
    return result;
}

/* An entry serves one address at a time: a twin of a grid that is there has its own, with the same upload. */
sn_result sn_gpu_reduced_add_grid(sn_gpu_reduced *r, const sn_grid *grid)
{
    const uint64_t hash = hash_of(grid);
    sn_gpu_reduced_grid *twin = NULL, *unused = NULL;
    r->seen_count = 0; /* the address may have been another's */
    for (int i = 0; i < r->grid_count; ++i) {
        sn_gpu_reduced_grid *there = &r->grids[i];
        there->grid = there->grid == grid ? NULL : there->grid;
        twin = there->hash == hash ? there : twin;
        unused = there->hash == hash && !there->grid ? there : unused;
    }
    if (unused) {
        unused->grid = grid;
        return SN_OK;
    }
    return append(r, grid, hash, twin);
}

uint32_t sn_gpu_reduced_first_of_grid(const sn_gpu_reduced *r, const sn_grid *grid)
{
    int i = 0;
    while (i < r->grid_count && r->grids[i].grid != grid) {
        ++i;
    }
    SN_ASSERT(i < r->grid_count);
    return r->grids[i].first;
}
