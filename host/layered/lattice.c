/* SPDX-License-Identifier: MIT */
/* The lattice of a two-level step, from a body's tets: parts of cells, their nodes, what rows of flesh and cells have
 * to do with these. */
#include "host/layered/lattice_build.h"

#include <math.h>
#include <string.h>

#include "host/base/sets.h"

#define CELL_EDGES 3.0  /* of a cube's side, in cube roots of six mean volumes */
#define HELD_SHARE 0.25 /* of a node's mass that is held: from there on the node is */
#define LIGHTEST 1e-6   /* of the mean node's mass: below it a node is held */

/* ---- parts ---- */

static void find_cubes(sn_lattice_build *b)
{
    const sn_tet_mesh *mesh = &b->desc->mesh;
    double low[3], high[3], volume = 0;
    sn_tet_mesh_box(mesh, low, high);
    for (int t = 0; t < mesh->tet_count; ++t) {
        volume += b->desc->volumes[t] / mesh->tet_count;
    }
    b->side = CELL_EDGES * cbrt(6 * volume);
    for (size_t d = 0; d < 3; ++d) { /* the same room on both sides */
        const double extent = high[d] - low[d], room = ceil(extent / b->side - 1e-6) * b->side;
        b->origin[d] = low[d] - (room - extent) / 2;
    }
    for (size_t i = 0; i < 3 * (size_t)mesh->tet_count; ++i) {
        const int32_t *tet = mesh->tets + i / 3 * 4;
        double middle = 0;
        for (size_t k = 0; k < 4; ++k) {
            middle += mesh->positions[3 * (size_t)tet[k] + i % 3] / 4;
        }
        b->cubes[i] = (int32_t)floor((middle - b->origin[i % 3]) / b->side);
    }
}

static void list_incident(sn_lattice_build *b)
{
    const sn_tet_mesh *mesh = &b->desc->mesh;
    const size_t corners = 4 * (size_t)mesh->tet_count;
    for (size_t i = 0; i < corners; ++i) {
        ++b->starts[mesh->tets[i] + 1];
    }
    for (int v = 0; v < mesh->vertex_count; ++v) {
        b->starts[v + 1] += b->starts[v];
    }
    for (size_t i = corners; i-- > 0;) { /* starts move back to front while they are filled, and end where they began */
        b->incident[--b->starts[mesh->tets[i] + 1]] = (int32_t)(i / 4);
    }
    for (int v = 0; v < mesh->vertex_count; ++v) {
        b->starts[v] = b->starts[v + 1];
    }
    b->starts[mesh->vertex_count] = (int32_t)corners;
}

static bool is_same_cube(const int32_t *a, const int32_t *b)
{
    return a[0] == b[0] && a[1] == b[1] && a[2] == b[2];
}

/* Tets of a cube that a vertex joins are one part. */
static sn_result find_parts(sn_lattice_build *b)
{
    const sn_tet_mesh *mesh = &b->desc->mesh;
    int32_t *sets = sn_lattice_scratch(b, (size_t)mesh->tet_count, sizeof *sets);
    if (!sets) {
        return SN_ERROR_MEMORY;
    }
    sn_sets_start(sets, mesh->tet_count);
    for (int v = 0; v < mesh->vertex_count; ++v) {
        for (int i = b->starts[v]; i < b->starts[v + 1]; ++i) {
            for (int j = b->starts[v]; j < i; ++j) {
                const int32_t one = b->incident[i], other = b->incident[j];
                if (is_same_cube(b->cubes + 3 * (size_t)one, b->cubes + 3 * (size_t)other)) {
                    sn_sets_unite(sets, one, other);
                    break;
                }
            }
        }
    }
    for (int32_t t = 0; t < mesh->tet_count; ++t) {
        const int32_t root = sn_sets_find(sets, t);
        b->parts[t] = root == t ? b->part_count++ : b->parts[root];
        memcpy(b->part_cubes + 3 * (size_t)b->parts[t], b->cubes + 3 * (size_t)t, 3 * sizeof *b->cubes);
        b->volumes[b->parts[t]] += b->desc->volumes[t];
    }
    return SN_OK;
}

/* ---- nodes ---- */

/* Corners that two parts have in common become one node each. */
static void join_corners(const sn_lattice_build *b, int32_t one, int32_t other, int32_t *sets)
{
    const int32_t *from = b->part_cubes + 3 * (size_t)one, *to = b->part_cubes + 3 * (size_t)other;
    for (int c = 0; c < CELL_NODES; ++c) {
        const int x = from[0] + (c & 1) - to[0], y = from[1] + (c >> 1 & 1) - to[1], z = from[2] + (c >> 2) - to[2];
        if (x >= 0 && x < 2 && y >= 0 && y < 2 && z >= 0 && z < 2) {
            sn_sets_unite(sets, CELL_NODES * one + c, CELL_NODES * other + x + 2 * y + 4 * z);
        }
    }
}

/* Parts that a vertex joins share the nodes of their common corners. */
static sn_result find_nodes(sn_lattice_build *b)
{
    const int vertex_count = b->desc->mesh.vertex_count, corner_count = CELL_NODES * b->part_count;
    int32_t *sets = sn_lattice_scratch(b, (size_t)corner_count, sizeof *sets);
    b->nodes = sn_lattice_scratch(b, (size_t)corner_count, sizeof *b->nodes);
    if (!sets || !b->nodes) {
        return SN_ERROR_MEMORY;
    }
    sn_sets_start(sets, corner_count);
    for (int v = 0; v < vertex_count; ++v) {
        for (int i = b->starts[v]; i < b->starts[v + 1]; ++i) {
            for (int j = b->starts[v]; j < i; ++j) {
                const int32_t one = b->parts[b->incident[i]], other = b->parts[b->incident[j]];
                if (one != other && (j == b->starts[v] || other != b->parts[b->incident[j - 1]])) {
                    join_corners(b, one, other, sets);
                }
            }
        }
    }
    for (int32_t i = 0; i < corner_count; ++i) {
        const int32_t root = sn_sets_find(sets, i);
        b->nodes[i] = root == i ? b->node_count++ : b->nodes[root];
    }
    return SN_OK;
}

/* ---- shape functions ---- */

/* Of a cube's corners at a place in it, 0 .. 1. */
static void shape(const double *at, double *values)
{
    for (int c = 0; c < CELL_NODES; ++c) {
        values[c] = 1;
        for (int d = 0; d < 3; ++d) {
            values[c] *= (c >> d & 1) ? at[d] : 1 - at[d];
        }
    }
}

/* The part of its tets that a vertex is in, or nearest to; -1: it has no tets. */
static int32_t part_of(const sn_lattice_build *b, int v, double *at)
{
    double nearest = INFINITY;
    int32_t found = -1;
    for (int i = b->starts[v]; i < b->starts[v + 1]; ++i) {
        const int32_t part = b->parts[b->incident[i]];
        double there[3];
        const double out = sn_lattice_place_in(b, b->desc->mesh.positions + 3 * (size_t)v, part, there);
        if (out < nearest - 1e-9 || (out < nearest + 1e-9 && part < found)) {
            nearest = fmin(out, nearest);
            found = part;
            memcpy(at, there, sizeof there);
        }
    }
    return found;
}

/* Nodes and shares of rows of flesh, and masses of nodes, P^T m; where bones hold much of one it is held, too. */
static sn_result share_rows(sn_lattice_build *b, sn_xpbd_lattice *l)
{
    const size_t count = (size_t)b->node_count;
    double *free_mass = sn_lattice_scratch(b, count, sizeof *free_mass),
           *held_mass = sn_lattice_scratch(b, count, sizeof *held_mass);
    double mean = 0;
    if (!free_mass || !held_mass) {
        return SN_ERROR_MEMORY;
    }
    for (int v = 0; v < b->desc->mesh.vertex_count; ++v) {
        const size_t row = (size_t)b->desc->flesh->rows[v];
        double at[3], shares[CELL_NODES] = {0};
        const int32_t part = part_of(b, v, at);
        if (part >= 0) {
            shape(at, shares);
        }
        for (size_t c = 0; c < CELL_NODES; ++c) {
            const int32_t node = part >= 0 ? b->nodes[CELL_NODES * (size_t)part + c] : 0;
            l->nodes[CELL_NODES * row + c] = 4 * node;
            l->shares[CELL_NODES * row + c] = (float)shares[c];
            if (part >= 0) {
                (b->desc->is_held[v] ? held_mass : free_mass)[node] += shares[c] * b->desc->masses[v];
            }
        }
    }
    for (size_t n = 0; n < count; ++n) {
        mean += fmax(free_mass[n], 0) / b->node_count;
    }
    for (size_t n = 0; n < count; ++n) {
        const bool is_held = !(held_mass[n] <= HELD_SHARE * free_mass[n]) || !(free_mass[n] > LIGHTEST * mean);
        l->inverse_masses[n] = is_held ? 0 : (float)(1 / free_mass[n]);
    }
    return SN_OK;
}

/* ---- the lattice ---- */

/* The cell of each lane of the flesh's batches; of absent ones the row after the last cell's. */
static void find_cells_of_lanes(const sn_lattice_build *b, sn_xpbd_lattice *l)
{
    const sn_xpbd_model *flesh = b->desc->flesh;
    for (size_t i = 0; i < SN_BATCH * (size_t)flesh->elements.batch_count; ++i) {
        l->cell_of[i] = SEED_NUMBERS * l->cell_count;
    }
    for (int t = 0; t < b->desc->mesh.tet_count; ++t) {
        l->cell_of[flesh->elements.places[flesh->element_numbers[t]]] = SEED_NUMBERS * b->parts[t];
    }
}

static sn_result allocate(const sn_lattice_build *b, sn_arena *arena, sn_xpbd_lattice *l)
{
    const size_t vertices = (size_t)b->desc->mesh.vertex_count;
    *l = (sn_xpbd_lattice){.vertex_count = b->desc->mesh.vertex_count,
                           .node_count = b->node_count,
                           .cell_count = b->part_count,
                           .is_framed = b->desc->frames != NULL};
    l->row_count = (l->node_count + 3 * l->cell_count + SN_BATCH) / SN_BATCH * SN_BATCH;
    l->inverse_masses = SN_NEW(arena, float, l->node_count);
    l->nodes = SN_NEW(arena, int32_t, CELL_NODES * vertices);
    l->shares = SN_NEW(arena, float, CELL_NODES *vertices);
    l->starts = SN_NEW(arena, int32_t, l->cell_count + 1);
    l->cell_of = SN_NEW(arena, int32_t, SN_BATCH * (size_t)b->desc->flesh->elements.batch_count);
    return l->inverse_masses && l->nodes && l->shares && l->starts && l->cell_of ? SN_OK : SN_ERROR_MEMORY;
}

static sn_result start(sn_lattice_build *b)
{
    const size_t tets = (size_t)b->desc->mesh.tet_count, vertices = (size_t)b->desc->mesh.vertex_count;
    b->cubes = sn_lattice_scratch(b, tets, 3 * sizeof *b->cubes);
    b->starts = sn_lattice_scratch(b, vertices + 1, sizeof *b->starts);
    b->incident = sn_lattice_scratch(b, 4 * tets, sizeof *b->incident);
    b->parts = sn_lattice_scratch(b, tets, sizeof *b->parts);
    b->part_cubes = sn_lattice_scratch(b, tets, 3 * sizeof *b->part_cubes);
    b->volumes = sn_lattice_scratch(b, tets, sizeof *b->volumes);
    if (!b->cubes || !b->starts || !b->incident || !b->parts || !b->part_cubes || !b->volumes) {
        return SN_ERROR_MEMORY;
    }
    find_cubes(b);
    list_incident(b);
    return SN_OK;
}

sn_result sn_layered_lattice_build(const sn_layered_lattice_desc *desc, sn_arena *arena, sn_xpbd_lattice *lattice)
{
    sn_lattice_build b = {.desc = desc};
    sn_result result = start(&b);
    if (result == SN_OK) {
        result = find_parts(&b);
    }
    if (result == SN_OK) {
        result = find_nodes(&b);
    }
    if (result == SN_OK) {
        result = allocate(&b, arena, lattice);
    }
    if (result == SN_OK) {
        result = share_rows(&b, lattice);
    }
    if (result == SN_OK) {
        result = sn_lattice_build_cells(&b, arena, lattice);
    }
    if (result == SN_OK) {
        find_cells_of_lanes(&b, lattice);
    }
    sn_arena_finish(&b.scratch);
    return result;
}

void sn_layered_lattice_finish(sn_xpbd_lattice *lattice)
{
    sn_batches_finish(&lattice->cells);
}
