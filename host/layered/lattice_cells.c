/* SPDX-License-Identifier: MIT */
/* A lattice's cells: what their flesh is in the mean, and how far its F is any vertex's doing. */
#include <math.h>
#include <string.h>

#include "host/layered/lattice_build.h"
#include "host/math/vec3.h"
#include "host/xpbd/strain.h"

#define LEAST_GRADIENT 1e-7 /* times the side: below it a vertex has no part in a cell's mean */
#define FARTHEST 0.25       /* that a place is taken to be outside of its cell */
#define COLOURS 8           /* of cubes that do not touch */

double sn_lattice_place_in(const sn_lattice_build *b, const double *position, int32_t part, double *at)
{
    double out = 0;
    for (int d = 0; d < 3; ++d) {
        const double x = (position[d] - b->origin[d]) / b->side - b->part_cubes[3 * part + d];
        out += fmax(fmax(-x, x - 1), 0);
        at[d] = fmin(fmax(x, -FARTHEST), 1 + FARTHEST);
    }
    return out;
}

/* ---- means ---- */

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

static void add_tet(const sn_lattice_build *b, int t, part_means *means)
{
    const sn_tet_mesh *mesh = &b->desc->mesh;
    const size_t part = (size_t)b->parts[t];
    const double share = b->desc->volumes[t] / b->volumes[part];
    double middle[3] = {0}, at[3], gradients[3 * CELL_NODES];
    for (int i = 0; i < 12; ++i) {
        middle[i % 3] += mesh->positions[3 * (size_t)mesh->tets[4 * (size_t)t + (size_t)i / 3] + (size_t)i % 3] / 4;
    }
    sn_lattice_place_in(b, middle, (int32_t)part, at);
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
static sn_result choose_frames(sn_lattice_build *b, part_means *means)
{
    const size_t parts = (size_t)b->part_count;
    double *best = sn_lattice_scratch(b, parts, sizeof *best),
           *chosen = sn_lattice_scratch(b, parts, 9 * sizeof *chosen);
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
static sn_result list_members(sn_lattice_build *b, const part_means *means, sn_arena *arena, sn_xpbd_lattice *l)
{
    const sn_tet_mesh *mesh = &b->desc->mesh;
    const size_t tets = (size_t)mesh->tet_count, vertices = (size_t)mesh->vertex_count;
    int32_t *order = sn_lattice_scratch(b, tets, sizeof *order),
            *at = sn_lattice_scratch(b, (size_t)b->part_count + 1, sizeof *at);
    int32_t *slots = sn_lattice_scratch(b, vertices, sizeof *slots),
            *touched = sn_lattice_scratch(b, 4 * tets, sizeof *touched);
    double *sums = sn_lattice_scratch(b, vertices, 3 * sizeof *sums);
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

static void pack_cell(const sn_lattice_build *b, const part_means *means, size_t part, int32_t *rows, float *values)
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

static sn_result batch_cells(sn_lattice_build *b, const part_means *means, sn_arena *arena, sn_xpbd_lattice *l)
{
    const size_t parts = (size_t)b->part_count;
    const size_t value_count = l->is_framed ? CELL_FRAME_VALUES : CELL_VALUES;
    int32_t *rows = sn_lattice_scratch(b, parts, CELL_CORNERS * sizeof *rows),
            *order = sn_lattice_scratch(b, parts, sizeof *order);
    int32_t *colours = sn_lattice_scratch(b, parts, sizeof *colours), at = 0;
    float *values = sn_lattice_scratch(b, parts, value_count * sizeof *values);
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

sn_result sn_lattice_build_cells(sn_lattice_build *b, sn_arena *arena, sn_xpbd_lattice *l)
{
    const size_t parts = (size_t)b->part_count;
    part_means means = {.stiffness = sn_lattice_scratch(b, parts, STRAIN_COUNT * sizeof(double)),
                        .gradients = sn_lattice_scratch(b, parts, 3 * CELL_NODES * sizeof(double)),
                        .frames = b->desc->frames ? sn_lattice_scratch(b, parts, 9 * sizeof(double)) : NULL};
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
