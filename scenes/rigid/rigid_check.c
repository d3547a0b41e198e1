/* SPDX-License-Identifier: MIT */
/* Validates the rigid bodies of a script. */
#include <math.h>

#include "scenes/rigid/rigid_engine.h"
#include "scenes/script/private.h"

/* True for a plausible value of at least `min_value`. */
static bool is_in_range(double value, double min_value)
{
    return value >= min_value && value <= 1e12;
}

/* True for 0, or a length that the engine can square. */
static bool is_length(double value)
{
    return value == 0 || (value >= SN_SCENE_SOLID_MIN_LENGTH && value <= SN_SCENE_SOLID_MAX_LENGTH);
}

static const char *check_solid(const sn_scene_solid *solid)
{
    const double *half = solid->half_extents;
    const bool is_box = solid->type == SN_SOLID_BOX;
    if (solid->type >= SN_SOLID_PLANE) {
        return ": must be a sphere, a capsule, a cylinder or a box";
    }
    for (int d = 0; d < 3; ++d) {
        if (!(fabs(solid->translation[d]) <= SN_SCENE_SOLID_MAX_LENGTH) || !(fabs(solid->rotation[d]) <= 1e3)) {
            return ": translation must be within 1e6, rotation within 1000 radians";
        }
    }
    if (!is_length(solid->radius) || (!is_box && solid->radius <= 0)) {
        return ".radius: must be from 1e-6 to 1e6";
    }
    if (!is_length(solid->half_height) || (solid->type == SN_SOLID_CYLINDER && solid->half_height <= 0)) {
        return ".half_height: must be from 1e-6 to 1e6";
    }
    for (int d = 0; d < 3 && is_box; ++d) {
        if (!is_length(half[d]) || half[d] + solid->radius <= 0) {
            return ".half_extents: all three must be from 1e-6 to 1e6";
        }
    }
    return NULL;
}

static const char *check_numbers(const sn_scene_rigid *rigid)
{
    if (!is_in_range(rigid->mass, 0) || (rigid->mass > 0 && rigid->mass < 1e-9) || !is_in_range(rigid->density, 0) ||
        (rigid->mass > 0 && rigid->density > 0)) {
        return ".mass: set a mass from 1e-9 to 1e12 or a density above 0, not both";
    }
    if (!is_in_range(rigid->friction, 0)) {
        return ".friction: must be 0 or more, and finite";
    }
    if (!(rigid->restitution >= 0 && rigid->restitution <= 1)) {
        return ".restitution: must be 0 to 1";
    }
    if (!(rigid->dents >= 0 && rigid->dents <= 10)) {
        return ".dents: must be 0 to 10";
    }
    if (rigid->solid_count < 0 || rigid->solid_count > SN_SCENE_SOLID_LIMIT) {
        return ".shapes: more than 64";
    }
    return NULL;
}

static sn_result check_body(const sn_scene_body *body, int index, sn_scene_error *error)
{
    const sn_scene_rigid *rigid = body->rigid;
    const char *message = check_numbers(rigid);
    if (!sn_rigid_engine_is_available) {
        return sn_scene_fail(error, SN_ERROR_UNSUPPORTED,
                             "bodies[%d].rigid: this build has no rigid-body engine (SN_ODE=OFF)", index);
    }
    if (body->desc.solver == SN_SOLVER_COUPLED) {
        message = ": a coupled body cannot be rigid";
    }
    if (message) {
        return sn_scene_fail(error, SN_ERROR_ARGUMENT, "bodies[%d].rigid%s", index, message);
    }
    for (int i = 0; i < rigid->solid_count; ++i) {
        message = check_solid(&rigid->solids[i]);
        if (message) {
            return sn_scene_fail(error, SN_ERROR_ARGUMENT, "bodies[%d].rigid.shapes[%d]%s", index, i, message);
        }
    }
    return SN_OK;
}

sn_result sn_scene_check_rigid(const sn_scene_script *script, sn_scene_error *error)
{
    bool has_rigid = false;
    for (int i = 0; i < script->body_count; ++i) {
        const sn_scene_body *body = &script->bodies[i];
        const sn_result result = body->rigid ? check_body(body, i, error) : SN_OK;
        if (result != SN_OK) {
            return result;
        }
        has_rigid = has_rigid || body->rigid;
    }
    for (int i = 0; i < script->collider_count && has_rigid; ++i) {
        if (script->colliders[i].desc.shape == SN_COLLIDER_GRID) {
            return sn_scene_fail(error, SN_ERROR_UNSUPPORTED,
                                 "colliders[%d].shape: rigid bodies collide only with planes, spheres, capsules and "
                                 "boxes, not grids",
                                 i);
        }
    }
    return SN_OK;
}
