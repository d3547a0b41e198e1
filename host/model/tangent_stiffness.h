/* SPDX-License-Identifier: MIT */
/* Stiffness of small vibrations about rest.
 *
 * coordinate_stiffness is the curvature for fixed targets. A step also finds the clusters' best rotations, and within
 * strain limits their best targets, so that small motion meets less. With s_i the three entries of S_B of a cluster and
 * a coordinate, m the cluster's stiffness, Lambda its Lame parameter times volume and kappa the stiffness of its strain
 * limits, displacements z_i change the cluster's mean gradient by a = sum_i z_i s_i^T / m, and
 *   - the rotation takes the skew part of a, m/2 |skew a|^2,
 *   - the volumetric term adds Lambda/2 (tr a)^2,
 *   - the limits resist only what varies within the cluster: lambda contains them, kappa/2 sum m |a|^2 is taken away.
 * The matrix of this energy, for coordinates i, j and axes d, e, is
 *   K = (1 + kappa) lambda_i [i = j, d = e] - sum_c ((1/2 + kappa) s_i . s_j [d = e] - 1/2 s_ie s_jd
 *       - Lambda / m s_id s_je) / m.
 *
 * coordinate_tangent_stiffness condenses it to one number per coordinate, which does not depend on the orientation of
 * the body: the mean of the eigenvalues w of K, weighted by the coordinate's share of the eigenvector and by w^-6. So
 * soft modes, which move most, meet a mean over their coordinates that is close to their own w
 * (author/modes/reduced/reduced_response.c). */
#ifndef SN_HOST_MODEL_TANGENT_STIFFNESS_H
#define SN_HOST_MODEL_TANGENT_STIFFNESS_H

#include "host/model/model.h"

/* m_c = sum mu_t V_t of a cluster; S_J at rest is m_c times the identity. */
double sn_model_cluster_stiffness(const sn_model *model, int cluster);

/* The mean over the axes of the diagonal of K (coordinate_count), >= 0:
 * lambda (1 + kappa) - sum_c |s|^2 / m (1/3 + kappa - Lambda / 3m), for flat bodies with 1/4 and Lambda / 2m. */
void sn_model_tangent_diagonal(const sn_model *model, double *diagonal);

#endif
