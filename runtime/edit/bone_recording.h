/* SPDX-License-Identifier: MIT */
/* Records bone transforms: rows at a fixed rate, in the format of --motion. */
#ifndef SN_RUNTIME_EDIT_BONE_RECORDING_H
#define SN_RUNTIME_EDIT_BONE_RECORDING_H

#include "host/model/model.h"
#include "sinew/author.h"

/* Zero-initialize. */
typedef struct sn_bone_recording {
    bool is_running;
    int bone_count;
    double row_seconds;
    double seconds; /* since the first row */
    double *rows;   /* (row_count x bone_count x 12), allocated for `capacity` rows */
    double *last;   /* (bone_count x 12) of the last call */
    size_t row_count, capacity;
} sn_bone_recording;

sn_result sn_bone_recording_start(sn_bone_recording *recording, int bone_count, double row_seconds);
/* Adds the bones at `seconds` after the last call; rows in between are interpolated. */
sn_result sn_bone_recording_add(sn_bone_recording *recording, double seconds, const sn_mat3x4 *bones);
/* Writes MODEL-take-N.npy beside the model, with the first free number, in the units of the file that it was cooked
 * from. If the handles were edited (blob not null), also writes the edited model as MODEL-take-N.sinew. `written`: the
 * path of the .npy file. */
sn_result sn_bone_recording_write(const sn_bone_recording *recording, const char *model_path, const sn_model *model,
                                  const sn_blob *blob, char written[4096]);
/* Accepts a zeroed struct. */
void sn_bone_recording_finish(sn_bone_recording *recording);

#endif
