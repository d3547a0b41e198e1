/* SPDX-License-Identifier: MIT */
/* Pulls the shapes at keys back through the rig and fits modes to the segments between them. */
#include <math.h>
#include <string.h>

#include "author/bake/shaper.h"
#include "host/math/affine.h"
#include "host/math/vec3.h"

sn_result sn_shaper_pull_back(sn_shaper *s, sn_shapes_report *report)
{
    const size_t n = (size_t)s->vertex_count;
    bool *is_flat = SN_NEW(&s->scratch, bool, n);
    s->offsets = sn_arena_alloc(&s->scratch, (size_t)s->desc.key_count, 3 * n * sizeof(double));
    if (!s->offsets || !is_flat) {
        return SN_ERROR_MEMORY;
    }
    for (int k = 0; k < s->desc.key_count; ++k) {
        const double *shape = s->desc.keys[k].shape;
        double *to = s->offsets + 3 * n * (size_t)k;
        sn_shaper_pose(s, s->desc.keys[k].seconds);
        for (size_t v = 0; shape && v < n; ++v) {
            double inverse[12], pulled[3];
            if (!sn_affine_invert(s->transforms + 12 * v, inverse)) {
                report->flattened += !is_flat[v];
                is_flat[v] = true;
                continue;
            }
            sn_affine_apply(inverse, shape + 3 * v, pulled);
            sn_subtract3(pulled, s->rest + 3 * v, to + 3 * v);
            if (!isfinite(sn_length3(to + 3 * v))) {
                return sn_fail(SN_ERROR_NUMERIC, "%s: keys[%d]: vertex %zu: position is not finite", s->desc.name, k,
                               v);
            }
        }
    }
    return SN_OK;
}

/* Computes the displacement of a segment: (vertices x 3) of the body, and its means over welded vertices. */
static void find_field(const sn_shaper *s, const sn_shape_body *body, int segment, const sn_shape_weld *w,
                       double *field, double *means)
{
    const size_t n = 3 * (size_t)s->vertex_count, first = 3 * (size_t)body->first_vertex;
    const double *from = s->offsets + n * (size_t)segment + first, *to = from + n;
    memset(means, 0, 3 * (size_t)w->mesh.vertex_count * sizeof *means);
    for (size_t i = 0; i < 3 * (size_t)body->vertex_count; ++i) {
        const size_t group = (size_t)w->groups[i / 3];
        field[i] = to[i] - from[i];
        means[3 * group + i % 3] += field[i] / w->sizes[group];
    }
}

typedef struct fitter {
    sn_shaper *shaper;
    const sn_shape_body *body;
    sn_shape_weld surface;
    sn_fourier_curves curves;
    sn_fourier_spread *spread;
    double *field, *means, *series, *modes;
} fitter;

/* Stores the modes of the welded vertices. Mode 0 also receives each vertex's difference from its welded mean. */
static void store_targets(const fitter *f, int segment)
{
    const sn_shaper *s = f->shaper;
    const size_t first = 3 * (size_t)f->body->first_vertex, stride = 3 * (size_t)f->surface.mesh.vertex_count;
    for (int n = 0; n < s->mode_count; ++n) {
        float *target = s->targets[segment * s->mode_count + n] + first;
        for (size_t i = 0; i < 3 * (size_t)f->body->vertex_count; ++i) {
            const size_t at = 3 * (size_t)f->surface.groups[i / 3] + i % 3;
            const double rest = n == 0 ? f->field[i] - f->means[at] : 0;
            target[i] = (float)(f->modes[stride * (size_t)n + at] + rest);
        }
    }
}

static sn_result fit_segments(fitter *f, sn_shapes_report *report)
{
    sn_result result = sn_fourier_spread_create(&f->curves, &f->spread);
    for (int i = 0; i < f->shaper->segment_count && result == SN_OK; ++i) {
        double error = 0;
        find_field(f->shaper, f->body, i, &f->surface, f->field, f->means);
        result = sn_fourier_curves_fit(&f->curves, f->means, f->series, &error);
        report->curve_error = fmax(report->curve_error, error);
        if (result == SN_OK) {
            result = sn_fourier_spread_modes(f->spread, f->series, f->means, f->modes);
        }
        if (result == SN_OK) {
            store_targets(f, i);
        }
    }
    sn_fourier_spread_destroy(&f->spread);
    return result;
}

static sn_result fit_body(sn_shaper *s, const sn_shape_body *body, sn_shapes_report *report)
{
    sn_arena arena = {0};
    fitter f = {.shaper = s, .body = body};
    sn_result result = sn_shaper_weld(s, body, 0, &arena, &f.surface);
    if (result == SN_OK) {
        result = sn_fourier_curves_build(&f.surface.mesh, &s->desc.fit, &arena, &f.curves);
    }
    if (result == SN_OK) {
        const size_t n = 3 * (size_t)f.surface.mesh.vertex_count;
        f.field = SN_NEW(&arena, double, 3 * (size_t)body->vertex_count);
        f.means = SN_NEW(&arena, double, n);
        f.modes = SN_NEW(&arena, double, n *(size_t)s->mode_count);
        f.series =
            SN_NEW(&arena, double, 3 * (size_t)f.curves.curve_count * SN_FOURIER_TERMS((size_t)s->mode_count - 1));
        report->part_count += f.curves.part_count;
        report->curve_count += f.curves.curve_count;
        result = f.field && f.means && f.modes && f.series ? fit_segments(&f, report) : SN_ERROR_MEMORY;
    }
    sn_arena_finish(&arena);
    return result;
}

sn_result sn_shaper_fit(sn_shaper *s, sn_shapes_report *report)
{
    const size_t count = (size_t)s->segment_count * (size_t)s->mode_count;
    sn_result result = SN_OK;
    s->targets = SN_NEW(s->arena, float *, count);
    for (size_t k = 0; s->targets && k < count; ++k) {
        s->targets[k] = SN_NEW(s->arena, float, 3 * (size_t)s->vertex_count);
        result = s->targets[k] ? result : SN_ERROR_MEMORY;
    }
    result = s->targets ? result : SN_ERROR_MEMORY;
    for (int i = 0; i < s->body_count && result == SN_OK; ++i) {
        result = fit_body(s, &s->bodies[i], report);
    }
    return result;
}
