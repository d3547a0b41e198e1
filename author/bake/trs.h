/* SPDX-License-Identifier: MIT */
/* Decomposition of affine transforms into translation, rotation (quaternion x y z w) and scale, as scene nodes have. */
#ifndef SN_AUTHOR_BAKE_TRS_H
#define SN_AUTHOR_BAKE_TRS_H

typedef struct sn_trs {
    double translation[3], rotation[4], scale[3];
} sn_trs;

/* Computes the nearest TRS of a 3 x 4 transform that treats its columns equally; exact if they are orthogonal. Mirrored
 * transforms get negative scales. `previous` is the previous frame's TRS or null: it determines the quaternion's sign
 * and the undefined parts of singular transforms. */
void sn_trs_from_affine(const double *affine, const sn_trs *previous, sn_trs *trs);
void sn_trs_compose(const sn_trs *trs, double *affine);

/* Splits any affine transform into outer * inner, where inner is a rotation. axes (9) is state from frame to frame that
 * keeps both parts smooth; initialize it to the identity. */
void sn_trs_split(const double *affine, double *axes, const sn_trs *outer_previous, const sn_trs *inner_previous,
                  sn_trs *outer, sn_trs *inner);

/* Cyclic Jacobi: rotates vectors (size x size, orthogonal, columns) until vectors^T matrix vectors is diagonal;
 * `matrix` receives that product. size <= 4. */
void sn_symmetric_diagonalise(int size, double *matrix, double *vectors);

/* Computes the rotation (3 x 3, row-major) that maximizes tr R^T h (Horn 1987: quaternion eigenvector). */
void sn_rotation_towards(const double *h, double *rotation);

#endif
