/* SPDX-License-Identifier: MIT */
/* Signed distance grids (host/contact/grid.h), uploaded once and shared by all bodies of a solver. Layout in the
 * buffer, in vec4: the node counts (x, y, z, 0), then the distances, x fastest, four per vec4. A grid is identified by
 * its contents, since the address of a destroyed grid may be reused. */
#ifndef SN_COMPUTE_CORE_GRIDS_H
#define SN_COMPUTE_CORE_GRIDS_H

#include "compute/core/buffer_set.h"
#include "host/contact/grid.h"

#define SN_GPU_GRID_LIMIT 0x1000000u /* vec4s of all grids: offsets are stored as floats */

typedef struct sn_gpu_grids {
    struct sn_gpu_grid *items;
    int count, capacity;
    uint32_t vec4s;
} sn_gpu_grids;

/* Uploads a grid unless it is there. Call before colliders use the grid, and again when another grid was created at the
 * same address. May wait for the device, as the buffer may grow. */
sn_result sn_gpu_grids_add(sn_gpu_device *device, sn_gpu_grids *grids, const sn_grid *grid,
                           const sn_gpu_buffer_desc *desc, sn_gpu_buffer *buffer, sn_gpu_set *set);
/* Whether a grid at this address was added. */
bool sn_gpu_grids_has(const sn_gpu_grids *grids, const sn_grid *grid);
/* Index of the grid's first vec4. The grid must have been added. */
uint32_t sn_gpu_grids_first(const sn_gpu_grids *grids, const sn_grid *grid);
/* Copies all grids to an empty set of another solver. Waits for the device. */
sn_result sn_gpu_grids_copy(sn_gpu_device *device, const sn_gpu_grids *from, const sn_gpu_buffer *from_buffer,
                            const sn_gpu_buffer_desc *desc, sn_gpu_grids *grids, sn_gpu_buffer *buffer,
                            sn_gpu_set *set);
void sn_gpu_grids_finish(sn_gpu_grids *grids);

#endif
