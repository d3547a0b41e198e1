/* SPDX-License-Identifier: MIT */
/* Private to author/modes: data shared by the files that build the reduced matrices. Arrays with a row per vertex are
 * row-major and processed in blocks of rows that stay in the cache; small matrices are column-major, as in LAPACK. */
#ifndef SN_AUTHOR_MODES_REDUCED_REDUCED_PARTS_H
#define SN_AUTHOR_MODES_REDUCED_REDUCED_PARTS_H

#include "author/modes/constraint/row_products.h"
#include "author/modes/reduced/reduced_matrices.h"

#define SN_REDUCED_BLOCK 128

/* Rows of a sparse matrix: entries starts[v] to starts[v + 1] - 1 are (indices, values). */
typedef struct sn_reduced_rows {
    int32_t *starts, *indices;
    double *values;
} sn_reduced_rows;

/* The bones that occur in a block of rows. */
typedef struct sn_reduced_bones {
    int count;
    int32_t *slots; /* (bone_count) index of a bone in `bones`, or -1 */
    int32_t *bones; /* (bone_count) */
    double *rows;   /* (block x 4 count) */
} sn_reduced_bones;

/* Products with the rig's columns Jc, accumulated over blocks of rows. */
typedef struct sn_reduced_cross {
    sn_reduced_bones rig;               /* Jc; its product with the mass is in `mass_rows` */
    sn_reduced_bones image;             /* of L Jc, whose rows also have the bones of neighbours */
    double *mass_rows;                  /* (block x p) */
    double *block_product;              /* (max(q, p) x p) */
    double *mass, *stiffness;           /* (q x p) column-major: V^T M Jc, V^T L Jc */
    double *mass_bone, *stiffness_bone; /* (p x p) stiffness_bone plus its transpose is the result */
    double *mass_of_basis;              /* (q) V^T M 1 */
} sn_reduced_cross;

typedef struct sn_reduced_scratch_pool {
    const sn_reduced_input *in;
    size_t n, columns, q, p;   /* vertices, 4 modes, coordinates, 4 bones */
    size_t m;                  /* 3 pairs of morph fields and bones */
    sn_reduced_rows laplacian; /* both triangles */
    sn_reduced_rows rig;       /* the bones with non-zero weight of each vertex */
    double *places;            /* (n x 4) homogeneous rest positions */
    double *basis;             /* V (n x q) */
    double *map;               /* (columns x q) column-major: V = B map */
    double *inverse;           /* (q x columns) column-major: V^T M B; B = V inverse if no coordinate was removed */
    size_t removed;            /* coordinates that the constraint rows remove */
    double *removed_inverse;   /* (removed x columns) column-major: N^T M B with B = V inverse + N removed_inverse */
    double *lambda;            /* (q) */
    double *rotation;          /* (q x q) column-major: the last rotation of V */
    sn_reduced_cross cross;    /* computed before that rotation */
    sn_arena arena;
} sn_reduced_scratch_pool;

/* Builds places and the sparse rows from the mesh and the weights. */
sn_result sn_reduced_rows_build(sn_reduced_scratch_pool *work);
/* Builds basis, map, inverse, lambda, q, rotation and cross. */
sn_result sn_reduced_basis_build(sn_reduced_scratch_pool *work);

/* Splits coordinates with an orthonormal basis (n x q): kept_basis (q x *kept_count) spans those with A V kept_basis =
 * 0, removed (q x (q - *kept_count)) the others; both are orthonormal and column-major. A: the input's constraint rows.
 */
sn_result sn_reduced_split(sn_reduced_scratch_pool *work, size_t *kept_count, double **kept_basis, double **removed);
/* For blocks of at most SN_REDUCED_BLOCK rows of the basis. */
sn_result sn_reduced_cross_init(const sn_reduced_scratch_pool *work, sn_arena *arena, sn_reduced_cross *cross);
/* image (count x q): these rows of L V. */
void sn_reduced_cross_add(const sn_reduced_scratch_pool *work, size_t first, size_t count, const double *image,
                          sn_reduced_cross *cross);
/* Writes mass_cross, stiffness_cross, mass_bone, stiffness_bone, coordinate_mass. */
void sn_reduced_cross_write(const sn_reduced_scratch_pool *work, sn_reduced_matrices *out);

/* Writes morph_cross, morph_mass. */
sn_result sn_reduced_morphs_build(sn_reduced_scratch_pool *work, sn_reduced_matrices *out);

/* Removes target modes from mass_cross and coordinate_mass. */
sn_result sn_reduced_isolate_targets(sn_reduced_scratch_pool *work, sn_reduced_matrices *out);

/* S[c] = sum_{t in c} mu_t V_t G_t^T U: coordinate (3 cluster_count x q) += the columns of V, bone (3 cluster_count x
 * p; null: none) those of Jc. */
sn_result sn_reduced_clusters_build(sn_reduced_scratch_pool *work, double *coordinate, double *bone);
/* stiffness (q x q) <- ((1 + v) stiffness + (kappa - v) sum_c S_B^T S_B / m_c) / (1 + kappa): see
 * strain_limit_stiffness in host/model/model.h. The basis then diagonalises this matrix. */
sn_result sn_reduced_limit_stiffness(sn_reduced_scratch_pool *work, double *stiffness);
/* The same for stiffness_cross and stiffness_bone, once the clusters' matrices are known. */
sn_result sn_reduced_limit_bones(sn_reduced_scratch_pool *work, sn_reduced_matrices *out);

/* Writes cluster_lame and volume_bound, from the clusters' matrices. */
sn_result sn_reduced_volume_build(sn_reduced_scratch_pool *work, sn_reduced_matrices *out);

/* Writes cluster_strain_limits, coordinate_decay and coordinate_tangent_stiffness, from all other matrices. */
sn_result sn_reduced_response_build(sn_reduced_scratch_pool *work, sn_reduced_matrices *out);

/* Number of rows of the block that starts at `first`. */
static inline size_t sn_reduced_block_rows(const sn_reduced_scratch_pool *work, size_t first)
{
    return work->n - first < SN_REDUCED_BLOCK ? work->n - first : SN_REDUCED_BLOCK;
}

/* y (count) += factor x. Vectorised by hand, since compilers do not vectorise loops of unknown length at -O2. */
static inline void sn_reduced_add_scaled(double factor, const double *x, size_t count, double *y)
{
    typedef double pair __attribute__((vector_size(16), aligned(8), may_alias));
    size_t i = 0;
    for (; i + 2 <= count; i += 2) {
        *(pair *)(y + i) += factor * *(const pair *)(x + i);
    }
    if (i < count) {
        y[i] += factor * x[i];
    }
}

#endif
