/* SPDX-License-Identifier: MIT */
#include "tools/sim/point_set.h"

sn_result sn_point_set_alloc(int count, int frame_count, sn_point_dump dump, sn_arena *arena, sn_point_set *points)
{
    const size_t width = 3 * (size_t)count, frames = (size_t)frame_count;
    *points =
        (sn_point_set){.count = count, .moved = SN_NEW(arena, double, width), .rig = SN_NEW(arena, double, width)};
    bool is_ok = points->moved && points->rig;
    if (is_ok && dump != SN_DUMP_NONE) { /* the allocator reports the first failure */
        points->all_moved = sn_arena_alloc(arena, frames, width * sizeof(double));
        is_ok = points->all_moved != NULL;
    }
    if (is_ok && dump == SN_DUMP_BOTH) {
        points->all_rig = sn_arena_alloc(arena, frames, width * sizeof(double));
        is_ok = points->all_rig != NULL;
    }
    return is_ok ? SN_OK : SN_ERROR_MEMORY;
}
