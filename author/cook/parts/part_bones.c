/* SPDX-License-Identifier: MIT */
/* Classifies bones by the humanoid bones of the file, by name, and by their position in the skeleton. */
#include "author/cook/parts/part_bones.h"

#include <math.h>
#include <string.h>

#include "author/cook/springs/soft_bones.h"
#include "author/retarget/humanoid.h"
#include "host/math/jacobi.h"
#include "host/math/vec3.h"

#define MAX_FEATURE_MASS 0.5 /* of the head's: an unnamed bone with more flesh is no part of the face */
#define MAX_ARM_CHAINS 4     /* a body with more "arms" has tentacles */
#define LEAF_EXTENT 0.85     /* of the flesh along a leaf bone; its segment ends before the tip */
#define MIN_LEAF_OFFSET 0.25 /* of the flesh's radius: a centroid nearer to the joint gives no direction */
#define UPRIGHT_COSINE 0.6   /* between the spine and the opposite of the legs */
#define STRONG_WEIGHT 0.5    /* of a vertex that counts for the extent of a leaf bone */

typedef struct builder {
    sn_cook_context *cook;
    sn_flesh_skeleton *skeleton;
    sn_flesh_name *names; /* (bone_count) */
    int32_t *order;       /* (bone_count) parents first */
    int32_t *roles;       /* (bone_count) sn_humanoid_bone or -1 */
    int32_t of_role[SN_HUMANOID_COUNT];
} builder;

static sn_flesh_kind kind_of_role(int role)
{
    if (role < SN_HUMANOID_LEFT) {
        return role < SN_HUMANOID_NECK    ? SN_FLESH_TORSO
               : role == SN_HUMANOID_NECK ? SN_FLESH_NECK
               : role == SN_HUMANOID_HEAD ? SN_FLESH_HEAD
                                          : SN_FLESH_FACE;
    }
    static const sn_flesh_kind of_part[] = {
        [SN_PART_UPPER_LEG] = SN_FLESH_THIGHS,   [SN_PART_LOWER_LEG] = SN_FLESH_SHINS,
        [SN_PART_FOOT] = SN_FLESH_FEET,          [SN_PART_TOES] = SN_FLESH_FEET,
        [SN_PART_SHOULDER] = SN_FLESH_SHOULDERS, [SN_PART_UPPER_ARM] = SN_FLESH_UPPER_ARMS,
        [SN_PART_LOWER_ARM] = SN_FLESH_FOREARMS, [SN_PART_HAND] = SN_FLESH_HANDS};
    const int part = (role - SN_HUMANOID_LEFT) % SN_PART_COUNT;
    return part > SN_PART_HAND ? SN_FLESH_HANDS : of_part[part];
}

/* Parents first; bones of a cycle, which readers exclude, are left out. */
static void sort_bones(const builder *b)
{
    const int count = b->cook->bone_count;
    int sorted = 0;
    for (int i = 0; i < count; ++i) {
        if (b->cook->bone_parents[i] < 0 || b->cook->bone_parents[i] >= count) {
            b->order[sorted++] = i;
        }
    }
    for (int next = 0; next < sorted; ++next) {
        for (int i = 0; i < count; ++i) {
            if (b->cook->bone_parents[i] == b->order[next] && sorted < count) {
                b->order[sorted++] = i;
            }
        }
    }
    for (; sorted < count; ++sorted) {
        b->order[sorted] = sorted;
    }
}

static int32_t parent_of(const builder *b, int32_t bone)
{
    const int32_t parent = b->cook->bone_parents[bone];
    return parent >= 0 && parent < b->cook->bone_count ? parent : -1;
}

static bool is_above(const builder *b, int32_t above, int32_t bone)
{
    for (int steps = 0; bone >= 0 && bone != above && steps < b->cook->bone_count; ++steps) {
        bone = parent_of(b, bone);
    }
    return bone == above && above >= 0;
}

static int32_t common_ancestor(const builder *b, int32_t first, int32_t second)
{
    while (first >= 0 && !is_above(b, first, second)) {
        first = parent_of(b, first);
    }
    return first;
}

static void measure_bones(const builder *b)
{
    const sn_cook_context *cook = b->cook;
    const size_t count = (size_t)cook->bone_count;
    for (size_t i = 0; i < (size_t)cook->mesh.vertex_count * count; ++i) {
        b->skeleton->bones[i % count].mass += cook->rig_weights[i] * cook->mass[i / count];
    }
    double total = 0;
    for (size_t i = 0; i < count; ++i) {
        total += b->skeleton->bones[i].mass;
    }
    for (size_t i = count; i-- > 0;) {
        const int32_t bone = b->order[i], parent = parent_of(b, bone);
        sn_flesh_bone *own = &b->skeleton->bones[bone];
        own->has_flesh = own->has_flesh || own->mass > 1e-9 * total;
        if (parent >= 0 && own->has_flesh) {
            b->skeleton->bones[parent].has_flesh = true;
        }
        for (int d = 0; d < 3; ++d) {
            own->joint[d] = (cook->bone_bind[12 * (size_t)bone + 4 * (size_t)d + 3] - cook->origin[d]) * cook->scale;
        }
    }
}

static sn_result find_roles(const builder *b)
{
    sn_cook_context *cook = b->cook;
    int32_t of_role[SN_HUMANOID_COUNT];
    memset(b->roles, -1, (size_t)cook->bone_count * sizeof *b->roles);
    const sn_rig_skeleton skeleton = {cook->path ? cook->path : "", cook->bone_count, cook->bone_names,
                                      cook->bone_parents,           cook->bone_bind,  cook->bone_roles};
    SN_TRY(sn_humanoid_find_roles(&skeleton, false, &cook->arena, of_role));
    for (int role = 0; role < SN_HUMANOID_COUNT; ++role) {
        if (of_role[role] >= 0) {
            b->roles[of_role[role]] = role;
        }
    }
    return SN_OK;
}

/* Names and roles alone. */
static void classify_directly(const builder *b)
{
    for (int i = 0; i < b->cook->bone_count; ++i) {
        sn_flesh_bone *bone = &b->skeleton->bones[i];
        const sn_flesh_name *name = &b->names[i];
        const int role = b->roles[i];
        const bool is_special = sn_flesh_is_accessory(name->kind) || sn_flesh_is_appendage(name->kind);
        const bool is_from_file = b->cook->bone_roles && b->cook->bone_roles[i] >= 0;
        bone->side = name->side;
        bone->reason = name->kind == SN_FLESH_GENERIC ? "default" : "name";
        bone->kind = name->kind == SN_FLESH_CHEST && name->side >= 0 ? SN_FLESH_BREASTS : name->kind; /* one of two */
        if (role >= 0 && (is_from_file || !is_special)) {
            bone->kind = kind_of_role(role);
            bone->reason = "role";
            bone->side = role < SN_HUMANOID_LEFT ? -1 : (role - SN_HUMANOID_LEFT) / SN_PART_COUNT;
        }
    }
}

static int32_t first_of_kind(const builder *b, sn_flesh_kind kind, int side)
{
    for (int i = 0; i < b->cook->bone_count; ++i) {
        const sn_flesh_bone *bone = &b->skeleton->bones[b->order[i]];
        if (bone->kind == kind && bone->has_flesh && (side < 0 || bone->side == side)) {
            return b->order[i];
        }
    }
    return -1;
}

/* The parent of both arms; -1: unknown. */
static int32_t find_chest(const builder *b)
{
    const int32_t left = first_of_kind(b, SN_FLESH_UPPER_ARMS, 0), right = first_of_kind(b, SN_FLESH_UPPER_ARMS, 1);
    return left >= 0 && right >= 0 ? common_ancestor(b, left, right) : -1;
}

/* The bone that carries the eyes and other features of the face, or the last one of the spine. */
static int32_t find_unnamed_head(const builder *b, int32_t chest)
{
    int32_t head = -1;
    int count = 0;
    for (int i = 0; i < b->cook->bone_count; ++i) {
        if (b->skeleton->bones[i].kind == SN_FLESH_FACE && parent_of(b, i) >= 0) {
            head = count++ == 0 ? parent_of(b, i) : common_ancestor(b, head, i);
        }
    }
    if (count >= 2 && head >= 0 && head != chest && !is_above(b, head, chest)) {
        return head;
    }
    int32_t last = chest;
    for (bool is_found = chest >= 0; is_found;) {
        is_found = false;
        for (int i = 0; i < b->cook->bone_count && !is_found; ++i) {
            const sn_flesh_kind kind = b->skeleton->bones[i].kind;
            const bool is_axial = kind == SN_FLESH_GENERIC || kind == SN_FLESH_TORSO || kind == SN_FLESH_NECK;
            if (parent_of(b, i) == last && is_axial && b->skeleton->bones[i].has_flesh && b->names[i].side < 0 &&
                !b->names[i].is_helper && !is_above(b, i, first_of_kind(b, SN_FLESH_UPPER_ARMS, 0))) {
                last = i;
                is_found = true;
            }
        }
    }
    return last == chest ? -1 : last;
}

/* Bones between hips and head are torso up to the parent of the arms, and neck above it. */
static void classify_spine(const builder *b)
{
    const int32_t chest = find_chest(b);
    const int32_t left = first_of_kind(b, SN_FLESH_THIGHS, 0), right = first_of_kind(b, SN_FLESH_THIGHS, 1);
    const int32_t hips = left >= 0 && right >= 0 ? common_ancestor(b, left, right) : -1;
    int32_t head = first_of_kind(b, SN_FLESH_HEAD, -1);
    head = head >= 0 ? head : chest >= 0 ? find_unnamed_head(b, chest) : -1;
    b->skeleton->head = head;
    if (head >= 0 && b->skeleton->bones[head].kind != SN_FLESH_HEAD) {
        b->skeleton->bones[head].kind = SN_FLESH_HEAD;
        b->skeleton->bones[head].reason = "shape";
    }
    const int32_t start = head >= 0 ? parent_of(b, head) : chest;
    bool is_neck = head >= 0 && chest >= 0 && is_above(b, chest, head);
    for (int32_t bone = start; bone >= 0 && (hips >= 0 || chest >= 0); bone = parent_of(b, bone)) {
        sn_flesh_bone *own = &b->skeleton->bones[bone];
        is_neck = is_neck && bone != chest;
        const bool is_named = own->kind == SN_FLESH_NECK || (sn_flesh_is_torso(own->kind) && !is_neck);
        if (!is_named && b->roles[bone] < 0) {
            own->kind = is_neck ? SN_FLESH_NECK : SN_FLESH_TORSO;
            own->reason = "shape";
        }
        if (bone == hips) {
            break;
        }
    }
    if (hips >= 0 && b->skeleton->bones[hips].kind == SN_FLESH_GENERIC) {
        b->skeleton->bones[hips].kind = SN_FLESH_TORSO;
        b->skeleton->bones[hips].reason = "shape";
    }
}

/* "leg" below a "leg" is the shin, and "arm" below an "arm" the forearm. */
static sn_flesh_kind resolve_bare(sn_flesh_kind kind, sn_flesh_kind above)
{
    if (kind == SN_FLESH_THIGHS) {
        return above == SN_FLESH_THIGHS || above == SN_FLESH_SHINS ? SN_FLESH_SHINS
               : above == SN_FLESH_FEET                            ? SN_FLESH_FEET
                                                                   : kind;
    }
    return above == SN_FLESH_UPPER_ARMS || above == SN_FLESH_FOREARMS ? SN_FLESH_FOREARMS
           : above == SN_FLESH_HANDS                                  ? SN_FLESH_HANDS
                                                                      : kind;
}

static void classify_below(const builder *b)
{
    for (int i = 0; i < b->cook->bone_count; ++i) {
        const int32_t bone = b->order[i], parent = parent_of(b, bone);
        sn_flesh_bone *own = &b->skeleton->bones[bone];
        const sn_flesh_kind above = parent >= 0 ? b->skeleton->bones[parent].kind : SN_FLESH_GENERIC;
        if (b->names[bone].is_bare && b->roles[bone] < 0 && !b->names[bone].is_twist) {
            own->kind = resolve_bare(own->kind, above);
        }
        if (own->kind == SN_FLESH_GENERIC && parent >= 0 && !sn_flesh_is_torso(above)) {
            const bool is_feature = !(own->mass > MAX_FEATURE_MASS * b->skeleton->bones[parent].mass);
            own->kind = above != SN_FLESH_HEAD ? above : is_feature ? SN_FLESH_FACE : SN_FLESH_GENERIC;
            own->reason = "shape";
            own->side = own->side < 0 ? b->skeleton->bones[parent].side : own->side;
        }
        /* fingers, toes and the like below an end of the body belong to it, whatever they are called */
        const bool is_end = above == SN_FLESH_HANDS || above == SN_FLESH_FEET;
        if (is_end && !sn_flesh_is_accessory(own->kind)) {
            own->kind = above;
        }
        if (above == SN_FLESH_FACE && own->kind == SN_FLESH_HEAD) {
            own->kind = SN_FLESH_FACE;
        }
    }
}

/* Flesh of soft bones, and many "arms", are tentacles. */
static void classify_tentacles(const builder *b)
{
    int arm_count = 0;
    for (int i = 0; i < b->cook->bone_count; ++i) {
        const int32_t parent = parent_of(b, i);
        arm_count += b->names[i].is_bare && b->skeleton->bones[i].kind == SN_FLESH_UPPER_ARMS &&
                     (parent < 0 || b->skeleton->bones[parent].kind != SN_FLESH_UPPER_ARMS);
    }
    for (int i = 0; i < b->cook->bone_count; ++i) {
        sn_flesh_bone *own = &b->skeleton->bones[i];
        const bool is_limb = own->kind == SN_FLESH_UPPER_ARMS || own->kind == SN_FLESH_FOREARMS;
        const bool is_soft = b->cook->soft_bones && sn_soft_bone_is_soft(b->cook->soft_bones[i]);
        const bool has_part = sn_flesh_is_accessory(own->kind) || sn_flesh_is_appendage(own->kind);
        const bool is_unknown =
            own->kind == SN_FLESH_GENERIC || (own->kind == SN_FLESH_FACE && b->names[i].kind == SN_FLESH_GENERIC);
        if ((is_limb && b->names[i].is_bare && arm_count > MAX_ARM_CHAINS) ||
            (is_soft && !has_part && !own->is_spring && (is_limb || is_unknown))) {
            own->kind = SN_FLESH_TENTACLE;
            own->reason = is_soft ? "soft bone" : "shape";
        }
    }
}

static void find_springs(const builder *b)
{
    const sn_cook_context *cook = b->cook;
    const bool has_springs = cook->has_character && !cook->has_rig && cook->character.springs &&
                             !cook->desc->is_without_springs && !sn_cook_context_is_modeless(cook);
    for (int i = 0; i < cook->bone_count && has_springs; ++i) {
        const bool is_soft = cook->soft_bones && sn_soft_bone_is_soft(cook->soft_bones[i]);
        b->skeleton->bones[i].is_spring = cook->character.springs[i].is_spring && !is_soft;
    }
}

/* A chain of generic bones ends where it branches, so that each branch is a part of its own. */
static void find_chains(const builder *b)
{
    const sn_cook_context *cook = b->cook;
    for (int i = 0; i < cook->bone_count; ++i) {
        const int32_t bone = b->order[i], parent = parent_of(b, bone);
        sn_flesh_bone *own = &b->skeleton->bones[bone];
        const sn_flesh_bone *above = parent >= 0 ? &b->skeleton->bones[parent] : NULL;
        int child_count = 0;
        for (int k = 0; k < cook->bone_count && parent >= 0; ++k) {
            child_count += parent_of(b, k) == parent && b->skeleton->bones[k].has_flesh;
        }
        const bool is_branch = own->kind == SN_FLESH_GENERIC && child_count > 1;
        const bool is_same = above && above->kind == own->kind && above->is_spring == own->is_spring && !is_branch &&
                             (above->mass > 0 || own->mass <= 0);
        own->chain = is_same ? above->chain : bone;
    }
    for (int i = 0; i < cook->bone_count; ++i) { /* lengths from the root to the farthest joint of each chain */
        sn_flesh_bone *own = &b->skeleton->bones[b->order[i]];
        const int32_t parent = parent_of(b, b->order[i]);
        own->position = own->chain == b->order[i] ? 0
                                                  : b->skeleton->bones[parent].position +
                                                        sn_distance3(own->joint, b->skeleton->bones[parent].joint);
    }
}

/* ---- segments ---- */

/* Whether the flesh of a bone continues along the segment to this child. */
static bool is_continued(const builder *b, int32_t child)
{
    const sn_flesh_bone *own = &b->skeleton->bones[child];
    static const sn_flesh_kind ends[] = {SN_FLESH_EAR,     SN_FLESH_CHEEKS, SN_FLESH_FACE,    SN_FLESH_WING,
                                         SN_FLESH_BREASTS, SN_FLESH_BELLY,  SN_FLESH_BUTTOCKS};
    bool is_end = sn_flesh_is_accessory(own->kind) || own->is_spring || b->names[child].is_helper;
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; ++i) {
        is_end = is_end || own->kind == ends[i];
    }
    const int32_t parent = parent_of(b, child);
    const bool is_within = parent >= 0 && b->skeleton->bones[parent].chain == own->chain;
    return own->has_flesh && (!is_end || is_within);
}

/* The flesh of a leaf bone: its centroid, covariance, and radius. */
static double measure_leaf(const builder *b, int32_t bone, double centre[3], double axis[3])
{
    const sn_cook_context *cook = b->cook;
    const size_t bones = (size_t)cook->bone_count;
    double mass = 0, covariance[9] = {0}, rotation[9];
    memset(centre, 0, 3 * sizeof *centre);
    for (size_t v = 0; v < (size_t)cook->mesh.vertex_count; ++v) {
        const double m = cook->mass[v] * cook->rig_weights[v * bones + (size_t)bone], *x = cook->mesh.positions + 3 * v;
        mass += m;
        for (size_t d = 0; d < 9; ++d) {
            centre[d % 3] += d < 3 ? m * x[d] : 0;
            covariance[d] += m * x[d / 3] * x[d % 3];
        }
    }
    for (int d = 0; d < 3; ++d) {
        centre[d] /= mass;
    }
    for (int d = 0; d < 9; ++d) {
        covariance[d] = covariance[d] / mass - centre[d / 3] * centre[d % 3];
    }
    const double radius = sqrt(fmax(covariance[0] + covariance[4] + covariance[8], 0));
    sn_jacobi_orthogonalise(3, 3, covariance, rotation);
    sn_normalize3(rotation + 6, axis);
    memcpy(axis, rotation + 6, 3 * sizeof *axis);
    return radius;
}

static void add_leaf(const builder *b, int32_t bone)
{
    const sn_cook_context *cook = b->cook;
    const sn_flesh_bone *own = &b->skeleton->bones[bone];
    const size_t bones = (size_t)cook->bone_count;
    const int32_t parent = parent_of(b, bone);
    double centre[3], axis[3] = {0, 1, 0}, direction[3], start[3];
    const double radius = measure_leaf(b, bone, centre, axis);
    memcpy(start, own->joint, sizeof start);
    sn_subtract3(centre, start, direction);
    const double offset = sn_length3(direction);
    if (offset < MIN_LEAF_OFFSET * radius && parent >= 0 &&
        sn_distance3(own->joint, b->skeleton->bones[parent].joint) > 1e-6 * cook->diagonal) {
        sn_subtract3(own->joint, b->skeleton->bones[parent].joint, direction);
    } else if (offset < MIN_LEAF_OFFSET * radius || offset > 4 * radius) { /* the joint says nothing: the long axis */
        memcpy(direction, axis, sizeof direction);
        memcpy(start, centre, sizeof start);
    }
    sn_normalize3(direction, axis);
    double low = INFINITY, high = -INFINITY;
    for (size_t v = 0; v < (size_t)cook->mesh.vertex_count; ++v) {
        double from_start[3];
        sn_subtract3(cook->mesh.positions + 3 * v, start, from_start);
        if (cook->rig_weights[v * bones + (size_t)bone] >= STRONG_WEIGHT) {
            const double at = sn_dot3(from_start, direction);
            low = fmin(low, at);
            high = fmax(high, at);
        }
    }
    if (!(low <= high)) {
        low = 0;
        high = offset + radius;
    }
    const double margin = (1 - LEAF_EXTENT) * (high - low);
    low = sn_distance3(start, own->joint) > 0 || low > 0 ? low + margin : 0; /* a joint inside is the start */
    high -= margin;
    sn_flesh_segment *segment = &b->skeleton->segments[b->skeleton->segment_count++];
    segment->bone = bone;
    for (int d = 0; d < 3; ++d) {
        segment->start[d] = start[d] + low * direction[d];
        segment->end[d] = start[d] + fmax(high, low) * direction[d];
    }
}

/* Adds the segments from a joint to its children. Children that move no flesh themselves continue the bone. */
static void add_segments(const builder *b, int32_t bone, int32_t from)
{
    sn_flesh_skeleton *s = b->skeleton;
    for (int32_t child = 0; child < b->cook->bone_count; ++child) {
        if (parent_of(b, child) != from || !is_continued(b, child)) {
            continue;
        }
        if (sn_distance3(s->bones[from].joint, s->bones[child].joint) > 1e-6 * b->cook->diagonal) {
            sn_flesh_segment *segment = &s->segments[s->segment_count++];
            segment->bone = bone;
            memcpy(segment->start, s->bones[from].joint, sizeof segment->start);
            memcpy(segment->end, s->bones[child].joint, sizeof segment->end);
        }
        if (!(s->bones[child].mass > 0)) {
            add_segments(b, bone, child);
        }
    }
}

static void build_segments(const builder *b)
{
    sn_flesh_skeleton *s = b->skeleton;
    for (int32_t bone = 0; bone < b->cook->bone_count; ++bone) {
        const int first = s->segment_count;
        s->segment_starts[bone] = first;
        if (s->bones[bone].mass > 0) {
            add_segments(b, bone, bone);
        }
        if (s->bones[bone].mass > 0 && s->segment_count == first) {
            add_leaf(b, bone);
        }
    }
    s->segment_starts[b->cook->bone_count] = s->segment_count;
}

/* The length of each chain, with its leaf segments; positions become fractions of it. Segments beyond the core's end
 * are cut. */
static sn_result cut_segments(const builder *b)
{
    sn_flesh_skeleton *s = b->skeleton;
    double *lengths = SN_NEW(&b->cook->arena, double, b->cook->bone_count);
    if (!lengths) {
        return SN_ERROR_MEMORY;
    }
    for (int i = 0; i < s->segment_count; ++i) {
        const sn_flesh_segment *segment = &s->segments[i];
        const sn_flesh_bone *own = &s->bones[segment->bone];
        lengths[own->chain] = fmax(lengths[own->chain], own->position + sn_distance3(segment->start, segment->end));
    }
    for (int i = 0; i < s->segment_count; ++i) {
        sn_flesh_segment *segment = &s->segments[i];
        const sn_flesh_bone *own = &s->bones[segment->bone];
        const double end = sn_flesh_preset_of(own->kind)->core_length * lengths[own->chain];
        const double length = sn_distance3(segment->start, segment->end);
        const double part = length > 0 ? fmin(fmax((end - own->position) / length, 0), 1) : 0;
        for (int d = 0; d < 3; ++d) {
            segment->end[d] = segment->start[d] + part * (segment->end[d] - segment->start[d]);
        }
        if (end < own->position) { /* wholly beyond: the chain's root is the nearest core */
            const double *root = s->bones[own->chain].joint;
            memcpy(segment->start, root, sizeof segment->start);
            memcpy(segment->end, root, sizeof segment->end);
        }
    }
    for (int i = 0; i < b->cook->bone_count; ++i) {
        sn_flesh_bone *own = &s->bones[i];
        own->position = lengths[own->chain] > 0 ? own->position / lengths[own->chain] : 0;
    }
    return SN_OK;
}

/* ---- axes ---- */

/* Adds the difference between left and right joints of a kind; returns their number. */
static int add_sides(const builder *b, sn_flesh_kind kind, double left[3], double middle[3])
{
    double sums[2][3] = {{0}};
    int counts[2] = {0, 0};
    for (int i = 0; i < b->cook->bone_count; ++i) {
        const sn_flesh_bone *own = &b->skeleton->bones[i];
        if (own->kind == kind && own->side >= 0 && own->has_flesh && own->chain == i) {
            ++counts[own->side];
            for (int d = 0; d < 3; ++d) {
                sums[own->side][d] += own->joint[d];
            }
        }
    }
    for (int d = 0; d < 3 && counts[0] > 0 && counts[1] > 0; ++d) {
        left[d] += sums[0][d] / counts[0] - sums[1][d] / counts[1];
        middle[d] = 0.5 * (sums[0][d] / counts[0] + sums[1][d] / counts[1]);
    }
    return counts[0] > 0 && counts[1] > 0;
}

static void find_axes(const builder *b)
{
    sn_flesh_axes *axes = &b->skeleton->axes;
    const sn_flesh_bone *bones = b->skeleton->bones;
    double left[3] = {0}, top[3], feet[3], unused[3];
    const bool has_legs = add_sides(b, SN_FLESH_THIGHS, left, axes->hips) > 0;
    const bool has_arms =
        add_sides(b, SN_FLESH_UPPER_ARMS, left, top) > 0 || add_sides(b, SN_FLESH_SHOULDERS, left, top) > 0;
    const int32_t neck = first_of_kind(b, SN_FLESH_NECK, -1), head = b->skeleton->head;
    const int32_t torso = first_of_kind(b, SN_FLESH_TORSO, -1);
    if (!has_arms && (neck >= 0 || head >= 0)) {
        memcpy(top, bones[neck >= 0 ? neck : head].joint, sizeof top);
    }
    if (!has_legs && torso >= 0) {
        memcpy(axes->hips, bones[torso].joint, sizeof axes->hips);
    }
    if ((!has_legs && torso < 0) || (!has_arms && neck < 0 && head < 0) || (!has_legs && !has_arms)) {
        return;
    }
    const double up[3] = {0, 1, 0};
    sn_subtract3(top, axes->hips, axes->spine);
    axes->length = sn_length3(axes->spine);
    if (!(axes->length > 1e-6 * b->cook->diagonal) || !(sn_length3(left) > 1e-6 * b->cook->diagonal)) {
        return;
    }
    /* of a quadruped the line from the thighs to the upper arms is the spine as well */
    sn_normalize3(axes->spine, up);
    const double along = sn_dot3(left, axes->spine);
    for (int d = 0; d < 3; ++d) {
        left[d] -= along * axes->spine[d];
    }
    if (!(sn_length3(left) > 1e-6 * b->cook->diagonal)) {
        return;
    }
    memcpy(axes->left, left, sizeof left);
    sn_normalize3(axes->left, up);
    sn_cross3(axes->left, axes->spine, axes->front);
    memset(unused, 0, sizeof unused);
    const bool has_feet =
        add_sides(b, SN_FLESH_FEET, unused, feet) > 0 || add_sides(b, SN_FLESH_SHINS, unused, feet) > 0;
    double leg[3] = {0, -1, 0};
    if (has_legs && has_feet) {
        sn_subtract3(feet, axes->hips, leg);
        sn_normalize3(leg, up);
    }
    axes->is_upright = -sn_dot3(leg, axes->spine) > UPRIGHT_COSINE;
    axes->is_valid = true;
}

sn_result sn_flesh_skeleton_build(sn_cook_context *cook, sn_flesh_skeleton *skeleton)
{
    const int count = cook->bone_count;
    *skeleton = (sn_flesh_skeleton){.bones = SN_NEW(&cook->arena, sn_flesh_bone, count),
                                    .segments = SN_NEW(&cook->arena, sn_flesh_segment, 2 * (size_t)count),
                                    .segment_starts = SN_NEW(&cook->arena, int32_t, count + 1),
                                    .head = -1};
    builder b = {.cook = cook,
                 .skeleton = skeleton,
                 .names = SN_NEW(&cook->arena, sn_flesh_name, count),
                 .order = SN_NEW(&cook->arena, int32_t, count),
                 .roles = SN_NEW(&cook->arena, int32_t, count)};
    if (!skeleton->bones || !skeleton->segments || !skeleton->segment_starts || !b.names || !b.order || !b.roles) {
        return SN_ERROR_MEMORY;
    }
    sort_bones(&b);
    measure_bones(&b);
    for (int i = 0; i < count; ++i) {
        b.names[i] = sn_flesh_kind_of_name(cook->bone_names ? cook->bone_names[i] : "");
    }
    if (find_roles(&b) != SN_OK) {
        return SN_ERROR_MEMORY;
    }
    find_springs(&b);
    classify_directly(&b);
    classify_spine(&b);
    classify_below(&b);
    classify_tentacles(&b);
    find_chains(&b);
    build_segments(&b);
    find_axes(&b);
    return cut_segments(&b);
}
