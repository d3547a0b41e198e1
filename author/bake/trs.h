/* SPDX-License-Identifier: MIT */
/* Affine transforms as what nodes of a scene have: translation, rotation (quaternion x y z w), scale. */
#ifndef SN_AUTHOR_BAKE_TRS_H
#define SN_AUTHOR_BAKE_TRS_H

typedef struct sn_trs {
    double translation[3], rotation[4], scale[3];
} sn_trs;

/* The one nearest to a 3 x 4 transform that turns its columns alike: exact where they are orthogonal. A mirrored one
 * has negative scales. `before` is that of the frame before, or null: the quaternion takes the shorter way from it, and
 * what a singular transform leaves open stays. */
void sn_trs_from_affine(const double *affine, const sn_trs *before, sn_trs *trs);
void sn_trs_compose(const sn_trs *trs, double *affine);

/* Any affine transform = outer inner, inner a rotation. axes (9) are kept from frame to frame, so that both parts move
 * smoothly; the identity before the first. */
void sn_trs_split(const double *affine, double *axes, const sn_trs *outer_before, const sn_trs *inner_before,
                  sn_trs *outer, sn_trs *inner);

/* Cyclic Jacobi: vectors (size x size, orthogonal, columns) are turned until vectors^T matrix vectors, which `matrix`
 * becomes, is diagonal. size <= 4. */
void sn_symmetric_diagonalise(int size, double *matrix, double *vectors);

/* The rotation (3 x 3, row-major) that makes tr R^T h largest (Horn 1987: the quaternion of an eigenvector). */
void sn_rotation_towards(const double *h, double *rotation);

#endif
