/* SPDX-License-Identifier: MIT */
/* Helpers shared by the built-in scenes. */
#include <math.h>

#include "scenes/builtin/demos.h"

/* Compliances: area = 1 / (lambda + mu) in 2D, 1 / lambda in 3D; shear = 1 / mu. In 2D, Young's modulus and Poisson's
 * ratio are those of plane strain. */
void sn_demo_set_compliances(sn_cook_desc *cook, bool is_flat, double area, double shear)
{
    const double mu = 1 / shear, lambda = fmax(1 / area - (is_flat ? mu : 0), 0);
    cook->young = mu * (3 * lambda + 2 * mu) / (lambda + mu);
    cook->poisson = fmin(lambda / (2 * (lambda + mu)), 0.45); /* the cook's maximum */
    cook->density = 1;
}

double sn_demo_damping(double factor, int substep_count)
{
    return -log(factor) * 60 * substep_count;
}

void sn_demo_set_camera(sn_scene_script *script, double x, double y, double distance)
{
    script->camera = (sn_scene_camera){.is_set = true, .target = {x, y, 0}, .distance = distance};
}

sn_scene_body sn_demo_coupled_body(int substep_count, int sweep_count, double damping_factor, double compliance)
{
    sn_scene_body body = sn_default_scene_body();
    body.desc.solver = SN_SOLVER_COUPLED;
    body.desc.substep_count = substep_count;
    body.desc.sweep_count = sweep_count;
    body.desc.is_rigid_damped = true; /* as in the paper */
    body.damping.constant = sn_demo_damping(damping_factor, substep_count);
    body.compliance.constant = compliance;
    body.locks = 0;
    return body;
}
