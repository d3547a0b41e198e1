/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "author/retarget/links.h"
#include "host/math/quaternion.h"
#include "host/math/vec3.h"

void sn_link_set(sn_retargeting *r, int32_t joint, int32_t from, int32_t second, double share)
{
    if (joint >= 0 && from >= 0 && r->twins[joint] < 0 && !sn_is_linked(r, joint)) {
        r->links[joint] = (sn_rig_link){.from = {from, second}, .share = share, .align = {0, 0, 0, 1}};
    }
}

/* Converts a direction from the source's reference pose to the target's. */
static void into_target(const sn_retargeting *r, const double *way, double *result)
{
    double back[4];
    sn_quaternion_conjugate(r->from_body, back);
    sn_rig_rotate(back, way, result);
}

void sn_link_ways(const sn_retargeting *r, const int32_t own[2], const int32_t theirs[2], double way[3],
                  double their_way[3])
{
    sn_subtract3(r->target.places + 3 * (size_t)own[1], r->target.places + 3 * (size_t)own[0], way);
    sn_subtract3(r->source.places + 3 * (size_t)theirs[1], r->source.places + 3 * (size_t)theirs[0], their_way);
    into_target(r, their_way, their_way);
}

void sn_link_align(sn_retargeting *r, const double *above, const int32_t own[2], const int32_t theirs[2])
{
    double way[3], their_way[3], turn[4], *align = r->links[own[0]].align;
    memcpy(align, above, 4 * sizeof(double));
    if (own[1] >= 0 && theirs[1] >= 0) {
        sn_link_ways(r, own, theirs, way, their_way);
        sn_rig_rotate(above, way, way);
        sn_rig_turn_to(way, their_way, turn);
        sn_quaternion_multiply(turn, above, align);
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
