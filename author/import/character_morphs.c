/* SPDX-License-Identifier: MIT */
#include "author/import/character_morphs.h"

#include <math.h>
#include <string.h>

#include "author/import/named_expressions.h"

#define EXPRESSION_BIND_LIMIT (1 << 20)

/* Collects or counts the displacements of morph targets. */
typedef struct delta_list {
    sn_character_delta *items; /* null: count only */
    int64_t count;
} delta_list;

static void add_delta(const sn_character_piece *p, const float *offset, int32_t vertex, delta_list *list)
{
    if (offset[0] == 0 && offset[1] == 0 && offset[2] == 0) {
        return;
    }
    if (list->items) {
        sn_character_delta *to = &list->items[list->count];
        to->vertex = p->first_vertex + vertex;
        for (int d = 0; d < 3; ++d) {
            const double *row = p->to_bind + 4 * d;
            to->offset[d] = row[0] * (double)offset[0] + row[1] * (double)offset[1] + row[2] * (double)offset[2];
        }
    }
    ++list->count;
}

static void add_deltas(const sn_character_piece *p, int target, delta_list *list)
{
    const sn_scene_primitive *primitive = p->primitive;
    const float *offsets = primitive->morph_positions ? primitive->morph_positions[target] : NULL;
    if (offsets && p->new_index) {
        for (int32_t v = 0; v < primitive->vertex_count; ++v) {
            if (p->new_index[v] >= 0) {
                add_delta(p, offsets + 3 * (size_t)v, p->new_index[v], list);
            }
        }
    } else if (offsets) {
        for (int32_t i = 0; i < p->used_count; ++i) {
            add_delta(p, offsets + 3 * (size_t)primitive->triangles[i], i, list);
        }
    }
}

/* Numbers the targets of the drawn nodes in the order of the pieces. */
static sn_result assign_morph_indices(const sn_character_piece *pieces, int piece_count, sn_arena *arena,
                                      sn_character *c, sn_morph_map *map)
{
    const sn_scene_file *scene = map->scene;
    map->first_of_node = SN_NEW(arena, int32_t, scene->node_count);
    map->nodes = SN_NEW(arena, int32_t, scene->node_count);
    if (!map->first_of_node || !map->nodes) {
        return SN_ERROR_MEMORY;
    }
    memset(map->first_of_node, -1, (size_t)scene->node_count * sizeof(int32_t));
    for (int i = 0; i < piece_count; ++i) {
        const int32_t node = pieces[i].node;
        const int count = scene->meshes[scene->nodes[node].mesh].morph_count;
        if (count == 0 || map->first_of_node[node] >= 0) {
            continue;
        }
        if (count > SN_MORPH_LIMIT - c->morph_count) {
            return sn_fail(
                SN_ERROR_UNSUPPORTED,
                "%s: nodes[%d]: the meshes up to this one have more than %d morph targets, which is the limit", c->name,
                node, SN_MORPH_LIMIT);
        }
        map->first_of_node[node] = c->morph_count;
        map->nodes[map->morph_node_count++] = node;
        c->morph_count += count;
    }
    return SN_OK;
}

static void read_morph_properties(const sn_morph_map *map, int32_t node, sn_character_morph *morphs)
{
    const sn_scene_mesh *mesh = &map->scene->meshes[map->scene->nodes[node].mesh];
    const float *weights = map->scene->nodes[node].morph_weights;
    weights = weights ? weights : mesh->morph_weights;
    for (int m = 0; m < mesh->morph_count; ++m) {
        morphs[m].name = mesh->morph_names ? mesh->morph_names[m] : "";
        morphs[m].rest_weight = weights ? weights[m] : 0;
    }
}

/* Collects all displacements by target, or counts them. */
static void collect_deltas(const sn_morph_map *map, const sn_character_piece *pieces, int piece_count, sn_character *c,
                           delta_list *list)
{
    int piece = 0;
    for (int i = 0; i < map->morph_node_count; ++i) {
        const int32_t node = map->nodes[i], mesh = map->scene->nodes[node].mesh;
        for (; pieces[piece].node != node; ++piece) {
        }
        for (int m = 0; m < map->scene->meshes[mesh].morph_count; ++m) {
            const int64_t first = list->count;
            for (int k = piece; k < piece_count && pieces[k].node == node; ++k) {
                add_deltas(&pieces[k], m, list);
            }
            c->morphs[map->first_of_node[node] + m].first_delta = (int)first;
            c->morphs[map->first_of_node[node] + m].delta_count = (int)(list->count - first);
        }
    }
}

static sn_result copy_deltas(const sn_morph_map *map, const sn_character_piece *pieces, int piece_count,
                             sn_arena *arena, sn_character *c)
{
    delta_list list = {.items = NULL};
    collect_deltas(map, pieces, piece_count, c, &list);
    if (list.count > SN_MORPH_DELTA_LIMIT) {
        return sn_fail(SN_ERROR_UNSUPPORTED, "%s: meshes: morph targets move %lld vertices; at most %d are supported",
                       c->name, (long long)list.count, SN_MORPH_DELTA_LIMIT);
    }
    c->delta_count = (int)list.count;
    c->deltas = list.items = SN_NEW(arena, sn_character_delta, list.count);
    list.count = 0;
    if (!list.items) {
        return SN_ERROR_MEMORY;
    }
    collect_deltas(map, pieces, piece_count, c, &list);
    return SN_OK;
}

/* ---- clips ---- */

/* The first target that a channel animates, or -1. */
static int32_t first_of_channel(const sn_morph_map *map, const sn_scene_channel *channel)
{
    return channel->path == SN_PATH_WEIGHTS ? map->first_of_node[channel->node] : -1;
}

static sn_result find_tracks(sn_arena *arena, sn_character *c, sn_morph_map *map)
{
    map->track_of_morph = SN_NEW(arena, int32_t, c->morph_count);
    c->tracks = SN_NEW(arena, int32_t, c->morph_count);
    if (!map->track_of_morph || !c->tracks) {
        return SN_ERROR_MEMORY;
    }
    for (int i = 0; i < map->scene->channel_count; ++i) {
        const sn_scene_channel *channel = &map->scene->channels[i];
        const int32_t first = first_of_channel(map, channel);
        for (int k = 0; first >= 0 && k < channel->width; ++k) {
            map->track_of_morph[first + k] = 1;
        }
    }
    for (int32_t m = 0; m < c->morph_count; ++m) {
        const bool is_moved = map->track_of_morph[m] != 0;
        map->track_of_morph[m] = is_moved ? c->track_count : -1;
        if (is_moved) {
            c->tracks[c->track_count++] = m;
        }
    }
    return SN_OK;
}

static bool sample_channel(const sn_morph_map *map, const sn_scene_channel *channel, double seconds, double *values,
                           float *row)
{
    const int32_t first = first_of_channel(map, channel);
    bool is_finite = true;
    if (first < 0) {
        return true;
    }
    sn_scene_channel_sample(channel, seconds, values);
    for (int k = 0; k < channel->width; ++k) {
        const float weight = (float)values[k];
        row[map->track_of_morph[first + k]] = weight;
        is_finite &= isfinite(weight) != 0;
    }
    return is_finite;
}

sn_result sn_character_sample_morphs(const sn_morph_map *map, int clip, sn_arena *arena, sn_character_clip *to)
{
    const sn_character *c = map->character;
    const sn_scene_clip *from = &map->scene->clips[clip];
    const size_t width = (size_t)c->track_count;
    if (width == 0) {
        return SN_OK;
    }
    double *values = SN_NEW(arena, double, c->morph_count);
    to->track_count = c->track_count;
    to->tracks = c->tracks;
    to->morphs = sn_arena_alloc(arena, (size_t)to->frame_count, width * sizeof(float));
    if (!values || !to->morphs) {
        return SN_ERROR_MEMORY;
    }
    for (int frame = 0; frame < to->frame_count; ++frame) {
        float *row = to->morphs + (size_t)frame * width;
        bool is_finite = true;
        for (size_t i = 0; i < width; ++i) {
            row[i] = c->morphs[c->tracks[i]].rest_weight;
        }
        for (int i = from->first_channel; i < from->first_channel + from->channel_count; ++i) {
            is_finite &= sample_channel(map, &map->scene->channels[i], frame / to->frame_rate, values, row);
        }
        if (!is_finite) {
            return sn_fail(SN_ERROR_FORMAT, "%s: animations[%d]: a weight of a morph target is not finite", c->name,
                           clip);
        }
    }
    return SN_OK;
}

/* ---- expressions ---- */

/* Expands a bind of the file to the targets of all nodes that it names, and returns their number; binds may be null. */
static int64_t expand_bind(const sn_morph_map *map, const sn_scene_expression_bind *bind, sn_expression_bind *binds)
{
    int64_t count = 0;
    for (int i = 0; i < map->morph_node_count; ++i) {
        const int32_t node = map->nodes[i];
        if (bind->node >= 0 ? node == bind->node : map->scene->nodes[node].mesh == bind->mesh) {
            if (binds) {
                binds[count] = (sn_expression_bind){map->first_of_node[node] + bind->morph, bind->weight};
            }
            ++count;
        }
    }
    return count;
}

static int64_t count_binds(const sn_morph_map *map)
{
    int64_t count = 0;
    for (int i = 0; i < map->scene->expression_bind_count && count <= EXPRESSION_BIND_LIMIT; ++i) {
        count += expand_bind(map, &map->scene->expression_binds[i], NULL);
    }
    return count;
}

static sn_result copy_expressions(const sn_morph_map *map, sn_arena *arena, sn_character *c)
{
    const sn_scene_file *scene = map->scene;
    const int64_t count = count_binds(map);
    if (count > EXPRESSION_BIND_LIMIT) {
        return sn_fail(SN_ERROR_UNSUPPORTED, "%s: extensions: expressions move more than %d morph targets", c->name,
                       EXPRESSION_BIND_LIMIT);
    }
    c->expressions = SN_NEW(arena, sn_character_expression, scene->expression_count);
    c->expression_binds = SN_NEW(arena, sn_expression_bind, count);
    if (!c->expressions || !c->expression_binds) {
        return SN_ERROR_MEMORY;
    }
    for (int i = 0; i < scene->expression_count; ++i) {
        const sn_scene_expression *from = &scene->expressions[i];
        const int first = c->expression_bind_count;
        const int end = from->definition.first_bind + from->definition.bind_count;
        for (int k = from->definition.first_bind; k < end; ++k) {
            c->expression_bind_count +=
                (int)expand_bind(map, &scene->expression_binds[k], c->expression_binds + c->expression_bind_count);
        }
        if (c->expression_bind_count > first) {
            sn_character_expression *to = &c->expressions[c->expression_count++];
            *to = (sn_character_expression){from->name, from->definition};
            to->definition.first_bind = first;
            to->definition.bind_count = c->expression_bind_count - first;
        }
    }
    return SN_OK;
}

sn_result sn_character_build_morphs(const sn_scene_file *scene, const sn_character_piece *pieces, int piece_count,
                                    sn_arena *arena, sn_character *c, sn_morph_map *map)
{
    *map = (sn_morph_map){.scene = scene, .character = c};
    sn_result result = assign_morph_indices(pieces, piece_count, arena, c, map);
    if (result != SN_OK || c->morph_count == 0) {
        return result;
    }
    c->morphs = SN_NEW(arena, sn_character_morph, c->morph_count);
    if (!c->morphs) {
        return SN_ERROR_MEMORY;
    }
    for (int i = 0; i < map->morph_node_count; ++i) {
        read_morph_properties(map, map->nodes[i], c->morphs + map->first_of_node[map->nodes[i]]);
    }
    result = copy_deltas(map, pieces, piece_count, arena, c);
    if (result == SN_OK) {
        result = find_tracks(arena, c, map);
    }
    result = result == SN_OK ? copy_expressions(map, arena, c) : result;
    return result == SN_OK ? sn_character_name_expressions(arena, c) : result;
}
