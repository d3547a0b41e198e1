/* SPDX-License-Identifier: MIT */
/* The number of nodes grows with the cell size to the power of about -2.4, which lies between a volume's exponent (-3)
 * and a surface's (-2). Secant steps on logarithms start from a coarse and cheap mesh. They count the nodes of the
 * finished mesh, since virtual nodes can be 25% of all nodes. */
#include "author/mesher/attempt.h"

#include <math.h>

#include "author/mesher/connect.h"
#include "author/mesher/nonmanifold.h"
#include "author/mesher/sets.h"

#define FIRST_CELL_SIZE 0.02 /* of the diagonal, for ten thousand nodes */
#define FIRST_FACTOR 1.6     /* the first attempt's cells are larger by this factor */
#define EXPONENT 2.4
#define MAX_CELL_SIZE 0.25
#define TOLERANCE 0.1 /* of the target */
#define ATTEMPT_LIMIT 6
/* If an attempt has more than this many times the target's nodes, it is dropped before its components are connected,
 * which is slow for soups of thousands of separate triangles. */
#define MAX_NODE_RATIO 4.0

void sn_attempt_finish(sn_attempt *attempt)
{
    sn_arena_finish(&attempt->arena);
    *attempt = (sn_attempt){0};
}

static sn_result check_cancel(const sn_mesher_input *input)
{
    if (input->is_cancelled && input->is_cancelled(input->cancel_user)) {
        return sn_fail(SN_ERROR_CANCELLED, "%s: cancelled", input->name);
    }
    return SN_OK;
}

/* Builds pieces, cells and fragments. Components are not connected yet. */
static sn_result start_attempt(const sn_mesher_context *context, double cell_size, sn_attempt *a)
{
    const sn_surface *surface = &context->surface;
    if (!sn_lattice_start(&a->lattice, surface->high, cell_size)) {
        return sn_fail(SN_ERROR_UNSUPPORTED, "%s: a lattice with a cell size of %g diagonals has too many cubes",
                       surface->input->name, cell_size);
    }
    SN_TRY(sn_pieces_cut(surface, &a->lattice, &a->arena, &a->pieces));
    SN_TRY(check_cancel(surface->input));
    SN_TRY(sn_inside_find(surface, context->trees, &a->lattice, &a->pieces, &a->arena, &a->inside));
    SN_TRY(check_cancel(surface->input));
    return sn_fragments_build(context, &a->lattice, &a->pieces, &a->inside, &a->arena, &a->fragments);
}

static double count_nodes(const sn_attempt *a)
{
    const int32_t *sets = a->fragments.corner_sets;
    double count = 0;
    for (int32_t corner = 0; corner < 4 * a->fragments.fragment_count; ++corner) {
        count += sets[corner] == corner;
    }
    return count;
}

static sn_result finish_mesh(sn_attempt *a)
{
    const sn_surface *surface = &a->fragments.context->surface;
    SN_TRY(check_cancel(surface->input));
    SN_TRY(sn_connect_contacts(&a->fragments));
    SN_TRY(sn_connect_bridges(&a->fragments, &a->arena, &a->bridge_count));
    SN_TRY(sn_tets_build(&a->fragments, &a->arena, &a->tets));
    SN_TRY(sn_nonmanifold_repair(&a->fragments, &a->tets));
    return check_cancel(surface->input);
}

/* Returns the smallest cell size that the limits on cubes and pieces allow. */
static double min_cell_size(const sn_surface *surface)
{
    sn_lattice lattice;
    double size = 1e-4;
    while (size < MAX_CELL_SIZE && (!sn_lattice_start(&lattice, surface->high, size) ||
                                    2 * sn_pieces_estimate(surface, size) > SN_PIECE_LIMIT)) {
        size *= 1.1;
    }
    return size;
}

static double target_error(const sn_attempt *attempt, int target)
{
    return fabs(log((double)attempt->tets.node_count / target));
}

/* Keeps the attempt that is nearer to the target and releases the other. */
static void choose_attempt(sn_attempt *attempt, sn_attempt *next, int target)
{
    if (attempt->tets.node_count > 0 && target_error(attempt, target) <= target_error(next, target)) {
        sn_attempt_finish(next);
        return;
    }
    sn_attempt_finish(attempt);
    *attempt = *next;
    attempt->fragments.lattice = &attempt->lattice;
    attempt->fragments.pieces = &attempt->pieces;
}

sn_result sn_attempt_search(const sn_mesher_context *context, int target, sn_attempt *attempt)
{
    const double finest = min_cell_size(&context->surface), coarsest = fmax(MAX_CELL_SIZE, finest);
    double size = FIRST_FACTOR * FIRST_CELL_SIZE * pow(10000.0 / target, 1 / EXPONENT), exponent = EXPONENT;
    double last_size = 0, last_count = 0;
    for (int i = 0; i < ATTEMPT_LIMIT; ++i) {
        sn_attempt next = {0};
        size = fmin(fmax(size, finest), coarsest);
        if (size == last_size) {
            break; /* the search is at a limit */
        }
        sn_result result = start_attempt(context, size, &next);
        const double unconnected_count = result == SN_OK ? count_nodes(&next) : 0;
        if (unconnected_count > MAX_NODE_RATIO * target && size < coarsest && i + 1 < ATTEMPT_LIMIT) {
            sn_attempt_finish(&next);
            size *= pow(unconnected_count / target, 1 / EXPONENT);
            continue;
        }
        if (result == SN_OK) {
            result = finish_mesh(&next);
        }
        if (result != SN_OK) {
            sn_attempt_finish(&next);
            sn_attempt_finish(attempt);
            return result;
        }
        const double count = next.tets.node_count;
        if (last_size > 0) {
            const double slope = log(last_count / count) / log(size / last_size);
            exponent = fmin(fmax(slope, 1.5), 3.5);
        }
        last_size = size;
        last_count = count;
        size *= pow(count / target, 1 / exponent);
        choose_attempt(attempt, &next, target);
        if (target_error(attempt, target) <= TOLERANCE) {
            break;
        }
    }
    return SN_OK;
}
