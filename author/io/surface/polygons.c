/* SPDX-License-Identifier: MIT */
#include "author/io/surface/polygons.h"

#include <math.h>

#define MIN_AREA_RATIO 1e-6 /* min. twice the triangle area / squared longest edge */

/* A planar polygon and its remaining corners. */
typedef struct ring {
    double x[SN_MAX_EAR_CORNERS], y[SN_MAX_EAR_CORNERS];
    uint16_t next[SN_MAX_EAR_CORNERS], previous[SN_MAX_EAR_CORNERS];
    bool is_ear[SN_MAX_EAR_CORNERS];
    size_t count; /* number of corners */
} ring;

/* Newell's normal; its length is twice the area. */
static void polygon_normal(const float *positions, const int32_t *corners, size_t count, double normal[3])
{
    normal[0] = normal[1] = normal[2] = 0;
    for (size_t i = 0; i < count; i++) {
        const float *a = positions + (size_t)corners[i] * 3;
        const float *b = positions + (size_t)corners[i + 1 < count ? i + 1 : 0] * 3;
        for (int k = 0; k < 3; k++) {
            const int u = (k + 1) % 3;
            const int v = (k + 2) % 3;
            normal[k] += ((double)a[u] - b[u]) * ((double)a[v] + b[v]);
        }
    }
}

/* Projects along the dominant axis of the normal, so that the polygon is counter-clockwise. */
static void project(ring *r, const float *positions, const int32_t *corners, const double normal[3])
{
    int axis = fabs(normal[1]) > fabs(normal[0]) ? 1 : 0;
    axis = fabs(normal[2]) > fabs(normal[axis]) ? 2 : axis;
    const int u = (axis + 1) % 3;
    const int v = (axis + 2) % 3;
    const double sign = normal[axis] < 0 ? -1 : 1;
    for (size_t i = 0; i < r->count; i++) {
        const float *position = positions + (size_t)corners[i] * 3;
        r->x[i] = sign * (double)position[u];
        r->y[i] = position[v];
        r->next[i] = (uint16_t)(i + 1 < r->count ? i + 1 : 0);
        r->previous[i] = (uint16_t)(i > 0 ? i - 1 : r->count - 1);
    }
}

/* Twice the signed area of a b c; positive if counter-clockwise. */
static double signed_area(const ring *r, size_t a, size_t b, size_t c)
{
    return (r->x[b] - r->x[a]) * (r->y[c] - r->y[a]) - (r->y[b] - r->y[a]) * (r->x[c] - r->x[a]);
}

static double squared_edge(const ring *r, size_t a, size_t b)
{
    return (r->x[b] - r->x[a]) * (r->x[b] - r->x[a]) + (r->y[b] - r->y[a]) * (r->y[b] - r->y[a]);
}

/* Whether the triangle is counter-clockwise and not degenerate within float precision. */
static bool has_area(const ring *r, size_t a, size_t b, size_t c)
{
    const double max_squared_edge = fmax(squared_edge(r, a, b), fmax(squared_edge(r, b, c), squared_edge(r, c, a)));
    return signed_area(r, a, b, c) > MIN_AREA_RATIO * max_squared_edge;
}

/* Whether the polygon is convex and its fan has no degenerate triangle (from collinear corners). */
static bool is_fan(const ring *r)
{
    bool is_valid = true;
    for (size_t i = 0; i < r->count && is_valid; i++) {
        is_valid = signed_area(r, r->previous[i], i, r->next[i]) >= 0 && (i < 2 || has_area(r, 0, i - 1, i));
    }
    return is_valid;
}

static bool is_same_point(const ring *r, size_t a, size_t b)
{
    return r->x[a] == r->x[b] && r->y[a] == r->y[b];
}

/* Whether the triangle contains a point. Points equal to a corner, as on bridges to holes, do not count. */
static bool is_in_triangle(const ring *r, size_t a, size_t b, size_t c, size_t point)
{
    return signed_area(r, a, b, point) >= 0 && signed_area(r, b, c, point) >= 0 && signed_area(r, c, a, point) >= 0 &&
           !is_same_point(r, a, point) && !is_same_point(r, b, point) && !is_same_point(r, c, point);
}

static bool find_ear(const ring *r, size_t tip)
{
    const size_t a = r->previous[tip];
    const size_t c = r->next[tip];
    if (!has_area(r, a, tip, c)) {
        return false;
    }
    for (size_t i = r->next[c]; i != a; i = r->next[i]) {
        if (is_in_triangle(r, a, tip, c, i)) {
            return false;
        }
    }
    return true;
}

static void put_triangle(int32_t *triangle, const int32_t *ids, size_t a, size_t b, size_t c)
{
    triangle[0] = ids[a];
    triangle[1] = ids[b];
    triangle[2] = ids[c];
}

static void fan(const int32_t *ids, size_t count, int32_t *triangles)
{
    for (size_t i = 2; i < count; i++) {
        put_triangle(triangles + (i - 2) * 3, ids, 0, i - 1, i);
    }
}

static void cut(ring *r, size_t tip)
{
    const size_t a = r->previous[tip];
    const size_t c = r->next[tip];
    r->next[a] = (uint16_t)c;
    r->previous[c] = (uint16_t)a;
    r->is_ear[a] = find_ear(r, a);
    r->is_ear[c] = find_ear(r, c);
}

/* Cuts ears. Only the neighbors of a cut ear are retested, so that each corner is tested a constant number of times. */
static void cut_ears(ring *r, const int32_t *ids, int32_t *triangles)
{
    for (size_t i = 0; i < r->count; i++) {
        r->is_ear[i] = find_ear(r, i);
    }
    size_t at = 0;
    size_t left = r->count;
    for (size_t steps = 0; left > 3 && steps < left;) {
        if (!r->is_ear[at]) {
            at = r->next[at];
            steps++;
            continue;
        }
        put_triangle(triangles, ids, r->previous[at], at, r->next[at]);
        triangles += 3;
        cut(r, at);
        at = r->next[r->next[at]]; /* skipping one corner gives fewer slivers */
        left--;
        steps = 0;
    }
    for (size_t b = r->next[at]; left > 2; left--, b = r->next[b], triangles += 3) {
        put_triangle(triangles, ids, at, b, r->next[b]);
    }
}

sn_result sn_polygons_add(sn_polygons *polygons, const float *positions, const int32_t *corners, const int32_t *ids,
                          size_t count)
{
    if (count < 3) {
        polygons->skipped_count++;
        return SN_OK;
    }
    int32_t *triangles = sn_list_add(&polygons->triangles, sizeof(int32_t[3]), count - 2);
    if (!triangles) {
        return SN_ERROR_MEMORY;
    }
    if (count == 3 || count > SN_MAX_EAR_CORNERS) {
        fan(ids, count, triangles);
        return SN_OK;
    }
    double normal[3];
    ring r; /* not zeroed; project fills the used part */
    r.count = count;
    polygon_normal(positions, corners, count, normal);
    project(&r, positions, corners, normal);
    if (is_fan(&r)) {
        fan(ids, count, triangles);
    } else {
        cut_ears(&r, ids, triangles);
    }
    return SN_OK;
}

sn_result sn_polygons_finish(const sn_polygons *polygons, const sn_text *text)
{
    if (polygons->skipped_count > 0) {
        sn_log(SN_LOG_WARNING, "%s: %lld faces with fewer than 3 corners are ignored", text->name,
               (long long)polygons->skipped_count);
    }
    if (polygons->triangles.count > 0) {
        return SN_OK;
    }
    sn_text end = *text;
    end.item_offset = end.offset;
    end.item_line = end.line;
    return sn_text_fail(&end, "the file has no triangles");
}
