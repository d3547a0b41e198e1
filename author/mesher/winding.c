/* SPDX-License-Identifier: MIT */
/* Fast winding numbers: Barill, Dickson, Schmidt, Levin, Jacobson 2018, with the first two terms of the expansion
 * (dipole and its gradient) and beta = 2. Nearer triangles use their exact solid angle (van Oosterom, Strackee 1983).
 * Unlike the paper, the tree sorts triangles along a Morton curve and halves ranges; it is balanced, so the traversal
 * needs only a small fixed stack. The paper's third term changes nothing at a threshold of 1/2. */
#include "author/mesher/winding.h"

#include <math.h>
#include <string.h>

#include "host/math/vec3.h"
#include "host/mesh/morton.h"

#define BETA 2.0
#define LEAF_SIZE 8
#define PI 3.14159265358979323846

struct sn_winding_node {
    double centre[3];
    double far_distance2; /* squared distance beyond which the expansion is used */
    double normal[3];     /* sum of area vectors */
    double moments[9];    /* sum of (triangle's centroid - centre) (x) area vector */
    int32_t first, count;
    int32_t right; /* right child; the left child is the next node; 0: a leaf */
};

static void centroid(const double *corners, double *result)
{
    for (int d = 0; d < 3; ++d) {
        result[d] = (corners[d] + corners[3 + d] + corners[6 + d]) / 3;
    }
}

static void area_vector(const double *corners, double *result)
{
    double a[3], b[3];
    sn_subtract3(corners + 3, corners, a);
    sn_subtract3(corners + 6, corners, b);
    sn_cross3(a, b, result);
    for (int d = 0; d < 3; ++d) {
        result[d] /= 2;
    }
}

/* Computes the area-weighted center of a range of triangles. */
static void find_centre(const sn_winding *w, sn_winding_node *node)
{
    double total = 0, mean[3] = {0, 0, 0};
    for (int i = 0; i < node->count; ++i) {
        const double *corners = w->corners + 9 * (size_t)(node->first + i);
        double area[3], at[3];
        area_vector(corners, area);
        centroid(corners, at);
        const double size = sn_length3(area) + 1e-30;
        total += size;
        for (int d = 0; d < 3; ++d) {
            mean[d] += size * at[d];
        }
    }
    for (int d = 0; d < 3; ++d) {
        node->centre[d] = mean[d] / total;
    }
}

static void expand_node(const sn_winding *w, sn_winding_node *node)
{
    double radius = 0;
    find_centre(w, node);
    for (int i = 0; i < node->count; ++i) {
        const double *corners = w->corners + 9 * (size_t)(node->first + i);
        double area[3], at[3];
        area_vector(corners, area);
        centroid(corners, at);
        for (int k = 0; k < 3; ++k) {
            radius = fmax(radius, sn_distance3(corners + 3 * k, node->centre));
        }
        for (int j = 0; j < 3; ++j) {
            node->normal[j] += area[j];
            for (int k = 0; k < 3; ++k) {
                node->moments[3 * j + k] += (at[j] - node->centre[j]) * area[k];
            }
        }
    }
    node->far_distance2 = BETA * BETA * radius * radius;
}

/* Creates nodes in preorder. Right halves are below left halves on the stack. */
static void build_nodes(sn_winding *w)
{
    struct {
        int32_t first, count, parent; /* node whose right child this is, or -1 */
    } stack[64] = {{0, w->triangle_count, -1}};
    for (int depth = 1; depth > 0;) {
        const int32_t first = stack[--depth].first, count = stack[depth].count, parent = stack[depth].parent;
        const int32_t index = w->node_count++;
        sn_winding_node *node = &w->nodes[index];
        node->first = first;
        node->count = count;
        expand_node(w, node);
        if (parent >= 0) {
            w->nodes[parent].right = index;
        }
        if (count > LEAF_SIZE) {
            stack[depth].first = first + count / 2;
            stack[depth].count = count - count / 2;
            stack[depth++].parent = index;
            stack[depth].first = first;
            stack[depth].count = count / 2;
            stack[depth++].parent = -1;
        }
    }
}

static sn_result sort_triangles(const sn_surface *surface, int32_t solid, sn_arena *arena, sn_winding *w)
{
    sn_arena scratch = {0};
    sn_morton_key *keys = SN_NEW(&scratch, sn_morton_key, surface->triangle_count);
    w->triangle_count = 0;
    for (int32_t t = 0; keys && t < surface->triangle_count; ++t) {
        double corners[9], at[3];
        if (solid == 0 || surface->solids[t] == solid) {
            for (int k = 0; k < 3; ++k) {
                memcpy(corners + 3 * k, sn_surface_corner(surface, t, k), 3 * sizeof(double));
            }
            centroid(corners, at);
            keys[w->triangle_count++] = (sn_morton_key){sn_morton_code(at), t};
        }
    }
    w->corners = keys ? SN_NEW(arena, double, 9 * (size_t)w->triangle_count) : NULL;
    if (w->corners) {
        sn_morton_sort(keys, (size_t)w->triangle_count);
        for (int i = 0; i < w->triangle_count; ++i) {
            for (int k = 0; k < 3; ++k) {
                memcpy(w->corners + 9 * (size_t)i + 3 * k, sn_surface_corner(surface, keys[i].index, k),
                       3 * sizeof(double));
            }
        }
    }
    sn_arena_finish(&scratch);
    return w->corners ? SN_OK : SN_ERROR_MEMORY;
}

sn_result sn_winding_build(const sn_surface *surface, int32_t solid, sn_arena *arena, sn_winding *winding)
{
    *winding = (sn_winding){0};
    const sn_result result = sort_triangles(surface, solid, arena, winding);
    if (result != SN_OK) {
        return result;
    }
    /* leaves have more than LEAF_SIZE / 2 triangles, unless the tree is a single leaf */
    winding->nodes = SN_NEW(arena, sn_winding_node, winding->triangle_count / (LEAF_SIZE / 2) * 2 + 1);
    if (!winding->nodes) {
        return SN_ERROR_MEMORY;
    }
    build_nodes(winding);
    return SN_OK;
}

/* Returns the signed fraction of the sphere that a triangle covers. */
static double solid_angle(const double *corners, const double *point)
{
    double a[3], b[3], c[3], normal[3];
    sn_subtract3(corners, point, a);
    sn_subtract3(corners + 3, point, b);
    sn_subtract3(corners + 6, point, c);
    const double la = sn_length3(a), lb = sn_length3(b), lc = sn_length3(c);
    sn_cross3(b, c, normal);
    const double numerator = sn_dot3(a, normal);
    const double denominator = la * lb * lc + sn_dot3(a, b) * lc + sn_dot3(b, c) * la + sn_dot3(c, a) * lb;
    return atan2(numerator, denominator) / (2 * PI);
}

/* With r from the point to the node's center: n.r / |r|^3, and the gradient of r / |r|^3 times the moments. */
static double expansion(const sn_winding_node *node, const double *r, double distance2)
{
    const double *m = node->moments;
    const double inverse = 1 / sqrt(distance2), inverse3 = inverse / distance2;
    const double trace = m[0] + m[4] + m[8];
    const double quadratic = r[0] * sn_dot3(m, r) + r[1] * sn_dot3(m + 3, r) + r[2] * sn_dot3(m + 6, r);
    return (sn_dot3(node->normal, r) + trace - 3 * quadratic / distance2) * inverse3 / (4 * PI);
}

double sn_winding_at(const sn_winding *winding, const double *point)
{
    double sum = 0;
    int32_t stack[64];
    int depth = 0;
    for (int32_t next = 0; winding->triangle_count > 0;) {
        const sn_winding_node *node = &winding->nodes[next];
        double r[3];
        sn_subtract3(node->centre, point, r);
        const double distance2 = sn_dot3(r, r);
        const bool is_far = distance2 > node->far_distance2;
        if (!is_far && node->right) {
            stack[depth++] = node->right;
            ++next;
            continue;
        }
        if (is_far) {
            sum += expansion(node, r, distance2);
        }
        for (int i = 0; i < node->count && !is_far; ++i) {
            sum += solid_angle(winding->corners + 9 * (size_t)(node->first + i), point);
        }
        if (depth == 0) {
            break;
        }
        next = stack[--depth];
    }
    return sum;
}
