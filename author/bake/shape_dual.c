/* SPDX-License-Identifier: MIT */
/* Dual-quaternion skinning (Kavan, Collins, Žára and O'Sullivan 2008) with the same rig, for comparison between shapes.
 * Uses the rotation of each joint and the motion of its pivot; scales are ignored. */
#include <math.h>
#include <string.h>

#include "author/bake/shaper.h"
#include "host/math/affine.h"
#include "host/math/quaternion.h"
#include "host/skin/dual_quaternion.h"

static sn_result find_joints(const sn_shaper *s, const sn_scene_skin *skin, sn_arena *arena, sn_dual_quaternion **out)
{
    *out = SN_NEW(arena, sn_dual_quaternion, skin->joint_count);
    for (int j = 0; *out && j < skin->joint_count; ++j) {
        const double *inverse = skin->inverse_bind + 12 * (size_t)j;
        double m[12], bind[12], linear[9], rotation[4] = {0, 0, 0, 1}, pivot[3] = {0}, moved[3], matrix[9];
        sn_affine_multiply(s->pose.world + 12 * (size_t)skin->joints[j], inverse, m);
        if (sn_affine_invert(inverse, bind)) {
            pivot[0] = bind[3], pivot[1] = bind[7], pivot[2] = bind[11];
        }
        for (int i = 0; i < 9; ++i) {
            linear[i] = m[i / 3 * 4 + i % 3];
        }
        sn_quaternion_polar(linear, rotation);
        sn_quaternion_to_matrix(rotation, matrix);
        sn_affine_apply(m, pivot, moved);
        for (int d = 0; d < 3; ++d) {
            moved[d] -= matrix[3 * d] * pivot[0] + matrix[3 * d + 1] * pivot[1] + matrix[3 * d + 2] * pivot[2];
        }
        (*out)[j] = sn_dual_quaternion_make(rotation, moved);
    }
    return *out ? SN_OK : SN_ERROR_MEMORY;
}

static void skin_primitive(const sn_scene_primitive *p, const sn_dual_quaternion *joints, const double *rest,
                           double *vertex_positions)
{
    const size_t width = (size_t)p->influence_count;
    for (size_t v = 0; v < (size_t)p->vertex_count; ++v) {
        sn_dual_quaternion sum = {{0}, {0}};
        for (size_t k = 0; k < width; ++k) {
            sn_dual_quaternion_add((double)p->weights[v * width + k], &joints[p->joints[v * width + k]], &sum);
        }
        sn_dual_quaternion_apply(&sum, rest + 3 * v, vertex_positions + 3 * v);
    }
}

sn_result sn_shaper_skin_dual(sn_shaper *s, const double *rest, double *vertex_positions)
{
    sn_arena arena = {0};
    sn_result result = SN_OK;
    for (int i = 0; i < s->body_count && result == SN_OK; ++i) {
        const sn_scene_node *node = &s->scene.nodes[s->bodies[i].node];
        const sn_scene_mesh *mesh = &s->scene.meshes[node->mesh];
        size_t first = 3 * (size_t)s->bodies[i].first_vertex;
        sn_dual_quaternion *joints = NULL;
        if (node->skin < 0) {
            continue; /* keeps the result of linear blend skinning */
        }
        result = find_joints(s, &s->scene.skins[node->skin], &arena, &joints);
        for (int k = 0; k < mesh->primitive_count && result == SN_OK; ++k) {
            const sn_scene_primitive *p = &s->scene.primitives[mesh->first_primitive + k];
            skin_primitive(p, joints, rest + first, vertex_positions + first);
            first += 3 * (size_t)p->vertex_count;
        }
    }
    sn_arena_finish(&arena);
    return result;
}
