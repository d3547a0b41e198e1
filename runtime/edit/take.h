/* SPDX-License-Identifier: MIT */
/* Records bone transforms: rows at a fixed rate, in the format of --motion. */
#ifndef SN_RUNTIME_EDIT_TAKE_H
#define SN_RUNTIME_EDIT_TAKE_H

#include "host/model/model.h"
#include "sinew/author.h"

/* Zero-initialize. */
typedef struct sn_take {
    bool is_running;
    int bone_count;
    double row_seconds;
    double seconds; /* since the first row */
    double *rows;   /* (row_count x bone_count x 12), allocated for `capacity` rows */
    double *last;   /* (bone_count x 12) of the last call */
    size_t row_count, capacity;
} sn_take;

sn_result sn_take_start(sn_take *take, int bone_count, double row_seconds);
/* Adds the bones at `seconds` after the last call; rows in between are interpolated. */
sn_result sn_take_add(sn_take *take, double seconds, const sn_mat3x4 *bones);
/* Writes MODEL-take-N.npy beside the model, with the first free number, in the units of the file that it was cooked
 * from. If the handles were edited (blob not null), also writes the edited model as MODEL-take-N.sinew. `written`: the
 * path of the .npy file. */
sn_result sn_take_write(const sn_take *take, const char *model_path, const sn_model *model, const sn_blob *blob,
                        char written[4096]);
/* Accepts a zeroed struct. */
void sn_take_finish(sn_take *take);

#endif
