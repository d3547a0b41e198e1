/* SPDX-License-Identifier: MIT */
#include "author/import/face_motion.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "author/io/text.h"

#define MAX_SOURCES 16384
#define MAX_LISTED_NAMES 8

/* ---- sources of the file ---- */

static int count_sources(const sn_scene_file *scene)
{
    int64_t count = scene->expression_track_count;
    for (int i = 0; i < scene->node_count && count <= MAX_SOURCES; ++i) {
        count += scene->nodes[i].mesh >= 0 ? scene->meshes[scene->nodes[i].mesh].morph_count : 0;
    }
    return count > MAX_SOURCES ? -1 : (int)count;
}

static void list_sources(sn_face_motion *m)
{
    const sn_scene_file *scene = m->scene;
    for (int i = 0; i < scene->expression_track_count; ++i) {
        const sn_scene_expression_track *track = &scene->expression_tracks[i];
        m->sources[m->source_count++] =
            (sn_face_source){.name = track->name, .node = track->node, .is_expression = true};
    }
    for (int32_t node = 0; node < scene->node_count; ++node) {
        const sn_scene_mesh *mesh = scene->nodes[node].mesh >= 0 ? &scene->meshes[scene->nodes[node].mesh] : NULL;
        m->first_of_node[node] = mesh && mesh->morph_count > 0 ? m->source_count : -1;
        for (int k = 0; mesh && k < mesh->morph_count; ++k) {
            m->sources[m->source_count++] =
                (sn_face_source){.name = mesh->morph_names ? mesh->morph_names[k] : "", .node = node, .component = k};
        }
    }
}

/* ---- matching by name ---- */

/* Returns the morph target source number `at` of this name, or the last one if there are fewer; -1 if there is none. A
 * file with equally many targets of a name thus matches them in order. */
static int32_t find_weight(const sn_face_motion *m, const char *name, int at)
{
    int32_t match = -1;
    for (int32_t i = 0; i < m->source_count && at >= 0 && name[0]; ++i) {
        if (!m->sources[i].is_expression && strcmp(m->sources[i].name, name) == 0) {
            match = i;
            --at;
        }
    }
    return match;
}

/* Prefers an exact name over an alias of the same preset. */
static int32_t find_expression(const sn_face_motion *m, const char *name)
{
    int32_t match = -1;
    for (int32_t i = 0; i < m->source_count && name[0]; ++i) {
        if (!m->sources[i].is_expression || m->sources[i].is_matched) {
            continue;
        }
        if (strcmp(m->sources[i].name, name) == 0) {
            return i;
        }
        match = match < 0 && sn_vrm_expressions_match(m->sources[i].name, name) ? i : match;
    }
    return match;
}

static void set_matched(sn_face_motion *m, const int32_t *of, int count)
{
    for (int i = 0; i < count; ++i) {
        if (of[i] >= 0) {
            m->sources[of[i]].is_matched = true;
        }
    }
}

static int count_before(const char *const *names, int at)
{
    int count = 0;
    for (int i = 0; i < at; ++i) {
        count += strcmp(names[i], names[at]) == 0;
    }
    return count;
}

static void match_sources(sn_face_motion *m)
{
    const sn_face *face = m->face;
    for (int i = 0; i < face->morph_count; ++i) {
        m->morph_sources[i] = find_weight(m, face->morph_names[i], count_before(face->morph_names, i));
    }
    for (int e = 0; e < face->expression_count; ++e) {
        m->expression_sources[e] = find_expression(m, face->expression_names[e]);
    }
    set_matched(m, m->morph_sources, face->morph_count);
    set_matched(m, m->expression_sources, face->expression_count);
    for (int i = 0; i < face->morph_count; ++i) {
        const int32_t substitute = m->morph_sources[i] < 0 ? find_expression(m, face->morph_names[i]) : -1;
        m->morph_sources[i] = substitute >= 0 ? substitute : m->morph_sources[i];
    }
    for (int e = 0; e < face->expression_count; ++e) {
        const int32_t substitute = m->expression_sources[e] < 0 ? find_weight(m, face->expression_names[e], 0) : -1;
        m->expression_sources[e] =
            substitute >= 0 && !m->sources[substitute].is_matched ? substitute : m->expression_sources[e];
    }
    set_matched(m, m->morph_sources, face->morph_count);
    set_matched(m, m->expression_sources, face->expression_count);
}

sn_result sn_face_motion_init(const sn_scene_file *scene, const char *path, const sn_face *face, sn_arena *arena,
                              sn_face_motion *m)
{
    const int count = count_sources(scene);
    *m = (sn_face_motion){.scene = scene, .path = path, .face = face};
    if (count < 0) {
        return sn_fail(SN_ERROR_UNSUPPORTED, "%s: nodes: the nodes have more than %d morph targets, which is the limit",
                       path, MAX_SOURCES);
    }
    m->sources = SN_NEW(arena, sn_face_source, count);
    m->first_of_node = SN_NEW(arena, int32_t, scene->node_count);
    m->channels = SN_NEW(arena, const sn_scene_channel *, count);
    m->morph_sources = SN_NEW(arena, int32_t, face->morph_count);
    m->expression_sources = SN_NEW(arena, int32_t, face->expression_count);
    m->expression_values = SN_NEW(arena, float, face->expression_count);
    if (!m->sources || !m->first_of_node || !m->channels || !m->morph_sources || !m->expression_sources ||
        !m->expression_values) {
        return SN_ERROR_MEMORY;
    }
    list_sources(m);
    match_sources(m);
    return SN_OK;
}

/* ---- clips ---- */

static bool has_expression(const sn_face_motion *m, int32_t node)
{
    for (int i = 0; i < m->scene->expression_track_count; ++i) {
        if (m->scene->expression_tracks[i].node == node) {
            return true;
        }
    }
    return false;
}

bool sn_face_motion_animates_joints(const sn_face_motion *m, int clip)
{
    const sn_scene_clip *c = &m->scene->clips[clip];
    bool is_moving = c->channel_count == 0;
    for (int i = c->first_channel; i < c->first_channel + c->channel_count && !is_moving; ++i) {
        const sn_scene_channel *channel = &m->scene->channels[i];
        is_moving = channel->path != SN_PATH_WEIGHTS && !has_expression(m, channel->node);
    }
    return is_moving;
}

static void set_channel(sn_face_motion *m, int32_t source, const sn_scene_channel *channel)
{
    m->channels[source] = channel;
    m->sources[source].is_animated = true;
}

/* Expression tracks are the first sources of the list. */
static void find_channels(sn_face_motion *m, int clip)
{
    const sn_scene_clip *c = &m->scene->clips[clip];
    memset(m->channels, 0, (size_t)m->source_count * sizeof *m->channels);
    for (int i = c->first_channel; i < c->first_channel + c->channel_count; ++i) {
        const sn_scene_channel *channel = &m->scene->channels[i];
        const int32_t first = channel->path == SN_PATH_WEIGHTS ? m->first_of_node[channel->node] : -1;
        for (int k = 0; first >= 0 && k < channel->width; ++k) {
            set_channel(m, first + k, channel);
        }
        for (int s = 0; channel->path == SN_PATH_TRANSLATION && s < m->scene->expression_track_count; ++s) {
            if (m->sources[s].node == channel->node) {
                set_channel(m, s, channel);
            }
        }
    }
}

static bool is_moved(const sn_face_motion *m, int32_t source)
{
    return source >= 0 && m->channels[source];
}

sn_result sn_face_motion_plan(sn_face_motion *m, int clip, sn_arena *arena, sn_character_clip *to)
{
    const sn_face *face = m->face;
    sn_arena scratch = {0};
    bool *moved = SN_NEW(&scratch, bool, face->morph_count);
    int32_t *tracks = moved ? SN_NEW(arena, int32_t, face->morph_count) : NULL;
    if (tracks) {
        find_channels(m, clip);
    }
    for (int e = 0; tracks && e < face->expression_count; ++e) {
        const sn_expression *x = &face->expressions[e];
        for (int i = x->first_bind; is_moved(m, m->expression_sources[e]) && i < x->first_bind + x->bind_count; ++i) {
            moved[face->binds[i].morph] = true;
        }
    }
    to->track_count = 0;
    to->tracks = tracks;
    for (int i = 0; tracks && i < face->morph_count; ++i) {
        if (moved[i] || is_moved(m, m->morph_sources[i])) {
            tracks[to->track_count++] = i;
        }
    }
    sn_arena_finish(&scratch);
    return tracks ? SN_OK : SN_ERROR_MEMORY;
}

/* ---- weights ---- */

/* Samples the channels of used sources. values is (source_count); buffer has the width of the widest channel. */
static void read_values(const sn_face_motion *m, double seconds, double *buffer, double *values)
{
    const sn_scene_channel *last = NULL;
    for (int s = 0; s < m->source_count; ++s) {
        if (!m->channels[s] || !m->sources[s].is_matched) {
            continue;
        }
        if (m->channels[s] != last) {
            last = m->channels[s];
            sn_scene_channel_sample(last, seconds, buffer);
        }
        values[s] = buffer[m->sources[s].component];
        if (m->sources[s].is_expression) {
            values[s] = fmin(fmax(values[s], 0), 1);
        }
    }
}

/* Computes weights (morph_count); returns whether all are finite. */
static bool find_weights(const sn_face_motion *m, const double *values, double *weights)
{
    const sn_face *face = m->face;
    float shares[SN_EXPRESSION_GROUP_COUNT];
    bool is_finite = true;
    for (int i = 0; i < face->morph_count; ++i) {
        weights[i] =
            is_moved(m, m->morph_sources[i]) ? values[m->morph_sources[i]] : (double)face->morph_default_weights[i];
    }
    for (int e = 0; e < face->expression_count; ++e) {
        const int32_t source = m->expression_sources[e];
        m->expression_values[e] = is_moved(m, source) ? (float)fmin(fmax(values[source], 0), 1) : 0;
    }
    sn_expressions_find_shares(face->expressions, face->expression_count, m->expression_values, shares);
    for (int e = 0; e < face->expression_count; ++e) {
        const sn_expression *x = &face->expressions[e];
        const double effect = (double)sn_expression_effect(x, m->expression_values[e], shares);
        for (int i = x->first_bind; i < x->first_bind + x->bind_count; ++i) {
            weights[face->binds[i].morph] += effect * (double)face->binds[i].weight;
        }
    }
    for (int i = 0; i < face->morph_count; ++i) {
        is_finite &= isfinite((float)weights[i]) != 0;
    }
    return is_finite;
}

static int max_channel_width(const sn_face_motion *m)
{
    int width = 0;
    for (int s = 0; s < m->source_count; ++s) {
        width = m->channels[s] && m->channels[s]->width > width ? m->channels[s]->width : width;
    }
    return width;
}

static sn_result sample(const sn_face_motion *m, int clip, sn_arena *scratch, sn_character_clip *to)
{
    const size_t tracks = (size_t)to->track_count;
    double *values = SN_NEW(scratch, double, m->source_count);
    double *weights = SN_NEW(scratch, double, m->face->morph_count);
    double *buffer = SN_NEW(scratch, double, max_channel_width(m));
    if (!values || !weights || !buffer) {
        return SN_ERROR_MEMORY;
    }
    for (int f = 0; f < to->frame_count; ++f) {
        read_values(m, f / to->frame_rate, buffer, values);
        if (!find_weights(m, values, weights)) {
            return sn_fail(SN_ERROR_FORMAT, "%s: animations[%d]: a weight of a morph target is not finite", m->path,
                           clip);
        }
        for (size_t i = 0; i < tracks; ++i) {
            to->morphs[(size_t)f * tracks + i] = (float)weights[to->tracks[i]];
        }
    }
    return SN_OK;
}

sn_result sn_face_motion_sample(sn_face_motion *m, int clip, sn_arena *arena, sn_character_clip *to)
{
    sn_arena scratch = {0};
    if (to->track_count == 0) {
        return SN_OK;
    }
    find_channels(m, clip);
    to->morphs = sn_arena_alloc(arena, (size_t)to->frame_count, (size_t)to->track_count * sizeof(float));
    const sn_result result = to->morphs ? sample(m, clip, &scratch, to) : SN_ERROR_MEMORY;
    sn_arena_finish(&scratch);
    return result;
}

/* ---- unmatched sources ---- */

static void add_name(const sn_face_source *source, int index, char *text, size_t size)
{
    char own[48];
    const size_t length = strlen(text);
    if (source->name[0]) {
        sn_text_printable(source->name, strlen(source->name), own, sizeof own);
    } else {
        snprintf(own, sizeof own, "target %d of node %d", source->component, (int)source->node);
    }
    snprintf(text + length, size - length, "%s%s", index > 0 ? ", " : "", own);
}

void sn_face_motion_report(const sn_face_motion *m, const char *target)
{
    char text[MAX_LISTED_NAMES * 52] = "";
    int unmatched_count = 0, animated = 0;
    for (int s = 0; s < m->source_count; ++s) {
        const sn_face_source *source = &m->sources[s];
        animated += source->is_animated;
        if (source->is_animated && !source->is_matched && unmatched_count++ < MAX_LISTED_NAMES) {
            add_name(source, unmatched_count - 1, text, sizeof text);
        }
    }
    if (unmatched_count > 0) {
        sn_log(SN_LOG_WARNING,
               "%s: %d of %d animated expressions and morph targets have no counterpart of the same name in %s: %s%s",
               m->path, unmatched_count, animated, target, text, unmatched_count > MAX_LISTED_NAMES ? ", ..." : "");
    }
}
