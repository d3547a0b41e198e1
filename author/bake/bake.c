/* SPDX-License-Identifier: MIT */
#include "author/bake/bake.h"

#include <math.h>
#include <string.h>

#include "author/bake/baker.h"
#include "author/bake/clips.h"
#include "author/bake/keys.h"
#include "author/bake/playback.h"
#include "author/sparse/sparse.h"
#include "host/math/affine.h"
#include "host/math/vec3.h"

static int count_keys(const sn_scene_file *scene)
{
    int count = 0;
    for (int i = 0; i < scene->channel_count; ++i) {
        count += scene->channels[i].key_count;
    }
    return count;
}

static sn_result build(sn_baker *b, sn_scene_file *scene, sn_bake_report *report)
{
    bool *is_clip_end = NULL;
    sn_result result = sn_baker_load_surface(b);
    if (result == SN_OK) {
        result = sn_bake_rig_error(b->motion, &report->rig_error);
    }
    if (result == SN_OK) {
        result = sn_baker_load_rig(b);
    }
    if (result == SN_OK && b->desc.form == SN_BAKE_JOINTS) {
        result = sn_baker_add_joints(b);
    }
    if (result == SN_OK) {
        result = sn_baker_build_skeleton(b);
    }
    if (result == SN_OK && b->desc.form == SN_BAKE_TARGETS) {
        result = sn_baker_add_targets(b);
    }
    if (result == SN_OK) {
        result = sn_baker_build_scene(b, scene);
    }
    if (result == SN_OK) {
        report->frame_key_count = count_keys(scene);
        report->joint_count = b->joint_count;
        report->target_count = b->target_count;
        result = sn_bake_clip_ends(b->motion, &b->scratch, &is_clip_end);
    }
    if (result == SN_OK) {
        result = sn_keys_reduce(scene, b->desc.key_error / b->model->scale, is_clip_end, b->arena);
    }
    if (result == SN_OK) {
        result = sn_bake_cut_clips(b->motion, b->arena, scene);
        report->key_count = count_keys(scene);
    }
    return result;
}

sn_result sn_bake_build(const sn_bake_motion *motion, const sn_bake_desc *desc, sn_arena *arena, sn_scene_file *scene,
                        sn_bake_report *report)
{
    SN_ASSERT(motion->model && motion->frame_count > 0 && motion->frame_rate > 0 && motion->poses);
    SN_ASSERT(desc->influence_limit >= 0 && desc->influence_limit % 4 == 0 &&
              desc->influence_limit <= SN_BAKE_INFLUENCE_LIMIT && desc->key_error >= 0);
    SN_ASSERT(desc->form == SN_BAKE_RIG || (desc->count >= 0 && desc->count <= SN_BAKE_JOINT_LIMIT));
    sn_baker b = {.motion = motion, .model = motion->model, .desc = *desc, .arena = arena};
    *report = (sn_bake_report){0};
    sn_result result = sn_dense_reserve_memory();
    result = result ? result : build(&b, scene, report);
    sn_arena_finish(&b.scratch);
    return result;
}

/* Lists a model's vertices in the order of the scene. */
static sn_result find_order(const sn_model *model, sn_arena *arena, int32_t **order, int *count)
{
    const int n = model->counts.surface_vertex_count;
    int32_t *vertices = SN_NEW(arena, int32_t, n);
    *order = sn_arena_alloc(arena, (size_t)n, (size_t)model->counts.part_count * sizeof(int32_t));
    *count = 0;
    for (int part = 0; vertices && *order && part < model->counts.part_count; ++part) {
        const int listed_count = sn_bake_part_vertices(model, part, vertices, NULL);
        for (int i = 0; i < listed_count; ++i) {
            (*order)[(*count)++] = vertices[i];
        }
    }
    return vertices && *order ? SN_OK : SN_ERROR_MEMORY;
}

typedef struct measure {
    const sn_baker *baker; /* provides the motion's surface */
    sn_playback *playback;
    const int32_t *order;
    double *vertex_positions; /* (playback's vertex_count x 3) */
} measure;

/* Returns the largest distance between the played surface and the mean of two frames of the motion, which may be the
 * same frame. In diagonals. */
static double find_distance(const measure *m, double seconds, int first, int second)
{
    const size_t n = (size_t)m->baker->vertex_count;
    double max_distance = 0;
    sn_playback_evaluate(m->playback, seconds, m->vertex_positions);
    for (size_t i = 0; i < (size_t)m->playback->vertex_count; ++i) {
        const float *a = m->baker->surface + 3 * ((size_t)first * n + (size_t)m->order[i]);
        const float *b = m->baker->surface + 3 * ((size_t)second * n + (size_t)m->order[i]);
        double mean[3];
        for (int d = 0; d < 3; ++d) {
            mean[d] = ((double)a[d] + (double)b[d]) / 2;
        }
        max_distance = fmax(max_distance, sn_distance3(m->vertex_positions + 3 * i, mean));
    }
    return max_distance / m->baker->diagonal;
}

/* Compares the scene's first clip with the frames from `start`. */
static void measure_clip(const measure *m, const sn_bake_clip *clip, int start, sn_bake_errors *errors)
{
    for (int f = 0; f < clip->frame_count; ++f) {
        const double seconds = f / clip->frame_rate, middle = (f + 0.5) / clip->frame_rate;
        errors->at_frames = fmax(errors->at_frames, find_distance(m, seconds, start + f, start + f));
        if (f + 1 < clip->frame_count) {
            errors->between = fmax(errors->between, find_distance(m, middle, start + f, start + f + 1));
        }
    }
}

/* Undoes the turn of a VRM's root, which the motion does not have (scene.c). */
static sn_result unturn(sn_baker *b, sn_scene_file *scene)
{
    sn_scene_node *nodes = SN_NEW(&b->scratch, sn_scene_node, scene->node_count);
    if (!nodes) {
        return SN_ERROR_MEMORY;
    }
    memcpy(nodes, scene->nodes, (size_t)scene->node_count * sizeof *nodes);
    memcpy(nodes[0].rotation, (const double[4]){0, 0, 0, 1}, sizeof nodes[0].rotation);
    sn_affine_identity(nodes[0].local);
    scene->nodes = nodes;
    return SN_OK;
}

static sn_result measure_all(sn_baker *b, const sn_scene_file *written, const char *name, sn_bake_errors *errors)
{
    sn_scene_file copy = *written;
    const sn_scene_file *scene = &copy;
    const sn_bake_clip whole = {.frame_count = b->motion->frame_count, .frame_rate = b->motion->frame_rate};
    const sn_bake_clip *clips = b->motion->clips ? b->motion->clips : &whole;
    const int clip_count = b->motion->clips ? b->motion->clip_count : 1;
    int32_t *order = NULL;
    int count = 0;
    sn_result result = sn_baker_load_surface(b);
    if (result == SN_OK && copy.vrm && b->model->vrm_version == 1 && copy.node_count > 0) {
        result = unturn(b, &copy);
    }
    if (result == SN_OK) {
        result = find_order(b->model, &b->scratch, &order, &count);
    }
    if (result == SN_OK && scene->clip_count != clip_count) {
        result = sn_fail(SN_ERROR_FORMAT, "%s: does not match the baked motion: %d clips instead of %d", name,
                         scene->clip_count, clip_count);
    }
    double *positions = result == SN_OK ? SN_NEW(&b->scratch, double, 3 * (size_t)count) : NULL;
    result = result || positions ? result : SN_ERROR_MEMORY;
    *errors = (sn_bake_errors){0};
    for (int i = 0, start = 0; i < clip_count && result == SN_OK; start += clips[i++].frame_count) {
        sn_playback playback;
        sn_scene_file played = *scene; /* its first clip is this one */
        played.clips += i;
        played.clip_count = 1;
        result = sn_playback_init(&played, 1, &b->scratch, &playback);
        if (result == SN_OK && count != playback.vertex_count) {
            result = sn_fail(SN_ERROR_FORMAT, "%s: does not match the baked motion: %d vertices instead of %d", name,
                             playback.vertex_count, count);
        }
        if (result == SN_OK) {
            measure_clip(&(measure){b, &playback, order, positions}, &clips[i], start, errors);
        }
    }
    return result;
}

sn_result sn_bake_measure(const sn_bake_motion *motion, const sn_scene_file *scene, const char *name,
                          sn_bake_errors *errors)
{
    sn_baker b = {.motion = motion, .model = motion->model};
    b.arena = &b.scratch;
    const sn_result result = measure_all(&b, scene, name, errors);
    sn_arena_finish(&b.scratch);
    return result;
}
