/* SPDX-License-Identifier: MIT */
#include "author/cook/materials/fibres.h"

#include <math.h>

#include "author/cook/materials/given_fibres.h"
#include "author/frames/frame_field.h"
#include "author/frames/nurbs.h"
#include "author/frames/rotation_minimising.h"
#include "host/math/vec3.h"

#define MOST_DISTANCE 0.1 /* from the body, fraction of the diagonal */
#define LOOKS 16          /* points of a curve that are tested */

/* Edge length of a regular tet of the mean volume. */
static double mean_edge(const sn_cooking *k)
{
    double volume = 0;
    for (int t = 0; t < k->mesh.tet_count; ++t) {
        volume += k->volumes[t] / k->mesh.tet_count;
    }
    return cbrt(6 * sqrt(2) * volume);
}

static sn_result add_frames(sn_cooking *k, int count, const double *points, const double *tangents,
                            const double *normal, sn_frame_line *line)
{
    double *frames = SN_NEW(&k->arena, double, 9 * (size_t)count);
    if (!frames) {
        return SN_ERROR_MEMORY;
    }
    sn_frames_minimise_rotation(count, points, tangents, normal, frames);
    line->count = count;
    line->points = points;
    line->frames = frames;
    return SN_OK;
}

static double distance_to_body(const sn_cooking *k, const sn_nurbs_samples *s)
{
    double least = INFINITY;
    for (int look = 0; look < LOOKS; ++look) {
        const double *place = s->points + 3 * (size_t)((s->count - 1) * look / (LOOKS - 1));
        for (int v = 0; v < k->mesh.vertex_count; ++v) {
            least = fmin(least, sn_distance3(place, k->mesh.positions + 3 * (size_t)v));
        }
    }
    return least;
}

static sn_result follow_curve(sn_cooking *k, const sn_cook_fibres *fibres, int index, double edge, sn_frame_line *line)
{
    const sn_cook_curve *c = &fibres->curves[index];
    sn_nurbs curve;
    sn_nurbs_samples samples;
    sn_result result = sn_given_curve(c, k, &k->arena, &curve);
    result = result ? result : sn_nurbs_sample(&curve, edge / 2, &k->arena, &samples);
    if (result != SN_OK) {
        return result;
    }
    const double distance = distance_to_body(k, &samples);
    if (distance > MOST_DISTANCE * k->diagonal) {
        return sn_fail(SN_ERROR_ARGUMENT,
                       "%s: fibres.curves[%d]: its distance from the body is %g, more than 10%% of the diagonal, %g",
                       sn_given_fibres_name(fibres), index, distance / k->scale, k->diagonal / k->scale);
    }
    line->reach = c->reach > 0 ? c->reach * k->scale : edge;
    return add_frames(k, samples.count, samples.points, samples.tangents, c->normal, line);
}

static sn_result follow_bone(sn_cooking *k, const sn_bone_line *bone, double edge, sn_frame_line *line)
{
    static const double up[3] = {0, 1, 0}, none[3] = {0};
    double *points = SN_NEW(&k->arena, double, 6), *tangents = SN_NEW(&k->arena, double, 6);
    if (!points || !tangents) {
        return SN_ERROR_MEMORY;
    }
    for (int d = 0; d < 3; ++d) {
        points[d] = bone->start[d];
        points[3 + d] = bone->end[d];
        tangents[d] = tangents[3 + d] = bone->end[d] - bone->start[d];
    }
    sn_normalize3(tangents, up);
    sn_normalize3(tangents + 3, up);
    line->reach = edge;
    return add_frames(k, 2, points, tangents, none, line);
}

sn_result sn_fibres_build(sn_cooking *k, const sn_bone_lines *lines, double **frames)
{
    const sn_cook_fibres *fibres = sn_given_fibres(k);
    const int curve_count = fibres ? fibres->curve_count : 0, count = curve_count > 0 ? curve_count : lines->count;
    const double edge = mean_edge(k);
    sn_frame_line *all = SN_NEW(&k->arena, sn_frame_line, count);
    *frames = SN_NEW(&k->arena, double, 9 * (size_t)k->mesh.tet_count);
    sn_result result = all && *frames ? SN_OK : SN_ERROR_MEMORY;
    for (int i = 0; i < count && result == SN_OK; ++i) {
        result = curve_count > 0 ? follow_curve(k, fibres, i, edge, &all[i])
                                 : follow_bone(k, &lines->list[i], edge, &all[i]);
    }
    sn_frame_field_report report;
    k->report.curve_count = curve_count;
    return result ? result : sn_frame_field_build(&k->mesh, all, count, *frames, &report);
}
