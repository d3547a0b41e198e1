/* SPDX-License-Identifier: MIT */
#include "author/retarget/person.h"

#include <math.h>
#include <string.h>

#include "author/retarget/links.h"
#include "author/retarget/twist.h"
#include "host/math/affine.h"
#include "host/math/quaternion.h"
#include "host/math/vec3.h"

#define MAX_ARM_SLOPE 0.26        /* sine of an arm's slope at rest up to which the pose is a T-pose */
#define MAX_ANKLE_HEIGHT 0.35     /* max. height of the ankles, as a fraction of the hips' height above them */
#define DEFAULT_ANKLE_HEIGHT 0.09 /* the same, assumed where the floor is unknown */
#define SPINE_COUNT 3

static const double none[4] = {0, 0, 0, 1};

struct sn_person {
    const sn_rig_skeleton *target;
    sn_retargeting *plan;
    int count; /* joints of the stick figure: bones that the target has, and three of its spine */
    int32_t joints[SN_HUMANOID_COUNT]; /* by bone, or -1 */
    int32_t parents[SN_HUMANOID_COUNT], roles[SN_HUMANOID_COUNT];
    int32_t bones[SN_HUMANOID_COUNT];     /* by joint */
    int32_t followers[SN_HUMANOID_COUNT]; /* by bone: the target's joint with the same rotation; -1: none */
    const char *names[SN_HUMANOID_COUNT];
    sn_rig_motion motion;
    double rest[12 * SN_HUMANOID_COUNT], worlds[12 * SN_HUMANOID_COUNT];
    bool is_moved[SN_HUMANOID_COUNT];              /* by joint */
    double joint_rotations[4 * SN_HUMANOID_COUNT]; /* by bone, in the world */
    double floor[3];                               /* in the stick figure's axes */
    double metre, height;                          /* 1 m in the target's units; height of its hips above its ankles */
};

/* ---- stick figure ---- */

/* Whether every joint of the chain has a role in [first, last]. */
static bool has_roles(const sn_rig_body *b, const sn_rig_chain *chain, int first, int last)
{
    int count_found = 0;
    for (int k = 0; k < chain->count; ++k) {
        for (int bone = first; bone <= last; ++bone) {
            count_found += b->of_role[bone] == chain->joints[k];
        }
    }
    return count_found == chain->count;
}

/* The target's spine joint at the height of bone k of three; -1: the hips are. */
static int32_t spine_joint(const sn_rig_chain *spine, int k)
{
    const int at = (int)floor((k + 1) * spine->count / (double)SPINE_COUNT + 0.5) - 1;
    return at >= 0 ? spine->joints[at] : -1;
}

static void find_followers(sn_person *p, const sn_rig_body *b)
{
    memcpy(p->followers, b->of_role, sizeof p->followers);
    if (!has_roles(b, &b->spine, SN_HUMANOID_SPINE, SN_HUMANOID_UPPER_CHEST)) {
        for (int k = 0; k < SPINE_COUNT; ++k) {
            const int32_t joint = spine_joint(&b->spine, k);
            p->followers[SN_HUMANOID_SPINE + k] = joint >= 0 ? joint : b->of_role[SN_HUMANOID_HIPS];
        }
    }
    if (!has_roles(b, &b->neck, SN_HUMANOID_NECK, SN_HUMANOID_NECK)) {
        p->followers[SN_HUMANOID_NECK] = b->neck.joints[b->neck.count / 2];
    }
}

/* Adds a joint for each bone that the target has, parents first. */
static void add_joints(sn_person *p, const sn_rig_body *b)
{
    double inverse[4];
    sn_quaternion_conjugate(b->axes, inverse);
    for (int bone = 0; bone < SN_HUMANOID_COUNT; ++bone) {
        p->joints[bone] = -1;
        if (p->followers[bone] < 0) {
            continue;
        }
        const int joint = p->count++;
        int above = sn_humanoid_parent(bone);
        while (above >= 0 && p->joints[above] < 0) {
            above = sn_humanoid_parent(above);
        }
        double position[3], *rest = p->rest + 12 * joint;
        sn_rig_rotate(inverse, b->positions + 3 * (size_t)p->followers[bone], position);
        sn_affine_identity(rest);
        for (int d = 0; d < 3; ++d) {
            rest[4 * d + 3] = position[d];
        }
        p->joints[bone] = joint;
        p->bones[joint] = p->roles[joint] = bone;
        p->parents[joint] = above >= 0 ? p->joints[above] : -1;
        p->names[joint] = "";
    }
}

static void rest_position(const sn_person *p, int32_t joint, double position[3])
{
    for (int d = 0; d < 3; ++d) {
        position[d] = p->rest[12 * joint + 4 * d + 3];
    }
}

/* Rotates the descendants of a joint in the rest pose. */
static void rotate_rest(sn_person *p, int32_t joint, const double *rotation)
{
    double pivot[3], position[3];
    bool is_below[SN_HUMANOID_COUNT] = {false};
    rest_position(p, joint, pivot);
    for (int32_t j = joint + 1; j < p->count; ++j) {
        is_below[j] = p->parents[j] == joint || (p->parents[j] >= 0 && is_below[p->parents[j]]);
        if (is_below[j]) {
            rest_position(p, j, position);
            sn_subtract3(position, pivot, position);
            sn_rig_rotate(rotation, position, position);
            for (int d = 0; d < 3; ++d) {
                p->rest[12 * j + 4 * d + 3] = pivot[d] + position[d];
            }
        }
    }
}

/* Rotates the upper and lower arms sideways, unless they already are. */
static void spread_arms(sn_person *p)
{
    for (int side = 0; side < 2; ++side) {
        for (int part = SN_PART_UPPER_ARM; part <= SN_PART_LOWER_ARM; ++part) {
            const int32_t joint = p->joints[sn_humanoid_bone_index(side, part)];
            const int32_t end = p->joints[sn_humanoid_bone_index(side, part + 1)];
            const double sideways[3] = {side == 0 ? 1 : -1, 0, 0};
            double from[3], to[3], rotation[4];
            if (joint < 0 || end < 0) {
                continue;
            }
            rest_position(p, joint, from);
            rest_position(p, end, to);
            sn_subtract3(to, from, to);
            if (hypot(to[1], to[2]) > MAX_ARM_SLOPE * sn_length3(to)) {
                sn_rig_rotate_to(to, sideways, rotation);
                rotate_rest(p, joint, rotation);
            }
        }
    }
}

/* Measures the height of the hips above the ankles, and replaces an implausible floor height. */
static void measure(sn_person *p, const sn_rig_body *b, const sn_person_desc *desc)
{
    double inverse[4], standing_point[3], hips[3];
    sn_quaternion_conjugate(b->axes, inverse);
    sn_rig_rotate(inverse, b->standing_point, standing_point);
    sn_rig_rotate(inverse, desc->floor, p->floor);
    rest_position(p, 0, hips);
    p->height = hips[1] - standing_point[1];
    p->metre = desc->metre;
    const double ankles = standing_point[1] - p->floor[1];
    if (!(ankles >= 0 && ankles <= MAX_ANKLE_HEIGHT * p->height)) {
        p->floor[1] = standing_point[1] - DEFAULT_ANKLE_HEIGHT * p->height;
    }
}

static sn_result build_stick_figure(sn_person *p, const sn_person_desc *desc, sn_arena *arena)
{
    sn_rig_body body;
    char missing[400];
    sn_result result = sn_rig_body_init(desc->target, false, arena, &body);
    if (result == SN_OK && sn_humanoid_missing(body.of_role, missing, sizeof missing) > 0) {
        result = sn_fail(SN_ERROR_FORMAT, "%s: cannot be posed as a person: it lacks the humanoid bones %s",
                         desc->target->name, missing);
    }
    if (result != SN_OK) {
        return result;
    }
    sn_rig_body_rest(&body);
    find_followers(p, &body);
    add_joints(p, &body);
    measure(p, &body, desc);
    if (!desc->target->roles || desc->spreads_arms) {
        spread_arms(p);
    }
    p->motion.skeleton = (sn_rig_skeleton){desc->target->name, p->count, p->names, p->parents, p->rest, p->roles};
    return p->height > 0 ? SN_OK
                         : sn_fail(SN_ERROR_FORMAT, "%s: cannot be posed as a person: its hips are below its ankles",
                                   desc->target->name);
}

sn_result sn_person_create(const sn_person_desc *desc, sn_arena *arena, sn_person **person)
{
    sn_person *p = SN_NEW(arena, sn_person, 1);
    *person = p;
    if (!p) {
        return SN_ERROR_MEMORY;
    }
    p->target = desc->target;
    for (int bone = 0; bone < SN_HUMANOID_COUNT; ++bone) {
        memcpy(p->joint_rotations + 4 * bone, none, sizeof none);
    }
    const sn_result result = build_stick_figure(p, desc, arena);
    memcpy(p->worlds, p->rest, sizeof p->worlds);
    return result ? result : sn_retarget_plan(&p->motion, desc->target, arena, &p->plan);
}

/* ---- poses ---- */

/* The world rotation of a bone in the base: the inverse of what sn_retarget does to its follower. */
static void base_rotation(const sn_person *p, int bone, const double *base, const double *above, double *rotation)
{
    const sn_retargeting *r = p->plan;
    const int32_t joint = p->followers[bone];
    double m[9], inverse[4];
    if (joint < 0 || !base) {
        memcpy(rotation, above, 4 * sizeof(double));
        return;
    }
    for (int i = 0; i < 9; ++i) {
        m[i] = base[12 * joint + i / 3 * 4 + i % 3];
    }
    sn_quaternion_from_matrix(m, rotation);
    sn_quaternion_polar(m, rotation);
    sn_quaternion_conjugate(r->links[joint].align, inverse);
    sn_quaternion_multiply(rotation, inverse, rotation);
    sn_quaternion_conjugate(r->from_body, inverse);
    sn_quaternion_multiply(rotation, inverse, rotation);
    sn_quaternion_conjugate(r->to_world, inverse);
    sn_quaternion_multiply(inverse, rotation, rotation);
}

/* Computes the rotations of all bones and the joints that move. */
static void update_rotations(sn_person *p, const sn_person_pose *pose, const double *base)
{
    double at_base[4 * SN_HUMANOID_COUNT];
    for (int bone = 0; bone < SN_HUMANOID_COUNT; ++bone) {
        const int parent = sn_humanoid_parent(bone);
        const double *above = parent >= 0 ? at_base + 4 * parent : none, weight = pose->bone_weights[bone];
        double inverse[4], local[4];
        base_rotation(p, bone, base, above, at_base + 4 * bone);
        sn_quaternion_conjugate(above, inverse);
        sn_quaternion_multiply(inverse, at_base + 4 * bone, local);
        if (weight > 0) {
            sn_quaternion_blend(local, pose->rotations[bone], fmin(weight, 1), local);
        }
        sn_quaternion_multiply(parent >= 0 ? p->joint_rotations + 4 * parent : none, local,
                               p->joint_rotations + 4 * bone);
        sn_quaternion_normalize(p->joint_rotations + 4 * bone);
    }
    for (int joint = 0; joint < p->count; ++joint) { /* bones without a joint of their own move those below them */
        const int32_t parent = p->parents[joint];
        p->is_moved[joint] = false;
        for (int bone = p->bones[joint]; bone >= 0 && (parent < 0 || bone != p->bones[parent]);
             bone = sn_humanoid_parent(bone)) {
            p->is_moved[joint] = p->is_moved[joint] || pose->bone_weights[bone] > 0;
        }
    }
}

/* The position of the hips in the base, in the stick figure's axes. */
static void base_hips(const sn_person *p, const double *base, double hips[3])
{
    const sn_retargeting *r = p->plan;
    double position[3], rest[3], from[3], midpoint[3], inverse[4];
    rest_position(p, 0, rest);
    if (!base) {
        memcpy(hips, rest, 3 * sizeof(double));
        return;
    }
    sn_affine_apply(base + 12 * (size_t)r->root, r->moved_point, position); /* midpoint of the upper legs */
    sn_subtract3(position, r->to, position);
    sn_quaternion_conjugate(r->to_world, inverse);
    sn_rig_rotate(inverse, position, position);
    sn_rig_body_midpoint(&r->source, r->source.positions, SN_PART_UPPER_LEG, midpoint);
    sn_subtract3(rest, midpoint, from);
    sn_rig_rotate(p->joint_rotations, from, from);
    for (int d = 0; d < 3; ++d) {
        hips[d] = r->from[d] + position[d] / r->scale + from[d];
    }
}

static void update_positions(sn_person *p, const sn_person_pose *pose, const double *base)
{
    double position[3], hips[3];
    const double known_scale = pose->hips_height > 0 ? p->height / pose->hips_height : p->metre;
    const double scale = p->metre + pose->hips_height_weight * (known_scale - p->metre);
    const double weight = fmin(pose->hips_weight, 1);
    base_hips(p, base, hips);
    for (int d = 0; d < 3 && weight > 0; ++d) {
        hips[d] += weight * (p->floor[d] + scale * pose->hips[d] - hips[d]);
    }
    for (int joint = 0; joint < p->count; ++joint) {
        const int32_t parent = p->parents[joint];
        double m[9], *world = p->worlds + 12 * joint;
        memcpy(position, hips, sizeof position);
        if (parent >= 0) {
            double to[3], from[3];
            rest_position(p, joint, to);
            rest_position(p, parent, from);
            sn_subtract3(to, from, to);
            sn_affine_apply(p->worlds + 12 * parent, to, position);
        }
        sn_quaternion_to_matrix(p->joint_rotations + 4 * p->bones[joint], m);
        for (int d = 0; d < 3; ++d) {
            memcpy(world + 4 * d, m + 3 * d, 3 * sizeof(double));
            world[4 * d + 3] = position[d];
        }
    }
}

void sn_person_apply(sn_person *p, const sn_person_pose *pose, const double *base, double *poses)
{
    update_rotations(p, pose, base);
    update_positions(p, pose, base);
    sn_retarget_pose(p->plan, p->worlds, base ? &(sn_rig_base){base, p->is_moved} : NULL, poses);
}

/* ---- relaxed pose ---- */

/* Rotates an upper arm from its rotation in the base to hanging. */
static void lower_arm(const sn_person *p, int side, sn_person_pose *pose)
{
    const int upper = sn_humanoid_bone_index(side, SN_PART_UPPER_ARM),
              lower = sn_humanoid_bone_index(side, SN_PART_LOWER_ARM);
    const double side_sign = side == 0 ? 1 : -1, forward[3] = {0, 0, 1}, outward[3] = {0, -side_sign, 0};
    const double down[3] = {side_sign * cos(SN_PERSON_ARM), -sin(SN_PERSON_ARM), 0};
    const double *above = p->joint_rotations + 4 * sn_humanoid_parent(upper);
    double from[3], direction[3], hinge[3], rotation[4], inverse[4];
    if (p->joints[upper] < 0 || p->joints[lower] < 0) {
        return;
    }
    rest_position(p, p->joints[upper], from);
    rest_position(p, p->joints[lower], direction);
    sn_subtract3(direction, from, direction);
    sn_cross3(direction, forward, hinge);
    sn_normalize3(hinge, outward);
    sn_rig_rotate(p->joint_rotations + 4 * upper, direction, direction);
    if (!(-direction[1] < sin(SN_PERSON_ARM) * sn_length3(direction))) {
        return;
    }
    sn_rig_rotate_to(direction, down, rotation);
    sn_quaternion_multiply(rotation, p->joint_rotations + 4 * upper, rotation);
    sn_quaternion_conjugate(above, inverse);
    sn_quaternion_multiply(inverse, rotation, pose->rotations[upper]);
    sn_rig_axis_rotation(hinge, SN_PERSON_ELBOW, pose->rotations[lower]);
    pose->bone_weights[upper] = pose->bone_weights[lower] = 1;
}

void sn_person_apply_relaxed(sn_person *p, const double *base, double *poses)
{
    sn_person_pose pose = {0};
    update_rotations(p, &pose, base);
    lower_arm(p, 0, &pose);
    lower_arm(p, 1, &pose);
    sn_person_apply(p, &pose, base, poses);
}

/* ---- queries ---- */

const double *sn_person_rotation(const sn_person *p, int bone)
{
    return p->joint_rotations + 4 * bone;
}

static void to_metres(const sn_person *p, const double *transform, double position[3])
{
    for (int d = 0; d < 3; ++d) {
        position[d] = (transform[4 * d + 3] - p->floor[d]) / p->metre;
    }
}

void sn_person_hips(const sn_person *p, double hips[3])
{
    to_metres(p, p->worlds, hips);
}

bool sn_person_rest(const sn_person *p, int bone, double position[3])
{
    const int32_t joint = p->joints[bone];
    if (joint >= 0) {
        to_metres(p, p->rest + 12 * joint, position);
    }
    return joint >= 0;
}

void sn_person_to_metres(const sn_person *p, const double point[3], double position[3])
{
    double inverse[4];
    sn_quaternion_conjugate(p->plan->to_world, inverse);
    sn_rig_rotate(inverse, point, position);
    for (int d = 0; d < 3; ++d) {
        position[d] = (position[d] - p->floor[d]) / p->metre;
    }
}
