/* SPDX-License-Identifier: MIT */
#include "author/import/character_springs.h"

#include <stdlib.h>

#include "host/math/affine.h"
#include "host/math/vec3.h"

#define TAIL_LENGTH 0.07 /* m, length of a VRM 0.x joint without a tail */

typedef struct builder {
    const sn_scene_file *scene;
    const sn_bone_list *bones;
    sn_character *character;
    int32_t *node_bones; /* (node_count) link of the node, or -1 */
} builder;

static void copy_translation(const double *frame, double *position)
{
    for (int d = 0; d < 3; ++d) {
        position[d] = frame[4 * d + 3];
    }
}

/* VRM 0.x: extends the direction from the parent to the node. */
static bool extrapolate_tail(const builder *b, int32_t node, const double *head, double *tail)
{
    const int32_t parent = b->scene->nodes[node].parent;
    double from[3] = {0}, to[3], along[3];
    if (parent >= 0) {
        copy_translation(b->bones->pose->world + 12 * (size_t)parent, from);
    }
    copy_translation(b->bones->pose->world + 12 * (size_t)node, to);
    sn_subtract3(to, from, along);
    const double length = sn_length3(along);
    for (int d = 0; d < 3; ++d) {
        tail[d] = head[d] + (length > 0 ? TAIL_LENGTH * along[d] / length : 0);
    }
    return length > 0;
}

/* Computes the tail; frame is the bind transform of the link's node. */
static bool find_tail(const builder *b, const sn_spring_link *link, const double *frame, const double *head,
                      double *tail)
{
    const double *world = b->bones->pose->world;
    double inverse[12], position[3], local[3];
    if (link->tail < 0) {
        return extrapolate_tail(b, link->node, head, tail);
    }
    if (!sn_affine_invert(world + 12 * (size_t)link->node, inverse)) {
        return false;
    }
    copy_translation(world + 12 * (size_t)link->tail, position);
    sn_affine_apply(inverse, position, local);
    sn_affine_apply(frame, local, tail);
    return true;
}

/* The nearest link at or above a node, or -1. */
static int32_t link_above(const builder *b, int32_t node)
{
    int32_t result = -1;
    while (node >= 0 && result < 0) {
        result = b->node_bones[node];
        node = b->scene->nodes[node].parent;
    }
    return result;
}

static void add_link(builder *b, const sn_spring_link *from)
{
    sn_character *c = b->character;
    const int32_t center = b->scene->springs[from->group].center;
    double frame[12], unused[12];
    sn_character_link *link = &c->links[c->link_count];
    *link = (sn_character_link){.bone = sn_bone_above_node(b->bones, from->node, frame),
                                .parent = link_above(b, b->scene->nodes[from->node].parent),
                                .center = center >= 0 ? sn_bone_above_node(b->bones, center, unused) : -1,
                                .values = *from};
    if (link->bone < 0) {
        return;
    }
    copy_translation(frame, link->head);
    if (find_tail(b, from, frame, link->head, link->tail) && sn_distance3(link->head, link->tail) > 0) {
        b->node_bones[from->node] = c->link_count++;
    }
}

typedef struct ranked {
    int depth, link;
} ranked;

static int compare_ranks(const void *a, const void *b)
{
    const ranked *x = a, *y = b;
    return x->depth != y->depth ? (x->depth < y->depth ? -1 : 1) : (x->link > y->link) - (x->link < y->link);
}

sn_result sn_character_build_links(const sn_scene_file *scene, const sn_bone_list *bones, sn_arena *arena,
                                   sn_character *character)
{
    builder b = {.scene = scene,
                 .bones = bones,
                 .character = character,
                 .node_bones = SN_NEW(arena, int32_t, scene->node_count)};
    ranked *order = SN_NEW(arena, ranked, scene->spring_link_count);
    character->link_count = 0;
    character->links = SN_NEW(arena, sn_character_link, scene->spring_link_count);
    character->bone_links = SN_NEW(arena, int32_t, character->bone_count);
    if (!b.node_bones || !order || !character->links || !character->bone_links) {
        return SN_ERROR_MEMORY;
    }
    for (int32_t node = 0; node < scene->node_count; ++node) {
        b.node_bones[node] = -1;
    }
    for (int i = 0; i < scene->spring_link_count; ++i) {
        order[i] = (ranked){sn_scene_node_depth(scene, scene->spring_links[i].node), i};
    }
    qsort(order, (size_t)scene->spring_link_count, sizeof *order, compare_ranks);
    for (int i = 0; i < scene->spring_link_count; ++i) {
        add_link(&b, &scene->spring_links[order[i].link]);
    }
    for (int32_t bone = 0; bone < character->bone_count; ++bone) {
        character->bone_links[bone] = link_above(&b, bones->bones[bone].node);
    }
    return SN_OK;
}
