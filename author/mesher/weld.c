/* SPDX-License-Identifier: MIT */
/* Finds unique vertices, points and edges. Unique vertices merge vertices with identical positions and similar
 * skinning; they decide where a vertex is embedded, so texture seams stay closed. Points are welded within a tolerance
 * and only serve topology. */
#include "author/mesher/surface.h"

#include <math.h>
#include <string.h>

#include "host/math/vec3.h"

#define WELD_DISTANCE 1e-5            /* fraction of the diagonal */
#define GRID_CELL (4 * WELD_DISTANCE) /* large enough that most vertices search one cell */
#define MAX_WEIGHT_DIFFERENCE 0.1     /* max. difference of bone weights at a seam */
#define MAX_COINCIDENT                                                                                                 \
    32 /* max. unique vertices at one position; further ones are merged, so that no file makes the search quadratic */
#define MIN_AREA 1e-14 /* squared diagonals; smaller areas are rounding errors of flat triangles */

/* An open-addressing hash table of item indices. The caller compares items. */
typedef struct hash_table {
    size_t mask;
    int32_t *items; /* (mask + 1) index plus one; 0: free */
} hash_table;

static bool start_table(hash_table *table, size_t count, sn_arena *arena)
{
    size_t size = 16;
    while (size < 2 * count) {
        size *= 2;
    }
    table->mask = size - 1;
    table->items = SN_NEW(arena, int32_t, size);
    return table->items != NULL;
}

static uint64_t mix(uint64_t x)
{
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

static uint64_t mix3(uint64_t a, uint64_t b, uint64_t c)
{
    return mix(mix(mix(a + UINT64_C(0x9e3779b97f4a7c15)) + b) + c);
}

static uint64_t hash_position(const double *x)
{
    uint64_t bits[3];
    memcpy(bits, x, sizeof bits);
    return mix3(bits[0], bits[1], bits[2]);
}

/* Computes scale and origin from the bounding box of the vertices that triangles use. */
static sn_result set_units(sn_surface *s)
{
    const sn_mesher_input *input = s->input;
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (size_t i = 0; i < 3 * (size_t)s->triangle_count; ++i) {
        const double *x = input->positions + 3 * (size_t)input->triangles[i];
        for (int d = 0; d < 3; ++d) {
            low[d] = fmin(low[d], x[d]);
            high[d] = fmax(high[d], x[d]);
        }
    }
    double size[3];
    sn_subtract3(high, low, size);
    const double max_size = fmax(size[0], fmax(size[1], size[2]));
    if (s->triangle_count <= 0 || !(max_size > 1e-150) || !(max_size < 1e150)) {
        return sn_fail(SN_ERROR_FORMAT, "%s: no triangle has an area", input->name);
    }
    s->scale = sn_length3(size);
    for (int d = 0; d < 3; ++d) {
        s->origin[d] = low[d];
        s->high[d] = size[d] / s->scale;
    }
    return SN_OK;
}

static void set_positions(sn_surface *s)
{
    for (int v = 0; v < s->vertex_count; ++v) {
        s->unique_vertices[v] = s->points[v] = -1;
    }
    for (size_t i = 0; i < 3 * (size_t)s->triangle_count; ++i) {
        const int32_t v = s->input->triangles[i];
        s->triangles[i] = v;
        s->points[v] = 0;
        for (int d = 0; d < 3; ++d) {
            /* + 0.0 turns -0 into 0, so that both count as one position */
            s->positions[3 * (size_t)v + (size_t)d] =
                (s->input->positions[3 * (size_t)v + (size_t)d] - s->origin[d]) / s->scale + 0.0;
        }
    }
}

/* Returns the sum of positive differences between a's and b's bone weights. */
static double weight_excess(const sn_mesher_input *input, int32_t a, int32_t b)
{
    double sum = 0;
    for (int32_t i = input->influence_starts[a]; i < input->influence_starts[a + 1]; ++i) {
        double weight = input->influence_weights[i];
        for (int32_t j = input->influence_starts[b]; j < input->influence_starts[b + 1]; ++j) {
            weight -= input->influence_bones[j] == input->influence_bones[i] ? input->influence_weights[j] : 0;
        }
        sum += fmax(weight, 0);
    }
    return sum;
}

/* Vertices that the rig moves apart are no seam: in the bind pose, vertices of an arm may coincide with vertices of the
 * torso. */
static bool has_similar_weights(const sn_mesher_input *input, int32_t a, int32_t b)
{
    return input->bone_count == 0 ||
           (weight_excess(input, a, b) <= MAX_WEIGHT_DIFFERENCE && weight_excess(input, b, a) <= MAX_WEIGHT_DIFFERENCE);
}

/* Numbers the unique vertices. first_vertices receives one vertex of each. */
static bool set_unique_vertices(sn_surface *s, sn_arena *scratch, int32_t *first_vertices)
{
    hash_table table;
    if (!start_table(&table, (size_t)s->vertex_count, scratch)) {
        return false;
    }
    for (int32_t v = 0; v < s->vertex_count; ++v) {
        const double *x = s->positions + 3 * (size_t)v;
        if (s->points[v] < 0) {
            continue;
        }
        int coincident_count = 0;
        size_t slot = hash_position(x) & table.mask;
        for (; table.items[slot]; slot = (slot + 1) & table.mask) {
            const int32_t other = first_vertices[table.items[slot] - 1];
            const bool is_coincident = memcmp(s->positions + 3 * (size_t)other, x, 3 * sizeof(double)) == 0;
            if (is_coincident && (coincident_count++ == MAX_COINCIDENT || has_similar_weights(s->input, other, v))) {
                break;
            }
        }
        if (!table.items[slot]) {
            first_vertices[s->unique_count] = v;
            table.items[slot] = ++s->unique_count;
        }
        s->unique_vertices[v] = table.items[slot] - 1;
    }
    return true;
}

typedef struct weld_grid {
    const sn_surface *surface;
    const int32_t *first_vertices; /* (unique_count) */
    hash_table cells;              /* the last unique vertex inserted into each cell */
    int32_t *previous;             /* (unique_count) previous one in the same cell, or -1 */
    int32_t *unique_points;        /* (unique_count) */
} weld_grid;

static const double *unique_position(const weld_grid *g, int32_t unique)
{
    return g->surface->positions + 3 * (size_t)g->first_vertices[unique];
}

static void grid_cell(const double *x, double shift, int64_t *cell)
{
    for (int d = 0; d < 3; ++d) {
        cell[d] = (int64_t)floor((x[d] + shift) / GRID_CELL);
    }
}

/* Returns the hash table slot that contains a cell, or the free slot where it belongs. */
static size_t find_cell(const weld_grid *g, const int64_t *cell)
{
    size_t slot = mix3((uint64_t)cell[0], (uint64_t)cell[1], (uint64_t)cell[2]) & g->cells.mask;
    for (; g->cells.items[slot]; slot = (slot + 1) & g->cells.mask) {
        int64_t other[3];
        grid_cell(unique_position(g, g->cells.items[slot] - 1), 0, other);
        if (memcmp(other, cell, sizeof other) == 0) {
            break;
        }
    }
    return slot;
}

/* Returns an existing point within the tolerance, or -1. */
static int32_t near_point(const weld_grid *g, int32_t own)
{
    const double *x = unique_position(g, own);
    int64_t low[3], high[3];
    grid_cell(x, -WELD_DISTANCE, low);
    grid_cell(x, WELD_DISTANCE, high);
    for (int64_t k = low[2]; k <= high[2]; ++k) {
        for (int64_t j = low[1]; j <= high[1]; ++j) {
            for (int64_t i = low[0]; i <= high[0]; ++i) {
                const int64_t cell[3] = {i, j, k};
                int32_t unique = g->cells.items[find_cell(g, cell)] - 1;
                for (; unique >= 0; unique = g->previous[unique]) {
                    if (sn_distance3(unique_position(g, unique), x) <= WELD_DISTANCE &&
                        has_similar_weights(g->surface->input, g->first_vertices[unique], g->first_vertices[own])) {
                        return g->unique_points[unique];
                    }
                }
            }
        }
    }
    return -1;
}

/* Each unique vertex joins a near point or becomes a new one. Only new points enter the grid, so chains of near
 * vertices do not collapse into one point, and cells stay short. */
static bool set_points(sn_surface *s, const int32_t *first_vertices, sn_arena *scratch)
{
    weld_grid g = {.surface = s, .first_vertices = first_vertices};
    g.previous = SN_NEW(scratch, int32_t, s->unique_count);
    g.unique_points = SN_NEW(scratch, int32_t, s->unique_count);
    if (!g.previous || !g.unique_points || !start_table(&g.cells, (size_t)s->unique_count, scratch)) {
        return false;
    }
    for (int32_t unique = 0; unique < s->unique_count; ++unique) {
        const double *x = unique_position(&g, unique);
        g.unique_points[unique] = near_point(&g, unique);
        if (g.unique_points[unique] < 0) {
            int64_t cell[3];
            grid_cell(x, 0, cell);
            const size_t slot = find_cell(&g, cell);
            g.unique_points[unique] = s->point_count++;
            g.previous[unique] = g.cells.items[slot] - 1;
            g.cells.items[slot] = unique + 1;
        }
    }
    for (int v = 0; v < s->vertex_count; ++v) {
        s->points[v] = s->unique_vertices[v] < 0 ? -1 : g.unique_points[s->unique_vertices[v]];
    }
    return true;
}

static bool set_edges(sn_surface *s, sn_arena *scratch)
{
    const size_t corner_count = 3 * (size_t)s->triangle_count;
    hash_table table;
    uint64_t *keys = SN_NEW(scratch, uint64_t, corner_count);
    if (!keys || !start_table(&table, corner_count, scratch)) {
        return false;
    }
    for (size_t i = 0; i < corner_count; ++i) {
        const uint64_t a = (uint64_t)s->points[s->triangles[i]];
        const uint64_t b = (uint64_t)s->points[s->triangles[i % 3 == 2 ? i - 2 : i + 1]];
        const uint64_t key = a < b ? a << 32 | b : b << 32 | a;
        size_t slot = mix(key) & table.mask;
        while (table.items[slot] && keys[table.items[slot] - 1] != key) {
            slot = (slot + 1) & table.mask;
        }
        if (a != b && !table.items[slot]) {
            keys[s->edge_count] = key;
            table.items[slot] = ++s->edge_count;
        }
        s->edges[i] = a == b ? -1 : table.items[slot] - 1;
    }
    return true;
}

void sn_surface_area_vector(const sn_surface *surface, int triangle, double *result)
{
    double a[3], b[3];
    sn_subtract3(sn_surface_corner(surface, triangle, 1), sn_surface_corner(surface, triangle, 0), a);
    sn_subtract3(sn_surface_corner(surface, triangle, 2), sn_surface_corner(surface, triangle, 0), b);
    sn_cross3(a, b, result);
}

static sn_result check_area(const sn_surface *s)
{
    for (int t = 0; t < s->triangle_count; ++t) {
        double area[3];
        sn_surface_area_vector(s, t, area);
        if (sn_length3(area) > MIN_AREA) {
            return SN_OK;
        }
    }
    return sn_fail(SN_ERROR_FORMAT, "%s: no triangle has an area", s->input->name);
}

sn_result sn_surface_weld(const sn_mesher_input *input, sn_arena *arena, sn_surface *surface)
{
    sn_surface *s = surface;
    *s = (sn_surface){.input = input, .vertex_count = input->vertex_count, .triangle_count = input->triangle_count};
    sn_result result = set_units(s);
    if (result != SN_OK) {
        return result;
    }
    const size_t vertices = (size_t)s->vertex_count, triangles = (size_t)s->triangle_count;
    s->positions = SN_NEW(arena, double, 3 * vertices);
    s->unique_vertices = SN_NEW(arena, int32_t, vertices);
    s->points = SN_NEW(arena, int32_t, vertices);
    s->triangles = SN_NEW(arena, int32_t, 3 * triangles);
    s->is_flipped = SN_NEW(arena, bool, triangles);
    s->edges = SN_NEW(arena, int32_t, 3 * triangles);
    s->solids = SN_NEW(arena, int32_t, triangles);
    if (!s->positions || !s->unique_vertices || !s->points || !s->triangles || !s->is_flipped || !s->edges ||
        !s->solids) {
        return SN_ERROR_MEMORY;
    }
    set_positions(s);
    result = check_area(s);
    sn_arena scratch = {0};
    int32_t *first_vertices = result == SN_OK ? SN_NEW(&scratch, int32_t, vertices) : NULL;
    if (result == SN_OK && !(first_vertices && set_unique_vertices(s, &scratch, first_vertices) &&
                             set_points(s, first_vertices, &scratch) && set_edges(s, &scratch))) {
        result = SN_ERROR_MEMORY;
    }
    sn_arena_finish(&scratch);
    return result;
}
