/* SPDX-License-Identifier: MIT */
/* Links any two skeletons whose joints have equal names. */
#include <math.h>
#include <string.h>

#include "author/retarget/links.h"
#include "host/math/quaternion.h"
#include "host/math/vec3.h"

/* The rotation of b to a that maximizes the trace with product = sum a b^T: the best result of several starting
 * rotations. */
static void find_rotation(const double *product, double *rotation)
{
    double best = 0;
    for (int k = 0; k < 10; ++k) { /* identity, half turns, quarter turns in both directions */
        double q[4] = {0, 0, 0, 0}, m[9], trace = 0;
        q[3] = k == 0 ? 1 : k < 4 ? 0 : k % 2 == 0 ? 1 : -1;
        if (k > 0) {
            q[k < 4 ? k - 1 : (k - 4) / 2] = 1;
        }
        sn_quaternion_normalize(q);
        sn_quaternion_polar(product, q);
        sn_quaternion_to_matrix(q, m);
        for (int d = 0; d < 9; ++d) {
            trace += m[d] * product[d];
        }
        if (k == 0 || trace > best + 1e-9 * fabs(best)) {
            best = trace;
            memcpy(rotation, q, sizeof q);
        }
    }
}

/* The rotation and scale that best map the positions of linked joints to those of the target. */
static void fit_positions(sn_retargeting *r)
{
    double centers[2][3] = {{0}}, product[9] = {0}, squares[2] = {0};
    int count = 0;
    for (int pass = 0; pass < 2; ++pass) {
        for (int32_t j = 0; j < r->target.skeleton->joint_count; ++j) {
            if (!sn_is_linked(r, j)) {
                continue;
            }
            const double *target_skeleton = r->target.positions + 3 * (size_t)j;
            const double *source_skeleton = r->source.positions + 3 * (size_t)r->links[j].from[0];
            count += pass == 0;
            for (int d = 0; d < 3; ++d) {
                centers[0][d] += pass == 0 ? target_skeleton[d] : 0;
                centers[1][d] += pass == 0 ? source_skeleton[d] : 0;
            }
            double a[3], b[3];
            sn_subtract3(target_skeleton, centers[0], a);
            sn_subtract3(source_skeleton, centers[1], b);
            for (int d = 0; pass == 1 && d < 9; ++d) {
                product[d] += a[d / 3] * b[d % 3];
            }
            squares[0] += pass == 1 ? sn_dot3(a, a) : 0;
            squares[1] += pass == 1 ? sn_dot3(b, b) : 0;
        }
        for (int d = 0; pass == 0 && d < 3; ++d) {
            centers[0][d] /= count;
            centers[1][d] /= count;
        }
    }
    find_rotation(product, r->to_world);
    sn_quaternion_conjugate(r->to_world, r->from_body);
    r->scale = squares[1] > 0 ? sqrt(squares[0] / squares[1]) : 1;
}

/* Aligns each joint along its only linked child; forks and ends have the alignment of their parent. */
static void align_names(sn_retargeting *r)
{
    const sn_rig_skeleton *target_skeleton = r->target.skeleton;
    for (int i = 0; i < target_skeleton->joint_count; ++i) {
        const int32_t joint = r->target.tree.order[i], parent = target_skeleton->parents[joint];
        double parent_align[4] = {0, 0, 0, 1};
        int32_t child = -1;
        int children = 0;
        if (!sn_is_linked(r, joint)) {
            continue;
        }
        for (int32_t j = 0; j < target_skeleton->joint_count; ++j) {
            if (target_skeleton->parents[j] == joint && sn_is_linked(r, j)) {
                child = j;
                ++children;
            }
        }
        if (sn_is_linked(r, parent)) {
            memcpy(parent_align, r->links[parent].align, sizeof parent_align);
        }
        child = children == 1 ? child : -1;
        sn_link_align(r, parent_align, (const int32_t[2]){joint, child},
                      (const int32_t[2]){r->links[joint].from[0], child >= 0 ? r->links[child].from[0] : -1});
    }
}

/* Returns false if too few joints have equal names. */
bool sn_link_by_names(sn_retargeting *r)
{
    const sn_rig_skeleton *target_skeleton = r->target.skeleton, *source_skeleton = r->source.skeleton;
    int count = 0;
    sn_rig_body_read(&r->source, source_skeleton->rest, r->source.joint_rotations, r->source.positions);
    sn_rig_body_read(&r->target, target_skeleton->rest, r->target.joint_rotations, r->target.positions);
    for (int i = target_skeleton->joint_count - 1; i >= 0; --i) {
        const int32_t joint = r->target.tree.order[i],
                      from = sn_link_find_name(source_skeleton, target_skeleton->names[joint]);
        sn_link_set(r, joint, from, -1, 0);
        r->root = from >= 0 ? joint : r->root;
        count += from >= 0;
    }
    if (count < 2 || 2 * count < target_skeleton->joint_count) {
        return false;
    }
    fit_positions(r);
    align_names(r);
    memcpy(r->to, r->target.positions + 3 * (size_t)r->root, sizeof r->to);
    memcpy(r->moved_point, r->to, sizeof r->to);
    memcpy(r->from, r->source.positions + 3 * (size_t)r->links[r->root].from[0], sizeof r->from);
    if (r->motion->is_capture &&
        sn_length3(r->from) == 0) { /* the source's rest is at the origin: start where the target rests */
        const double *first = r->motion->worlds + 12 * (size_t)r->links[r->root].from[0];
        for (int d = 0; d < 3; ++d) {
            r->from[d] = first[4 * d + 3];
        }
    }
    return true;
}
