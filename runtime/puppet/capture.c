/* SPDX-License-Identifier: MIT */
#include "runtime/puppet/capture.h"

#include <math.h>
#include <string.h>

#include "author/io/gltf/gltf_write.h"
#include "author/io/scene_finite.h"
#include "host/math/quaternion.h"

#define TRACK_LIMIT (SN_PUPPET_SOURCE_LIMIT * SN_TRACKING_EXPRESSION_LIMIT)
#define MAX_SECONDS 36000.0
#define CHUNK_SIZE 256 /* frames per block of a linked list, so that adding a frame never moves earlier ones */

/* World rotations of all bones, and the position of the hips. */
typedef struct frame {
    float seconds, hips[3], rotations[SN_HUMANOID_COUNT][4];
} frame;

typedef struct frame_chunk {
    struct frame_chunk *next;
    frame frames[CHUNK_SIZE];
} frame_chunk;

typedef struct value_chunk {
    struct value_chunk *next;
    float values[CHUNK_SIZE];
} value_chunk;

typedef struct track {
    char name[SN_TRACKING_NAME_SIZE];
    value_chunk *first, *last;
    int count; /* number of values; frames before the first value have weight 0 */
} track;

struct sn_capture {
    const sn_puppet *puppet;
    frame_chunk *first, *last;
    int count;     /* of frames */
    float seconds; /* of the last frame */
    track *tracks; /* (TRACK_LIMIT) of which track_count are used */
    int track_count;
    bool is_full;
};

sn_result sn_capture_create(const sn_puppet *puppet, sn_capture **capture)
{
    sn_capture *c = sn_alloc(1, sizeof *c);
    *capture = c;
    if (c) {
        c->puppet = puppet;
        c->tracks = sn_alloc(TRACK_LIMIT, sizeof *c->tracks);
    }
    if (!c || !c->tracks) {
        sn_capture_destroy(capture);
        return SN_ERROR_MEMORY;
    }
    return SN_OK;
}

void sn_capture_destroy(sn_capture **capture)
{
    sn_capture *c = *capture;
    *capture = NULL;
    if (!c) {
        return;
    }
    for (int i = 0; i < c->track_count; ++i) {
        for (value_chunk *chunk = c->tracks[i].first, *next; chunk; chunk = next) {
            next = chunk->next;
            sn_free(chunk, 1, sizeof *chunk);
        }
    }
    for (frame_chunk *chunk = c->first, *next; chunk; chunk = next) {
        next = chunk->next;
        sn_free(chunk, 1, sizeof *chunk);
    }
    sn_free(c->tracks, c->tracks ? TRACK_LIMIT : 0, sizeof *c->tracks);
    sn_free(c, 1, sizeof *c);
}

int sn_capture_frame_count(const sn_capture *c)
{
    return c->count;
}

/* ---- frames ---- */

static track *find_track(sn_capture *c, const char *name)
{
    for (int i = 0; i < c->track_count; ++i) {
        if (strcmp(c->tracks[i].name, name) == 0) {
            return &c->tracks[i];
        }
    }
    if (c->track_count == TRACK_LIMIT) {
        return NULL;
    }
    memcpy(c->tracks[c->track_count].name, name, SN_TRACKING_NAME_SIZE);
    return &c->tracks[c->track_count++];
}

/* Appends zeroes up to `count` values; blocks are allocated zeroed. */
static bool extend(track *t, int count)
{
    for (; t->count < count; ++t->count) {
        if (t->count % CHUNK_SIZE == 0) {
            value_chunk *chunk = sn_alloc(1, sizeof *chunk);
            if (!chunk) {
                return false;
            }
            *(t->last ? &t->last->next : &t->first) = chunk;
            t->last = chunk;
        }
    }
    return true;
}

static bool add_weights(sn_capture *c)
{
    for (int s = 0; s < sn_puppet_source_count(c->puppet); ++s) {
        const sn_tracking_filter *source = sn_puppet_filter(c->puppet, s);
        for (int i = 0; i < source->weight_count; ++i) {
            track *t = find_track(c, source->names[i]);
            double presence;
            if (t && !extend(t, c->count + 1)) {
                return false;
            }
            if (t) {
                const double weight = sn_tracking_filter_weight(source, i, &presence);
                float *value = &t->last->values[c->count % CHUNK_SIZE];
                *value += (float)(presence * (fmin(weight, 1) - (double)*value));
            }
        }
    }
    return true;
}

static bool add_pose(sn_capture *c, double seconds)
{
    const sn_person *person = sn_puppet_person(c->puppet);
    if (c->count % CHUNK_SIZE == 0) {
        frame_chunk *chunk = sn_alloc(1, sizeof *chunk);
        if (!chunk) {
            return false;
        }
        *(c->last ? &c->last->next : &c->first) = chunk;
        c->last = chunk;
    }
    frame *to = &c->last->frames[c->count % CHUNK_SIZE];
    *to = (frame){.seconds = (float)seconds};
    for (int bone = 0; person && bone < SN_HUMANOID_COUNT; ++bone) {
        for (int k = 0; k < 4; ++k) {
            to->rotations[bone][k] = (float)sn_person_rotation(person, bone)[k];
        }
    }
    double hips[3] = {0};
    if (person) {
        sn_person_hips(person, hips);
    }
    for (int d = 0; d < 3; ++d) {
        to->hips[d] = (float)hips[d];
    }
    return true;
}

void sn_capture_add(sn_capture *c, double seconds)
{
    if (c->is_full || (c->count > 0 && !((float)seconds > c->seconds))) {
        return;
    }
    if (seconds > MAX_SECONDS || !add_weights(c) || !add_pose(c, seconds)) {
        c->is_full = true;
        sn_log(SN_LOG_WARNING, "the capture is full; it ends after %g s", seconds);
        return;
    }
    c->seconds = (float)seconds;
    ++c->count;
}

/* ---- the file ---- */

/* Frame f. For consecutive calls: *chunk starts as the first block and advances. */
static const frame *frame_of(const frame_chunk **chunk, int f)
{
    *chunk = f > 0 && f % CHUNK_SIZE == 0 ? (*chunk)->next : *chunk;
    return &(*chunk)->frames[f % CHUNK_SIZE];
}

typedef struct write_context {
    const sn_capture *capture;
    sn_arena arena;
    sn_scene_file scene;
    sn_scene_clip clip;
    float *times;
    int32_t nodes[SN_HUMANOID_COUNT]; /* node of each bone, or -1 */
} write_context;

static float *add_channel(write_context *w, int32_t node, sn_scene_path path)
{
    const int width = path == SN_PATH_ROTATION ? 4 : 3, count = w->capture->count;
    float *values = SN_NEW(&w->arena, float, (size_t)width *(size_t)count);
    w->scene.channels[w->scene.channel_count++] =
        (sn_scene_channel){node, path, SN_KEYS_LINEAR, count, width, w->times, values};
    return values;
}

/* The nearest ancestor that has a node, or -1. */
static int parent_with_node(const write_context *w, int bone)
{
    int parent = sn_humanoid_parent(bone);
    while (parent >= 0 && w->nodes[parent] < 0) {
        parent = sn_humanoid_parent(parent);
    }
    return parent;
}

static bool add_rotation_channel(write_context *w, int bone, int parent)
{
    float *values = add_channel(w, w->nodes[bone], SN_PATH_ROTATION);
    const frame_chunk *chunk = w->capture->first;
    for (int f = 0; values && f < w->capture->count; ++f) {
        const frame *from = frame_of(&chunk, f);
        double q[4], inverse_parent[4] = {0, 0, 0, 1}, dot = 0;
        for (int k = 0; k < 4; ++k) {
            q[k] = (double)from->rotations[bone][k];
            inverse_parent[k] = parent >= 0 ? (k < 3 ? -1 : 1) * (double)from->rotations[parent][k] : inverse_parent[k];
        }
        sn_quaternion_multiply(inverse_parent, q, q);
        sn_quaternion_normalize(q);
        for (int k = 0; k < 4; ++k) {
            dot += f > 0 ? q[k] * (double)values[4 * (f - 1) + k] : 1;
        }
        for (int k = 0; k < 4; ++k) {
            values[4 * f + k] = (float)(dot < 0 ? -q[k] : q[k]);
        }
    }
    return values;
}

static bool add_bone(write_context *w, int bone)
{
    const sn_person *person = sn_puppet_person(w->capture->puppet);
    const int parent = parent_with_node(w, bone);
    double position[3], from[3] = {0};
    w->nodes[bone] = -1;
    if (!person || !sn_person_rest(person, bone, position)) {
        return true;
    }
    const int32_t index = w->scene.node_count++;
    sn_scene_node *node = &w->scene.nodes[index];
    *node = sn_scene_node_default(sn_humanoid_name(bone));
    if (parent >= 0) {
        sn_person_rest(person, parent, from);
    }
    node->parent = parent >= 0 ? w->nodes[parent] : -1;
    for (int d = 0; d < 3; ++d) {
        node->translation[d] = position[d] - from[d];
    }
    w->nodes[bone] = index;
    w->scene.humanoid_bones[w->scene.humanoid_bone_count++] = (sn_scene_humanoid_bone){sn_humanoid_name(bone), index};
    if (!add_rotation_channel(w, bone, parent)) {
        return false;
    }
    float *hips = bone == SN_HUMANOID_HIPS ? add_channel(w, index, SN_PATH_TRANSLATION) : NULL;
    const frame_chunk *chunk = w->capture->first;
    for (int f = 0; hips && f < w->capture->count; ++f) {
        memcpy(hips + 3 * f, frame_of(&chunk, f)->hips, 3 * sizeof *hips);
    }
    return hips || bone != SN_HUMANOID_HIPS;
}

static bool add_track(write_context *w, const track *t)
{
    const int32_t index = w->scene.node_count++;
    w->scene.nodes[index] = sn_scene_node_default(t->name);
    w->scene.expression_tracks[w->scene.expression_track_count++] = (sn_scene_expression_track){t->name, index};
    float *values = add_channel(w, index, SN_PATH_TRANSLATION);
    const value_chunk *chunk = t->first;
    for (int f = 0; values && f < w->capture->count && f < t->count; ++f) {
        chunk = f > 0 && f % CHUNK_SIZE == 0 ? chunk->next : chunk;
        values[3 * f] = chunk->values[f % CHUNK_SIZE];
    }
    return values;
}

static bool build_scene(write_context *w)
{
    const sn_capture *c = w->capture;
    const int max_nodes = SN_HUMANOID_COUNT + c->track_count;
    sn_scene_file *s = &w->scene;
    s->nodes = SN_NEW(&w->arena, sn_scene_node, max_nodes);
    s->channels = SN_NEW(&w->arena, sn_scene_channel, max_nodes + 1);
    s->humanoid_bones = SN_NEW(&w->arena, sn_scene_humanoid_bone, SN_HUMANOID_COUNT);
    s->expression_tracks = SN_NEW(&w->arena, sn_scene_expression_track, c->track_count);
    w->times = SN_NEW(&w->arena, float, c->count);
    bool is_ok = s->nodes && s->channels && s->humanoid_bones && s->expression_tracks && w->times;
    const frame_chunk *chunk = c->first;
    for (int f = 0; is_ok && f < c->count; ++f) {
        w->times[f] = frame_of(&chunk, f)->seconds;
    }
    for (int bone = 0; is_ok && bone < SN_HUMANOID_COUNT; ++bone) {
        is_ok = add_bone(w, bone);
    }
    for (int i = 0; is_ok && i < c->track_count; ++i) {
        is_ok = add_track(w, &c->tracks[i]);
    }
    w->clip = (sn_scene_clip){.name = "capture", .channel_count = s->channel_count};
    s->clips = &w->clip;
    s->clip_count = 1;
    s->vrm_version = 2;
    return is_ok;
}

sn_result sn_capture_encode(const sn_capture *c, const char *name, sn_arena *arena, uint8_t **bytes, size_t *size)
{
    write_context w = {.capture = c};
    if (c->count == 0) {
        return sn_fail(SN_ERROR_ARGUMENT, "%s: no frame was captured", name);
    }
    sn_result result = build_scene(&w) ? sn_scene_check_finite(&w.scene, name) : SN_ERROR_MEMORY;
    result = result ? result : sn_gltf_encode(name, &w.scene, NULL, arena, bytes, size);
    sn_arena_finish(&w.arena);
    return result;
}
