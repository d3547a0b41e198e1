/* SPDX-License-Identifier: MIT */
/* The lattice of a two-level step, from a body's tets: parts of cells, their nodes, what rows of flesh and cells have
 * to do with these. */
#include "host/layered/lattice.h"

#include <math.h>
#include <string.h>

#include "host/base/sets.h"
#include "host/math/vec3.h"
#include "host/xpbd/strain.h"

#define CELL_EDGES 3.0      /* of a cube's side, in cube roots of six mean volumes */
#define HELD_SHARE 0.25     /* of a node's mass that is held: from there on the node is */
#define LIGHTEST 1e-6       /* of the mean node's mass: below it a node is held */
#define FARTHEST 0.25       /* that a vertex is taken to be outside of its cell */
#define LEAST_GRADIENT 1e-7 /* times the side: below it a vertex has no part in a cell's mean */
#define COLOURS 8           /* of cubes that do not touch */

/* tets and vertices in the caller's numbers. */
typedef struct lattice_build {
    const sn_layered_lattice_desc *desc;
    sn_arena scratch;
    double origin[3], side;
    int part_count, node_count;
    int32_t *cubes;      /* (tet_count x 3) */
    int32_t *starts;     /* (vertex_count + 1) */
    int32_t *incident;   /* (4 tet_count) tets of a vertex */
    int32_t *parts;      /* (tet_count) part of a cube */
    int32_t *part_cubes; /* (part_count x 3) */
    int32_t *nodes;      /* (part_count x 8) corner c: x = c & 1, y = c >> 1 & 1, z = c >> 2 */
    double *volumes;     /* (part_count) */
} lattice_build;

static void *scratch(lattice_build *b, size_t count, size_t size)
{
    return sn_arena_alloc(&b->scratch, count, size);
}

/* ---- parts ---- */

static void find_cubes(lattice_build *b)
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

static void list_incident(lattice_build *b)
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
static sn_result find_parts(lattice_build *b)
{
    const sn_tet_mesh *mesh = &b->desc->mesh;
    int32_t *sets = scratch(b, (size_t)mesh->tet_count, sizeof *sets);
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
static void join_corners(const lattice_build *b, int32_t one, int32_t other, int32_t *sets)
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
static sn_result find_nodes(lattice_build *b)
{
    const int vertex_count = b->desc->mesh.vertex_count, corner_count = CELL_NODES * b->part_count;
    int32_t *sets = scratch(b, (size_t)corner_count, sizeof *sets);
    b->nodes = scratch(b, (size_t)corner_count, sizeof *b->nodes);
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

/* (8 x 3) */
static void shape_gradients(const double *at, double side, double *gradients)
{
    for (int i = 0; i < 3 * CELL_NODES; ++i) {
        const int c = i / 3, axis = i % 3;
        gradients[i] = ((c >> axis & 1) ? 1 : -1) / side;
        for (int d = 0; d < 3; ++d) {
            gradients[i] *= d == axis ? 1 : (c >> d & 1) ? at[d] : 1 - at[d];
        }
    }
}

/* Of a vertex in a part's cube; returns how far outside it is. */
static double place_in(const lattice_build *b, const double *position, int32_t part, double *at)
{
    double out = 0;
    for (int d = 0; d < 3; ++d) {
        const double x = (position[d] - b->origin[d]) / b->side - b->part_cubes[3 * part + d];
        out += fmax(fmax(-x, x - 1), 0);
        at[d] = fmin(fmax(x, -FARTHEST), 1 + FARTHEST);
    }
    return out;
}

/* The part of its tets that a vertex is in, or nearest to; -1: it has no tets. */
static int32_t part_of(const lattice_build *b, int v, double *at)
{
    double nearest = INFINITY;
    int32_t found = -1;
    for (int i = b->starts[v]; i < b->starts[v + 1]; ++i) {
        const int32_t part = b->parts[b->incident[i]];
        double there[3];
        const double out = place_in(b, b->desc->mesh.positions + 3 * (size_t)v, part, there);
        if (out < nearest - 1e-9 || (out < nearest + 1e-9 && part < found)) {
            nearest = fmin(out, nearest);
            found = part;
            memcpy(at, there, sizeof there);
        }
    }
    return found;
}

/* Nodes and shares of rows of flesh, and masses of nodes, P^T m; where bones hold much of one it is held, too. */
static sn_result share_rows(lattice_build *b, sn_xpbd_lattice *l)
{
    const size_t count = (size_t)b->node_count;
    double *free_mass = scratch(b, count, sizeof *free_mass), *held_mass = scratch(b, count, sizeof *held_mass);
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
            (b->desc->is_held[v] ? held_mass : free_mass)[node] += shares[c] * b->desc->masses[v];
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

/* ---- cells ---- */

/* Sums over the tets of each part. */
typedef struct part_means {
    double *stiffness; /* (part_count x 7) */
    double *gradients; /* (part_count x 8 x 3) of the nodes' shape functions */
    double *frames;    /* (part_count x 9) mean, then that of the tet that is nearest to it */
} part_means;

static void tet_gradients(const sn_tet_mesh *mesh, int t, double *gradients)
{
    const int32_t *tet = mesh->tets + 4 * (size_t)t;
    double e[3][3];
    for (int k = 0; k < 3; ++k) {
        sn_subtract3(mesh->positions + 3 * (size_t)tet[k + 1], mesh->positions + 3 * (size_t)tet[0], e[k]);
    }
    double cross[3];
    sn_cross3(e[1], e[2], cross);
    const double six = sn_dot3(e[0], cross);
    for (int k = 0; k < 3; ++k) {
        double *g = gradients + 3 * (k + 1);
        sn_cross3(e[(k + 1) % 3], e[(k + 2) % 3], g);
        for (int d = 0; d < 3; ++d) {
            g[d] /= six;
        }
    }
    for (int d = 0; d < 3; ++d) {
        gradients[d] = -(gradients[3 + d] + gradients[6 + d] + gradients[9 + d]);
    }
}

static void add_tet(const lattice_build *b, int t, part_means *means)
{
    const sn_tet_mesh *mesh = &b->desc->mesh;
    const size_t part = (size_t)b->parts[t];
    const double share = b->desc->volumes[t] / b->volumes[part];
    double middle[3] = {0}, at[3], gradients[3 * CELL_NODES];
    for (int i = 0; i < 12; ++i) {
        middle[i % 3] += mesh->positions[3 * (size_t)mesh->tets[4 * (size_t)t + (size_t)i / 3] + (size_t)i % 3] / 4;
    }
    place_in(b, middle, (int32_t)part, at);
    shape_gradients(at, b->side, gradients);
    for (size_t i = 0; i < 3 * CELL_NODES; ++i) {
        means->gradients[3 * CELL_NODES * part + i] += share * gradients[i];
    }
    for (size_t i = 0; i < STRAIN_COUNT; ++i) {
        means->stiffness[STRAIN_COUNT * part + i] += share * b->desc->stiffness[STRAIN_COUNT * (size_t)t + i];
    }
    for (size_t i = 0; i < 9 && b->desc->frames; ++i) {
        means->frames[9 * part + i] += share * b->desc->frames[9 * (size_t)t + i];
    }
}

/* A frame of the part's own tets. */
static sn_result choose_frames(lattice_build *b, part_means *means)
{
    const size_t parts = (size_t)b->part_count;
    double *best = scratch(b, parts, sizeof *best), *chosen = scratch(b, parts, 9 * sizeof *chosen);
    if (!best || !chosen) {
        return SN_ERROR_MEMORY;
    }
    for (size_t p = 0; p < parts; ++p) {
        best[p] = -INFINITY;
    }
    for (size_t t = 0; t < (size_t)b->desc->mesh.tet_count; ++t) {
        const size_t part = (size_t)b->parts[t];
        double near = 0;
        for (size_t i = 0; i < 9; ++i) {
            near += b->desc->frames[9 * t + i] * means->frames[9 * part + i];
        }
        if (near > best[part]) {
            best[part] = near;
            memcpy(chosen + 9 * part, b->desc->frames + 9 * t, 9 * sizeof *chosen);
        }
    }
    means->frames = chosen;
    return SN_OK;
}

/* to = R^T from */
static void along_frame(const double *frame, const double *from, double *to)
{
    for (int i = 0; i < 3; ++i) {
        to[i] = frame ? frame[i] * from[0] + frame[3 + i] * from[1] + frame[6 + i] * from[2] : from[i];
    }
}

/* Vertices and gradients of each part's mean of G R. */
static sn_result list_members(lattice_build *b, const part_means *means, sn_arena *arena, sn_xpbd_lattice *l)
{
    const sn_tet_mesh *mesh = &b->desc->mesh;
    const size_t tets = (size_t)mesh->tet_count, vertices = (size_t)mesh->vertex_count;
    int32_t *order = scratch(b, tets, sizeof *order), *at = scratch(b, (size_t)b->part_count + 1, sizeof *at);
    int32_t *slots = scratch(b, vertices, sizeof *slots), *touched = scratch(b, 4 * tets, sizeof *touched);
    double *sums = scratch(b, vertices, 3 * sizeof *sums);
    int32_t *members = SN_NEW(arena, int32_t, 4 * tets);
    float *gradients = SN_NEW(arena, float, 16 * tets);
    if (!order || !at || !slots || !touched || !sums || !members || !gradients) {
        return SN_ERROR_MEMORY;
    }
    for (size_t t = 0; t < tets; ++t) {
        ++at[b->parts[t] + 1];
    }
    for (int p = 0; p < b->part_count; ++p) {
        at[p + 1] += at[p];
    }
    for (size_t t = tets; t-- > 0;) {
        order[--at[b->parts[t] + 1]] = (int32_t)t;
    }
    int count = 0;
    for (int p = 0; p < b->part_count; ++p) {
        const int first = at[p + 1], last = p + 1 < b->part_count ? at[p + 2] : (int)tets;
        int touched_count = 0;
        for (int i = first; i < last; ++i) {
            const int32_t *tet = mesh->tets + 4 * (size_t)order[i];
            double g[12];
            tet_gradients(mesh, order[i], g);
            for (size_t k = 0; k < 4; ++k) {
                const size_t v = (size_t)tet[k];
                if (slots[v] != p + 1) {
                    slots[v] = p + 1;
                    touched[touched_count++] = tet[k];
                    memset(sums + 3 * v, 0, 3 * sizeof *sums);
                }
                for (size_t d = 0; d < 3; ++d) {
                    sums[3 * v + d] += b->desc->volumes[order[i]] / b->volumes[p] * g[3 * k + d];
                }
            }
        }
        l->starts[p] = count;
        for (int i = 0; i < touched_count; ++i) {
            const size_t v = (size_t)touched[i];
            double turned[3];
            along_frame(means->frames ? means->frames + 9 * (size_t)p : NULL, sums + 3 * v, turned);
            if (sn_length3(turned) * b->side > LEAST_GRADIENT) {
                members[count] = 4 * b->desc->flesh->rows[v];
                for (size_t d = 0; d < 3; ++d) {
                    gradients[4 * (size_t)count + d] = (float)turned[d];
                }
                ++count;
            }
        }
    }
    l->starts[b->part_count] = count;
    l->members = members;
    l->gradients = gradients;
    return SN_OK;
}

static void pack_cell(const lattice_build *b, const part_means *means, size_t part, int32_t *rows, float *values)
{
    const double *frame = means->frames ? means->frames + 9 * part : NULL;
    const double *k = means->stiffness + STRAIN_COUNT * part;
    double stiffest = 0;
    for (size_t i = 0; i < STRAIN_COUNT; ++i) {
        stiffest = fmax(stiffest, k[i]);
    }
    for (size_t c = 0; c < CELL_CORNERS; ++c) {
        rows[c] = c < CELL_NODES ? b->nodes[CELL_NODES * part + c]
                                 : (int32_t)((size_t)b->node_count + 3 * part + c - CELL_NODES);
    }
    for (size_t c = 0; c < CELL_NODES; ++c) {
        double turned[3];
        along_frame(frame, means->gradients + 3 * (CELL_NODES * part + c), turned);
        for (size_t d = 0; d < 3; ++d) {
            values[3 * c + d] = (float)turned[d];
        }
    }
    for (size_t i = 0; i < STRAIN_COUNT; ++i) {
        values[3 * CELL_NODES + i] = (float)(1 / (fmax(k[i], 1e-6 * stiffest) * b->volumes[part]));
    }
    for (size_t i = 0; i < 9 && frame; ++i) {
        values[CELL_VALUES + i] = (float)frame[i];
    }
}

static sn_result batch_cells(lattice_build *b, const part_means *means, sn_arena *arena, sn_xpbd_lattice *l)
{
    const size_t parts = (size_t)b->part_count;
    const size_t value_count = l->is_framed ? CELL_FRAME_VALUES : CELL_VALUES;
    int32_t *rows = scratch(b, parts, CELL_CORNERS * sizeof *rows), *order = scratch(b, parts, sizeof *order);
    int32_t *colours = scratch(b, parts, sizeof *colours), at = 0;
    float *values = scratch(b, parts, value_count * sizeof *values);
    l->group_starts = SN_NEW(arena, int32_t, COLOURS + 1);
    if (!rows || !order || !colours || !values || !l->group_starts) {
        return SN_ERROR_MEMORY;
    }
    for (size_t p = 0; p < parts; ++p) {
        const int32_t *cube = b->part_cubes + 3 * p;
        colours[p] = (cube[0] & 1) + 2 * (cube[1] & 1) + 4 * (cube[2] & 1);
        pack_cell(b, means, p, rows + CELL_CORNERS * p, values + value_count * p);
    }
    for (int32_t colour = 0; colour < COLOURS; ++colour) {
        for (size_t p = 0; p < parts; ++p) {
            if (colours[p] == colour) {
                order[at++] = (int32_t)p;
            }
        }
    }
    sn_batches_init(&l->cells, CELL_CORNERS, (int)value_count, l->node_count + 3 * l->cell_count);
    return sn_batches_build_groups(&l->cells, b->part_count, rows, values, order, colours, COLOURS, l->group_starts);
}

static sn_result build_cells(lattice_build *b, sn_arena *arena, sn_xpbd_lattice *l)
{
    const size_t parts = (size_t)b->part_count;
    part_means means = {.stiffness = scratch(b, parts, STRAIN_COUNT * sizeof(double)),
                        .gradients = scratch(b, parts, 3 * CELL_NODES * sizeof(double)),
                        .frames = b->desc->frames ? scratch(b, parts, 9 * sizeof(double)) : NULL};
    if (!means.stiffness || !means.gradients || (b->desc->frames && !means.frames)) {
        return SN_ERROR_MEMORY;
    }
    for (int t = 0; t < b->desc->mesh.tet_count; ++t) {
        add_tet(b, t, &means);
    }
    sn_result result = b->desc->frames ? choose_frames(b, &means) : SN_OK;
    if (result == SN_OK) {
        result = list_members(b, &means, arena, l);
    }
    return result == SN_OK ? batch_cells(b, &means, arena, l) : result;
}

/* ---- the lattice ---- */

/* The cell of each lane of the flesh's batches; of absent ones the row after the last cell's. */
static void find_cells_of_lanes(const lattice_build *b, sn_xpbd_lattice *l)
{
    const sn_xpbd_model *flesh = b->desc->flesh;
    for (size_t i = 0; i < SN_BATCH * (size_t)flesh->elements.batch_count; ++i) {
        l->cell_of[i] = SEED_NUMBERS * l->cell_count;
    }
    for (int t = 0; t < b->desc->mesh.tet_count; ++t) {
        l->cell_of[flesh->elements.places[flesh->element_numbers[t]]] = SEED_NUMBERS * b->parts[t];
    }
}

static sn_result allocate(const lattice_build *b, sn_arena *arena, sn_xpbd_lattice *l)
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

static sn_result start(lattice_build *b)
{
    const size_t tets = (size_t)b->desc->mesh.tet_count, vertices = (size_t)b->desc->mesh.vertex_count;
    b->cubes = scratch(b, tets, 3 * sizeof *b->cubes);
    b->starts = scratch(b, vertices + 1, sizeof *b->starts);
    b->incident = scratch(b, 4 * tets, sizeof *b->incident);
    b->parts = scratch(b, tets, sizeof *b->parts);
    b->part_cubes = scratch(b, tets, 3 * sizeof *b->part_cubes);
    b->volumes = scratch(b, tets, sizeof *b->volumes);
    if (!b->cubes || !b->starts || !b->incident || !b->parts || !b->part_cubes || !b->volumes) {
        return SN_ERROR_MEMORY;
    }
    find_cubes(b);
    list_incident(b);
    return SN_OK;
}

sn_result sn_layered_lattice_build(const sn_layered_lattice_desc *desc, sn_arena *arena, sn_xpbd_lattice *lattice)
{
    lattice_build b = {.desc = desc};
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
        result = build_cells(&b, arena, lattice);
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
