/* SPDX-License-Identifier: MIT */
/* Reads models and motions from files. */
#ifndef SN_TOOLS_COMMAND_MODEL_FILE_H
#define SN_TOOLS_COMMAND_MODEL_FILE_H

#include "author/io/npy.h"
#include "runtime/session/motion.h"

/* The bytes live in the arena; release the model before the arena. Error messages name the file. */
sn_result sn_model_file_read(const char *path, sn_arena *arena, sn_model **model);

/* Reads finite poses (poses x bones x 3 x 4) from a .npy file. bone_count: the required number of bones, or 0 for any.
 */
sn_result sn_pose_array_read(const char *path, int bone_count, sn_arena *arena, sn_npy *array);

/* Opens a motion by its command-line text:
 * - "F.npy": world transforms relative to bind (frames x bones x 3 x 4), in the input's units
 * - "clip:NAME": a clip of the model
 * - a motion file that sn_motion_file_add appended as the model's last clip
 * - "expression:NAME": a morph expression that fades in and out (runtime/session/motion.h)
 * - "hop": the whole rig hops and rotates, for models without clips
 * - "jump", "dash", "shake", "turn": test motions of the root (host/model/root_motion.h)
 * - null: the rest pose */
sn_result sn_motion_open(const char *text, const char *model_path, const sn_model *model, sn_arena *arena,
                         sn_motion *motion);

/* Writes FOLDER/NAME.npy. */
sn_result sn_array_write(const char *folder, const char *name, sn_npy_type type, int dimension_count,
                         const size_t *shape, const void *values);

/* Creates the folder if it does not exist. */
sn_result sn_folder_create(const char *path);

#endif
