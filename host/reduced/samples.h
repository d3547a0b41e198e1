/* SPDX-License-Identifier: MIT */
/* The surface samples of a model, at which contact, wind and impulses act, and their positions under rig and flesh.
 * Eight samples lie in the lanes of a vector: sample s in lane s % SN_LANES of block s / SN_LANES. */
#ifndef SN_HOST_REDUCED_SAMPLES_H
#define SN_HOST_REDUCED_SAMPLES_H

#include "host/contact/collider.h"
#include "host/model/model.h"
#include "host/reduced/kernels/cluster_pass.h"

/* Rows of V, eight points per vector; unused lanes are zero. */
typedef struct sn_sample_rows {
    int block_count;
    sn_f32x8 *rows; /* (block_count x coordinate_count) */
} sn_sample_rows;

/* Skinning data of the samples, and of each sample's patch extremes in eight lanes. */
typedef struct sn_sample_skin {
    int sample_count;
    float *rest;             /* (sample_count x 4) x, y, z, 1 */
    float *normals;          /* (sample_count x 4) x, y, z, 0 */
    sn_f32x8 *normal_lanes;  /* (block_count x 3) the normals in lanes */
    sn_f32x8 *areas;         /* (block_count) */
    int32_t *starts, *bones; /* influences of sample s: starts[s] to starts[s + 1] */
    float *weights;          /* weights of these bones */
    sn_f32x8 *extreme_rest;  /* (sample_count x 3) */
    int32_t *extreme_starts; /* the same for the extremes: bones that influence any of the eight */
    int32_t *extreme_bones;
    sn_f32x8 *extreme_weights;
} sn_sample_skin;

sn_result sn_samples_pack(const sn_model *model, sn_arena *arena, sn_sample_rows *rows, sn_sample_skin *skin);

/* Per-step results at the samples. */
typedef struct sn_sample_scratch {
    sn_f32x8 *positions;    /* (block_count x 3) positions by the rig alone, relative to the root; or rig velocities */
    sn_f32x8 *flesh_offset; /* (block_count x 3) displacement by the flesh */
    sn_f32x8 *forces;       /* (block_count x 3) wind forces */
    sn_f32x8 *normals;      /* (block_count x 3) */
    sn_f32x8 *speeds;       /* (block_count) speed of the air relative to the skin */
    sn_f32x8 *limits;       /* (block_count) rig-only distance below which a collider can touch */
    uint64_t *near_flags;   /* (SN_LANES block_count x SN_SAMPLE_FLAG_WORDS) bit set of colliders that can touch */
    float *rest;            /* (sample_count x 4) rest positions with morph targets */
    float *columns;         /* (3 x padded coordinate_count) the prediction, one axis after the other */
    float *rig;             /* (bone_count x 4 x 4) columns of the bones' transforms, each padded with a zero */
} sn_sample_scratch;

#define SN_SAMPLE_FLAG_WORDS 4 /* 64-bit words per sample */

/* Bounding shape of a collider, relative to the root: a plane with the normal `centre`, or an oriented box, both grown
 * by a radius. */
typedef struct sn_bounding_shape {
    bool is_plane;
    float centre[3], radius;
    float axes[3][3], half_extents[3]; /* of the box */
    const sn_grid *grid;               /* distance grid in the box; null: the box is solid */
} sn_bounding_shape;

sn_result sn_samples_allocate(int block_count, int bone_count, int padded_count, sn_arena *arena,
                              sn_sample_scratch *scratch);

/* Per lane: is_first ? a : b. */
static inline __attribute__((always_inline)) sn_f32x8 sn_select8(sn_i32x8 is_first, sn_f32x8 a, sn_f32x8 b)
{
    return (sn_f32x8)(((sn_i32x8)a & is_first) | ((sn_i32x8)b & ~is_first));
}

/* Reads one sample from lanes (block_count x 3). */
static inline void sn_sample_get(const sn_f32x8 *all, int sample, double *result)
{
    for (int d = 0; d < 3; ++d) {
        result[d] = (double)all[3 * (sample / SN_LANES) + d][sample % SN_LANES];
    }
}

static inline void sn_sample_set(sn_f32x8 *all, int sample, const float *value)
{
    for (int d = 0; d < 3; ++d) {
        all[3 * (sample / SN_LANES) + d][sample % SN_LANES] = value[d];
    }
}

/* Rest positions (sample_count x 4) of the samples with morph targets at these weights: the skin's own array, or
 * `morphed`. */
const float *sn_samples_rest_positions(const sn_model *model, const sn_sample_skin *skin, const float *morphs,
                                       float *morphed);
/* Converts a rig (4 bone_count x 3), minus `origin` in each translation, to float (bone_count x 4 x 4). */
void sn_samples_rig_to_float(const double *rig, int bone_count, const double *origin, float *converted);

/* Displacement by coordinates, for a row of V and for a sample. */
void sn_row_flesh_offset(int coordinate_count, const float *row, const double *coordinates, double *displacement);
void sn_sample_flesh_offset(const sn_model *model, int sample, const double *coordinates, double *displacement);

/* Position of a surface vertex under a rig (4 bone_count x 3) and morph weights (morph_count; null: all 0). */
void sn_sample_rig_position(const sn_model *model, size_t vertex, const double *rig, const float *morphs,
                            double *position);

typedef struct sn_sample_search {
    const sn_model *model;
    const double *rig, *coordinates;
    const float *morphs, *compliance; /* morphs as for sn_sample_rig_position; compliance null: search all samples */
} sn_sample_search;
/* Finds the sample nearest to a point, and its position. Samples with a compliance of 0 are skipped. Returns -1 if
 * there is none. */
int sn_nearest_sample(const sn_sample_search *search, const double *point, double *position);

#endif
