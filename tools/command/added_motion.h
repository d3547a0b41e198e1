/* SPDX-License-Identifier: MIT */
/* Motions of other skeletons, for one run: clips more of a model in memory. */
#ifndef SN_TOOLS_COMMAND_ADDED_MOTION_H
#define SN_TOOLS_COMMAND_ADDED_MOTION_H

#include "author/import/motion_file.h"
#include "host/model/model.h"
#include "tools/command/args.h"

typedef struct sn_added_motion {
    const char *path; /* of a motion file (author/import/motion_file.h), whose first motion it is */
    const char *name; /* of the clip; null: the file's */
} sn_added_motion;

/* Retargeted, they become the model's last clips. To be called before anything has the model, and once for all of them:
 * each call copies the clips that there are. What is added lives in the arena, less than the limit has; the model must
 * be released before it. */
sn_result sn_motion_clips_add(const sn_added_motion *motions, int count, const char *model_path, sn_motion_limit *limit,
                              sn_arena *arena, sn_model *model);

/* The same where `motion` (or null) is the name of a motion file; sn_motion_open then takes that clip. */
sn_result sn_motion_file_add(const char *motion, const char *model_path, sn_arena *arena, sn_model *model);

/* Says so where a clip is none of those files and there is no rig whose bones it could move. */
bool sn_check_clips(const sn_string_list *clips, const char *rig);

#endif
