/* SPDX-License-Identifier: MIT */
#include "author/cook/materials/fibres.h"

#include <math.h>

#include "author/cook/materials/input_fibres.h"
#include "author/frames/frame_field.h"
#include "author/frames/nurbs.h"
#include "author/frames/rotation_minimising.h"
#include "host/math/vec3.h"

#define MAX_DISTANCE 0.1 /* from the body, fraction of the diagonal */
#define TEST_COUNT 16    /* points of a curve that are tested */

/* Edge length of a regular tet of the mean volume. */
static double mean_edge(const sn_cook_context *cook)
{
    double volume = 0;
    for (int t = 0; t < cook->mesh.tet_count; ++t) {
        volume += cook->volumes[t] / cook->mesh.tet_count;
    }
    return cbrt(6 * sqrt(2) * volume);
}

static sn_result add_frames(sn_cook_context *cook, int count, const double *points, const double *tangents,
                            const double *normal, sn_frame_line *line)
{
    double *frames = SN_NEW(&cook->arena, double, 9 * (size_t)count);
    if (!frames) {
        return SN_ERROR_MEMORY;
    }
    sn_frames_minimise_rotation(count, points, tangents, normal, frames);
    line->count = count;
    line->points = points;
    line->frames = frames;
    return SN_OK;
}

static double distance_to_body(const sn_cook_context *cook, const sn_nurbs_samples *s)
{
    double min_distance = INFINITY;
    for (int test = 0; test < TEST_COUNT; ++test) {
        const double *point = s->points + 3 * (size_t)((s->count - 1) * test / (TEST_COUNT - 1));
        for (int v = 0; v < cook->mesh.vertex_count; ++v) {
            min_distance = fmin(min_distance, sn_distance3(point, cook->mesh.positions + 3 * (size_t)v));
        }
    }
    return min_distance;
}

static sn_result follow_curve(sn_cook_context *cook, const sn_cook_fibres *fibres, int index, double edge,
                              sn_frame_line *line)
{
    const sn_cook_curve *c = &fibres->curves[index];
    sn_nurbs curve;
    sn_nurbs_samples samples;
    sn_result result = sn_input_fibres_curve(c, cook, &cook->arena, &curve);
    result = result ? result : sn_nurbs_sample(&curve, edge / 2, &cook->arena, &samples);
    if (result != SN_OK) {
        return result;
    }
    const double distance = distance_to_body(cook, &samples);
    if (distance > MAX_DISTANCE * cook->diagonal) {
        return sn_fail(SN_ERROR_ARGUMENT,
                       "%s: fibres.curves[%d]: its distance from the body is %g, more than 10%% of the diagonal, %g",
                       sn_input_fibres_name(fibres), index, distance / cook->scale, cook->diagonal / cook->scale);
    }
    line->influence_radius = c->influence_radius > 0 ? c->influence_radius * cook->scale : edge;
    return add_frames(cook, samples.count, samples.points, samples.tangents, c->normal, line);
}

static sn_result follow_bone(sn_cook_context *cook, const sn_bone_line *bone, double edge, sn_frame_line *line)
{
    static const double up[3] = {0, 1, 0}, none[3] = {0};
    double *points = SN_NEW(&cook->arena, double, 6), *tangents = SN_NEW(&cook->arena, double, 6);
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
    line->influence_radius = edge;
    return add_frames(cook, 2, points, tangents, none, line);
}

sn_result sn_fibres_build(sn_cook_context *cook, const sn_bone_lines *lines, double **frames)
{
    const sn_cook_fibres *fibres = sn_input_fibres(cook);
    const int curve_count = fibres ? fibres->curve_count : 0, count = curve_count > 0 ? curve_count : lines->count;
    const double edge = mean_edge(cook);
    sn_frame_line *frame_lines = SN_NEW(&cook->arena, sn_frame_line, count);
    *frames = SN_NEW(&cook->arena, double, 9 * (size_t)cook->mesh.tet_count);
    sn_result result = frame_lines && *frames ? SN_OK : SN_ERROR_MEMORY;
    for (int i = 0; i < count && result == SN_OK; ++i) {
        result = curve_count > 0 ? follow_curve(cook, fibres, i, edge, &frame_lines[i])
                                 : follow_bone(cook, &lines->list[i], edge, &frame_lines[i]);
    }
    sn_frame_field_report report;
    cook->report.curve_count = curve_count;
    return result ? result : sn_frame_field_build(&cook->mesh, frame_lines, count, *frames, &report);
}
