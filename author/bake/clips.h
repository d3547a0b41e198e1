/* SPDX-License-Identifier: MIT */
/* Private to author/bake: several clips in one motion. All do nothing for a motion without a list of clips. */
#ifndef SN_AUTHOR_BAKE_CLIPS_H
#define SN_AUTHOR_BAKE_CLIPS_H

#include "author/bake/bake.h"

/* Marks the first and last frame of each clip (frame_count); null for a motion without a list of clips. */
sn_result sn_bake_clip_ends(const sn_bake_motion *motion, sn_arena *arena, bool **is_end);
/* Replaces the clip of the whole motion by the clips of its list. */
sn_result sn_bake_cut_clips(const sn_bake_motion *motion, sn_arena *arena, sn_scene_file *scene);

#endif
