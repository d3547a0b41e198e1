/* SPDX-License-Identifier: MIT */
/* Reduces each channel separately by the Ramer-Douglas-Peucker algorithm: splits at the frame with the largest
 * deviation from a straight line while that exceeds the channel's tolerance. All tolerances derive from one surface
 * distance: a rotation by an angle moves the vertices of a node by the angle times their distance from it. Because
 * channels add up and the bounds are rarely tight, the largest distance that keeps the error bound is found by playing
 * the scene. */
#include "author/bake/keys.h"

#include <math.h>
#include <string.h>

#include "author/bake/playback.h"
#include "host/math/affine.h"
#include "host/math/vec3.h"

#define SEARCH_VERTICES 3000
#define SEARCH_STEPS 5
#define TARGETS_PER_VERTEX_COST 20
#define FIRST_FRACTION 0.5 /* first tried distance, as a fraction of the bound */
#define FACTOR 4.0
#define MIN_FRACTION 1e-5 /* fraction of the bound below which all keys are kept */
#define SENSITIVITY_FRAMES 8

typedef struct reducer {
    sn_scene_file *scene;
    sn_scene_channel *full;    /* (channel_count) */
    sn_scene_channel *reduced; /* (channel_count) each with capacity for all keys */
    int channel_count, frame_count;
    double *sensitivity;     /* (channel_count) surface distance per unit of the channel */
    double **weight_offsets; /* (channel_count) for weight channels, (width) surface distance per unit of each weight;
                                else null */
    bool *is_key;            /* (frame_count) */
    int32_t *stack;          /* (2 frame_count) */
    float *end_values;       /* (2 x max. width) values of two keys */
    double *value;           /* (max. width) */
    double bound;
    const bool *is_fixed; /* (frame_count) or null */
    sn_arena arena;
} reducer;

/* Returns the distance of two values of a channel: an angle, a length, or a surface distance for weights. */
static double find_difference(const sn_scene_channel *c, const double *weight_offsets, const double *a, const float *b)
{
    double sum = 0, along = 0;
    for (int k = 0; k < c->width && c->path == SN_PATH_WEIGHTS; ++k) {
        sum += fabs(a[k] - (double)b[k]) * weight_offsets[k];
    }
    if (c->path == SN_PATH_WEIGHTS) {
        return sum;
    }
    for (int k = 0; k < c->width; ++k) {
        along += a[k] * (double)b[k];
    }
    const double sign = c->path == SN_PATH_ROTATION && along < 0 ? -1 : 1;
    for (int k = 0; k < c->width; ++k) {
        sum += (a[k] - sign * (double)b[k]) * (a[k] - sign * (double)b[k]);
    }
    return (c->path == SN_PATH_ROTATION ? 2 : 1) * sqrt(sum);
}

/* Bounding ball of a joint's vertices in the joint's coordinates. */
typedef struct ball {
    double low[3], high[3], center[3], radius;
    bool is_used;
} ball;

static void find_balls(const sn_scene_file *scene, const sn_scene_node *node, ball *balls)
{
    const sn_scene_skin *skin = &scene->skins[node->skin];
    const sn_scene_mesh *mesh = &scene->meshes[node->mesh];
    for (int k = 0; k < mesh->primitive_count; ++k) {
        const sn_scene_primitive *p = &scene->primitives[mesh->first_primitive + k];
        const size_t width = (size_t)p->influence_count;
        for (size_t i = 0; i < (size_t)p->vertex_count * width; ++i) {
            if (p->weights[i] > 0) {
                ball *b = &balls[p->joints[i]];
                const float *x = p->positions + 3 * (i / width);
                double local[3];
                sn_affine_apply(skin->inverse_bind + 12 * (size_t)p->joints[i],
                                (const double[3]){(double)x[0], (double)x[1], (double)x[2]}, local);
                for (int d = 0; d < 3; ++d) {
                    b->low[d] = b->is_used ? fmin(b->low[d], local[d]) : local[d];
                    b->high[d] = b->is_used ? fmax(b->high[d], local[d]) : local[d];
                }
                b->is_used = true;
            }
        }
    }
    for (int j = 0; j < skin->joint_count; ++j) {
        for (int d = 0; d < 3; ++d) {
            balls[j].center[d] = (balls[j].low[d] + balls[j].high[d]) / 2;
        }
        balls[j].radius = sn_distance3(balls[j].low, balls[j].high) / 2;
    }
}

/* Computes the ball of the mesh of an unskinned node, in the node's coordinates. */
static ball find_ball(const sn_scene_file *scene, const sn_scene_mesh *mesh)
{
    ball b = {.is_used = false};
    for (int k = 0; k < mesh->primitive_count; ++k) {
        const sn_scene_primitive *p = &scene->primitives[mesh->first_primitive + k];
        for (int i = 0; i < 3 * p->vertex_count; ++i) {
            const double x = (double)p->positions[i];
            b.low[i % 3] = b.is_used ? fmin(b.low[i % 3], x) : x;
            b.high[i % 3] = b.is_used ? fmax(b.high[i % 3], x) : x;
            b.is_used |= i % 3 == 2;
        }
    }
    for (int d = 0; d < 3; ++d) {
        b.center[d] = (b.low[d] + b.high[d]) / 2;
    }
    b.radius = sn_distance3(b.low, b.high) / 2;
    return b;
}

static double max_scale(const double *m)
{
    double max_length = 0;
    for (int k = 0; k < 3; ++k) {
        max_length = fmax(max_length, sqrt(m[k] * m[k] + m[4 + k] * m[4 + k] + m[8 + k] * m[8 + k]));
    }
    return max_length;
}

/* Updates the max. distance of a joint's vertices from each of its ancestors. */
static void update_sensitivity(const sn_scene_pose *pose, int32_t joint, const ball *b, double *sensitivity)
{
    const double *world = pose->world + 12 * (size_t)joint;
    double center[3];
    sn_affine_apply(world, b->center, center);
    const double radius = b->radius * max_scale(world);
    for (int32_t at = joint; at >= 0; at = pose->scene->nodes[at].parent) {
        const double *m = pose->world + 12 * (size_t)at;
        sensitivity[at] = fmax(sensitivity[at], radius + sn_distance3(center, (const double[3]){m[3], m[7], m[11]}));
    }
}

/* Computes reach and scales (node_count), sampled over some frames. */
static sn_result find_node_sensitivity(reducer *r, double *sensitivity, double *scales)
{
    const sn_scene_file *scene = r->scene;
    sn_scene_pose pose;
    SN_TRY(sn_scene_pose_init(scene, &r->arena, &pose));
    for (int i = 0; i < scene->node_count; ++i) {
        const sn_scene_node *node = &scene->nodes[i];
        if (node->mesh < 0) {
            continue;
        }
        const sn_scene_skin *skin = node->skin >= 0 ? &scene->skins[node->skin] : NULL;
        ball *balls = SN_NEW(&r->arena, ball, skin ? skin->joint_count : 1);
        if (!balls) {
            return SN_ERROR_MEMORY;
        }
        if (skin) {
            find_balls(scene, node, balls);
        } else {
            balls[0] = find_ball(scene, &scene->meshes[node->mesh]);
        }
        for (int k = 0; k <= SENSITIVITY_FRAMES; ++k) {
            sn_scene_pose_clip(&pose, 0, scene->clips[0].seconds * k / SENSITIVITY_FRAMES);
            for (int j = 0; j < (skin ? skin->joint_count : 1); ++j) {
                if (balls[j].is_used) {
                    update_sensitivity(&pose, skin ? skin->joints[j] : i, &balls[j], sensitivity);
                }
            }
            for (int n = 0; n < scene->node_count; ++n) {
                const int32_t parent = scene->nodes[n].parent;
                scales[n] = fmax(scales[n], parent < 0 ? 1 : max_scale(pose.world + 12 * (size_t)parent));
            }
        }
    }
    return SN_OK;
}

static sn_result find_weight_offsets(reducer *r, const sn_scene_channel *c, double **weight_offsets)
{
    const sn_scene_mesh *mesh = &r->scene->meshes[r->scene->nodes[c->node].mesh];
    *weight_offsets = SN_NEW(&r->arena, double, c->width);
    for (int k = 0; *weight_offsets && k < mesh->primitive_count; ++k) {
        const sn_scene_primitive *p = &r->scene->primitives[mesh->first_primitive + k];
        for (int m = 0; m < c->width; ++m) {
            for (size_t v = 0; p->morph_positions[m] && v < (size_t)p->vertex_count; ++v) {
                const float *x = p->morph_positions[m] + 3 * v;
                const double offset[3] = {(double)x[0], (double)x[1], (double)x[2]};
                (*weight_offsets)[m] = fmax((*weight_offsets)[m], sn_length3(offset));
            }
        }
    }
    return *weight_offsets ? SN_OK : SN_ERROR_MEMORY;
}

static sn_result find_sensitivity(reducer *r)
{
    double *sensitivity = SN_NEW(&r->arena, double, r->scene->node_count);
    double *scales = SN_NEW(&r->arena, double, r->scene->node_count);
    SN_TRY(sensitivity && scales ? find_node_sensitivity(r, sensitivity, scales) : SN_ERROR_MEMORY);
    for (int i = 0; i < r->channel_count; ++i) {
        const sn_scene_channel *c = &r->full[i];
        r->sensitivity[i] = c->path == SN_PATH_WEIGHTS       ? 1
                            : c->path == SN_PATH_TRANSLATION ? scales[c->node]
                                                             : sensitivity[c->node];
        SN_TRY(c->path == SN_PATH_WEIGHTS ? find_weight_offsets(r, c, &r->weight_offsets[i]) : SN_OK);
    }
    return SN_OK;
}

/* Finds the frame between two keys with the largest deviation from the line between them. Returns -1 if there is none.
 */
static int find_max_deviation(reducer *r, int channel, int first, int last, double *deviation)
{
    const sn_scene_channel *c = &r->full[channel];
    const size_t width = (size_t)c->width;
    float times[2] = {c->times[first], c->times[last]};
    sn_scene_channel line = *c;
    line.key_count = 2;
    line.times = times;
    line.values = r->end_values;
    memcpy(r->end_values, c->values + (size_t)first * width, width * sizeof(float));
    memcpy(r->end_values + width, c->values + (size_t)last * width, width * sizeof(float));
    int worst = -1;
    *deviation = 0;
    for (int f = first + 1; f < last; ++f) {
        sn_scene_channel_sample(&line, (double)c->times[f], r->value);
        const double difference =
            find_difference(c, r->weight_offsets[channel], r->value, c->values + (size_t)f * width);
        if (difference > *deviation) {
            *deviation = difference;
            worst = f;
        }
    }
    return worst;
}

static bool is_fixed_frame(const reducer *r, int frame)
{
    return r->is_fixed && r->is_fixed[frame];
}

/* Returns whether the channel stays within the tolerance of a value; fixed frames must match exactly. */
static bool stays_at(reducer *r, int channel, const double *value, double tolerance)
{
    const sn_scene_channel *c = &r->full[channel];
    bool stays_at = true;
    for (int f = 0; f < r->frame_count && stays_at; ++f) {
        const double distance =
            find_difference(c, r->weight_offsets[channel], value, c->values + (size_t)f * (size_t)c->width);
        stays_at = distance <= (is_fixed_frame(r, f) ? 0 : tolerance);
    }
    return stays_at;
}

static void find_rest(const reducer *r, const sn_scene_channel *c, double *value)
{
    const sn_scene_node *node = &r->scene->nodes[c->node];
    for (int k = 0; k < c->width; ++k) {
        value[k] = c->path == SN_PATH_TRANSLATION ? node->translation[k]
                   : c->path == SN_PATH_ROTATION  ? node->rotation[k]
                   : c->path == SN_PATH_SCALE     ? node->scale[k]
                                                  : (double)r->scene->meshes[node->mesh].morph_weights[k];
    }
}

static void split(reducer *r, int channel, double tolerance, int from, int to)
{
    int depth = 0;
    r->stack[depth++] = from;
    r->stack[depth++] = to;
    while (depth > 0) {
        const int last = r->stack[--depth], first = r->stack[--depth];
        double deviation;
        const int worst = find_max_deviation(r, channel, first, last, &deviation);
        if (worst >= 0 && deviation > tolerance) {
            r->is_key[worst] = true;
            r->stack[depth++] = first;
            r->stack[depth++] = worst;
            r->stack[depth++] = worst;
            r->stack[depth++] = last;
        }
    }
}

static void add_key(const sn_scene_channel *from, int frame, sn_scene_channel *to)
{
    const size_t width = (size_t)from->width;
    to->times[to->key_count] = from->times[frame];
    memcpy(to->values + (size_t)to->key_count++ * width, from->values + (size_t)frame * width, width * sizeof(float));
}

static void reduce_channel(reducer *r, int channel, double tolerance)
{
    const sn_scene_channel *c = &r->full[channel];
    sn_scene_channel *to = &r->reduced[channel];
    to->key_count = 0;
    find_rest(r, c, r->value);
    if (stays_at(r, channel, r->value, tolerance)) {
        return;
    }
    for (int k = 0; k < c->width; ++k) {
        r->value[k] = (double)c->values[k];
    }
    const bool is_constant = stays_at(r, channel, r->value, tolerance);
    memset(r->is_key, 0, (size_t)r->frame_count * sizeof(bool));
    r->is_key[0] = true;
    if (!is_constant) {
        for (int f = 1, from = 0; f < r->frame_count; ++f) {
            if (f == r->frame_count - 1 || is_fixed_frame(r, f)) {
                r->is_key[f] = true;
                split(r, channel, tolerance, from, f);
                from = f;
            }
        }
    }
    for (int f = 0; f < r->frame_count; ++f) {
        if (r->is_key[f]) {
            add_key(c, f, to);
        }
    }
}

/* Ensures that the clip keeps its length and is not empty. */
static void keep_length(reducer *r)
{
    int first = -1;
    for (int i = 0; i < r->channel_count; ++i) {
        if (r->reduced[i].key_count > 1) {
            return; /* which include the first and the last frame */
        }
        first = first < 0 && r->reduced[i].key_count > 0 ? i : first;
    }
    first = first < 0 ? 0 : first;
    r->reduced[first].key_count = 0;
    add_key(&r->full[first], 0, &r->reduced[first]);
    if (r->frame_count > 1) {
        add_key(&r->full[first], r->frame_count - 1, &r->reduced[first]);
    }
}

/* Stores the reduced channels that have keys in the scene. */
static void store_channels(reducer *r)
{
    int count = 0;
    for (int i = 0; i < r->channel_count; ++i) {
        if (r->reduced[i].key_count > 0) {
            r->scene->channels[count++] = r->reduced[i];
        }
    }
    r->scene->channel_count = r->scene->clips[0].channel_count = count;
}

static void reduce_all(reducer *r, double fraction)
{
    for (int i = 0; i < r->channel_count; ++i) {
        reduce_channel(r, i, r->sensitivity[i] > 0 ? fraction * r->bound / r->sensitivity[i] : INFINITY);
    }
    keep_length(r);
    store_channels(r);
}

/* Checks whether the scene stays within the bound, using every stride-th vertex. */
static sn_result check_bound(reducer *r, int stride, bool *is_within_bound)
{
    sn_arena arena = {0};
    sn_playback reduced_playback, full_playback;
    sn_scene_clip clip = r->scene->clips[0];
    sn_scene_file full = *r->scene;
    clip.channel_count = full.channel_count = r->channel_count;
    full.channels = r->full;
    full.clips = &clip;
    sn_result result = sn_playback_init(r->scene, stride, &arena, &reduced_playback);
    if (result == SN_OK) {
        result = sn_playback_init(&full, stride, &arena, &full_playback);
    }
    double *vertex_positions =
        result == SN_OK ? SN_NEW(&arena, double, 6 * (size_t)reduced_playback.vertex_count) : NULL;
    result = vertex_positions || result != SN_OK ? result : SN_ERROR_MEMORY;
    *is_within_bound = true;
    const float *times = r->full[0].times;
    for (int k = 0; k < 2 * r->frame_count - 1 && *is_within_bound && result == SN_OK; ++k) {
        const double seconds = ((double)times[k / 2] + (double)times[(k + 1) / 2]) / 2;
        double *other = vertex_positions + 3 * (size_t)reduced_playback.vertex_count;
        sn_playback_evaluate(&reduced_playback, seconds, vertex_positions);
        sn_playback_evaluate(&full_playback, seconds, other);
        for (size_t v = 0; v < (size_t)reduced_playback.vertex_count && *is_within_bound; ++v) {
            *is_within_bound = sn_distance3(vertex_positions + 3 * v, other + 3 * v) <= r->bound;
        }
    }
    sn_arena_finish(&arena);
    return result;
}

static sn_result try_fraction(reducer *r, double fraction, int stride, bool *is_within_bound)
{
    reduce_all(r, fraction);
    return check_bound(r, stride, is_within_bound);
}

/* Searches for the largest fraction that keeps the bound; 0 if none does. */
static sn_result search(reducer *r, int stride, double *fraction)
{
    double good = 0, bad = 0, at = FIRST_FRACTION;
    sn_result result = SN_OK;
    for (int step = 0; step < 3 * SEARCH_STEPS && result == SN_OK && at > MIN_FRACTION; ++step) {
        bool is_within_bound = false;
        result = try_fraction(r, at, stride, &is_within_bound);
        good = is_within_bound ? at : good;
        bad = is_within_bound ? bad : at;
        if (good > 0 && (good > 1 / MIN_FRACTION || (bad > 0 && bad < 1.2 * good))) {
            break;
        }
        at = good > 0 && bad > 0 ? sqrt(good * bad) : good > 0 ? FACTOR * good : bad / FACTOR;
    }
    *fraction = good;
    return result;
}

/* Returns the number of vertices, scaled up for meshes with many targets, which are slower. */
static int count_cost(const sn_scene_file *scene)
{
    int count = 0, max_morphs = 0;
    for (int i = 0; i < scene->primitive_count; ++i) {
        count += scene->primitives[i].vertex_count;
    }
    for (int i = 0; i < scene->mesh_count; ++i) {
        max_morphs = scene->meshes[i].morph_count > max_morphs ? scene->meshes[i].morph_count : max_morphs;
    }
    return max_morphs > TARGETS_PER_VERTEX_COST
               ? (int)fmin((double)count * max_morphs / TARGETS_PER_VERTEX_COST, INT32_MAX)
               : count;
}

/* Searches with some vertices, then verifies the bound with all. */
static sn_result reduce(reducer *r)
{
    const int stride = count_cost(r->scene) / SEARCH_VERTICES + 1;
    double fraction = 0;
    bool is_within_bound = false;
    SN_TRY(find_sensitivity(r));
    if (r->bound > 0) {
        SN_TRY(search(r, stride, &fraction));
    }
    for (; fraction > MIN_FRACTION && !is_within_bound; fraction /= is_within_bound ? 1 : 1.5) {
        SN_TRY(try_fraction(r, fraction, 1, &is_within_bound));
    }
    if (!is_within_bound) {
        reduce_all(r, 0);
    }
    return SN_OK;
}

static bool allocate(reducer *r, sn_arena *arena)
{
    const sn_scene_file *scene = r->scene;
    const size_t channels = (size_t)r->channel_count, frames = (size_t)r->frame_count;
    int max_width = 0;
    r->reduced = SN_NEW(arena, sn_scene_channel, channels);
    r->full = SN_NEW(&r->arena, sn_scene_channel, channels);
    r->sensitivity = SN_NEW(&r->arena, double, channels);
    r->weight_offsets = SN_NEW(&r->arena, double *, channels);
    r->is_key = SN_NEW(&r->arena, bool, frames);
    r->stack = SN_NEW(&r->arena, int32_t, 2 * frames + 4);
    bool is_ok = r->reduced && r->full && r->sensitivity && r->weight_offsets && r->is_key && r->stack;
    for (size_t i = 0; i < channels && is_ok; ++i) {
        r->reduced[i] = r->full[i] = scene->channels[i];
        r->reduced[i].times = SN_NEW(arena, float, frames);
        r->reduced[i].values = SN_NEW(arena, float, frames *(size_t)r->full[i].width);
        max_width = r->full[i].width > max_width ? r->full[i].width : max_width;
        is_ok = r->reduced[i].times && r->reduced[i].values;
    }
    r->end_values = SN_NEW(&r->arena, float, 2 * (size_t)max_width);
    r->value = SN_NEW(&r->arena, double, max_width);
    return is_ok && r->end_values && r->value;
}

sn_result sn_keys_reduce(sn_scene_file *scene, double bound, const bool *is_fixed, sn_arena *arena)
{
    SN_ASSERT(scene->clip_count == 1 && scene->channel_count > 0);
    reducer r = {.scene = scene,
                 .bound = bound,
                 .is_fixed = is_fixed,
                 .channel_count = scene->channel_count,
                 .frame_count = scene->channels[0].key_count};
    const sn_result result = allocate(&r, arena) ? reduce(&r) : SN_ERROR_MEMORY;
    sn_arena_finish(&r.arena);
    return result;
}
