/* SPDX-License-Identifier: MIT */
/* Removes animation keys that the surface does not need. */
#ifndef SN_AUTHOR_BAKE_KEYS_H
#define SN_AUTHOR_BAKE_KEYS_H

#include "author/io/scene_file.h"

/* The scene has one clip; every channel is linear with `frame_count` keys at the same times. Removes keys such that no
 * vertex moves by more than `bound`, at any frame or halfway between two, compared with all keys. Channels that stay at
 * their node's rest value are removed. The clip keeps its length. A bound of 0 removes only keys that change nothing.
 * is_fixed (frame_count), or null: frames whose keys stay in every channel that keeps more than one. */
sn_result sn_keys_reduce(sn_scene_file *scene, double bound, const bool *is_fixed, sn_arena *arena);

#endif
