/* SPDX-License-Identifier: MIT */
#include "author/weights/simplices.h"

#include <math.h>

#include "host/math/vec3.h"

/* grad h_k = n x e_k / |n|^2 with the edge e_k opposite corner k, for triangles in any plane. */
static void triangle_gradients(const sn_simplices *s)
{
    for (size_t t = 0; t < (size_t)s->element_count; ++t) {
        const double *x[3];
        double edges[3][3], normal[3];
        for (size_t k = 0; k < 3; ++k) {
            x[k] = s->positions + 3 * (size_t)s->elements[3 * t + k];
        }
        for (size_t k = 0; k < 3; ++k) {
            sn_subtract3(x[(k + 2) % 3], x[(k + 1) % 3], edges[k]);
        }
        sn_cross3(edges[0], edges[1], normal);
        const double square = sn_dot3(normal, normal);
        for (size_t k = 0; k < 3; ++k) {
            double *gradient = s->gradients + 9 * t + 3 * k;
            sn_cross3(normal, edges[k], gradient);
            for (int d = 0; d < 3; ++d) {
                gradient[d] /= square;
            }
        }
        s->sizes[t] = sqrt(square) / 2;
    }
}

static sn_result lump_mass(const sn_simplices *s, const char *name)
{
    const size_t corners = (size_t)s->corner_count;
    if (s->element_count < 1) {
        return sn_fail(SN_ERROR_FORMAT, "%s: the mesh has no element", name);
    }
    for (size_t e = 0; e < (size_t)s->element_count; ++e) {
        if (!(s->sizes[e] > 0 && s->sizes[e] < INFINITY)) {
            return sn_fail(SN_ERROR_FORMAT, "%s: element %zu has no size or is not finite", name, e);
        }
        for (size_t k = 0; k < corners; ++k) {
            s->mass[s->elements[e * corners + k]] += s->sizes[e] / s->corner_count;
        }
    }
    for (int v = 0; v < s->vertex_count; ++v) {
        if (!(s->mass[v] > 0)) {
            return sn_fail(SN_ERROR_FORMAT, "%s: vertex %d belongs to no element", name, v);
        }
    }
    return SN_OK;
}

sn_result sn_simplices_build(const sn_tet_mesh *tets, const sn_tri_mesh *triangles, const char *name, sn_arena *arena,
                             sn_simplices *simplices)
{
    sn_simplices *s = simplices;
    SN_ASSERT(!tets != !triangles);
    *s = tets ? (sn_simplices){tets->vertex_count, tets->tet_count, 4, tets->positions, tets->tets, NULL, NULL, NULL}
              : (sn_simplices){.vertex_count = triangles->vertex_count,
                               .element_count = triangles->triangle_count,
                               .corner_count = 3,
                               .positions = triangles->positions,
                               .elements = triangles->triangles};
    s->gradients = SN_NEW(arena, double, 3 * (size_t)s->element_count * (size_t)s->corner_count);
    s->sizes = SN_NEW(arena, double, s->element_count);
    s->mass = SN_NEW(arena, double, s->vertex_count);
    if (!s->gradients || !s->sizes || !s->mass) {
        return SN_ERROR_MEMORY;
    }
    if (tets) {
        sn_tet_gradients(tets, s->gradients, s->sizes);
    } else {
        triangle_gradients(s);
    }
    return lump_mass(s, name);
}

/* The corners at each vertex, as element * corner_count + corner, ascending: corners[starts[v]] to corners[starts[v +
 * 1] - 1]. */
typedef struct star_list {
    size_t *starts, *corners;
} star_list;

static sn_result build_stars(const sn_simplices *s, sn_arena *scratch, star_list *stars)
{
    const size_t n = (size_t)s->vertex_count, count = (size_t)s->element_count * (size_t)s->corner_count;
    stars->starts = SN_NEW(scratch, size_t, n + 2);
    stars->corners = SN_NEW(scratch, size_t, count);
    if (!stars->starts || !stars->corners) {
        return SN_ERROR_MEMORY;
    }
    for (size_t c = 0; c < count; ++c) {
        stars->starts[s->elements[c] + 2]++;
    }
    for (size_t v = 2; v < n + 2; ++v) {
        stars->starts[v] += stars->starts[v - 1];
    }
    for (size_t c = 0; c < count; ++c) {
        stars->corners[stars->starts[s->elements[c] + 1]++] = c;
    }
    return SN_OK;
}

/* Lists the columns of a row. `slots`[column] is the index of the column in `columns`, if the row has it. */
static int32_t list_columns(const sn_simplices *s, const star_list *stars, int row, int32_t *slots, int32_t *columns)
{
    const size_t corners = (size_t)s->corner_count;
    int32_t count = 0;
    slots[row] = count;
    columns[count++] = row;
    for (size_t i = stars->starts[row]; i < stars->starts[row + 1]; ++i) {
        const int32_t *v = s->elements + stars->corners[i] / corners * corners;
        for (size_t k = 0; k < corners; ++k) {
            const int32_t slot = slots[v[k]];
            if (slot >= count || columns[slot] != v[k]) {
                slots[v[k]] = count;
                columns[count++] = v[k];
            }
        }
    }
    return count;
}

static void add_row(const sn_simplices *s, const star_list *stars, int row, const int32_t *slots, double *values)
{
    const size_t corners = (size_t)s->corner_count;
    for (size_t i = stars->starts[row]; i < stars->starts[row + 1]; ++i) {
        const size_t own = stars->corners[i], e = own / corners;
        for (size_t c = e * corners; c < (e + 1) * corners; ++c) {
            values[slots[s->elements[c]]] += s->sizes[e] * sn_dot3(s->gradients + 3 * own, s->gradients + 3 * c);
        }
    }
}

static sn_result assemble(const sn_simplices *s, sn_arena *scratch, sn_arena *arena, sn_symmetric_rows *laplacian)
{
    const size_t n = (size_t)s->vertex_count;
    star_list stars = {0};
    int32_t *slots = SN_NEW(scratch, int32_t, n), *row_columns = SN_NEW(scratch, int32_t, n);
    laplacian->size = s->vertex_count;
    laplacian->starts = SN_NEW(arena, int32_t, n + 1);
    if (!slots || !row_columns || !laplacian->starts || build_stars(s, scratch, &stars) != SN_OK) {
        return SN_ERROR_MEMORY;
    }
    for (int v = 0; v < s->vertex_count; ++v) {
        laplacian->starts[v + 1] = laplacian->starts[v] + list_columns(s, &stars, v, slots, row_columns);
    }
    laplacian->columns = SN_NEW(arena, int32_t, laplacian->starts[n]);
    laplacian->values = SN_NEW(arena, double, laplacian->starts[n]);
    if (!laplacian->columns || !laplacian->values) {
        return SN_ERROR_MEMORY;
    }
    for (int v = 0; v < s->vertex_count; ++v) {
        const int32_t start = laplacian->starts[v];
        list_columns(s, &stars, v, slots, laplacian->columns + start);
        add_row(s, &stars, v, slots, laplacian->values + start);
    }
    return SN_OK;
}

sn_result sn_simplices_laplacian(const sn_simplices *simplices, sn_arena *arena, sn_symmetric_rows *laplacian)
{
    sn_arena scratch = {0};
    const sn_result result = assemble(simplices, &scratch, arena, laplacian);
    sn_arena_finish(&scratch);
    return result;
}
