/* SPDX-License-Identifier: MIT */
#include "author/cook/materials/input_fibres.h"

#include <math.h>

#include "host/math/vec3.h"

const sn_cook_fibres *sn_input_fibres(const sn_cook_context *cook)
{
    return cook->desc->fibres ? cook->desc->fibres : cook->sidecar.has_fibres ? &cook->sidecar.fibres : NULL;
}

const char *sn_input_fibres_name(const sn_cook_fibres *fibres)
{
    return fibres->name ? fibres->name : "fibres";
}

static int degree_of(const sn_cook_curve *c)
{
    return c->degree > 0 ? c->degree : c->point_count > 3 ? 3 : c->point_count - 1;
}

sn_result sn_input_fibres_curve(const sn_cook_curve *c, const sn_cook_context *cook, sn_arena *arena, sn_nurbs *curve)
{
    const size_t n = (size_t)c->point_count;
    const int degree = degree_of(c);
    double *points = SN_NEW(arena, double, 3 * n), *weights = SN_NEW(arena, double, n);
    double *knots = SN_NEW(arena, double, n + (size_t)degree + 1);
    if (!points || !weights || !knots) {
        return SN_ERROR_MEMORY;
    }
    for (size_t i = 0; i < 3 * n; ++i) {
        points[i] = cook ? (c->points[i] - cook->origin[i % 3]) * cook->scale : c->points[i];
        weights[i / 3] = c->weights ? c->weights[i / 3] : 1;
    }
    sn_nurbs_clamped_knots(degree, c->point_count, knots);
    *curve = (sn_nurbs){degree, c->point_count, points, weights, c->knots ? c->knots : knots};
    return SN_OK;
}

static sn_result check_curve(const sn_cook_fibres *fibres, int index)
{
    const sn_cook_curve *c = &fibres->curves[index];
    sn_arena scratch = {0};
    sn_nurbs curve;
    if (c->point_count < 2 || c->point_count > SN_CURVE_POINT_LIMIT || degree_of(c) < 1 ||
        degree_of(c) > SN_NURBS_DEGREE_LIMIT) {
        return sn_fail(
            SN_ERROR_ARGUMENT,
            "%s: fibres.curves[%d]: %d points of degree %d; a curve has 2 to %d points and a degree of 1 to %d",
            sn_input_fibres_name(fibres), index, c->point_count, c->degree, SN_CURVE_POINT_LIMIT,
            SN_NURBS_DEGREE_LIMIT);
    }
    for (int i = 0; i < 3 * c->point_count; ++i) {
        if (!(fabs(c->points[i]) < 1e30)) {
            return sn_fail(SN_ERROR_ARGUMENT, "%s: fibres.curves[%d].points[%d]: is not finite, or beyond 1e30",
                           sn_input_fibres_name(fibres), index, i / 3);
        }
    }
    sn_result result = sn_input_fibres_curve(c, NULL, &scratch, &curve);
    const char *fault = result == SN_OK ? sn_nurbs_fault(&curve) : NULL;
    if (fault) {
        result = sn_fail(SN_ERROR_ARGUMENT, "%s: fibres.curves[%d].%s", sn_input_fibres_name(fibres), index, fault);
    } else if (result == SN_OK &&
               (!(c->influence_radius >= 0 && isfinite(c->influence_radius)) || !isfinite(sn_length3(c->normal)))) {
        result = sn_fail(SN_ERROR_ARGUMENT, "%s: fibres.curves[%d]: reach or normal is not finite",
                         sn_input_fibres_name(fibres), index);
    }
    sn_arena_finish(&scratch);
    return result;
}

sn_result sn_input_fibres_check(const sn_cook_fibres *fibres)
{
    if (fibres->curve_count < 0 || fibres->curve_count > SN_CURVE_LIMIT) {
        return sn_fail(SN_ERROR_ARGUMENT, "%s: fibres.curves: %d curves; the limit is 0 to %d",
                       sn_input_fibres_name(fibres), fibres->curve_count, SN_CURVE_LIMIT);
    }
    for (int i = 0; i < 6; ++i) {
        const double factor = i < 3 ? fibres->stretch[i] : fibres->shear[i - 3];
        if (factor != 0 && !(factor >= SN_MIN_FACTOR && factor <= SN_MAX_FACTOR)) {
            return sn_fail(SN_ERROR_ARGUMENT, "%s: fibres.%s[%d]: %g is outside 1e-6 to 1e6",
                           sn_input_fibres_name(fibres), i < 3 ? "stretch" : "shear", i % 3, factor);
        }
    }
    for (int i = 0; i < fibres->curve_count; ++i) {
        SN_TRY(check_curve(fibres, i));
    }
    return SN_OK;
}
