/* SPDX-License-Identifier: MIT */
/* Embeds the surface in the mesh. Each surface vertex lies in a tet that contains a piece of its own triangle. Each
 * node is assigned the nearest surface point inside its own tets. */
#include "author/mesher/tets.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "host/math/vec3.h"

static double min_of(const double *weights)
{
    return fmin(fmin(weights[0], weights[1]), fmin(weights[2], weights[3]));
}

/* Chooses for each unique vertex the tet in which it lies deepest, among those that contain a piece with that corner.
 * On a lattice plane there are several, and all vertices at one position must choose the same tet. */
static void choose_tets(const sn_fragments *f, const sn_tets *tets, int32_t *unique_tets, double *depths)
{
    const sn_surface *s = &f->context->surface;
    for (int i = 0; i < s->unique_count; ++i) {
        depths[i] = -DBL_MAX;
    }
    for (int i = 0; i < f->pieces->count; ++i) {
        const sn_piece *piece = &f->pieces->pieces[i];
        for (size_t k = 0; k < 3 && piece->point_bits; ++k) {
            if (!(piece->point_bits >> k & 1)) {
                continue;
            }
            const int32_t v = s->triangles[3 * (size_t)piece->triangle + k], unique = s->unique_vertices[v];
            double weights[4];
            const int32_t tet = sn_tets_of_piece(f, tets, i);
            sn_tets_weights(tets, tet, s->positions + 3 * (size_t)v, weights);
            if (min_of(weights) > depths[unique]) {
                depths[unique] = min_of(weights);
                unique_tets[unique] = tet;
            }
        }
    }
}

/* Clamps small negative weights from rounding to zero and normalizes. */
static void clean_weights(double *weights)
{
    double sum = 0;
    for (int k = 0; k < 4; ++k) {
        weights[k] = weights[k] < 0 && weights[k] > -1e-9 ? 0 : weights[k];
        sum += weights[k];
    }
    for (int k = 0; k < 4; ++k) {
        weights[k] /= sum;
    }
}

sn_result sn_tets_embed(const sn_fragments *fragments, const sn_tets *tets, int32_t *vertex_tets, double *weights)
{
    const sn_surface *s = &fragments->context->surface;
    sn_arena scratch = {0};
    int32_t *unique_tets = SN_NEW(&scratch, int32_t, s->unique_count);
    double *depths = SN_NEW(&scratch, double, s->unique_count);
    const bool is_ok = unique_tets && depths;
    if (is_ok) {
        choose_tets(fragments, tets, unique_tets, depths);
        for (int v = 0; v < s->vertex_count; ++v) {
            double *w = weights + 4 * (size_t)v;
            vertex_tets[v] = s->unique_vertices[v] < 0 ? 0 : unique_tets[s->unique_vertices[v]];
            w[0] = w[1] = w[2] = w[3] = 0.25;
            if (s->unique_vertices[v] >= 0) {
                sn_tets_weights(tets, vertex_tets[v], s->positions + 3 * (size_t)v, w);
                clean_weights(w);
            }
        }
    }
    sn_arena_finish(&scratch);
    return is_ok ? SN_OK : SN_ERROR_MEMORY;
}

static double distance2_at(const double *const *x, const double *barycentric, const double *point)
{
    double sum = 0;
    for (int d = 0; d < 3; ++d) {
        const double at = barycentric[0] * x[0][d] + barycentric[1] * x[1][d] + barycentric[2] * x[2][d] - point[d];
        sum += at * at;
    }
    return sum;
}

/* Computes the barycentric coordinates of the nearest point of a triangle. Returns the squared distance. */
static double nearest_on_triangle(const double *const *x, const double *point, double *barycentric)
{
    double ab[3], ac[3], ap[3];
    sn_subtract3(x[1], x[0], ab);
    sn_subtract3(x[2], x[0], ac);
    sn_subtract3(point, x[0], ap);
    const double bb = sn_dot3(ab, ab), bc = sn_dot3(ab, ac), cc = sn_dot3(ac, ac);
    const double pb = sn_dot3(ap, ab), pc = sn_dot3(ap, ac), determinant = bb * cc - bc * bc;
    const double v = (cc * pb - bc * pc) / determinant, w = (bb * pc - bc * pb) / determinant;
    if (determinant > 1e-12 * bb * cc && v >= 0 && w >= 0 && v + w <= 1) {
        barycentric[0] = 1 - v - w, barycentric[1] = v, barycentric[2] = w;
        return distance2_at(x, barycentric, point);
    }
    double min_distance2 = DBL_MAX;
    for (int k = 0; k < 3; ++k) {
        const int next = (k + 1) % 3;
        double candidate[3] = {0, 0, 0};
        candidate[next] = sn_segment_nearest(point, x[k], x[next]);
        candidate[k] = 1 - candidate[next];
        const double distance2 = distance2_at(x, candidate, point);
        if (distance2 < min_distance2) {
            min_distance2 = distance2;
            memcpy(barycentric, candidate, sizeof candidate);
        }
    }
    return min_distance2;
}

sn_result sn_tets_nearest(const sn_fragments *fragments, const sn_tets *tets, int32_t *triangles, double *barycentric)
{
    const sn_surface *s = &fragments->context->surface;
    sn_arena scratch = {0};
    double *min_distance2 = SN_NEW(&scratch, double, tets->node_count);
    if (!min_distance2) {
        return SN_ERROR_MEMORY;
    }
    for (int n = 0; n < tets->node_count; ++n) {
        min_distance2[n] = DBL_MAX;
        triangles[n] = -1;
        memset(barycentric + 3 * (size_t)n, 0, 3 * sizeof *barycentric);
    }
    for (int i = 0; i < fragments->pieces->count; ++i) {
        const int32_t t = fragments->pieces->pieces[i].triangle, tet = sn_tets_of_piece(fragments, tets, i);
        const double *x[3] = {sn_surface_corner(s, t, 0), sn_surface_corner(s, t, 1), sn_surface_corner(s, t, 2)};
        for (int k = 0; k < 4; ++k) {
            const int32_t node = tets->nodes[4 * (size_t)tet + (size_t)k];
            double candidate[3];
            const double distance2 = nearest_on_triangle(x, tets->positions + 3 * (size_t)node, candidate);
            if (distance2 < min_distance2[node]) {
                min_distance2[node] = distance2;
                triangles[node] = t;
                memcpy(barycentric + 3 * (size_t)node, candidate, sizeof candidate);
            }
        }
    }
    sn_arena_finish(&scratch);
    return SN_OK;
}
