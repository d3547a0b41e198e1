/* SPDX-License-Identifier: MIT */
/* Stiffness of small vibrations about rest, one number per coordinate.
 *
 * coordinate_stiffness is the curvature for fixed targets. A step also finds the clusters' best rotations, and within
 * strain limits their best targets, so that small motion meets less. With s the three entries of S_B of a cluster and a
 * coordinate, m the cluster's stiffness, Lambda its Lame parameter times volume and kappa the stiffness of its strain
 * limits, a displacement along axis d changes the cluster's mean gradient by e_d s^T / m and
 *   - the rotation takes the skew part, (|s|^2 - s_d^2) / 2m,
 *   - the volumetric term adds Lambda s_d^2 / m^2,
 *   - the limits resist only what varies within the cluster: kappa (lambda - sum |s|^2 / m).
 * The mean over the three axes is
 *   lambda (1 + kappa) - sum_c |s|^2 / m (1/3 + kappa - Lambda / 3m),
 * which does not depend on the orientation of the body. Flat bodies have two axes: 1/3 becomes 1/4, and 3m 2m. */
#ifndef SN_HOST_MODEL_TANGENT_STIFFNESS_H
#define SN_HOST_MODEL_TANGENT_STIFFNESS_H

#include "host/model/model.h"

/* m_c = sum mu_t V_t of a cluster; S_J at rest is m_c times the identity. */
double sn_model_cluster_stiffness(const sn_model *model, int cluster);

/* Computes the tangent stiffness (coordinate_count) from coordinate_stiffness, the clusters' matrices and
 * strain_limit_stiffness. */
void sn_model_tangent_stiffness(const sn_model *model, double *tangent);

#endif
