/* SPDX-License-Identifier: MIT */
/* Computes the fraction of each tet's volume that is inside the surface. An uncut lattice has 25 to 40% too much
 * volume, so mass and stiffness are scaled by this fraction. The winding number of a sample is that of the tet's
 * nearest node, plus or minus one for each piece of surface crossed in between: the winding number jumps by one at the
 * surface and is smooth elsewhere. */
#include "author/mesher/tets.h"

#include <math.h>
#include <string.h>

#include "host/math/vec3.h"

#define MIN_FILL 0.05
#define SAMPLES 8

/* Barycentric coordinates of evenly spread samples: the centers of the eight tets of a regular subdivision. */
static const double samples[SAMPLES][4] = {{.625, .125, .125, .125}, {.125, .625, .125, .125}, {.125, .125, .625, .125},
                                           {.125, .125, .125, .625}, {.25, .375, .25, .125},   {.125, .25, .375, .25},
                                           {.25, .125, .25, .375},   {.375, .25, .125, .25}};

typedef struct filler {
    const sn_fragments *fragments;
    const sn_tets *tets;
    int32_t solid;        /* current solid, or 0 */
    int32_t *node_visits; /* (lattice's node_count) solid + 1 for which `values` is valid */
    float *values;
    uint16_t *sample_bits; /* (tet_count) bit per sample that is inside */
} filler;

static void to_unit(const sn_lattice *lattice, double *x)
{
    for (int d = 0; d < 3; ++d) {
        x[d] = lattice->origin[d] + x[d] * lattice->cell_size;
    }
}

static double node_winding(filler *f, int32_t node, const double *position)
{
    if (f->node_visits[node] != f->solid + 1) {
        f->node_visits[node] = f->solid + 1;
        f->values[node] = (float)sn_winding_at(&f->fragments->context->trees[f->solid], position);
    }
    return (double)f->values[node];
}

/* Six times the volume of a, b, c, d with a at the origin. */
static double triple(const double *b, const double *c, const double *d)
{
    double normal[3];
    sn_cross3(c, d, normal);
    return sn_dot3(b, normal);
}

/* Returns the change of the winding number from a to b through a triangle: 1 inwards, -1 outwards, 0 if the segment
 * misses it. */
static int crossing(const sn_surface *s, int32_t triangle, const double *a, const double *b)
{
    double x[3][3], along[3];
    sn_subtract3(b, a, along);
    for (int k = 0; k < 3; ++k) {
        sn_subtract3(sn_surface_corner(s, triangle, k), a, x[k]);
    }
    const double v0 = triple(along, x[1], x[2]), v1 = triple(along, x[2], x[0]), v2 = triple(along, x[0], x[1]);
    const bool is_out = v0 >= 0 && v1 >= 0 && v2 >= 0, is_in = v0 < 0 && v1 < 0 && v2 < 0;
    if (!is_out && !is_in) {
        return 0;
    }
    double normal[3];
    sn_surface_area_vector(s, triangle, normal);
    const double start = sn_dot3(normal, x[0]), rise = sn_dot3(normal, along);
    return start * rise > 0 && fabs(start) <= fabs(rise) ? (rise < 0 ? 1 : -1) : 0;
}

static bool belongs_to_solid(const filler *f, const sn_piece *piece)
{
    return f->solid == 0 || f->fragments->context->surface.solids[piece->triangle] == f->solid;
}

/* Returns the tet of the cell that a sample belongs to: the one with the nearest piece. */
static int32_t nearest_tet(const filler *f, int position, const double *point)
{
    const sn_piece_list *pieces = f->fragments->pieces;
    double min_distance = INFINITY;
    int32_t best = -1;
    for (int32_t i = pieces->starts[position]; i < pieces->starts[position + 1]; ++i) {
        double centre[3];
        sn_piece_centre(&f->fragments->context->surface, &pieces->pieces[i], centre);
        const double distance = belongs_to_solid(f, &pieces->pieces[i]) ? sn_distance3(centre, point) : INFINITY;
        if (distance < min_distance) {
            min_distance = distance;
            best = sn_tets_of_piece(f->fragments, f->tets, i);
        }
    }
    return best;
}

static bool sample_is_inside(filler *f, int position, const int32_t *nodes, const double corners[4][3], int sample,
                             const double *point)
{
    const sn_piece_list *pieces = f->fragments->pieces;
    int base = 0;
    for (int k = 1; k < 4; ++k) {
        base = samples[sample][k] > samples[sample][base] ? k : base;
    }
    double value = node_winding(f, nodes[base], corners[base]);
    for (int32_t i = pieces->starts[position], last = -1; i < pieces->starts[position + 1]; ++i) {
        if (belongs_to_solid(f, &pieces->pieces[i]) && pieces->pieces[i].triangle != last) {
            last = pieces->pieces[i].triangle;
            value += crossing(&f->fragments->context->surface, last, corners[base], point);
        }
    }
    return value > 0.5;
}

/* Samples cell number `position` of the piece list for the current solid. */
static void sample_cell(filler *f, int position)
{
    const sn_lattice *lattice = f->fragments->lattice;
    int32_t nodes[4];
    double corners[4][3];
    sn_lattice_nodes(lattice, f->fragments->pieces->cells[position], nodes);
    for (int k = 0; k < 4; ++k) {
        sn_lattice_node_position(lattice, nodes[k], corners[k]);
        to_unit(lattice, corners[k]);
    }
    for (int sample = 0; sample < SAMPLES; ++sample) {
        double point[3] = {0, 0, 0};
        for (int k = 0; k < 4; ++k) {
            for (int d = 0; d < 3; ++d) {
                point[d] += samples[sample][k] * corners[k][d];
            }
        }
        if (sample_is_inside(f, position, nodes, corners, sample, point)) {
            const int32_t tet = nearest_tet(f, position, point);
            f->sample_bits[tet] |= (uint16_t)(1 << sample);
        }
    }
}

static bool contains_solid(const filler *f, int position)
{
    const sn_piece_list *pieces = f->fragments->pieces;
    for (int32_t i = pieces->starts[position]; i < pieces->starts[position + 1]; ++i) {
        if (f->fragments->context->surface.solids[pieces->pieces[i].triangle] == f->solid) {
            return true;
        }
    }
    return false;
}

/* Converts sample bits to fractions. Tets that contain a copy of an interior cell are full. */
static void count_samples(const filler *f, double *fill)
{
    const sn_fragments *g = f->fragments;
    for (int t = 0; t < f->tets->tet_count; ++t) {
        int count = 0;
        for (int sample = 0; sample < SAMPLES; ++sample) {
            count += f->sample_bits[t] >> sample & 1;
        }
        fill[t] = fmax(MIN_FILL, (double)count / SAMPLES);
    }
    for (int e = 0; e < g->element_count; ++e) {
        if (g->elements[e].solid >= 0) {
            fill[f->tets->fragment_tets[g->element_fragments[e]]] = 1;
        }
    }
}

sn_result sn_tets_fill(const sn_fragments *fragments, const sn_tets *tets, double *fill)
{
    sn_arena scratch = {0};
    filler f = {.fragments = fragments, .tets = tets};
    f.node_visits = SN_NEW(&scratch, int32_t, fragments->lattice->node_count);
    f.values = SN_NEW(&scratch, float, fragments->lattice->node_count);
    f.sample_bits = SN_NEW(&scratch, uint16_t, tets->tet_count);
    const bool is_ok = f.node_visits && f.values && f.sample_bits;
    for (f.solid = 0; is_ok && f.solid <= fragments->context->surface.solid_count; ++f.solid) {
        for (int position = 0; position < fragments->pieces->cell_count; ++position) {
            if (contains_solid(&f, position)) {
                sample_cell(&f, position);
            }
        }
    }
    if (is_ok) {
        count_samples(&f, fill);
    }
    sn_arena_finish(&scratch);
    return is_ok ? SN_OK : SN_ERROR_MEMORY;
}
