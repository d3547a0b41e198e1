/* SPDX-License-Identifier: MIT */
/* Columns that morph targets add to Jc; see host/model/model.h. */
#ifndef SN_AUTHOR_WEIGHTS_MORPH_COLUMNS_H
#define SN_AUTHOR_WEIGHTS_MORPH_COLUMNS_H

#include "host/model/model.h"

typedef struct sn_morph_rig {
    int vertex_count, bone_count, field_count, pair_count;
    const double *rig_weights;  /* (vertex_count x bone_count), rows sum to 1 */
    const double *fields;       /* (vertex_count x 3 field_count) */
    const sn_morph_pair *pairs; /* (pair_count) sorted by field */
} sn_morph_rig;

/* Computes columns (vertex_count x 3 pair_count): h_b d_f. */
void sn_morph_columns_build(const sn_morph_rig *rig, double *columns);
/* The same from a model; allocates the columns in the arena. */
sn_result sn_morph_columns_from_model(const sn_model *model, sn_arena *arena, double **columns);
/* positions (vertex_count x 3) += columns rows, for rows (3 pair_count x 3) of the rig vector. */
void sn_morph_columns_add(const double *columns, int vertex_count, int pair_count, const double *rows,
                          double *positions);

/* Copies to double. Returns null if memory runs out. */
double *sn_copy_to_double(sn_arena *arena, const float *values, size_t count);

#endif
