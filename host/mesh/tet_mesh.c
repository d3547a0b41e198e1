/* SPDX-License-Identifier: MIT */
/* Tetrahedral meshes: validation and repair, linear finite-element gradients, lumped mass, face neighbours, boundary.
 * Faces and tets are matched by counting sorts of their sorted vertex indices: linear time, deterministic order. */
#include "host/mesh/tet_mesh.h"

#include <math.h>
#include <string.h>

#include "host/math/vec3.h"
#include "host/mesh/flat_mesh.h"

/* |V| / (longest edge)^3 of a degenerate tet: a few dozen roundings of its determinant. The flattest slivers of mesh
 * generators stay above 1e-8. */
#define FLAT_TOLERANCE 1e-14

/* Corners of the face opposite corner k, counter-clockwise from outside a positively oriented tet. */
static const int face_corners[4][3] = {{1, 2, 3}, {0, 3, 2}, {0, 1, 3}, {0, 2, 1}};
/* For triangles of a flat mesh: the edge opposite corner k. */
static const int edge_corners[3][2] = {{1, 2}, {2, 0}, {0, 1}};

static void edge(const sn_tet_mesh *mesh, const int32_t *tet, int corner, double e[3])
{
    for (int d = 0; d < 3; d++) {
        e[d] = mesh->positions[3 * (size_t)tet[corner] + (size_t)d] - mesh->positions[3 * (size_t)tet[0] + (size_t)d];
    }
}

double sn_tet_volume(const sn_tet_mesh *mesh, int tet)
{
    if (mesh->is_flat) {
        return sn_flat_area(mesh, tet);
    }
    const int32_t *v = mesh->tets + 4 * (size_t)tet;
    double e1[3], e2[3], e3[3], normal[3];
    edge(mesh, v, 1, e1);
    edge(mesh, v, 2, e2);
    edge(mesh, v, 3, e3);
    sn_cross3(e2, e3, normal);
    return sn_dot3(e1, normal) / 6;
}

void sn_tet_gradients(const sn_tet_mesh *mesh, double *gradients, double *volumes)
{
    if (mesh->is_flat) {
        sn_flat_gradients(mesh, gradients, volumes);
        return;
    }
    for (int t = 0; t < mesh->tet_count; t++) {
        const int32_t *v = mesh->tets + 4 * (size_t)t;
        double *g = gradients + 12 * (size_t)t;
        double e1[3], e2[3], e3[3];
        edge(mesh, v, 1, e1);
        edge(mesh, v, 2, e2);
        edge(mesh, v, 3, e3);
        /* Rows of the inverse of [e1 e2 e3]: the cofactors over the determinant. */
        sn_cross3(e2, e3, g + 3);
        sn_cross3(e3, e1, g + 6);
        sn_cross3(e1, e2, g + 9);
        const double determinant = sn_dot3(e1, g + 3);
        for (int k = 3; k < 12; k++) {
            g[k] /= determinant;
        }
        for (int d = 0; d < 3; d++) {
            g[d] = -(g[3 + d] + g[6 + d] + g[9 + d]);
        }
        volumes[t] = determinant / 6;
    }
}

void sn_tet_lumped_mass(const sn_tet_mesh *mesh, const double *volumes, const double *scale, double *mass)
{
    memset(mass, 0, sizeof(double) * (size_t)mesh->vertex_count);
    for (int t = 0; t < mesh->tet_count; t++) {
        const double own = volumes[t] * (scale ? scale[t] : 1);
        for (int k = 0; k < 4; k++) {
            mass[mesh->tets[4 * (size_t)t + (size_t)k]] += sn_tet_corner_fraction(mesh, k) * own;
        }
    }
}

/* ---- sorting ---- */

/* `count` keys of `width` vertex indices each, and their sorted order. */
typedef struct key_list {
    size_t count;
    size_t width;
    int32_t *keys; /* (count x width) */
    int32_t *order;
} key_list;

static void sort_ascending(int32_t *values, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        const int32_t value = values[i];
        size_t k = i;
        for (; k > 0 && values[k - 1] > value; k--) {
            values[k] = values[k - 1];
        }
        values[k] = value;
    }
}

/* Stable counting sorts from the last column of the keys to the first. */
static sn_result sort_keys(key_list *list, int vertex_count, sn_arena *scratch)
{
    const size_t buckets = (size_t)vertex_count + 1;
    int32_t *starts = SN_NEW(scratch, int32_t, buckets);
    int32_t *sorted = SN_NEW(scratch, int32_t, list->count);
    list->order = SN_NEW(scratch, int32_t, list->count);
    if (!starts || !sorted || !list->order) {
        return SN_ERROR_MEMORY;
    }
    for (size_t i = 0; i < list->count; i++) {
        list->order[i] = (int32_t)i;
    }
    for (size_t column = list->width; column-- > 0;) {
        memset(starts, 0, sizeof *starts * buckets);
        for (size_t i = 0; i < list->count; i++) {
            starts[list->keys[i * list->width + column] + 1]++;
        }
        for (size_t v = 1; v < buckets; v++) {
            starts[v] += starts[v - 1];
        }
        for (size_t i = 0; i < list->count; i++) {
            const int32_t item = list->order[i];
            sorted[starts[list->keys[(size_t)item * list->width + column]]++] = item;
        }
        int32_t *swapped = list->order;
        list->order = sorted;
        sorted = swapped;
    }
    return SN_OK;
}

static bool keys_equal(const key_list *list, size_t i, size_t j)
{
    const int32_t *a = list->keys + (size_t)list->order[i] * list->width;
    const int32_t *b = list->keys + (size_t)list->order[j] * list->width;
    return memcmp(a, b, sizeof *a * list->width) == 0;
}

/* ---- validation ---- */

static sn_result check_corners(const sn_tet_mesh *mesh, const char *name)
{
    for (int t = 0; t < mesh->tet_count; t++) {
        const int32_t *v = mesh->tets + 4 * (size_t)t;
        for (int k = 0; k < 4; k++) {
            if (v[k] < 0 || v[k] >= mesh->vertex_count) {
                return sn_fail(SN_ERROR_FORMAT, "%s: tet %d uses vertex %d of %d", name, t, v[k], mesh->vertex_count);
            }
        }
        if (v[0] == v[1] || v[0] == v[2] || v[0] == v[3] || v[1] == v[2] || v[1] == v[3] || v[2] == v[3]) {
            return sn_fail(SN_ERROR_FORMAT, "%s: tet %d repeats a vertex (%d %d %d %d)", name, t, v[0], v[1], v[2],
                           v[3]);
        }
    }
    return SN_OK;
}

static double longest_edge(const sn_tet_mesh *mesh, int tet)
{
    double max_edge = 0;
    for (int a = 0; a < 4; a++) {
        for (int b = a + 1; b < 4; b++) {
            const double *p = mesh->positions + 3 * (size_t)mesh->tets[4 * (size_t)tet + (size_t)a];
            const double *q = mesh->positions + 3 * (size_t)mesh->tets[4 * (size_t)tet + (size_t)b];
            const double d[3] = {q[0] - p[0], q[1] - p[1], q[2] - p[2]};
            max_edge = fmax(max_edge, sn_dot3(d, d));
        }
    }
    return sqrt(max_edge);
}

/* Sign of the volume: 1, -1, or 0 for a tet that is degenerate or not finite. */
static int orientation(const sn_tet_mesh *mesh, int tet)
{
    const double volume = sn_tet_volume(mesh, tet);
    const double length = longest_edge(mesh, tet);
    if (!(fabs(volume) > FLAT_TOLERANCE * length * length * length)) {
        return 0;
    }
    return volume > 0 ? 1 : -1;
}

static void flip_all(sn_tet_mesh *mesh)
{
    for (int t = 0; t < mesh->tet_count; t++) {
        int32_t *v = mesh->tets + 4 * (size_t)t;
        const int32_t third = v[2];
        v[2] = v[3];
        v[3] = third;
    }
}

static sn_result check_orientation(sn_tet_mesh *mesh, const char *name)
{
    int negative_count = 0, first_negative = -1;
    for (int t = 0; t < mesh->tet_count; t++) {
        const int sign = orientation(mesh, t);
        if (sign == 0) {
            return sn_fail(SN_ERROR_FORMAT, "%s: tet %d has no volume", name, t);
        }
        if (sign < 0) {
            first_negative = negative_count++ == 0 ? t : first_negative;
        }
    }
    if (negative_count == mesh->tet_count && mesh->tet_count > 1) {
        flip_all(mesh);
        sn_log(SN_LOG_WARNING, "%s: all %d tets are inverted; flipped", name, mesh->tet_count);
        return SN_OK;
    }
    if (negative_count > 0) {
        return sn_fail(SN_ERROR_FORMAT, "%s: %d of %d tets are inverted, the first is tet %d", name, negative_count,
                       mesh->tet_count, first_negative);
    }
    return SN_OK;
}

static sn_result check_duplicates(const sn_tet_mesh *mesh, const char *name, sn_arena *scratch)
{
    key_list list = {.count = (size_t)mesh->tet_count, .width = 4};
    list.keys = SN_NEW(scratch, int32_t, 4 * list.count);
    if (!list.keys) {
        return SN_ERROR_MEMORY;
    }
    memcpy(list.keys, mesh->tets, sizeof *list.keys * 4 * list.count);
    for (size_t t = 0; t < list.count; t++) {
        sort_ascending(list.keys + 4 * t, 4);
    }
    const sn_result result = sort_keys(&list, mesh->vertex_count, scratch);
    if (result != SN_OK) {
        return result;
    }
    for (size_t i = 1; i < list.count; i++) {
        if (keys_equal(&list, i - 1, i)) {
            return sn_fail(SN_ERROR_FORMAT, "%s: tets %d and %d are the same", name, list.order[i - 1], list.order[i]);
        }
    }
    return SN_OK;
}

/* Moves the used vertices to the front, in order. old_indices receives their old indices. */
static sn_result remove_unused(sn_tet_mesh *mesh, const char *name, sn_arena *scratch, int32_t *old_indices)
{
    const size_t vertex_count = (size_t)mesh->vertex_count, corner_count = 4 * (size_t)mesh->tet_count;
    int32_t *new_index = SN_NEW(scratch, int32_t, vertex_count);
    if (!new_index) {
        return SN_ERROR_MEMORY;
    }
    for (size_t c = 0; c < corner_count; c++) {
        new_index[mesh->tets[c]] = 1;
    }
    int used_count = 0;
    for (size_t v = 0; v < vertex_count; v++) {
        if (new_index[v]) {
            memmove(mesh->positions + 3 * (size_t)used_count, mesh->positions + 3 * v, 3 * sizeof(double));
            old_indices[used_count] = (int32_t)v;
            new_index[v] = used_count++;
        }
    }
    for (size_t c = 0; c < corner_count; c++) {
        mesh->tets[c] = new_index[mesh->tets[c]];
    }
    if (used_count < mesh->vertex_count) {
        sn_log(SN_LOG_WARNING, "%s: removed %d vertices that no tet uses", name, mesh->vertex_count - used_count);
        mesh->vertex_count = used_count;
    }
    return SN_OK;
}

sn_result sn_tet_mesh_validate(sn_tet_mesh *mesh, const char *name, sn_arena *arena, int32_t **old_index)
{
    if (mesh->tet_count <= 0) {
        return sn_fail(SN_ERROR_FORMAT, "%s: no tet", name);
    }
    sn_arena scratch = {0};
    int32_t *old_indices = NULL;
    sn_result result = check_corners(mesh, name);
    if (result == SN_OK) {
        result = check_orientation(mesh, name);
    }
    if (result == SN_OK) {
        result = check_duplicates(mesh, name, &scratch);
    }
    if (result == SN_OK) {
        old_indices = SN_NEW(old_index ? arena : &scratch, int32_t, mesh->vertex_count);
        result = old_indices ? remove_unused(mesh, name, &scratch, old_indices) : SN_ERROR_MEMORY;
    }
    if (result == SN_OK && old_index) {
        *old_index = old_indices;
    }
    sn_arena_finish(&scratch);
    return result;
}

/* ---- topology ---- */

/* Links each run of equal faces into a ring; face width t + k is opposite corner k of tet t. */
static sn_result join_faces(const key_list *faces, int width, int32_t *neighbours)
{
    for (size_t i = 0, next = 0; i < faces->count; i = next) {
        for (next = i + 1; next < faces->count && keys_equal(faces, i, next);) {
            ++next;
        }
        if (next - i > 2 && width == 4) {
            return sn_fail_within(SN_ERROR_FORMAT, "tets %d, %d and %d share one face", faces->order[i] / width,
                                  faces->order[i + 1] / width, faces->order[i + 2] / width);
        }
        for (size_t k = i; k < next && next - i > 1; ++k) {
            const int32_t face = faces->order[k], other = faces->order[k + 1 < next ? k + 1 : i];
            neighbours[4 * (face / width) + face % width] = other / width;
        }
    }
    return SN_OK;
}

sn_result sn_tet_neighbours(const sn_tet_mesh *mesh, sn_arena *scratch, int32_t *neighbours)
{
    const size_t width = mesh->is_flat ? 3 : 4; /* corners and faces per tet */
    key_list faces = {.count = width * (size_t)mesh->tet_count, .width = width - 1};
    if (faces.count > INT32_MAX) {
        return sn_fail_within(SN_ERROR_UNSUPPORTED, "%d tets have too many faces", mesh->tet_count);
    }
    faces.keys = SN_NEW(scratch, int32_t, faces.width * faces.count);
    if (!faces.keys) {
        return SN_ERROR_MEMORY;
    }
    for (size_t f = 0; f < faces.count; f++) {
        const int *corners = mesh->is_flat ? edge_corners[f % width] : face_corners[f % width];
        for (size_t k = 0; k < faces.width; k++) {
            faces.keys[faces.width * f + k] = mesh->tets[f / width * 4 + (size_t)corners[k]];
        }
        sort_ascending(faces.keys + faces.width * f, faces.width);
    }
    memset(neighbours, -1, 4 * sizeof *neighbours * (size_t)mesh->tet_count);
    SN_TRY(sort_keys(&faces, mesh->vertex_count, scratch));
    return join_faces(&faces, (int)width, neighbours);
}

void sn_tet_mark_boundary(const sn_tet_mesh *mesh, const int32_t *neighbours, bool *is_boundary)
{
    const size_t width = mesh->is_flat ? 3 : 4;
    for (size_t f = 0; f < width * (size_t)mesh->tet_count; f++) {
        const size_t first = f / width * 4;
        const int *corners = mesh->is_flat ? edge_corners[f % width] : face_corners[f % width];
        for (size_t k = 0; neighbours[first + f % width] < 0 && k < width - 1; k++) {
            is_boundary[mesh->tets[first + (size_t)corners[k]]] = true;
        }
    }
}

sn_result sn_tet_boundary(const sn_tet_mesh *mesh, const int32_t *neighbours, sn_arena *arena, int32_t **triangles,
                          int *triangle_count)
{
    if (mesh->is_flat) {
        return sn_flat_triangles(mesh, arena, triangles, triangle_count);
    }
    const size_t face_count = 4 * (size_t)mesh->tet_count;
    size_t count = 0;
    for (size_t f = 0; f < face_count; f++) {
        count += neighbours[f] < 0;
    }
    int32_t *next = SN_NEW(arena, int32_t, 3 * count);
    if (!next) {
        return SN_ERROR_MEMORY;
    }
    *triangles = next;
    *triangle_count = (int)count;
    for (size_t f = 0; f < face_count; f++) {
        for (size_t k = 0; neighbours[f] < 0 && k < 3; k++) {
            *next++ = mesh->tets[f / 4 * 4 + (size_t)face_corners[f % 4][k]];
        }
    }
    return SN_OK;
}
