/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "author/retarget/links.h"
#include "host/math/quaternion.h"
#include "host/math/vec3.h"

void sn_link_set(sn_retargeting *r, int32_t joint, int32_t from, int32_t second, double weight)
{
    if (joint >= 0 && from >= 0 && r->duplicate_of[joint] < 0 && !sn_is_linked(r, joint)) {
        r->links[joint] = (sn_rig_link){.from = {from, second}, .weight = weight, .align = {0, 0, 0, 1}};
    }
}

/* Converts a direction from the source's reference pose to the target's. */
static void to_target_axes(const sn_retargeting *r, const double *direction, double *result)
{
    double inverse[4];
    sn_quaternion_conjugate(r->from_body, inverse);
    sn_rig_rotate(inverse, direction, result);
}

void sn_link_directions(const sn_retargeting *r, const int32_t target_joints[2], const int32_t source_joints[2],
                        double direction[3], double source_direction[3])
{
    sn_subtract3(r->target.positions + 3 * (size_t)target_joints[1], r->target.positions + 3 * (size_t)target_joints[0],
                 direction);
    sn_subtract3(r->source.positions + 3 * (size_t)source_joints[1], r->source.positions + 3 * (size_t)source_joints[0],
                 source_direction);
    to_target_axes(r, source_direction, source_direction);
}

void sn_link_align(sn_retargeting *r, const double *above, const int32_t target_joints[2],
                   const int32_t source_joints[2])
{
    double direction[3], source_direction[3], rotation[4], *align = r->links[target_joints[0]].align;
    memcpy(align, above, 4 * sizeof(double));
    if (target_joints[1] >= 0 && source_joints[1] >= 0) {
        sn_link_directions(r, target_joints, source_joints, direction, source_direction);
        sn_rig_rotate(above, direction, direction);
        sn_rig_rotate_to(direction, source_direction, rotation);
        sn_quaternion_multiply(rotation, above, align);
    }
}

int32_t sn_link_find_name(const sn_rig_skeleton *skeleton, const char *name)
{
    for (int32_t j = 0; name[0] && j < skeleton->joint_count; ++j) {
        if (strcmp(skeleton->names[j], name) == 0) {
            return j;
        }
    }
    return -1;
}
