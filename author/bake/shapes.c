/* SPDX-License-Identifier: MIT */
#include "author/bake/shapes.h"

#include <math.h>

#include "author/bake/keys.h"
#include "author/bake/playback.h"
#include "author/bake/shaper.h"
#include "author/sparse/sparse.h"
#include "host/math/affine.h"
#include "host/math/vec3.h"

static sn_result check(const sn_shapes_desc *d)
{
    SN_ASSERT(d->key_count >= 2 && d->key_count <= SN_FOURIER_SEGMENT_LIMIT + 1);
    SN_ASSERT(d->frame_rate > 0 && d->key_error >= 0);
    for (int k = 0; k < d->key_count; ++k) {
        const double before = k > 0 ? d->keys[k - 1].seconds : 0;
        if (!isfinite(d->keys[k].seconds) || d->keys[k].seconds < before || (k > 0 && !(d->keys[k].seconds > before))) {
            return sn_fail(SN_ERROR_ARGUMENT, "%s: keys[%d]: time %g s is not after %g s", d->name, k,
                           d->keys[k].seconds, before);
        }
    }
    return SN_OK;
}

/* Checks the modes here because host/fourier, which also checks them, cannot name the key or file in its message. */
static sn_result check_modes(const sn_shaper *s)
{
    const sn_fourier_material *material = &s->desc.material;
    for (int i = 0; i < s->segment_count; ++i) {
        for (int n = 0; n < s->mode_count; ++n) {
            const sn_fourier_mode mode = sn_fourier_mode_of(material, n, s->durations[i]);
            if (material->density >= 0 && material->damping >= 0 && !sn_fourier_mode_is_in_range(&mode)) {
                return sn_fail(SN_ERROR_ARGUMENT,
                               "%s: keys[%d].seconds: in the %g s since the previous key, harmonic %d of the material "
                               "is out of range (density %g, damping %g, stiffness %g); use more time between keys, or "
                               "less extreme material values",
                               s->desc.name, i + 1, s->durations[i], n, mode.density, mode.damping, mode.stiffness);
            }
        }
    }
    return SN_OK;
}

static sn_result build_sequence(sn_shaper *s)
{
    s->segment_count = s->desc.key_count - 1;
    s->mode_count = s->desc.fit.harmonic_count + 1;
    s->target_count = s->segment_count * s->mode_count;
    s->durations = SN_NEW(&s->scratch, double, s->segment_count);
    for (int i = 0; s->durations && i < s->segment_count; ++i) {
        s->durations[i] = s->desc.keys[i + 1].seconds - s->desc.keys[i].seconds;
    }
    const sn_fourier_sequence_desc desc = {.material = s->desc.material,
                                           .harmonic_count = s->desc.fit.harmonic_count,
                                           .segment_count = s->segment_count,
                                           .durations = s->durations,
                                           .starts_at_rest = s->desc.starts_at_rest};
    SN_TRY(s->durations ? check_modes(s) : SN_ERROR_MEMORY);
    return sn_fourier_sequence_build(&desc, &s->scratch, &s->sequence);
}

static sn_result prepare(sn_shaper *s)
{
    SN_TRY(check(&s->desc));
    SN_TRY(build_sequence(s));
    SN_TRY(sn_shaper_add_root(s));
    return sn_shaper_load_scene(s);
}

static int count_keys(const sn_scene_file *scene)
{
    int count = 0;
    for (int i = 0; i < scene->channel_count; ++i) {
        count += scene->channels[i].key_count;
    }
    return count;
}

static void fill_report(const sn_shaper *s, const sn_scene_file *scene, sn_shapes_report *report)
{
    report->vertex_count = s->vertex_count;
    report->target_count = s->target_count;
    report->frame_count = s->frame_count;
    report->key_count = count_keys(scene);
    for (int i = 0; i + 1 < s->segment_count && !s->desc.starts_at_rest; ++i) {
        report->gain = fmax(report->gain, sn_fourier_sequence_gain(&s->sequence, i));
    }
}

static sn_result build(sn_shaper *s, sn_scene_file *scene, sn_shapes_report *report)
{
    SN_TRY(prepare(s));
    SN_TRY(sn_shaper_check_size(s));
    SN_TRY(sn_shaper_pull_back(s, report));
    SN_TRY(sn_shaper_fit(s, report));
    SN_TRY(sn_shaper_find_normals(s));
    SN_TRY(sn_shaper_find_frames(s, report));
    SN_TRY(sn_shaper_compute_weights(s));
    sn_shaper_reduce_targets(s);
    SN_TRY(sn_shaper_build_scene(s, scene));
    SN_TRY(sn_keys_reduce(scene, s->desc.key_error / 2, s->is_fixed, s->arena));
    fill_report(s, scene, report);
    return sn_shapes_measure(&s->desc, scene, s->desc.name, report);
}

sn_result sn_shapes_build(const sn_shapes_desc *desc, sn_arena *arena, sn_scene_file *scene, sn_shapes_report *report)
{
    sn_shaper s = {.desc = *desc, .scene = *desc->scene, .arena = arena};
    const char *before = sn_log_subject(desc->name);
    *report = (sn_shapes_report){.checks = SN_NEW(arena, sn_shape_errors, desc->check_count)};
    sn_result result = report->checks ? sn_dense_reserve_memory() : SN_ERROR_MEMORY;
    result = result ? result : build(&s, scene, report);
    sn_arena_finish(&s.scratch);
    sn_log_subject(before);
    return result;
}

static double find_distance(const double *a, const double *b, int count)
{
    double max_distance = 0;
    for (int v = 0; v < count; ++v) {
        max_distance = fmax(max_distance, sn_distance3(a + 3 * v, b + 3 * v));
    }
    return max_distance;
}

static double find_diagonal(const double *vertex_positions, int count)
{
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (int i = 0; i < 3 * count; ++i) {
        low[i % 3] = fmin(low[i % 3], vertex_positions[i]);
        high[i % 3] = fmax(high[i % 3], vertex_positions[i]);
    }
    return sn_distance3(low, high);
}

/* Computes the errors of other methods at a check: interpolation without physics, the rig applied to the previous key's
 * shape, and dual quaternions. places: (vertex_count x 3). */
static sn_result compare_rig(sn_shaper *s, const sn_shape_check *check, double *vertex_positions,
                             sn_shape_errors *errors)
{
    double fraction;
    const int segment = sn_shaper_segment(s, check->seconds, &fraction);
    const size_t n = 3 * (size_t)s->vertex_count;
    const double *from = s->offsets + n * (size_t)segment, *to = from + n;
    double *rest = SN_NEW(&s->scratch, double, n);
    if (!rest) {
        return SN_ERROR_MEMORY;
    }
    sn_shaper_pose(s, check->seconds);
    for (int pass = 0; pass < 2; ++pass) {
        for (size_t i = 0; i < n; ++i) {
            rest[i] = s->rest[i] + from[i] + (pass == 0 ? fraction * (to[i] - from[i]) : 0);
        }
        for (size_t v = 0; v < (size_t)s->vertex_count; ++v) {
            sn_affine_apply(s->transforms + 12 * v, rest + 3 * v, vertex_positions + 3 * v);
        }
        *(pass == 0 ? &errors->linear : &errors->rig) = find_distance(vertex_positions, check->shape, s->vertex_count);
    }
    errors->dual = -1;
    if (s->scene.skin_count == 0 || s->is_rigid) {
        return SN_OK;
    }
    const sn_result result = sn_shaper_skin_dual(s, rest, vertex_positions);
    errors->dual = find_distance(vertex_positions, check->shape, s->vertex_count);
    return result;
}

/* Returns the target positions at a key: its shape, or the rig's positions, stored in `rig` (vertex_count x 3). */
static const double *find_shape(sn_shaper *s, int key, double *rig)
{
    if (s->desc.keys[key].shape) {
        return s->desc.keys[key].shape;
    }
    sn_shaper_pose(s, s->desc.keys[key].seconds);
    for (size_t v = 0; v < (size_t)s->vertex_count; ++v) {
        sn_affine_apply(s->transforms + 12 * v, s->rest + 3 * v, rig + 3 * v);
    }
    return rig;
}

static sn_result measure(sn_shaper *s, const sn_scene_file *scene, const char *name, sn_shapes_report *report)
{
    sn_playback playback;
    double *vertex_positions = SN_NEW(&s->scratch, double, 3 * (size_t)s->vertex_count);
    double *rig = SN_NEW(&s->scratch, double, 3 * (size_t)s->vertex_count);
    sn_result result = vertex_positions && rig ? sn_playback_init(scene, 1, &s->scratch, &playback) : SN_ERROR_MEMORY;
    if (result == SN_OK && playback.vertex_count != s->vertex_count) {
        return sn_fail(SN_ERROR_FORMAT, "%s: does not match the shapes: %d vertices instead of %d", name,
                       playback.vertex_count, s->vertex_count);
    }
    report->at_keys = 0;
    for (int k = 0; k < s->desc.key_count && result == SN_OK; ++k) {
        const double seconds = s->desc.keys[k].seconds, *shape = find_shape(s, k, rig);
        sn_playback_evaluate(&playback, (double)(float)seconds, vertex_positions);
        report->at_keys = fmax(report->at_keys, find_distance(vertex_positions, shape, s->vertex_count));
        report->diagonal = k > 0 ? report->diagonal : find_diagonal(shape, s->vertex_count);
    }
    for (int i = 0; i < s->desc.check_count && result == SN_OK; ++i) {
        const sn_shape_check *check_shape = &s->desc.checks[i];
        sn_playback_evaluate(&playback, check_shape->seconds, vertex_positions);
        report->checks[i].fourier = find_distance(vertex_positions, check_shape->shape, s->vertex_count);
        result = compare_rig(s, check_shape, vertex_positions, &report->checks[i]);
    }
    return result;
}

sn_result sn_shapes_measure(const sn_shapes_desc *desc, const sn_scene_file *scene, const char *name,
                            sn_shapes_report *report)
{
    sn_shapes_report ignored = {0};
    sn_shaper s = {.desc = *desc, .scene = *desc->scene};
    s.arena = &s.scratch;
    sn_result result = prepare(&s);
    if (result == SN_OK) {
        result = sn_shaper_pull_back(&s, &ignored);
    }
    if (result == SN_OK) {
        report->flattened = ignored.flattened;
        result = measure(&s, scene, name, report);
    }
    sn_arena_finish(&s.scratch);
    return result;
}
