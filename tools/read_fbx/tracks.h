/* SPDX-License-Identifier: MIT */
/* Private to sinew-read-fbx: keys of the Open Asset Import Library and what lies between them, on straight lines. */
#ifndef SN_TOOLS_READ_FBX_TRACKS_H
#define SN_TOOLS_READ_FBX_TRACKS_H

#include <assimp/scene.h>

#include "author/bake/trs.h"
#include "author/io/list.h"

/* Of a clip; keys outside of it count as the way there, and are not taken over. */
typedef struct fbx_span {
    double start, ticks_per_second; /* start: in ticks */
    double seconds;
} fbx_span;

/* At a time in ticks; before the first and behind the last key, it is that. */
void fbx_track_sample(const struct aiNodeAnim *channel, double ticks, sn_trs *trs);
/* Whether two rotations that follow each other are more than about 10 degrees apart: the way in between is then no
 * longer a straight one in quaternions. */
bool fbx_track_turns_far(const struct aiNodeAnim *channel);
/* Appends the times (double, seconds from the start) of keys inside the span, and its ends where keys lie outside. */
sn_result fbx_track_list_times(const struct aiNodeAnim *channel, const fbx_span *span, sn_list *times);
/* Ascending; of those that are one as floats, one is left. */
void fbx_times_sort(sn_list *times);
/* Weights of `width` shapes (count x width) at all keys' times (count); a shape without keys has 0. */
sn_result fbx_shapes_sample(const struct aiMeshMorphAnim *from, const fbx_span *span, int width, sn_arena *arena,
                            float **times, float **values, int *count);

#endif
