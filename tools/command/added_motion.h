/* SPDX-License-Identifier: MIT */
/* Adds motion files of other skeletons to a loaded model as clips. */
#ifndef SN_TOOLS_COMMAND_ADDED_MOTION_H
#define SN_TOOLS_COMMAND_ADDED_MOTION_H

#include "author/import/motion_file.h"
#include "host/model/model.h"
#include "tools/command/args.h"

typedef struct sn_motion_source {
    const char *path; /* path of a motion file (author/import/motion_file.h); its first motion is used */
    const char *name; /* name of the clip; null: the name in the file */
} sn_motion_source;

/* Retargets the motions and appends them as the model's last clips. Call it before the model is used, and once for all
 * motions, since each call copies the existing clips. The clips live in the arena and are bounded by `limit`; release
 * the model before the arena. */
sn_result sn_motion_clips_add(const sn_motion_source *motions, int count, const char *model_path,
                              sn_motion_limit *limit, sn_arena *arena, sn_model *model);

/* Adds `motion` if it is the name of a motion file, otherwise does nothing; null is allowed. sn_motion_open then
 * selects that clip. */
sn_result sn_motion_file_add(const char *motion, const char *model_path, sn_arena *arena, sn_model *model);

/* Checks that every clip is a known file type and that there is a rig to retarget to; else prints an error and returns
 * false. */
bool sn_check_clips(const sn_string_list *clips, const char *rig);

#endif
