/* SPDX-License-Identifier: MIT */
/* Grids of signed distances (host/contact/grid.h), uploaded once and shared by all bodies of a solver. In the buffer,
 * in vec4: the counts of nodes, 0; then the distances, x first, four each. What is there is known by its content, since
 * a grid that goes leaves its address to another. */
#ifndef SN_COMPUTE_CORE_GRIDS_H
#define SN_COMPUTE_CORE_GRIDS_H

#include "compute/core/buffer_set.h"
#include "host/contact/grid.h"

#define SN_GPU_GRID_LIMIT 0x1000000u /* vec4s of all grids: a float counts them */

typedef struct sn_gpu_grids {
    struct sn_gpu_grid *items;
    int count, room;
    uint32_t vec4s;
} sn_gpu_grids;

/* Uploads a grid where it has not been yet: before colliders have it, and again where another grid came to its address.
 * May wait for the device, as growing a buffer does. */
sn_result sn_gpu_grids_add(sn_gpu_device *device, sn_gpu_grids *grids, const sn_grid *grid,
                           const sn_gpu_buffer_desc *desc, sn_gpu_buffer *buffer, sn_gpu_set *set);
/* Whether one at this address was added. */
bool sn_gpu_grids_has(const sn_gpu_grids *grids, const sn_grid *grid);
/* Its first vec4; it was added. */
uint32_t sn_gpu_grids_first(const sn_gpu_grids *grids, const sn_grid *grid);
void sn_gpu_grids_finish(sn_gpu_grids *grids);

#endif
