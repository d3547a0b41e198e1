/* SPDX-License-Identifier: MIT */
/* A motion of another skeleton, for one run: a clip more of a model in memory. */
#ifndef SN_TOOLS_COMMAND_ADDED_MOTION_H
#define SN_TOOLS_COMMAND_ADDED_MOTION_H

#include "host/model/model.h"
#include "tools/command/args.h"

/* The first motion of a motion file (author/cook/motion_file.h), retargeted, becomes the model's last clip. name: null
 * for the file's. To be called before anything has the model. What is added lives in the arena; the model must be
 * released before it. */
sn_result sn_motion_clip_add(const char *path, const char *name, const char *model_path, sn_arena *arena,
                             sn_model *model);

/* The same where `motion` (or null) is the name of a motion file; sn_motion_open then takes that clip. */
sn_result sn_motion_file_add(const char *motion, const char *model_path, sn_arena *arena, sn_model *model);

/* Says so where a clip is none of those files and there is no rig whose bones it could move. */
bool sn_check_clips(const sn_string_list *clips, const char *rig);

#endif
