/* SPDX-License-Identifier: MIT */
/* The second level: a lattice of cubes around the body, each cut into six tets (Kuhn's, mirrored from cube to cube, so
 * that no direction is preferred), of which those with flesh in them are a coarse body.
 *
 * A fine vertex moves by the barycentric weights P of its lattice tet. A coarse vertex is the mean of the fine ones
 * that it moves, x_c = M_c^-1 P^T M x with M_c = P^T M 1: whatever moves it by M_c^-1 grad moves the fine vertices by
 * M^-1 of the same constraint's gradient, which changes no momentum; and its rest place is the mean of theirs, so that
 * any affine motion of the body is one of the lattice. Carried vertices count in the mean, but do not move: of a coarse
 * vertex only the share that is free does, and what the lattice asks for is handed down that much larger.
 *
 * A coarse tet has the mean stiffness of its flesh, by volume, and the axes next to the mean of theirs. */
#include <math.h>
#include <string.h>

#include "host/layered/solver.h"
#include "host/math/quaternion.h"
#include "host/math/vec3.h"
#include "host/xpbd/strain.h"

#define SAMPLES 4         /* of a fine tet: where its flesh is */
#define LEAST_VOLUME 0.05 /* of a coarse tet at rest, in those of the lattice: flatter ones are left out */
#define CUBE_LIMIT 3e5
#define LEAST_FREE 0.05 /* share of a coarse vertex: below it is held */

typedef struct cube_lattice {
    double origin[3], cell;
    int counts[3]; /* nodes */
} cube_lattice;

/* What a lattice tet gathers of the flesh in it. */
typedef struct gathered {
    double volume, stiffness[STRAIN_COUNT], axes[9]; /* sums by volume */
} gathered;

/* Where a point is: its cube, which of the six tets, and nodes and weights (4) there. */
typedef struct spot {
    int cube, tet;
    int32_t nodes[4];
    double weights[4];
} spot;

static int node_count(const cube_lattice *l)
{
    return l->counts[0] * l->counts[1] * l->counts[2];
}

static int cube_count(const cube_lattice *l)
{
    return (l->counts[0] - 1) * (l->counts[1] - 1) * (l->counts[2] - 1);
}

/* With larger cubes where there would be too many. */
static cube_lattice fit_lattice(const sn_xpbd_model *model, double wanted)
{
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    cube_lattice l = {.cell = wanted};
    for (int i = 0; i < 4 * model->vertex_count; ++i) {
        if (i % 4 < 3) {
            low[i % 4] = fmin(low[i % 4], (double)model->rest[i]);
            high[i % 4] = fmax(high[i % 4], (double)model->rest[i]);
        }
    }
    for (double all = INFINITY; all > CUBE_LIMIT; l.cell *= all > CUBE_LIMIT ? 1.25 : 1) {
        all = 1;
        for (int d = 0; d < 3; ++d) {
            const double cubes = fmax(ceil((high[d] - low[d]) / l.cell + 1e-3), 1);
            all *= cubes;
            l.counts[d] = (int)fmin(cubes, CUBE_LIMIT) + 1;
            l.origin[d] = (low[d] + high[d] - cubes * l.cell) / 2;
        }
    }
    return l;
}

/* Axes by falling fraction: the tet's number is that of the order; its nodes go along them, one after the other. */
static spot locate(const cube_lattice *l, const double *point)
{
    static const int numbers[3][3] = {{0, 0, 1}, {2, 0, 3}, {4, 5, 0}}; /* of the first and second axis */
    int at[3], axes[3] = {0, 1, 2};
    double part[3];
    spot s = {.cube = 0};
    for (int d = 0; d < 3; ++d) {
        const double x = (point[d] - l->origin[d]) / l->cell;
        at[d] = (int)fmin(fmax(floor(x), 0), l->counts[d] - 2);
        part[d] = fmin(fmax(x - at[d], 0), 1);
        part[d] = at[d] % 2 ? 1 - part[d] : part[d]; /* mirrored */
    }
    for (int i = 0; i < 3; ++i) { /* neighbours, three times: sorted */
        const int a = i == 1 ? 1 : 0;
        if (part[axes[a]] < part[axes[a + 1]]) {
            const int swapped = axes[a];
            axes[a] = axes[a + 1];
            axes[a + 1] = swapped;
        }
    }
    s.cube = (at[2] * (l->counts[1] - 1) + at[1]) * (l->counts[0] - 1) + at[0];
    s.tet = numbers[axes[0]][axes[1]];
    int node[3] = {at[0] + at[0] % 2, at[1] + at[1] % 2, at[2] + at[2] % 2};
    for (int k = 0; k < 4; ++k) {
        s.nodes[k] = (node[2] * l->counts[1] + node[1]) * l->counts[0] + node[0];
        s.weights[k] = (k == 0 ? 1 : part[axes[k - 1]]) - (k < 3 ? part[axes[k]] : 0);
        if (k < 3) {
            node[axes[k]] += at[axes[k]] % 2 ? -1 : 1;
        }
    }
    return s;
}

static void row_place(const sn_xpbd_model *model, int row, double *place)
{
    for (int d = 0; d < 3; ++d) {
        place[d] = (double)model->rest[4 * (size_t)row + (size_t)d];
    }
}

static double tet_volume_of(const double *a, const double *b, const double *c, const double *d)
{
    double e[3][3], cross[3];
    sn_subtract3(b, a, e[0]);
    sn_subtract3(c, a, e[1]);
    sn_subtract3(d, a, e[2]);
    sn_cross3(e[1], e[2], cross);
    return sn_dot3(e[0], cross) / 6;
}

/* ---- what is where ---- */

typedef struct building {
    const sn_layered_flesh *flesh;
    cube_lattice lattice;
    gathered *tets;                 /* (6 cube_count) */
    int32_t (*tet_nodes)[4];        /* (6 cube_count) of those that have flesh */
    double *masses, *free, *places; /* (node_count, x 3): of all the vertices that a node moves */
    int32_t *used;                  /* (node_count) number of the coarse vertex, or -1 */
    int32_t *corners;               /* (vertex_count x 4) nodes of a fine row */
    float *weights;                 /* (vertex_count x 4) */
    int used_count, tet_count;
} building;

static void take_vertices(building *b)
{
    const sn_xpbd_model *model = b->flesh->model;
    for (int row = 0; row < model->vertex_count; ++row) {
        double place[3];
        row_place(model, row, place);
        const spot s = locate(&b->lattice, place);
        const double mass = (double)model->rest[4 * (size_t)row + 3];
        const bool is_free = !b->flesh->is_carried[model->order[row]];
        for (int k = 0; k < 4; ++k) {
            const double share = mass * s.weights[k];
            b->corners[4 * (size_t)row + (size_t)k] = s.nodes[k];
            b->weights[4 * (size_t)row + (size_t)k] = (float)s.weights[k];
            b->masses[s.nodes[k]] += share;
            b->free[s.nodes[k]] += is_free ? share : 0;
            for (int d = 0; d < 3; ++d) {
                b->places[3 * (size_t)s.nodes[k] + (size_t)d] += share * place[d];
            }
        }
    }
    for (int node = 0; node < node_count(&b->lattice); ++node) {
        for (int d = 0; d < 3 && b->masses[node] > 0; ++d) {
            b->places[3 * (size_t)node + (size_t)d] /= b->masses[node];
        }
    }
}

static void take_tet(building *b, int tet)
{
    const sn_xpbd_model *model = b->flesh->model;
    const double *stiffness = b->flesh->stiffness + STRAIN_COUNT * (size_t)tet;
    const double *axes = b->flesh->frames ? b->flesh->frames + 9 * (size_t)tet : NULL;
    double x[4][3];
    for (int k = 0; k < 4; ++k) {
        row_place(model, model->rows[b->flesh->tets[4 * (size_t)tet + (size_t)k]], x[k]);
    }
    const double volume = tet_volume_of(x[0], x[1], x[2], x[3]) / SAMPLES;
    for (int sample = 0; sample < SAMPLES; ++sample) {
        double point[3];
        for (int d = 0; d < 3; ++d) {
            point[d] = 0.4 * x[sample][d] + 0.15 * (x[0][d] + x[1][d] + x[2][d] + x[3][d]);
        }
        const spot s = locate(&b->lattice, point);
        gathered *to = &b->tets[6 * s.cube + s.tet];
        memcpy(b->tet_nodes[6 * s.cube + s.tet], s.nodes, sizeof s.nodes);
        to->volume += volume;
        for (int i = 0; i < STRAIN_COUNT; ++i) {
            to->stiffness[i] += volume * stiffness[i];
        }
        for (int i = 0; i < 9 && axes; ++i) {
            to->axes[i] += volume * axes[i];
        }
    }
}

/* ---- the coarse body ---- */

/* Nodes of a tet in positive order at their means; false where it is left out. */
static bool place_tet(const building *b, int tet, int32_t *nodes, double *volume)
{
    memcpy(nodes, b->tet_nodes[tet], 4 * sizeof *nodes);
    double at[4][3], free = 0;
    const double whole = b->lattice.cell * b->lattice.cell * b->lattice.cell / 6;
    for (int k = 0; k < 4; ++k) {
        if (!(b->masses[nodes[k]] > 0)) {
            return false;
        }
        free += b->free[nodes[k]];
        const int counts[2] = {b->lattice.counts[0], b->lattice.counts[1]};
        at[k][0] = nodes[k] % counts[0], at[k][1] = nodes[k] / counts[0] % counts[1];
        at[k][2] = nodes[k] / counts[0] / counts[1];
    }
    if (tet_volume_of(at[0], at[1], at[2], at[3]) < 0) {
        const int32_t swapped = nodes[2];
        nodes[2] = nodes[3];
        nodes[3] = swapped;
    }
    const double *x[4];
    for (int k = 0; k < 4; ++k) {
        x[k] = b->places + 3 * (size_t)nodes[k];
    }
    *volume = tet_volume_of(x[0], x[1], x[2], x[3]);
    return *volume > LEAST_VOLUME * whole && free > 0;
}

typedef struct coarse_arrays {
    double *places, *masses, *stiffness, *frames, *density;
    int32_t *tets;
} coarse_arrays;

static void fill_tets(building *b, coarse_arrays *a)
{
    const bool is_framed = b->flesh->frames != NULL;
    for (int tet = 0; tet < 6 * cube_count(&b->lattice); ++tet) {
        const gathered *from = &b->tets[tet];
        int32_t nodes[4];
        double volume, turn[4] = {0, 0, 0, 1};
        if (!(from->volume > 0) || !place_tet(b, tet, nodes, &volume)) {
            continue;
        }
        for (int k = 0; k < 4; ++k) {
            a->tets[4 * b->tet_count + k] = b->used[nodes[k]];
        }
        for (int i = 0; i < STRAIN_COUNT; ++i) {
            a->stiffness[STRAIN_COUNT * b->tet_count + i] = from->stiffness[i] / volume;
        }
        if (is_framed) {
            sn_quaternion_polar(from->axes, turn);
            sn_quaternion_to_matrix(turn, a->frames + 9 * b->tet_count);
        }
        ++b->tet_count;
    }
}

static sn_result build_model(building *b, sn_arena *scratch, sn_xpbd_model **model)
{
    const size_t nodes = (size_t)node_count(&b->lattice), tets = 6 * (size_t)cube_count(&b->lattice);
    coarse_arrays a = {.places = SN_NEW(scratch, double, 3 * nodes),
                       .masses = SN_NEW(scratch, double, nodes),
                       .stiffness = SN_NEW(scratch, double, STRAIN_COUNT *tets),
                       .frames = SN_NEW(scratch, double, 9 * tets),
                       .density = SN_NEW(scratch, double, tets),
                       .tets = SN_NEW(scratch, int32_t, 4 * tets)};
    if (!a.places || !a.masses || !a.stiffness || !a.frames || !a.density || !a.tets) {
        return SN_ERROR_MEMORY;
    }
    for (size_t node = 0; node < nodes; ++node) {
        b->used[node] = b->masses[node] > 0 ? b->used_count : -1;
        for (int d = 0; d < 3 && b->masses[node] > 0; ++d) {
            a.places[3 * b->used_count + d] = b->places[3 * node + (size_t)d];
        }
        if (b->masses[node] > 0) {
            a.masses[b->used_count++] = b->masses[node];
        }
    }
    fill_tets(b, &a);
    if (b->tet_count == 0) {
        return SN_OK;
    }
    const sn_xpbd_desc desc = {.vertex_count = b->used_count,
                               .positions = a.places,
                               .element_count = b->tet_count,
                               .element_corners = 4,
                               .elements = a.tets,
                               .density = a.density,
                               .strain_stiffness = a.stiffness,
                               .frames = b->flesh->frames ? a.frames : NULL,
                               .masses = a.masses};
    return sn_xpbd_model_create(&desc, model);
}

/* ---- there and back ---- */

static void take_gains(const building *b, sn_layered_lattice *l)
{
    for (int node = 0; node < node_count(&b->lattice); ++node) {
        if (b->used[node] >= 0) {
            const int row = l->model->rows[b->used[node]];
            const double share = b->free[node] / b->masses[node];
            l->transfer.gains[row] = share > LEAST_FREE ? (float)(1 / share) : 0;
            l->inverse_masses[row] = share > LEAST_FREE ? (float)(share / b->masses[node]) : 0;
        }
    }
}

/* Fine rows of a coarse one, in their order. */
static void list_rows(const building *b, sn_xpbd_transfer *t, int32_t *filled)
{
    const sn_xpbd_model *fine = b->flesh->model;
    for (int i = 0; i < 4 * t->fine_count; ++i) {
        t->starts[t->corners[i] / 4 + 1] += t->weights[i] > 0;
    }
    for (int row = 0; row < t->coarse_count; ++row) {
        t->starts[row + 1] += t->starts[row];
        filled[row] = t->starts[row];
    }
    for (int i = 0; i < 4 * t->fine_count; ++i) {
        const int row = t->corners[i] / 4;
        if (t->weights[i] > 0) {
            t->rows[filled[row]] = i / 4 * 4;
            t->shares[filled[row]++] = fine->rest[i / 4 * 4 + 3] * t->weights[i];
        }
    }
    for (int row = 0; row < t->coarse_count; ++row) {
        double sum = 0;
        for (int i = t->starts[row]; i < t->starts[row + 1]; ++i) {
            sum += (double)t->shares[i];
        }
        for (int i = t->starts[row]; i < t->starts[row + 1]; ++i) {
            t->shares[i] = (float)((double)t->shares[i] / sum);
        }
    }
}

static sn_result build_transfer(const building *b, sn_arena *arena, sn_arena *scratch, sn_layered_lattice *l)
{
    const size_t fine = (size_t)b->flesh->model->vertex_count, coarse = (size_t)l->model->vertex_count;
    sn_xpbd_transfer *t = &l->transfer;
    *t = (sn_xpbd_transfer){.fine_count = (int)fine,
                            .coarse_count = (int)coarse,
                            .corners = SN_NEW(arena, int32_t, 4 * fine),
                            .weights = SN_NEW(arena, float, 4 * fine),
                            .starts = SN_NEW(arena, int32_t, coarse + 1),
                            .rows = SN_NEW(arena, int32_t, 4 * fine),
                            .shares = SN_NEW(arena, float, 4 * fine),
                            .gains = SN_NEW(arena, float, coarse)};
    l->inverse_masses = SN_NEW(arena, float, coarse);
    int32_t *filled = SN_NEW(scratch, int32_t, coarse);
    if (!t->corners || !t->weights || !t->starts || !t->rows || !t->shares || !t->gains || !l->inverse_masses ||
        !filled) {
        return SN_ERROR_MEMORY;
    }
    memcpy(t->weights, b->weights, 4 * fine * sizeof *t->weights);
    for (size_t i = 0; i < 4 * fine; ++i) {
        const int32_t used = b->used[b->corners[i]]; /* -1 only where the weight is nothing */
        t->corners[i] = used >= 0 ? 4 * l->model->rows[used] : 0;
    }
    list_rows(b, t, filled);
    take_gains(b, l);
    return SN_OK;
}

sn_result sn_layered_lattice_build(const sn_layered_flesh *flesh, double cell, sn_arena *arena,
                                   sn_layered_lattice *lattice)
{
    sn_arena scratch = {0};
    building b = {.flesh = flesh, .lattice = fit_lattice(flesh->model, cell)};
    const size_t nodes = (size_t)node_count(&b.lattice), tets = 6 * (size_t)cube_count(&b.lattice);
    const size_t rows = (size_t)flesh->model->vertex_count;
    b.tets = SN_NEW(&scratch, gathered, tets);
    b.tet_nodes = sn_arena_alloc(&scratch, tets, sizeof *b.tet_nodes);
    b.masses = SN_NEW(&scratch, double, nodes);
    b.free = SN_NEW(&scratch, double, nodes);
    b.places = SN_NEW(&scratch, double, 3 * nodes);
    b.used = SN_NEW(&scratch, int32_t, nodes);
    b.corners = SN_NEW(&scratch, int32_t, 4 * rows);
    b.weights = SN_NEW(&scratch, float, 4 * rows);
    sn_result result = b.tets && b.tet_nodes && b.masses && b.free && b.places && b.used && b.corners && b.weights
                           ? SN_OK
                           : SN_ERROR_MEMORY;
    if (result == SN_OK) {
        take_vertices(&b);
        for (int tet = 0; tet < flesh->tet_count; ++tet) {
            take_tet(&b, tet);
        }
        result = build_model(&b, &scratch, &lattice->model);
    }
    if (result == SN_OK && lattice->model) {
        result = build_transfer(&b, arena, &scratch, lattice);
    }
    sn_arena_finish(&scratch);
    return result;
}
