/* SPDX-License-Identifier: MIT */
/* Adds a VRM's spring bones and their colliders to the model, except for bones that are simulated as flesh
 * (soft_bones.h). */
#include <math.h>

#include "author/cook/springs/loose.h"
#include "author/cook/stages/stages.h"

typedef struct listing {
    sn_cooking *k;
    sn_spring_joint *joints;
    sn_spring_solid *solids;
    int32_t *links, *bones;
    int joint_count, solid_count, link_count;
    int32_t *joint_of_link, *solid_of_collider; /* -1: skipped */
    int left_out;                               /* skipped: over the model's limits, or with invalid values */
    struct {
        int first, count; /* range of links; first -1: not listed yet */
    } * groups;
} listing;

static void to_model(const sn_cooking *k, const double *place, float *result)
{
    for (int d = 0; d < 3; ++d) {
        result[d] = (float)((place[d] - k->origin[d]) * k->scale);
    }
}

/* The range that the loader accepts. */
static bool is_place(const float *values)
{
    return fabsf(values[0]) < 1e9F && fabsf(values[1]) < 1e9F && fabsf(values[2]) < 1e9F;
}

static bool is_same_place(const float *a, const float *b)
{
    return a[0] == b[0] && a[1] == b[1] && a[2] == b[2];
}

static bool is_size(float value)
{
    return value >= 0 && value < 1e9F;
}

/* The model's index of a collider, or -1. */
static int32_t list_solid(listing *l, int32_t collider)
{
    const sn_cooking *k = l->k;
    const sn_character_collider *c = &k->character.colliders[collider];
    if (l->solid_of_collider[collider] > -2) {
        return l->solid_of_collider[collider];
    }
    l->solid_of_collider[collider] = -1;
    if (c->bone < 0 || c->is_flat || l->solid_count == SN_SPRING_SOLID_LIMIT) {
        l->left_out += c->bone >= 0;
        return -1;
    }
    const double *m = c->placed.transform, half = c->placed.half_height;
    double place[3], end[3];
    for (int d = 0; d < 3; ++d) {
        place[d] = m[4 * d + 3] - half * m[4 * d + 1];
        end[d] = m[4 * d + 3] + half * m[4 * d + 1];
    }
    sn_spring_solid made = {.bone = c->bone,
                            .shape = (int32_t)c->shape,
                            .is_inside = c->is_inside,
                            .radius = (float)(c->placed.radius * k->scale)};
    to_model(k, place, made.place);
    to_model(k, end, made.end);
    for (int d = 0; d < 3 && c->shape == SN_COLLIDER_PLANE; ++d) {
        made.end[d] = (float)m[4 * d + 1];
    }
    if (!is_place(made.place) || !is_place(made.end) || !is_size(made.radius)) {
        ++l->left_out;
        return -1;
    }
    l->solids[l->solid_count] = made;
    l->solid_of_collider[collider] = l->solid_count++;
    return l->solid_of_collider[collider];
}

static void list_group(listing *l, int32_t group)
{
    const sn_spring_group *from = &l->k->character.spring_list[group];
    l->groups[group].first = l->link_count;
    for (int i = 0; i < from->collider_count; ++i) {
        const int32_t solid = list_solid(l, l->k->character.spring_colliders[from->first_collider + i]);
        const bool is_full =
            l->link_count - l->groups[group].first == SN_SPRING_SOLID_LIMIT || l->link_count == SN_SPRING_LINK_LIMIT;
        if (solid >= 0 && !is_full) {
            l->links[l->link_count++] = solid;
        } else {
            l->left_out += solid >= 0;
        }
    }
    l->groups[group].count = l->link_count - l->groups[group].first;
}

static void list_joint(listing *l, int index)
{
    const sn_cooking *k = l->k;
    const sn_character_link *from = &k->character.links[index];
    const int32_t group = from->values.group;
    sn_spring_joint made = {.bone = from->bone,
                            .parent = from->parent >= 0 ? l->joint_of_link[from->parent] : -1,
                            .center = from->center,
                            .stiffness = (float)from->values.stiffness,
                            .drag = (float)from->values.drag,
                            .hit_radius = (float)(from->values.hit_radius * k->scale)};
    to_model(k, from->head, made.head);
    to_model(k, from->tail, made.tail);
    for (int d = 0; d < 3; ++d) {
        made.gravity[d] = (float)from->values.gravity[d];
    }
    if (k->loose && sn_is_loose(k->loose[from->bone])) { /* its flesh is simulated instead */
        l->joint_of_link[index] = made.parent;
        return;
    }
    if (l->joint_count == SN_SPRING_JOINT_LIMIT || !is_place(made.head) || !is_place(made.tail) ||
        !is_place(made.gravity) || !is_size(made.stiffness) || !is_size(made.hit_radius) ||
        is_same_place(made.head, made.tail)) {
        ++l->left_out;
        l->joint_of_link[index] = made.parent;
        return;
    }
    if (l->groups[group].first < 0) {
        list_group(l, group);
    }
    made.first_link = l->groups[group].first;
    made.link_count = l->groups[group].count;
    l->joints[l->joint_count] = made;
    l->joint_of_link[index] = l->joint_count++;
}

static sn_result begin(sn_cooking *k, listing *l)
{
    const sn_character *c = &k->character;
    int group_count = 0;
    for (int i = 0; i < c->link_count; ++i) {
        group_count = c->links[i].values.group >= group_count ? c->links[i].values.group + 1 : group_count;
    }
    *l = (listing){.k = k,
                   .joints = SN_NEW(&k->arena, sn_spring_joint, c->link_count),
                   .solids = SN_NEW(&k->arena, sn_spring_solid, SN_SPRING_SOLID_LIMIT),
                   .links = SN_NEW(&k->arena, int32_t, SN_SPRING_LINK_LIMIT),
                   .bones = SN_NEW(&k->arena, int32_t, k->bone_count),
                   .joint_of_link = SN_NEW(&k->arena, int32_t, c->link_count),
                   .solid_of_collider = SN_NEW(&k->arena, int32_t, c->collider_count)};
    l->groups = sn_arena_alloc(&k->arena, (size_t)group_count, sizeof *l->groups);
    if (!l->joints || !l->solids || !l->links || !l->bones || !l->joint_of_link || !l->solid_of_collider ||
        !l->groups) {
        return SN_ERROR_MEMORY;
    }
    for (int i = 0; i < group_count; ++i) {
        l->groups[i].first = -1;
    }
    for (int i = 0; i < c->collider_count; ++i) {
        l->solid_of_collider[i] = -2;
    }
    return SN_OK;
}

static int count_loose(const sn_cooking *k)
{
    int count = 0;
    for (int bone = 0; k->loose && bone < k->bone_count; ++bone) {
        count += k->character.springs[bone].is_spring && sn_is_loose(k->loose[bone]);
    }
    return count;
}

sn_result sn_cooking_add_springs(sn_cooking *k, sn_model *model)
{
    const sn_character *c = &k->character;
    const bool is_avatar = k->has_character && !k->has_rig && c->link_count > 0;
    listing l;
    if (!is_avatar) {
        return SN_OK;
    }
    model->loose_spring_count = count_loose(k);
    if (k->desc->is_without_springs) {
        return SN_OK;
    }
    if (begin(k, &l) != SN_OK) {
        return SN_ERROR_MEMORY;
    }
    for (int i = 0; i < c->link_count; ++i) {
        list_joint(&l, i);
    }
    for (int bone = 0; bone < k->bone_count; ++bone) {
        l.bones[bone] = c->bone_links[bone] >= 0 ? l.joint_of_link[c->bone_links[bone]] : -1;
    }
    if (l.left_out > 0) {
        sn_log(SN_LOG_WARNING,
               "%s: spring bones: %d joints or colliders skipped: over the model's limit, or without size", k->path,
               l.left_out);
    }
    if (l.joint_count > 0) {
        model->spring_joint_count = k->report.spring_count = l.joint_count;
        model->spring_solid_count = l.solid_count;
        model->spring_link_count = l.link_count;
        model->spring_joints = l.joints;
        model->spring_solids = l.solids;
        model->spring_links = l.links;
        model->spring_bones = l.bones;
    }
    return SN_OK;
}
