/* SPDX-License-Identifier: MIT */
/* Models and motions from files, for the verbs. */
#ifndef SN_TOOLS_COMMAND_MODEL_FILE_H
#define SN_TOOLS_COMMAND_MODEL_FILE_H

#include "author/io/npy.h"
#include "runtime/session/motion.h"

/* Bytes live in the arena; release the model before the arena. A failure's line names the file. */
sn_result sn_model_file_read(const char *path, sn_arena *arena, sn_model **model);

/* Poses of a .npy, (poses x bones x 3 x 4), finite; bone_count: how many there must be, 0: any. */
sn_result sn_pose_array_read(const char *path, int bone_count, sn_arena *arena, sn_npy *array);

/* text: "F.npy" (frames x bones x 3 x 4, world relative to bind, in the input's units), "clip:NAME", a motion file,
 * which added_motion.h has made the model's last clip,
 * "expression:NAME" (it comes and goes, see motion.h), "hop" (the whole
 * rig hops and turns to and fro: something to see where there is no clip), null = rest. */
sn_result sn_motion_open(const char *text, const char *model_path, const sn_model *model, sn_arena *arena,
                         sn_motion *motion);

/* Writes FOLDER/NAME.npy. */
sn_result sn_array_write(const char *folder, const char *name, sn_npy_type type, int dimension_count,
                         const size_t *shape, const void *values);

/* Makes a folder where there is none. */
sn_result sn_folder_make(const char *path);

#endif
