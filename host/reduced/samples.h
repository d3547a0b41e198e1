/* SPDX-License-Identifier: MIT */
/* The surface samples of a model, which feel contact, wind and impulses: where rig and flesh take them. Eight samples
 * lie in the lanes of a vector: sample s in lane s % SN_LANES of block s / SN_LANES. */
#ifndef SN_HOST_REDUCED_SAMPLES_H
#define SN_HOST_REDUCED_SAMPLES_H

#include "host/contact/collider.h"
#include "host/model/model.h"
#include "host/reduced/kernels/cluster_pass.h"

/* Rows of V, eight points a vector; absent ones are zero. */
typedef struct sn_sample_rows {
    int block_count;
    sn_f32x8 *rows; /* (block_count x coordinate_count) */
} sn_sample_rows;

/* What bones carry: the samples, and, eight lanes a sample, the vertices that stick out of what it stands for. */
typedef struct sn_sample_skin {
    int sample_count;
    float *rest;             /* (sample_count x 4) x, y, z, 1 */
    float *normals;          /* (sample_count x 4) x, y, z, 0 */
    sn_f32x8 *normal_lanes;  /* (block_count x 3) the same */
    sn_f32x8 *areas;         /* (block_count) */
    int32_t *starts, *bones; /* of sample s: from starts[s] up to starts[s + 1] */
    float *weights;          /* of these bones */
    sn_f32x8 *extreme_rest;  /* (sample_count x 3) */
    int32_t *extreme_starts; /* likewise: bones that carry any of the eight */
    int32_t *extreme_bones;
    sn_f32x8 *extreme_weights;
} sn_sample_skin;

sn_result sn_samples_pack(const sn_model *model, sn_arena *arena, sn_sample_rows *rows, sn_sample_skin *skin);

/* What a step computes at the samples. */
typedef struct sn_sample_scratch {
    sn_f32x8 *places; /* (block_count x 3) where the rig alone has them, from the root's translation; or how it moves */
    sn_f32x8 *flesh;  /* (block_count x 3) what it adds to that */
    sn_f32x8 *forces; /* (block_count x 3) of the wind */
    sn_f32x8 *normals; /* (block_count x 3) */
    sn_f32x8 *speeds;  /* (block_count) of the air against the skin */
    sn_f32x8 *limits;  /* (block_count) how near by the rig a collider must be to count */
    uint64_t *marks;   /* (SN_LANES block_count x SN_SAMPLE_MARKS) bits: colliders that may touch */
    float *rest;       /* (sample_count x 4) under morph targets */
    float *columns;    /* (3 x padded coordinate_count) of the prediction, one after the other */
    float *rig;        /* (bone_count x 4 x 4) columns of bones' transforms, each with a zero behind */
} sn_sample_scratch;

#define SN_SAMPLE_MARKS 4 /* words a sample */

/* Of a collider, from the root: a plane with the normal `centre`, or a box around it, both grown by a radius. */
typedef struct sn_near_shape {
    bool is_plane;
    float centre[3], radius;
    float axes[3][3], half_extents[3]; /* of the box */
    const sn_grid *grid;               /* what lies in it, or null: all of it is solid */
} sn_near_shape;

sn_result sn_samples_allocate(int block_count, int bone_count, int padded_count, sn_arena *arena,
                              sn_sample_scratch *scratch);

/* Lane by lane, what the mask says. */
static inline __attribute__((always_inline)) sn_f32x8 sn_choose8(sn_i32x8 is_first, sn_f32x8 a, sn_f32x8 b)
{
    return (sn_f32x8)(((sn_i32x8)a & is_first) | ((sn_i32x8)b & ~is_first));
}

/* One sample out of what lies in lanes (block_count x 3). */
static inline void sn_sample_take(const sn_f32x8 *all, int sample, double *result)
{
    for (int d = 0; d < 3; ++d) {
        result[d] = (double)all[3 * (sample / SN_LANES) + d][sample % SN_LANES];
    }
}

static inline void sn_sample_put(sn_f32x8 *all, int sample, const float *value)
{
    for (int d = 0; d < 3; ++d) {
        all[3 * (sample / SN_LANES) + d][sample % SN_LANES] = value[d];
    }
}

/* The samples' rest places (sample_count x 4) under morph targets with these weights: the skin's own, or `moved`. */
const float *sn_samples_rest(const sn_model *model, const sn_sample_skin *skin, const float *morphs, float *moved);
/* (4 bone_count x 3), each less `origin` in its translation, to (bone_count x 4 x 4). */
void sn_samples_take_rig(const double *rig, int bone_count, const double *origin, float *taken);

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
