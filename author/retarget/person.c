/* SPDX-License-Identifier: MIT */
#include "author/retarget/person.h"

#include <math.h>
#include <string.h>

#include "author/retarget/links.h"
#include "author/retarget/twist.h"
#include "host/math/affine.h"
#include "host/math/quaternion.h"
#include "host/math/vec3.h"

#define MOST_DROOP 0.26 /* sine of an arm's slope at rest up to which the pose is a T-pose */
#define MOST_ANKLE 0.35 /* max. height of the ankles, as a fraction of the hips' height above them */
#define ANKLE 0.09      /* the same, assumed where the floor is unknown */
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
    bool is_moved[SN_HUMANOID_COUNT];    /* by joint */
    double turns[4 * SN_HUMANOID_COUNT]; /* by bone, in the world */
    double floor[3];                     /* in the stick figure's axes */
    double metre, height;                /* 1 m in the target's units; height of its hips above its ankles */
};

/* ---- stick figure ---- */

/* Whether every joint of the chain has a role in [first, last]. */
static bool has_roles(const sn_rig_body *b, const sn_rig_chain *chain, int first, int last)
{
    int found = 0;
    for (int k = 0; k < chain->count; ++k) {
        for (int bone = first; bone <= last; ++bone) {
            found += b->of_role[bone] == chain->joints[k];
        }
    }
    return found == chain->count;
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
    double back[4];
    sn_quaternion_conjugate(b->axes, back);
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
        double place[3], *rest = p->rest + 12 * joint;
        sn_rig_rotate(back, b->places + 3 * (size_t)p->followers[bone], place);
        sn_affine_identity(rest);
        for (int d = 0; d < 3; ++d) {
            rest[4 * d + 3] = place[d];
        }
        p->joints[bone] = joint;
        p->bones[joint] = p->roles[joint] = bone;
        p->parents[joint] = above >= 0 ? p->joints[above] : -1;
        p->names[joint] = "";
    }
}

static void place_of(const sn_person *p, int32_t joint, double place[3])
{
    for (int d = 0; d < 3; ++d) {
        place[d] = p->rest[12 * joint + 4 * d + 3];
    }
}

/* Rotates the descendants of a joint in the rest pose. */
static void turn_rest(sn_person *p, int32_t joint, const double *turn)
{
    double pivot[3], place[3];
    bool is_below[SN_HUMANOID_COUNT] = {false};
    place_of(p, joint, pivot);
    for (int32_t j = joint + 1; j < p->count; ++j) {
        is_below[j] = p->parents[j] == joint || (p->parents[j] >= 0 && is_below[p->parents[j]]);
        if (is_below[j]) {
            place_of(p, j, place);
            sn_subtract3(place, pivot, place);
            sn_rig_rotate(turn, place, place);
            for (int d = 0; d < 3; ++d) {
                p->rest[12 * j + 4 * d + 3] = pivot[d] + place[d];
            }
        }
    }
}

/* Rotates the upper and lower arms sideways, unless they already are. */
static void spread_arms(sn_person *p)
{
    for (int side = 0; side < 2; ++side) {
        for (int part = SN_PART_UPPER_ARM; part <= SN_PART_LOWER_ARM; ++part) {
            const int32_t joint = p->joints[sn_humanoid_of(side, part)];
            const int32_t end = p->joints[sn_humanoid_of(side, part + 1)];
            const double sideways[3] = {side == 0 ? 1 : -1, 0, 0};
            double from[3], to[3], turn[4];
            if (joint < 0 || end < 0) {
                continue;
            }
            place_of(p, joint, from);
            place_of(p, end, to);
            sn_subtract3(to, from, to);
            if (hypot(to[1], to[2]) > MOST_DROOP * sn_length3(to)) {
                sn_rig_turn_to(to, sideways, turn);
                turn_rest(p, joint, turn);
            }
        }
    }
}

/* Measures the height of the hips above the ankles, and replaces an implausible floor height. */
static void measure(sn_person *p, const sn_rig_body *b, const sn_person_desc *desc)
{
    double back[4], stand[3], hips[3];
    sn_quaternion_conjugate(b->axes, back);
    sn_rig_rotate(back, b->stand, stand);
    sn_rig_rotate(back, desc->floor, p->floor);
    place_of(p, 0, hips);
    p->height = hips[1] - stand[1];
    p->metre = desc->metre;
    const double ankles = stand[1] - p->floor[1];
    if (!(ankles >= 0 && ankles <= MOST_ANKLE * p->height)) {
        p->floor[1] = stand[1] - ANKLE * p->height;
    }
}

static sn_result make_sticks(sn_person *p, const sn_person_desc *desc, sn_arena *arena)
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
    if (!desc->target->roles) {
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
        memcpy(p->turns + 4 * bone, none, sizeof none);
    }
    const sn_result result = make_sticks(p, desc, arena);
    memcpy(p->worlds, p->rest, sizeof p->worlds);
    return result ? result : sn_retarget_plan(&p->motion, desc->target, arena, &p->plan);
}

/* ---- poses ---- */

/* The world rotation of a bone in the base: the inverse of what sn_retarget does to its follower. */
static void base_turn(const sn_person *p, int bone, const double *base, const double *above, double *turn)
{
    const sn_retargeting *r = p->plan;
    const int32_t joint = p->followers[bone];
    double m[9], back[4];
    if (joint < 0 || !base) {
        memcpy(turn, above, 4 * sizeof(double));
        return;
    }
    for (int i = 0; i < 9; ++i) {
        m[i] = base[12 * joint + i / 3 * 4 + i % 3];
    }
    sn_quaternion_from_matrix(m, turn);
    sn_quaternion_polar(m, turn);
    sn_quaternion_conjugate(r->links[joint].align, back);
    sn_quaternion_multiply(turn, back, turn);
    sn_quaternion_conjugate(r->from_body, back);
    sn_quaternion_multiply(turn, back, turn);
    sn_quaternion_conjugate(r->to_world, back);
    sn_quaternion_multiply(back, turn, turn);
}

/* Computes the rotations of all bones and the joints that move. */
static void turn_bones(sn_person *p, const sn_person_pose *pose, const double *base)
{
    double at_base[4 * SN_HUMANOID_COUNT];
    for (int bone = 0; bone < SN_HUMANOID_COUNT; ++bone) {
        const int parent = sn_humanoid_parent(bone);
        const double *above = parent >= 0 ? at_base + 4 * parent : none, share = pose->shares[bone];
        double back[4], local[4];
        base_turn(p, bone, base, above, at_base + 4 * bone);
        sn_quaternion_conjugate(above, back);
        sn_quaternion_multiply(back, at_base + 4 * bone, local);
        if (share > 0) {
            sn_quaternion_blend(local, pose->rotations[bone], fmin(share, 1), local);
        }
        sn_quaternion_multiply(parent >= 0 ? p->turns + 4 * parent : none, local, p->turns + 4 * bone);
        sn_quaternion_normalize(p->turns + 4 * bone);
    }
    for (int joint = 0; joint < p->count; ++joint) { /* bones without a joint of their own move those below them */
        const int32_t parent = p->parents[joint];
        p->is_moved[joint] = false;
        for (int bone = p->bones[joint]; bone >= 0 && (parent < 0 || bone != p->bones[parent]);
             bone = sn_humanoid_parent(bone)) {
            p->is_moved[joint] = p->is_moved[joint] || pose->shares[bone] > 0;
        }
    }
}

/* The position of the hips in the base, in the stick figure's axes. */
static void base_hips(const sn_person *p, const double *base, double hips[3])
{
    const sn_retargeting *r = p->plan;
    double place[3], rest[3], from[3], middle[3], back[4];
    place_of(p, 0, rest);
    if (!base) {
        memcpy(hips, rest, 3 * sizeof(double));
        return;
    }
    sn_affine_apply(base + 12 * (size_t)r->root, r->carried, place); /* midpoint of the upper legs */
    sn_subtract3(place, r->to, place);
    sn_quaternion_conjugate(r->to_world, back);
    sn_rig_rotate(back, place, place);
    sn_rig_body_middle(&r->source, r->source.places, SN_PART_UPPER_LEG, middle);
    sn_subtract3(rest, middle, from);
    sn_rig_rotate(p->turns, from, from);
    for (int d = 0; d < 3; ++d) {
        hips[d] = r->from[d] + place[d] / r->scale + from[d];
    }
}

static void place_joints(sn_person *p, const sn_person_pose *pose, const double *base)
{
    double place[3], hips[3];
    const double known = pose->hips_height > 0 ? p->height / pose->hips_height : p->metre;
    const double scale = p->metre + pose->hips_height_share * (known - p->metre);
    const double share = fmin(pose->hips_share, 1);
    base_hips(p, base, hips);
    for (int d = 0; d < 3 && share > 0; ++d) {
        hips[d] += share * (p->floor[d] + scale * pose->hips[d] - hips[d]);
    }
    for (int joint = 0; joint < p->count; ++joint) {
        const int32_t parent = p->parents[joint];
        double m[9], *world = p->worlds + 12 * joint;
        memcpy(place, hips, sizeof place);
        if (parent >= 0) {
            double to[3], from[3];
            place_of(p, joint, to);
            place_of(p, parent, from);
            sn_subtract3(to, from, to);
            sn_affine_apply(p->worlds + 12 * parent, to, place);
        }
        sn_quaternion_to_matrix(p->turns + 4 * p->bones[joint], m);
        for (int d = 0; d < 3; ++d) {
            memcpy(world + 4 * d, m + 3 * d, 3 * sizeof(double));
            world[4 * d + 3] = place[d];
        }
    }
}

void sn_person_apply(sn_person *p, const sn_person_pose *pose, const double *base, double *poses)
{
    turn_bones(p, pose, base);
    place_joints(p, pose, base);
    sn_retarget_pose(p->plan, p->worlds, base ? &(sn_rig_base){base, p->is_moved} : NULL, poses);
}

/* ---- relaxed pose ---- */

/* Rotates an upper arm from its rotation in the base to hanging. */
static void lower_arm(const sn_person *p, int side, sn_person_pose *pose)
{
    const int upper = sn_humanoid_of(side, SN_PART_UPPER_ARM), lower = sn_humanoid_of(side, SN_PART_LOWER_ARM);
    const double out = side == 0 ? 1 : -1, ahead[3] = {0, 0, 1}, across[3] = {0, -out, 0};
    const double down[3] = {out * cos(SN_PERSON_ARM), -sin(SN_PERSON_ARM), 0};
    const double *above = p->turns + 4 * sn_humanoid_parent(upper);
    double from[3], way[3], hinge[3], turn[4], back[4];
    if (p->joints[upper] < 0 || p->joints[lower] < 0) {
        return;
    }
    place_of(p, p->joints[upper], from);
    place_of(p, p->joints[lower], way);
    sn_subtract3(way, from, way);
    sn_cross3(way, ahead, hinge);
    sn_normalize3(hinge, across);
    sn_rig_rotate(p->turns + 4 * upper, way, way);
    if (!(-way[1] < sin(SN_PERSON_ARM) * sn_length3(way))) {
        return;
    }
    sn_rig_turn_to(way, down, turn);
    sn_quaternion_multiply(turn, p->turns + 4 * upper, turn);
    sn_quaternion_conjugate(above, back);
    sn_quaternion_multiply(back, turn, pose->rotations[upper]);
    sn_rig_about(hinge, SN_PERSON_ELBOW, pose->rotations[lower]);
    pose->shares[upper] = pose->shares[lower] = 1;
}

void sn_person_stand(sn_person *p, const double *base, double *poses)
{
    sn_person_pose pose = {0};
    turn_bones(p, &pose, base);
    lower_arm(p, 0, &pose);
    lower_arm(p, 1, &pose);
    sn_person_apply(p, &pose, base, poses);
}

/* ---- queries ---- */

const double *sn_person_turn(const sn_person *p, int bone)
{
    return p->turns + 4 * bone;
}

static void in_metres(const sn_person *p, const double *transform, double place[3])
{
    for (int d = 0; d < 3; ++d) {
        place[d] = (transform[4 * d + 3] - p->floor[d]) / p->metre;
    }
}

void sn_person_hips(const sn_person *p, double hips[3])
{
    in_metres(p, p->worlds, hips);
}

bool sn_person_rest(const sn_person *p, int bone, double place[3])
{
    const int32_t joint = p->joints[bone];
    if (joint >= 0) {
        in_metres(p, p->rest + 12 * joint, place);
    }
    return joint >= 0;
}
