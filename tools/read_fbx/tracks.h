/* SPDX-License-Identifier: MIT */
/* Private to sinew-read-fbx: linear interpolation of the Open Asset Import Library's keys. */
#ifndef SN_TOOLS_READ_FBX_TRACKS_H
#define SN_TOOLS_READ_FBX_TRACKS_H

#include <assimp/scene.h>

#include "author/bake/trs.h"
#include "author/io/list.h"

/* The time span of a clip. Keys outside of it are used for interpolation only. */
typedef struct fbx_span {
    double start, ticks_per_second; /* start is in ticks */
    double seconds;
} fbx_span;

/* Samples a channel at a time in ticks, clamped to the first and last key. */
void fbx_track_sample(const struct aiNodeAnim *channel, double ticks, sn_trs *trs);
/* Whether consecutive rotations differ by more than about 10 degrees, so that quaternion interpolation may deviate from
 * the curve. */
bool fbx_track_has_large_rotation(const struct aiNodeAnim *channel);
/* Appends the times (double, s from the start) of keys, clamped to the span. */
sn_result fbx_track_list_times(const struct aiNodeAnim *channel, const fbx_span *span, sn_list *times);
/* Sorts ascending and removes times that are equal as floats. */
void fbx_times_sort(sn_list *times);
/* Samples the weights of `width` shapes, (count x width), at the times of all keys (count); a shape without keys has
 * weight 0. */
sn_result fbx_shapes_sample(const struct aiMeshMorphAnim *from, const fbx_span *span, int width, sn_arena *arena,
                            float **times, float **values, int *count);

#endif
