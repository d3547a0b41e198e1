/* SPDX-License-Identifier: MIT */
#include "author/frames/nurbs.h"

#include <math.h>
#include <string.h>

#include "host/math/vec3.h"

#define MIN_SAMPLES 8 /* samples per knot span */
#define MAX_SAMPLES 128

static bool is_discontinuous(const sn_nurbs *c)
{
    const int count = c->point_count + c->degree + 1;
    int run = 1;
    bool has_break = false;
    for (int i = 1; i <= count && !has_break; ++i) {
        if (i < count && c->knots[i] == c->knots[i - 1]) {
            ++run;
            continue;
        }
        const bool is_end = run == i || i == count;
        has_break = run > c->degree + (is_end ? 1 : 0);
        run = 1;
    }
    return has_break;
}

const char *sn_nurbs_fault(const sn_nurbs *c)
{
    if (c->degree < 1 || c->degree > SN_NURBS_DEGREE_LIMIT) {
        return "degree: must be from 1 to 7";
    }
    if (c->point_count <= c->degree) {
        return "points: must be more than the degree";
    }
    for (int i = 0; i < c->point_count; ++i) {
        if (!(c->weights[i] > 0 && isfinite(c->weights[i]))) {
            return "weights: must be above 0";
        }
    }
    for (int i = 0; i < c->point_count + c->degree + 1; ++i) {
        if (!isfinite(c->knots[i]) || (i > 0 && c->knots[i] < c->knots[i - 1])) {
            return "knots: must ascend";
        }
    }
    if (!(c->knots[c->degree] < c->knots[c->point_count])) {
        return "knots: the range of the curve must not be empty";
    }
    return is_discontinuous(c) ? "knots: too many are equal; the curve is not continuous" : NULL;
}

void sn_nurbs_clamped_knots(int degree, int point_count, double *knots)
{
    const int spans = point_count - degree;
    for (int i = 0; i < point_count + degree + 1; ++i) {
        knots[i] = fmin(fmax((double)(i - degree) / spans, 0), 1);
    }
}

/* Returns k with knots[k] <= u < knots[k + 1]; at the end of the curve, the last span with nonzero length. */
static int find_span(const sn_nurbs *c, double u)
{
    int low = c->degree, high = c->point_count;
    while (high - low > 1) {
        const int mid = low + (high - low) / 2;
        low = c->knots[mid] <= u ? mid : low;
        high = c->knots[mid] <= u ? high : mid;
    }
    while (low > c->degree && !(c->knots[low] < c->knots[low + 1])) {
        --low;
    }
    return low;
}

void sn_nurbs_evaluate(const sn_nurbs *c, double u, double *point, double *derivative)
{
    double d[SN_NURBS_DEGREE_LIMIT + 1][4], slope[4] = {0};
    const int p = c->degree;
    u = fmin(fmax(u, c->knots[p]), c->knots[c->point_count]);
    const int k = find_span(c, u);
    for (int j = 0; j <= p; ++j) {
        const int at = k - p + j;
        for (int i = 0; i < 4; ++i) {
            d[j][i] = c->weights[at] * (i < 3 ? c->points[3 * at + i] : 1);
        }
    }
    for (int level = 1; level <= p; ++level) {
        for (int i = 0; i < 4 && level == p; ++i) {
            slope[i] = p * (d[p][i] - d[p - 1][i]) / (c->knots[k + 1] - c->knots[k]);
        }
        for (int j = p; j >= level; --j) {
            const double from = c->knots[k - p + j], to = c->knots[k + 1 + j - level];
            const double fraction = (u - from) / (to - from); /* from <= knots[k] < knots[k + 1] <= to */
            for (int i = 0; i < 4; ++i) {
                d[j][i] = (1 - fraction) * d[j - 1][i] + fraction * d[j][i];
            }
        }
    }
    for (int i = 0; i < 3; ++i) {
        point[i] = d[p][i] / d[p][3];
        if (derivative) {
            derivative[i] = (slope[i] - slope[3] * point[i]) / d[p][3];
        }
    }
}

static int count_samples(const sn_nurbs *c, int span, double spacing)
{
    double length = 0;
    for (int i = span - c->degree; i < span; ++i) {
        length += sn_distance3(c->points + 3 * (size_t)i, c->points + 3 * (size_t)i + 3);
    }
    return (int)fmin(fmax(ceil(length / spacing), MIN_SAMPLES), MAX_SAMPLES);
}

/* Normalizes the tangents. Where a tangent is zero, the previous direction is used. */
static void normalize_tangents(sn_nurbs_samples *s)
{
    static const double along_y[3] = {0, 1, 0};
    const double *previous = along_y;
    for (int i = s->count - 1; i >= 0; --i) { /* finds the first nonzero tangent */
        previous = sn_length3(s->tangents + 3 * (size_t)i) > 0 ? s->tangents + 3 * (size_t)i : previous;
    }
    double first[3];
    memcpy(first, previous, sizeof first);
    sn_normalize3(first, along_y);
    previous = first;
    for (int i = 0; i < s->count; ++i) {
        sn_normalize3(s->tangents + 3 * (size_t)i, previous);
        previous = s->tangents + 3 * (size_t)i;
    }
}

sn_result sn_nurbs_sample(const sn_nurbs *c, double spacing, sn_arena *arena, sn_nurbs_samples *samples)
{
    size_t capacity = 1;
    for (int span = c->degree; span < c->point_count; ++span) {
        capacity += c->knots[span] < c->knots[span + 1] ? (size_t)count_samples(c, span, spacing) : 0;
    }
    *samples = (sn_nurbs_samples){.points = SN_NEW(arena, double, 3 * capacity),
                                  .tangents = SN_NEW(arena, double, 3 * capacity)};
    if (!samples->points || !samples->tangents) {
        return SN_ERROR_MEMORY;
    }
    for (int span = c->degree; span < c->point_count; ++span) {
        const double from = c->knots[span], to = c->knots[span + 1];
        const int sample_count = from < to ? count_samples(c, span, spacing) : 0;
        for (int i = 0; i < sample_count; ++i, ++samples->count) {
            const size_t at = 3 * (size_t)samples->count;
            sn_nurbs_evaluate(c, from + (to - from) * i / sample_count, samples->points + at, samples->tangents + at);
        }
    }
    const size_t at = 3 * (size_t)samples->count++;
    sn_nurbs_evaluate(c, c->knots[c->point_count], samples->points + at, samples->tangents + at);
    normalize_tangents(samples);
    return SN_OK;
}
