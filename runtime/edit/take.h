/* SPDX-License-Identifier: MIT */
/* A recording of what the bones do: rows at a fixed rate, as --motion takes them. */
#ifndef SN_RUNTIME_EDIT_TAKE_H
#define SN_RUNTIME_EDIT_TAKE_H

#include "host/model/model.h"
#include "sinew/author.h"

/* Zero it. */
typedef struct sn_take {
    bool is_running;
    int bone_count;
    double row_seconds;
    double seconds; /* since the first row */
    double *rows;   /* (row_count x bone_count x 12), of capacity rows */
    double *last;   /* (bone_count x 12) of the last call */
    size_t row_count, capacity;
} sn_take;

sn_result sn_take_start(sn_take *take, int bone_count, double row_seconds);
/* The bones `seconds` after the last call; rows that fall in between are interpolated. */
sn_result sn_take_add(sn_take *take, double seconds, const sn_mat3x4 *bones);
/* Writes MODEL-take-1.npy, or the first number that is free, beside the model, in the units of the file that it was
 * cooked from; and, of handles that were edited (blob, or null), the model that the rows are of, as MODEL-take-1.sinew.
 * `written` gets the path of the rows. */
sn_result sn_take_write(const sn_take *take, const char *model_path, const sn_model *model, const sn_blob *blob,
                        char written[4096]);
/* Accepts a zeroed one. */
void sn_take_finish(sn_take *take);

#endif
