/* SPDX-License-Identifier: MIT */
/* Converts a motion to blendshapes. A Bernstein polynomial between two keys is a cubic Hermite spline with one key at
 * each end. glTF's CUBICSPLINE represents it exactly, with separate slopes on both sides of a key. */
#include "author/spacetime/blendshapes.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "author/spacetime/trajectory.h"
#include "host/mesh/tri_mesh.h"

#define NAME_CHARS 32
#define MAX_FRAMES 65536

typedef struct builder {
    const sn_spacetime_motion *motion;
    const sn_tet_mesh *mesh;
    const sn_spacetime_surface *surface;
    const sn_blendshape_desc *desc;
    sn_arena *arena;
    sn_scene_file *scene;
    int target_count;
    int32_t *key_targets; /* (key_count) */
    int32_t *inner; /* (key_count - 1) first of the interval's two inner targets; -1: the interval has no duration */
    double *surface_positions; /* ((target_count + 1) x surface.vertex_count x 3) rest positions, then the targets */
    double *normals;           /* the same for normals; null: none */
} builder;

/* Numbers the targets in the order of time. */
static bool number_targets(builder *b)
{
    const sn_spacetime_motion *m = b->motion;
    const int last = m->key_count - 1;
    b->key_targets = SN_NEW(b->arena, int32_t, m->key_count);
    b->inner = SN_NEW(b->arena, int32_t, m->key_count);
    for (int key = 0; b->key_targets && b->inner && key <= last; ++key) {
        const bool is_same = key > 0 && !(m->durations[key - 1] > 0);
        b->key_targets[key] = is_same                       ? b->key_targets[key - 1]
                              : key == last && m->is_cyclic ? b->key_targets[0]
                                                            : b->target_count++;
        b->inner[key] = -1;
        if (key < last && m->durations[key] > 0) {
            b->inner[key] = b->target_count;
            b->target_count += 2;
        }
    }
    return b->key_targets && b->inner;
}

/* control (mesh.vertex_count x 3) = x_key + seconds v_key */
static void compute_target(builder *b, int target, int key, double seconds, double *control)
{
    const size_t width = 3 * (size_t)b->motion->vertex_count;
    const double *x = b->motion->positions + (size_t)key * width, *v = b->motion->velocities + (size_t)key * width;
    for (size_t i = 0; i < width; ++i) {
        control[i] = x[i] + seconds * v[i];
    }
    const double *offsets = b->surface->offsets ? b->surface->offsets[key] : NULL;
    double *surface_positions = b->surface_positions + ((size_t)target + 1) * 3 * (size_t)b->surface->vertex_count;
    sn_spacetime_surface_positions(b->surface, control, surface_positions);
    for (size_t i = 0; i < 3 * (size_t)b->surface->vertex_count && offsets; ++i) {
        surface_positions[i] += offsets[i];
    }
}

static bool compute_targets(builder *b)
{
    const size_t size = ((size_t)b->target_count + 1) * 3 * (size_t)b->surface->vertex_count;
    b->surface_positions = SN_NEW(b->arena, double, size);
    double *control = SN_NEW(b->arena, double, 3 * (size_t)b->motion->vertex_count);
    if (!b->surface_positions || !control) {
        return false;
    }
    sn_spacetime_surface_positions(b->surface, b->mesh->positions, b->surface_positions);
    for (int key = b->motion->key_count - 1; key >= 0; --key) {
        const double third_duration = key + 1 < b->motion->key_count ? b->motion->durations[key] / 3 : 0;
        compute_target(b, b->key_targets[key], key, 0, control);
        if (third_duration > 0) {
            compute_target(b, b->inner[key], key, third_duration, control);
            compute_target(b, b->inner[key] + 1, key + 1, -third_duration, control);
        }
    }
    return true;
}

/* Computes the normals of each target separately. Between keys they are blended like positions. */
static bool find_normals(builder *b)
{
    const size_t width = 3 * (size_t)b->surface->vertex_count;
    bool has_normals = b->desc->source != NULL;
    for (int i = 0; has_normals && i < b->desc->source->primitive_count; ++i) {
        has_normals = !b->desc->source->primitives[i].is_flat;
    }
    if (!has_normals) {
        return true;
    }
    b->normals = SN_NEW(b->arena, double, ((size_t)b->target_count + 1) * width);
    for (size_t t = 0; b->normals && t <= (size_t)b->target_count; ++t) {
        const sn_tri_mesh mesh = {b->surface->vertex_count, b->surface->triangle_count,
                                  b->surface_positions + t * width, b->surface->triangles};
        sn_tri_normals(&mesh, b->normals + t * width);
    }
    return b->normals != NULL;
}

static float *copy_values(const builder *b, const double *values, size_t first, int count)
{
    float *to = SN_NEW(b->arena, float, 3 * (size_t)count);
    for (size_t i = 0; to && i < 3 * (size_t)count; ++i) {
        to[i] = (float)values[3 * first + i];
    }
    return to;
}

/* Copies the offsets of a target from rest, where rest is rounded as in the file. */
static float *copy_offsets(const builder *b, const double *values, int target, size_t first, int count)
{
    const size_t width = 3 * (size_t)b->surface->vertex_count;
    const double *at = values + ((size_t)target + 1) * width;
    float *to = SN_NEW(b->arena, float, 3 * (size_t)count);
    for (size_t i = 0; to && i < 3 * (size_t)count; ++i) {
        to[i] = (float)(at[3 * first + i] - (double)(float)values[3 * first + i]);
    }
    return to;
}

static bool fill_primitive(const builder *b, size_t first, sn_scene_primitive *p)
{
    p->positions = copy_values(b, b->surface_positions, first, p->vertex_count);
    p->normals = b->normals ? copy_values(b, b->normals, first, p->vertex_count) : NULL;
    p->morph_positions = SN_NEW(b->arena, float *, b->target_count);
    p->morph_normals = SN_NEW(b->arena, float *, b->target_count);
    bool is_ok = p->positions && (p->normals || !b->normals) && p->morph_positions && p->morph_normals;
    for (int t = 0; t < b->target_count && is_ok; ++t) {
        p->morph_positions[t] = copy_offsets(b, b->surface_positions, t, first, p->vertex_count);
        p->morph_normals[t] = b->normals ? copy_offsets(b, b->normals, t, first, p->vertex_count) : NULL;
        is_ok = p->morph_positions[t] && (p->morph_normals[t] || !b->normals);
    }
    if (b->desc->frame_rate > 0) {
        p->influence_count = 4;
        p->joints = SN_NEW(b->arena, int32_t, 4 * (size_t)p->vertex_count);
        p->weights = SN_NEW(b->arena, float, 4 * (size_t)p->vertex_count);
        for (size_t i = 0; p->weights && i < (size_t)p->vertex_count; ++i) {
            p->weights[4 * i] = 1;
        }
        is_ok = is_ok && p->joints && p->weights;
    }
    return is_ok;
}

static bool add_primitives(builder *b)
{
    sn_scene_file *s = b->scene;
    const sn_scene_file *source = b->desc->source;
    size_t first = 0;
    bool is_ok = true;
    s->primitive_count = source ? source->primitive_count : 1;
    s->primitives = SN_NEW(b->arena, sn_scene_primitive, s->primitive_count);
    for (int i = 0; s->primitives && i < s->primitive_count && is_ok; ++i) {
        sn_scene_primitive *p = &s->primitives[i];
        *p = (sn_scene_primitive){.vertex_count = b->surface->vertex_count,
                                  .triangle_count = b->surface->triangle_count,
                                  .material = -1,
                                  .is_flat = true};
        if (source) {
            *p = source->primitives[i];
            p->tangents = NULL;
            p->influence_count = 0;
            memset(p->paint, 0, sizeof p->paint);
        } else {
            p->triangles = SN_NEW(b->arena, int32_t, 3 * (size_t)p->triangle_count);
            if (p->triangles) {
                memcpy(p->triangles, b->surface->triangles, 3 * (size_t)p->triangle_count * sizeof *p->triangles);
            }
        }
        is_ok = p->triangles && fill_primitive(b, first, p);
        first += (size_t)p->vertex_count;
    }
    return s->primitives && is_ok;
}

static char *name_target(const builder *b, int key, const char *part)
{
    char *name = SN_NEW(b->arena, char, NAME_CHARS);
    if (name) {
        snprintf(name, NAME_CHARS, "key%d%s", key, part);
    }
    return name;
}

static bool add_mesh(builder *b)
{
    sn_scene_file *s = b->scene;
    s->mesh_count = 1;
    s->meshes = SN_NEW(b->arena, sn_scene_mesh, 1);
    const char **names = SN_NEW(b->arena, const char *, b->target_count);
    float *rest = SN_NEW(b->arena, float, b->target_count);
    if (!s->meshes || !names || !rest || !add_primitives(b)) {
        return false;
    }
    for (int key = b->motion->key_count - 1; key >= 0; --key) {
        names[b->key_targets[key]] = name_target(b, key, "");
        if (b->inner[key] >= 0) {
            names[b->inner[key]] = name_target(b, key, "_out");
            names[b->inner[key] + 1] = name_target(b, key + 1, "_in");
        }
    }
    for (int t = 0; t < b->target_count; ++t) {
        if (!names[t]) {
            return false;
        }
    }
    s->meshes[0] = (sn_scene_mesh){.name = "Body",
                                   .primitive_count = s->primitive_count,
                                   .morph_count = b->target_count,
                                   .morph_weights = rest,
                                   .morph_names = names};
    return true;
}

static bool add_nodes(builder *b)
{
    static const double identity[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};
    sn_scene_file *s = b->scene;
    const bool has_skeleton = b->desc->frame_rate > 0;
    s->nodes = SN_NEW(b->arena, sn_scene_node, 2);
    if (!s->nodes) {
        return false;
    }
    s->nodes[s->node_count] = sn_scene_node_default("Body");
    s->nodes[s->node_count].skin = has_skeleton ? 0 : -1;
    s->nodes[s->node_count++].mesh = 0;
    if (has_skeleton) {
        s->skins = SN_NEW(b->arena, sn_scene_skin, 1);
        int32_t *joints = SN_NEW(b->arena, int32_t, 1);
        double *bind = SN_NEW(b->arena, double, 12);
        if (!s->skins || !joints || !bind) {
            return false;
        }
        memcpy(bind, identity, sizeof identity);
        joints[0] = s->node_count;
        s->nodes[s->node_count++] = sn_scene_node_default("root");
        s->skins[s->skin_count++] = (sn_scene_skin){.joint_count = 1, .joints = joints, .inverse_bind = bind};
    }
    return true;
}

/* Writes rows of in-slope, value and out-slope. Keys at the same time are merged. Returns the number of keys. */
static int write_spline(const builder *b, float *times, float *values)
{
    const sn_spacetime_motion *m = b->motion;
    const size_t width = (size_t)b->target_count;
    double seconds_so_far = 0;
    int at = 0;
    times[0] = 0;
    values[width + (size_t)b->key_targets[0]] = 1;
    for (int i = 0; i + 1 < m->key_count; ++i) {
        if (b->inner[i] < 0) {
            continue;
        }
        const float slope = (float)(3 / m->durations[i]);
        float *out = values + (size_t)(3 * at + 2) * width, *in = values + (size_t)(3 * at + 3) * width;
        out[b->key_targets[i]] -= slope;
        out[b->inner[i]] += slope;
        in[b->inner[i] + 1] -= slope;
        in[b->key_targets[i + 1]] += slope;
        in[width + (size_t)b->key_targets[i + 1]] = 1;
        seconds_so_far += m->durations[i];
        times[++at] = (float)seconds_so_far;
    }
    return at + 1;
}

/* Computes the weights of a frame. */
static void write_frame(const builder *b, double seconds, float *weights)
{
    const sn_spacetime_motion *m = b->motion;
    double bernstein[4], first[4], second[4];
    int i = 0;
    while (i + 2 < m->key_count && seconds >= m->durations[i]) {
        seconds -= m->durations[i++];
    }
    if (b->inner[i] < 0) { /* the last interval is a hit */
        weights[b->key_targets[i + 1]] = 1;
        return;
    }
    sn_bernstein(fmin(seconds / m->durations[i], 1), bernstein, first, second);
    weights[b->key_targets[i]] += (float)bernstein[0];
    weights[b->inner[i]] += (float)bernstein[1];
    weights[b->inner[i] + 1] += (float)bernstein[2];
    weights[b->key_targets[i + 1]] += (float)bernstein[3];
}

static double count_frames(const sn_spacetime_motion *m, double rate)
{
    double seconds = 0;
    for (int i = 0; i + 1 < m->key_count; ++i) {
        seconds += m->durations[i];
    }
    return rate > 0 ? ceil(seconds * rate - 1e-9) + 1 : m->key_count;
}

static bool add_clip(builder *b)
{
    const sn_spacetime_motion *m = b->motion;
    const double rate = b->desc->frame_rate;
    sn_scene_file *s = b->scene;
    const size_t frames = (size_t)count_frames(m, rate);
    const size_t rows = rate > 0 ? frames : 3 * frames, width = (size_t)b->target_count;
    float *times = SN_NEW(b->arena, float, frames), *values = SN_NEW(b->arena, float, rows *width);
    s->channels = SN_NEW(b->arena, sn_scene_channel, 1);
    s->clips = SN_NEW(b->arena, sn_scene_clip, 1);
    if (!times || !values || !s->channels || !s->clips) {
        return false;
    }
    int count = (int)frames;
    for (size_t f = 0; f < frames && rate > 0; ++f) {
        times[f] = (float)((double)f / rate);
        write_frame(b, (double)f / rate, values + f * width);
    }
    if (!(rate > 0)) {
        count = write_spline(b, times, values);
    }
    s->channel_count = s->clip_count = 1;
    s->channels[0] = (sn_scene_channel){.path = SN_PATH_WEIGHTS,
                                        .interpolation = rate > 0 ? SN_KEYS_LINEAR : SN_KEYS_CUBIC,
                                        .key_count = count,
                                        .width = b->target_count,
                                        .times = times,
                                        .values = values};
    s->clips[0] = (sn_scene_clip){.name = b->desc->name, .channel_count = 1, .seconds = (double)times[count - 1]};
    return true;
}

sn_result sn_blendshapes_build(const sn_spacetime_motion *motion, const sn_tet_mesh *mesh,
                               const sn_spacetime_surface *surface, const sn_blendshape_desc *desc, sn_arena *arena,
                               sn_scene_file *scene)
{
    builder b = {.motion = motion, .mesh = mesh, .surface = surface, .desc = desc, .arena = arena, .scene = scene};
    *scene = (sn_scene_file){0};
    const double frames = count_frames(motion, desc->frame_rate);
    if (!(frames <= MAX_FRAMES)) {
        return sn_fail_within(SN_ERROR_UNSUPPORTED,
                              "%.0f frames at %g fps exceed the limit of %d; use a lower frame rate, shorter "
                              "durations, or glTF, which stores splines",
                              frames, desc->frame_rate, MAX_FRAMES);
    }
    if (desc->source) {
        scene->materials = desc->source->materials;
        scene->material_count = desc->source->material_count;
        scene->textures = desc->source->textures;
        scene->texture_count = desc->source->texture_count;
    }
    const bool is_ok =
        number_targets(&b) && compute_targets(&b) && find_normals(&b) && add_mesh(&b) && add_nodes(&b) && add_clip(&b);
    return is_ok ? SN_OK : SN_ERROR_MEMORY;
}
