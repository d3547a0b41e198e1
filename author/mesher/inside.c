/* SPDX-License-Identifier: MIT */
/* Classifies tets as inside or outside. Starting at the surface, tets without a piece of it are added inwards if the
 * winding numbers of their nodes are inside, or if a flood fill from outside does not reach them. A flood fill alone
 * fails at holes, winding numbers alone fail at flipped faces, and ray parity fails for layered avatars. */
#include "author/mesher/inside.h"

#include <math.h>
#include <string.h>

#include "host/math/vec3.h"

#define MAX_COPY_COUNT (1 << 22)

typedef struct finder {
    const sn_surface *surface;
    const sn_winding *trees;
    const sn_lattice *lattice;
    const sn_piece_list *pieces;
    int32_t solid;        /* current solid */
    int32_t *visits;      /* (lattice's cell_count) solid + 1 of the last visit */
    int32_t *node_visits; /* (lattice's node_count) solid + 1 for which `values` is valid */
    float *values;        /* (lattice's node_count) winding numbers */
    uint8_t *is_outside;  /* (lattice's cell_count) a flood fill from outside reaches the cell */
    uint8_t *is_solid;    /* (lattice's cell_count) inside some solid */
    int32_t *queue;       /* (lattice's cell_count) */
    sn_interior_copy *copies;
    size_t count, capacity;
    sn_arena *scratch;
} finder;

static bool start_finder(finder *f)
{
    const size_t cells = (size_t)f->lattice->cell_count, nodes = (size_t)f->lattice->node_count;
    f->visits = SN_NEW(f->scratch, int32_t, cells);
    f->is_outside = SN_NEW(f->scratch, uint8_t, cells);
    f->is_solid = SN_NEW(f->scratch, uint8_t, cells);
    f->queue = SN_NEW(f->scratch, int32_t, cells);
    f->node_visits = SN_NEW(f->scratch, int32_t, nodes);
    f->values = SN_NEW(f->scratch, float, nodes);
    return f->visits && f->is_outside && f->is_solid && f->queue && f->node_visits && f->values;
}

/* Cell 0 lies in a corner of the margin, so it is outside. */
static void flood_outside(finder *f)
{
    int count = 0;
    f->queue[count++] = 0;
    f->is_outside[0] = 1;
    for (int next = 0; next < count; ++next) {
        for (int k = 0; k < 4; ++k) {
            const int32_t cell = sn_lattice_neighbour(f->lattice, f->queue[next], k);
            if (cell >= 0 && !f->is_outside[cell] && f->pieces->positions[cell] < 0) {
                f->is_outside[cell] = 1;
                f->queue[count++] = cell;
            }
        }
    }
}

static double node_winding(finder *f, int32_t node)
{
    if (f->node_visits[node] != f->solid + 1) {
        double x[3];
        sn_lattice_node_position(f->lattice, node, x);
        for (int d = 0; d < 3; ++d) {
            x[d] = f->lattice->origin[d] + x[d] * f->lattice->cell_size;
        }
        f->node_visits[node] = f->solid + 1;
        f->values[node] = (float)sn_winding_at(&f->trees[f->solid], x);
    }
    return (double)f->values[node];
}

static bool has_inside_winding(finder *f, int32_t cell)
{
    int32_t nodes[4];
    int count = 0;
    double sum = 0;
    sn_lattice_nodes(f->lattice, cell, nodes);
    for (int k = 0; k < 4; ++k) {
        const double value = node_winding(f, nodes[k]);
        count += value > 0.5;
        sum += fmin(fmax(value, -0.5), 1.5);
        if (count + 3 - k < 3) {
            return false; /* three nodes can no longer be inside */
        }
    }
    return count >= 3 && sum > 2;
}

static bool is_inside(finder *f, int32_t cell)
{
    if (f->solid == 0 && (f->pieces->positions[cell] >= 0 || f->is_solid[cell])) {
        return false;
    }
    if (f->solid == 0 && !f->is_outside[cell]) {
        return true;
    }
    return has_inside_winding(f, cell);
}

static bool add_copy(finder *f, int32_t cell, int32_t piece)
{
    if (f->count == f->capacity) {
        const size_t capacity = f->capacity ? 2 * f->capacity : 4096;
        sn_interior_copy *larger = SN_NEW(f->scratch, sn_interior_copy, capacity);
        if (!larger) {
            return false;
        }
        if (f->count > 0) {
            memcpy(larger, f->copies, f->count * sizeof *larger);
        }
        f->copies = larger;
        f->capacity = capacity;
    }
    f->copies[f->count++] = (sn_interior_copy){cell, f->solid, piece};
    f->is_solid[cell] |= f->solid > 0;
    return true;
}

int32_t sn_inside_piece(const sn_surface *surface, const sn_lattice *lattice, const sn_piece_list *pieces, int slot,
                        int32_t solid, const double *point)
{
    int32_t best = -1;
    double min_distance = INFINITY;
    for (int32_t i = pieces->starts[slot]; i < pieces->starts[slot + 1]; ++i) {
        const sn_piece *piece = &pieces->pieces[i];
        double centre[3], normal[3], to_point[3];
        if (solid > 0 && surface->solids[piece->triangle] != solid) {
            continue;
        }
        sn_piece_centre(surface, piece, centre);
        sn_surface_area_vector(surface, piece->triangle, normal);
        sn_subtract3(point, centre, to_point);
        const double distance = sn_length3(to_point) + (sn_dot3(to_point, normal) > 0 ? lattice->cell_size : 0);
        if (distance < min_distance) {
            min_distance = distance;
            best = i;
        }
    }
    return best;
}

/* Visits a cell and adds a copy if it is inside. */
static bool visit_cell(finder *f, int32_t cell, int32_t from_slot, int32_t from_piece)
{
    if (cell < 0 || f->visits[cell] == f->solid + 1) {
        return true;
    }
    f->visits[cell] = f->solid + 1;
    if (!is_inside(f, cell)) {
        return true;
    }
    if (from_slot >= 0) {
        double centre[3];
        sn_lattice_cell_centre(f->lattice, cell, centre);
        for (int d = 0; d < 3; ++d) {
            centre[d] = f->lattice->origin[d] + centre[d] * f->lattice->cell_size;
        }
        from_piece = sn_inside_piece(f->surface, f->lattice, f->pieces, from_slot, f->solid, centre);
    }
    return add_copy(f, cell, from_piece);
}

/* Lists the cells that contain pieces of the solid, as indices in the piece list, each once. */
static int list_seeds(const finder *f, int32_t *seeds)
{
    int count = 0;
    for (int32_t slot = 0; slot < f->pieces->cell_count; ++slot) {
        bool is_seed = f->solid == 0;
        for (int32_t i = f->pieces->starts[slot]; i < f->pieces->starts[slot + 1] && !is_seed; ++i) {
            is_seed = f->surface->solids[f->pieces->pieces[i].triangle] == f->solid;
        }
        if (is_seed) {
            seeds[count++] = slot;
        }
    }
    return count;
}

static bool grow_inwards(finder *f, int32_t solid, int32_t *seeds)
{
    bool is_ok = true;
    f->solid = solid;
    const int seed_count = list_seeds(f, seeds);
    for (int i = 0; i < seed_count; ++i) {
        f->visits[f->pieces->cells[seeds[i]]] = solid + 1;
    }
    size_t next = f->count;
    for (int i = 0; i < seed_count && is_ok; ++i) {
        for (int k = 0; k < 4 && is_ok; ++k) {
            is_ok = visit_cell(f, sn_lattice_neighbour(f->lattice, f->pieces->cells[seeds[i]], k), seeds[i], -1);
        }
    }
    for (; next < f->count && is_ok; ++next) {
        for (int k = 0; k < 4 && is_ok; ++k) {
            is_ok = visit_cell(f, sn_lattice_neighbour(f->lattice, f->copies[next].cell, k), -1, f->copies[next].piece);
        }
    }
    return is_ok;
}

/* Sorts by cell; within a cell the order of solids stays. */
static bool sort_copies(const finder *f, sn_arena *arena, sn_inside *inside)
{
    int32_t *starts = SN_NEW(f->scratch, int32_t, f->lattice->cell_count + 1);
    inside->copies = SN_NEW(arena, sn_interior_copy, f->count);
    inside->copy_count = (int)f->count;
    if (!starts || !inside->copies) {
        return false;
    }
    for (size_t i = 0; i < f->count; ++i) {
        ++starts[f->copies[i].cell + 1];
    }
    for (int32_t cell = 0; cell < f->lattice->cell_count; ++cell) {
        starts[cell + 1] += starts[cell];
    }
    for (size_t i = 0; i < f->count; ++i) {
        inside->copies[starts[f->copies[i].cell]++] = f->copies[i];
    }
    return true;
}

sn_result sn_inside_find(const sn_surface *surface, const sn_winding *trees, const sn_lattice *lattice,
                         const sn_piece_list *pieces, sn_arena *arena, sn_inside *inside)
{
    sn_arena scratch = {0};
    finder f = {.surface = surface, .trees = trees, .lattice = lattice, .pieces = pieces, .scratch = &scratch};
    int32_t *seeds = SN_NEW(&scratch, int32_t, pieces->cell_count);
    bool is_ok = seeds && start_finder(&f);
    if (is_ok) {
        flood_outside(&f);
    }
    for (int32_t solid = 1; solid <= surface->solid_count && is_ok && f.count < MAX_COPY_COUNT; ++solid) {
        is_ok = grow_inwards(&f, solid, seeds);
    }
    is_ok = is_ok && grow_inwards(&f, 0, seeds) && sort_copies(&f, arena, inside);
    sn_arena_finish(&scratch);
    return is_ok ? SN_OK : SN_ERROR_MEMORY;
}
