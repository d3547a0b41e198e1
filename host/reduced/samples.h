/* SPDX-License-Identifier: MIT */
/* The surface samples of a model, which feel contact, wind and impulses: where rig and flesh take them. */
#ifndef SN_HOST_REDUCED_SAMPLES_H
#define SN_HOST_REDUCED_SAMPLES_H

#include "host/model/model.h"
#include "host/reduced/cluster_pass.h"

/* Rows of V, eight samples a vector; absent ones are zero. */
typedef struct sn_sample_rows {
    int block_count;
    sn_f32x8 *rows; /* (block_count x coordinate_count) */
} sn_sample_rows;

sn_result sn_samples_pack(const sn_model *model, sn_arena *arena, sn_sample_rows *rows);
/* What a step computes at the samples. */
typedef struct sn_sample_scratch {
    sn_f32x8 *flesh;            /* (block_count x 3) what it adds to the rig, or to its movement */
    sn_f32x8 *forces, *normals; /* (block_count x 3) of the wind */
    float *speeds;              /* (sample_count) of the air against the skin */
    double *places;             /* (sample_count x 3) where the rig alone has them */
} sn_sample_scratch;

sn_result sn_samples_allocate(const sn_sample_rows *rows, sn_arena *arena, sn_sample_scratch *scratch);

/* What coordinates (coordinate_count x 3) add at all samples: result (block_count x 3). */
void sn_samples_flesh(const sn_sample_rows *rows, int coordinate_count, const float *coordinates, sn_f32x8 *result);
/* One sample out of such a result. */
static inline void sn_sample_take(const sn_f32x8 *all, int sample, double *result)
{
    for (int d = 0; d < 3; ++d) {
        result[d] = (double)all[3 * (sample / SN_LANES) + d][sample % SN_LANES];
    }
}

static inline void sn_sample_put(sn_f32x8 *all, int sample, const double *value)
{
    for (int d = 0; d < 3; ++d) {
        all[3 * (sample / SN_LANES) + d][sample % SN_LANES] = (float)value[d];
    }
}

/* result (coordinate_count x 3) += sum_i b_i^T f_i for forces (block_count x 3) at all samples; scratch is
 * (coordinate_count x 3). */
void sn_samples_pull(const sn_sample_rows *rows, int coordinate_count, const sn_f32x8 *forces, sn_f32x8 *scratch,
                     double *result);
/* What coordinates add at a row of V, and at a sample. */
void sn_row_flesh(int coordinate_count, const float *row, const double *coordinates, double *displacement);
void sn_sample_flesh(const sn_model *model, int sample, const double *coordinates, double *displacement);

/* A vertex of the surface under a rig (4 bone_count x 3) and morph targets with weights (morph_count; null: all 0). */
void sn_sample_rig(const sn_model *model, size_t vertex, const double *rig, const float *morphs, double *position);

typedef struct sn_sample_search {
    const sn_model *model;
    const double *rig, *coordinates;
    const float *morphs, *give; /* morphs as for sn_sample_rig */
} sn_sample_search;
/* The sample that is nearest to a point, of those whose give is not 0, or null, of all; and where it is. -1: none. */
int sn_nearest_sample(const sn_sample_search *search, const double *point, double *position);

#endif
