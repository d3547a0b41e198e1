/* SPDX-License-Identifier: MIT */
#include "scenes/demos.h"

#include <math.h>
#include <string.h>
#include <threads.h>

static void (*const makers[])(sn_scene_script *script) = {
    sn_demo_make_fish_comp,   sn_demo_make_fish_control, sn_demo_make_fish_comp_affine, sn_demo_make_fish_deform,
    sn_demo_make_cube_tet_ik, sn_demo_make_spot_tet,     sn_demo_make_pbd_test,         sn_demo_make_worm,
    sn_demo_make_ghost,       sn_demo_make_bunny,        sn_demo_make_octopus,          sn_demo_make_tug,
    sn_demo_make_school,      sn_demo_make_bowling,
};

#define DEMO_COUNT ((int)(sizeof makers / sizeof makers[0]))

static sn_scene_script scripts[DEMO_COUNT];

static void make_all(void)
{
    for (int i = 0; i < DEMO_COUNT; ++i) {
        scripts[i].seconds = 10;
        makers[i](&scripts[i]);
    }
}

int sn_scene_demo_count(void)
{
    return DEMO_COUNT;
}

const sn_scene_script *sn_scene_demo(int index)
{
    static once_flag is_made = ONCE_FLAG_INIT;
    call_once(&is_made, make_all);
    return &scripts[index];
}

const sn_scene_script *sn_scene_find_demo(const char *name)
{
    for (int i = 0; i < DEMO_COUNT; ++i) {
        if (strcmp(sn_scene_demo(i)->name, name) == 0) {
            return sn_scene_demo(i);
        }
    }
    return NULL;
}

/* area: of J - 1, 1 / (lambda + mu) in the plane, 1 / lambda in space; shear: 1 / mu. In the plane Young's modulus and
 * Poisson's ratio are those of plane strain, as everywhere. */
void sn_demo_set_pair(sn_cook_desc *cook, bool is_flat, double area, double shear)
{
    const double mu = 1 / shear, lambda = fmax(1 / area - (is_flat ? mu : 0), 0);
    cook->young = mu * (3 * lambda + 2 * mu) / (lambda + mu);
    cook->poisson = fmin(lambda / (2 * (lambda + mu)), 0.45); /* a cook's most */
    cook->density = 1;
}

double sn_demo_damping(double factor, int substep_count)
{
    return -log(factor) * 60 * substep_count;
}

void sn_demo_face(sn_scene_script *script, double x, double y, double distance)
{
    script->camera = (sn_scene_camera){.is_given = true, .target = {x, y, 0}, .distance = distance};
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
