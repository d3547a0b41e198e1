/* SPDX-License-Identifier: MIT */
/* Fewer keys: a clip with a key a frame in every channel keeps those that the surface needs. */
#ifndef SN_AUTHOR_BAKE_KEYS_H
#define SN_AUTHOR_BAKE_KEYS_H

#include "author/io/scene_file.h"

/* The scene has one clip, every channel linear with `frame_count` keys at the same times. Leaves out keys such that no
 * vertex is moved by more than `bound`, at any frame or halfway between two, from where all keys have it; channels that
 * stay as their node rests go altogether. The clip keeps its length. A bound of 0 leaves out what changes nothing.
 * is_fixed (frame_count), or null: frames whose keys stay in every channel that keeps more than one. */
sn_result sn_keys_reduce(sn_scene_file *scene, double bound, const bool *is_fixed, sn_arena *arena);

#endif
