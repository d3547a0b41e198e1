/* SPDX-License-Identifier: MIT */
/* Adds a VRM's spring bones and their colliders to the model, except for bones that are simulated as flesh
 * (soft_bones.h). */
#include <math.h>

#include "author/cook/springs/soft_bones.h"
#include "author/cook/stages/stages.h"

typedef struct listing {
    sn_cook_context *cook;
    sn_spring_joint *joints;
    sn_spring_solid *solids;
    int32_t *links, *bones;
    int joint_count, solid_count, link_count;
    int32_t *joint_of_link, *solid_of_collider; /* -1: skipped */
    int skipped_count;                          /* skipped: over the model's limits, or with invalid values */
    struct {
        int first, count; /* range of links; first -1: not listed yet */
    } * groups;
} listing;

static void to_model(const sn_cook_context *cook, const double *location, float *result)
{
    for (int d = 0; d < 3; ++d) {
        result[d] = (float)((location[d] - cook->origin[d]) * cook->scale);
    }
}

/* The range that the loader accepts. */
static bool is_position(const float *values)
{
    return fabsf(values[0]) < 1e9F && fabsf(values[1]) < 1e9F && fabsf(values[2]) < 1e9F;
}

static bool is_same_position(const float *a, const float *b)
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
    const sn_cook_context *cook = l->cook;
    const sn_character_collider *c = &cook->character.colliders[collider];
    if (l->solid_of_collider[collider] > -2) {
        return l->solid_of_collider[collider];
    }
    l->solid_of_collider[collider] = -1;
    if (c->bone < 0 || c->is_flat || l->solid_count == SN_SPRING_SOLID_LIMIT) {
        l->skipped_count += c->bone >= 0;
        return -1;
    }
    const double *m = c->at_bind.transform, half = c->at_bind.half_height;
    double location[3], end[3];
    for (int d = 0; d < 3; ++d) {
        location[d] = m[4 * d + 3] - half * m[4 * d + 1];
        end[d] = m[4 * d + 3] + half * m[4 * d + 1];
    }
    sn_spring_solid created = {.bone = c->bone,
                               .shape = (int32_t)c->shape,
                               .is_inside = c->is_inside,
                               .radius = (float)(c->at_bind.radius * cook->scale)};
    to_model(cook, location, created.location);
    to_model(cook, end, created.end);
    for (int d = 0; d < 3 && c->shape == SN_COLLIDER_PLANE; ++d) {
        created.end[d] = (float)m[4 * d + 1];
    }
    if (!is_position(created.location) || !is_position(created.end) || !is_size(created.radius)) {
        ++l->skipped_count;
        return -1;
    }
    l->solids[l->solid_count] = created;
    l->solid_of_collider[collider] = l->solid_count++;
    return l->solid_of_collider[collider];
}

static void list_group(listing *l, int32_t group)
{
    const sn_spring_group *from = &l->cook->character.spring_list[group];
    l->groups[group].first = l->link_count;
    for (int i = 0; i < from->collider_count; ++i) {
        const int32_t solid = list_solid(l, l->cook->character.spring_colliders[from->first_collider + i]);
        const bool is_full =
            l->link_count - l->groups[group].first == SN_SPRING_SOLID_LIMIT || l->link_count == SN_SPRING_LINK_LIMIT;
        if (solid >= 0 && !is_full) {
            l->links[l->link_count++] = solid;
        } else {
            l->skipped_count += solid >= 0;
        }
    }
    l->groups[group].count = l->link_count - l->groups[group].first;
}

static void list_joint(listing *l, int index)
{
    const sn_cook_context *cook = l->cook;
    const sn_character_link *from = &cook->character.links[index];
    const int32_t group = from->values.group;
    sn_spring_joint created = {.bone = from->bone,
                               .parent = from->parent >= 0 ? l->joint_of_link[from->parent] : -1,
                               .center = from->center,
                               .stiffness = (float)from->values.stiffness,
                               .drag = (float)from->values.drag,
                               .hit_radius = (float)(from->values.hit_radius * cook->scale)};
    to_model(cook, from->head, created.head);
    to_model(cook, from->tail, created.tail);
    for (int d = 0; d < 3; ++d) {
        created.gravity[d] = (float)from->values.gravity[d];
    }
    if (cook->soft_bones && sn_soft_bone_is_soft(cook->soft_bones[from->bone])) { /* its flesh is simulated instead */
        l->joint_of_link[index] = created.parent;
        return;
    }
    if (l->joint_count == SN_SPRING_JOINT_LIMIT || !is_position(created.head) || !is_position(created.tail) ||
        !is_position(created.gravity) || !is_size(created.stiffness) || !is_size(created.hit_radius) ||
        is_same_position(created.head, created.tail)) {
        ++l->skipped_count;
        l->joint_of_link[index] = created.parent;
        return;
    }
    if (l->groups[group].first < 0) {
        list_group(l, group);
    }
    created.first_link = l->groups[group].first;
    created.link_count = l->groups[group].count;
    l->joints[l->joint_count] = created;
    l->joint_of_link[index] = l->joint_count++;
}

static sn_result init(sn_cook_context *cook, listing *l)
{
    const sn_character *c = &cook->character;
    int group_count = 0;
    for (int i = 0; i < c->link_count; ++i) {
        group_count = c->links[i].values.group >= group_count ? c->links[i].values.group + 1 : group_count;
    }
    *l = (listing){.cook = cook,
                   .joints = SN_NEW(&cook->arena, sn_spring_joint, c->link_count),
                   .solids = SN_NEW(&cook->arena, sn_spring_solid, SN_SPRING_SOLID_LIMIT),
                   .links = SN_NEW(&cook->arena, int32_t, SN_SPRING_LINK_LIMIT),
                   .bones = SN_NEW(&cook->arena, int32_t, cook->bone_count),
                   .joint_of_link = SN_NEW(&cook->arena, int32_t, c->link_count),
                   .solid_of_collider = SN_NEW(&cook->arena, int32_t, c->collider_count)};
    l->groups = sn_arena_alloc(&cook->arena, (size_t)group_count, sizeof *l->groups);
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

static int count_soft(const sn_cook_context *cook)
{
    int count = 0;
    for (int bone = 0; cook->soft_bones && bone < cook->bone_count; ++bone) {
        count += cook->character.springs[bone].is_spring && sn_soft_bone_is_soft(cook->soft_bones[bone]);
    }
    return count;
}

sn_result sn_cook_context_add_springs(sn_cook_context *cook, sn_model *model)
{
    const sn_character *c = &cook->character;
    const bool is_avatar = cook->has_character && !cook->has_rig && c->link_count > 0;
    listing l;
    if (!is_avatar) {
        return SN_OK;
    }
    model->soft_spring_count = count_soft(cook);
    if (cook->desc->is_without_springs) {
        return SN_OK;
    }
    if (init(cook, &l) != SN_OK) {
        return SN_ERROR_MEMORY;
    }
    for (int i = 0; i < c->link_count; ++i) {
        list_joint(&l, i);
    }
    for (int bone = 0; bone < cook->bone_count; ++bone) {
        l.bones[bone] = c->bone_links[bone] >= 0 ? l.joint_of_link[c->bone_links[bone]] : -1;
    }
    if (l.skipped_count > 0) {
        sn_log(SN_LOG_WARNING,
               "%s: spring bones: %d joints or colliders skipped: over the model's limit, or without size", cook->path,
               l.skipped_count);
    }
    if (l.joint_count > 0) {
        model->spring_joint_count = cook->report.spring_count = l.joint_count;
        model->spring_solid_count = l.solid_count;
        model->spring_link_count = l.link_count;
        model->spring_joints = l.joints;
        model->spring_solids = l.solids;
        model->spring_links = l.links;
        model->spring_bones = l.bones;
    }
    return SN_OK;
}
