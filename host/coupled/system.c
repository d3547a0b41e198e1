/* SPDX-License-Identifier: MIT */
/* Builds what is constant for given locks, pins, compliances and settings: the scalars of the fit and of the
 * projection, and their matrices with the linear part eliminated. */
#include <math.h>
#include <string.h>

#include "host/coupled/scalars.h"
#include "host/math/cholesky.h"

#define HOLD_MASS 1e5       /* of a locked joint, as a factor of the body's mass */
#define LIGHT_HOLD_MASS 1e3 /* for float solvers, which must distinguish it from a small handle's flesh */

/* ---- elimination ---- */

static void keep_columns(const sn_coupled_rig *rig, const sn_coupled_system *system, int32_t *columns)
{
    for (int j = 0; j < system->kept_count; ++j) {
        for (int e = 0; e < rig->dimension; ++e) {
            columns[rig->dimension * j + e] = rig->turning[system->kept[j]] + e;
        }
    }
}

/* Lays out the matrices in the storage. */
static void lay_out(size_t kept, size_t free_count, bool has_border, sn_coupled_elimination *e)
{
    e->reduced = e->storage;
    e->carried = e->reduced + kept * kept;
    e->inverse = e->carried + kept * free_count;
    e->border = e->inverse + free_count * free_count;
    e->corner = e->border + (has_border ? kept * free_count : 0);
}

/* Computes S_FF^-1; scratch_gram: (free_count x free_count). */
static void invert_free(const double *gram, size_t basis, bool has_border, sn_coupled_elimination *e, double *work)
{
    const size_t free_count = (size_t)e->free_count;
    for (size_t i = 0; i < free_count; ++i) {
        for (size_t j = 0; j < free_count; ++j) {
            work[free_count * i + j] = gram[basis * (size_t)e->free[i] + (size_t)e->free[j]];
        }
    }
    const double trace = sn_coupled_lift(e->free_count, free_count, work);
    for (size_t i = 0; i < free_count && !(trace > 0); ++i) { /* functions that affect no vertex stay fixed */
        work[(free_count + 1) * i] = 1;
    }
    if (has_border) {
        memcpy(e->corner, work, free_count * free_count * sizeof *work);
    }
    memset(e->inverse, 0, free_count * free_count * sizeof *e->inverse);
    if (sn_cholesky_factor(e->free_count, work)) {
        sn_cholesky_invert(e->free_count, work, e->inverse);
    }
}

/* Eliminates the free functions from gram (basis x basis). */
static void eliminate(const sn_coupled_rig *rig, const double *gram, const sn_coupled_system *system,
                      sn_coupled_elimination *e, double *work)
{
    const size_t basis = (size_t)rig->basis_count, free_count = (size_t)e->free_count;
    const size_t kept = (size_t)(rig->dimension * system->kept_count);
    int32_t *columns = system->columns;
    const bool has_border = system->border_count > 0;
    lay_out(kept, free_count, has_border, e);
    invert_free(gram, basis, has_border, e, work);
    for (size_t i = 0; i < kept; ++i) {
        const double *row = gram + basis * (size_t)columns[i];
        for (size_t j = 0; j < free_count; ++j) {
            double sum = 0;
            for (size_t f = 0; f < free_count; ++f) {
                sum += row[e->free[f]] * e->inverse[free_count * f + j];
            }
            e->carried[free_count * i + j] = sum;
        }
        for (size_t j = 0; j < kept; ++j) {
            double entry = row[columns[j]];
            for (size_t f = 0; f < free_count && !has_border; ++f) {
                entry -= e->carried[free_count * i + f] * gram[basis * (size_t)e->free[f] + (size_t)columns[j]];
            }
            e->reduced[kept * i + j] = entry;
        }
        for (size_t f = 0; f < free_count && has_border; ++f) {
            e->border[free_count * i + f] = row[e->free[f]];
        }
    }
}

static void add_scalars(sn_coupled_system *system, int handle, int dimension, unsigned locks, bool has_stretch)
{
    for (int axis = dimension == 2 ? 2 : 0; axis < 3; ++axis) {
        if (!(locks & (unsigned)(SN_LOCK_ROTATION_X << axis))) {
            system->scalars[system->scalar_count++] = (sn_coupled_scalar){handle, system->kept_count, axis};
        }
    }
    for (int entry = 0; has_stretch && entry < dimension * (dimension + 1) / 2; ++entry) {
        system->scalars[system->scalar_count++] = (sn_coupled_scalar){handle, system->kept_count, 3 + entry};
    }
    system->kept[system->kept_count++] = handle;
}

/* Elimination order of the scalars. Children come first in large trees, which keeps uncoupled entries zero. Locked
 * joints couple all handles, and with that order they lose precision. */
static int handle_at(const sn_coupled_rig *rig, int place, bool is_held)
{
    return rig->turning_count < SN_COUPLED_LARGE_TREE || is_held ? place : rig->order[rig->handle_count - 1 - place];
}

/* Whether the free functions (`count` on all axes) are bordered behind the scalars. Locked joints would lose precision
 * that way. */
static void choose_border(const sn_coupled_rig *rig, bool is_held, int count, sn_coupled_system *system)
{
    const bool is_bordered = rig->turning_count >= SN_COUPLED_LARGE_TREE && !is_held && count <= SN_COUPLED_MOST_BORDER;
    system->border_count = is_bordered ? count : 0;
}

/* ---- coupled handles ---- */

static void find_firsts(sn_coupled_system *system, int dimension)
{
    int s = 0;
    system->is_turning = dimension == 3;
    for (int kept = 0; kept < system->kept_count; ++kept) {
        system->firsts[kept] = s;
        for (; s < system->scalar_count && system->scalars[s].kept == kept; ++s) {
            system->is_turning &= system->scalars[s].number < 3;
        }
    }
    system->firsts[system->kept_count] = s;
}

static bool is_block_felt(const sn_coupled_system *system, int dimension, int own, int other)
{
    const int columns = dimension * system->kept_count;
    for (int axis = 0; axis < dimension; ++axis) {
        const double *block = system->of_axis[axis]->reduced + (size_t)columns * (size_t)(dimension * own);
        for (int i = 0; i < dimension * dimension; ++i) {
            if (block[columns * (i / dimension) + dimension * other + i % dimension] != 0) {
                return true;
            }
        }
    }
    return false;
}

/* is_nonzero: scratch (kept_count^2). */
static void find_links(sn_coupled_system *system, int dimension, bool *is_felt)
{
    const int kept = system->kept_count;
    system->group_count = (kept + SN_TILE - 1) / SN_TILE;
    memset(system->links, 0, (size_t)(kept * system->group_count));
    for (int other = 0; other < kept; ++other) {
        for (int own = other; own < kept; ++own) {
            const bool is_linked = is_block_felt(system, dimension, own, other);
            is_felt[kept * own + other] = is_linked;
            system->links[system->group_count * other + own / SN_TILE] |= (uint8_t)(is_linked << own % SN_TILE);
        }
    }
}

static void find_tiles(sn_coupled_system *system, bool *is_felt)
{
    const int kept = system->kept_count;
    sn_tiles_fill(kept, is_felt);
    sn_tiles_begin(system->scalar_count + system->border_count, &system->tiles);
    for (int i = 0; i < kept * kept; ++i) {
        const int own = i / kept, other = i % kept, row = system->firsts[own], column = system->firsts[other];
        if (other <= own && is_felt[i]) {
            sn_tiles_feel(&system->tiles, row, system->firsts[own + 1] - row, column,
                          system->firsts[other + 1] - column);
        }
    }
    sn_tiles_feel(&system->tiles, system->scalar_count, system->border_count, 0, system->scalar_count);
}

/* Collects the blocks in the order in which couple_turns reads them. */
static void collect_blocks(const sn_coupled_system *system, sn_coupled_elimination *e)
{
    const int kept = system->kept_count;
    double *block = e->blocks;
    for (int column = 0; column < kept; ++column) {
        for (int first = sn_coupled_first_some(column); first < kept; first += SN_COUPLED_SOME) {
            for (int i = 0; i < 9 * SN_COUPLED_SOME && sn_coupled_links(system, first, column) != 0; ++i) {
                const int own = first + i % SN_COUPLED_SOME, entry = i / SN_COUPLED_SOME;
                const size_t row = 3 * (size_t)own + (size_t)(entry / 3);
                *block++ = own < kept ? e->reduced[3 * (size_t)kept * row + (size_t)(3 * column + entry % 3)] : 0;
            }
        }
    }
}

/* scratch_gram: scratch (basis_count^2). */
static void find_structure(sn_coupled_system *system, int dimension, double *work)
{
    find_firsts(system, dimension);
    find_links(system, dimension, (bool *)work);
    find_tiles(system, (bool *)work);
    for (int axis = 0; axis < dimension; ++axis) {
        sn_coupled_elimination *e = &system->axes[axis];
        if (system->of_axis[axis] == e) {
            const double *const matrices[3] = {e->reduced};
            sn_rows_find(dimension * system->kept_count, matrices, &e->rows);
            if (system->is_turning) {
                collect_blocks(system, e);
            }
        }
    }
}

/* ---- the fit ---- */

static bool has_free_columns(const sn_coupled_body *body, int handle)
{
    return body->rig->handles[handle].kind == SN_HANDLE_AFFINE &&
           !(body->handles[handle].locks & (SN_LOCK_ROTATION | SN_LOCK_STRETCH));
}

static bool can_turn_or_stretch(const sn_coupled_body *body, int handle)
{
    const unsigned rest = SN_LOCK_ROTATION | SN_LOCK_STRETCH;
    return (sn_coupled_possible_locks(body->rig, handle) & rest & ~body->handles[handle].locks) != 0;
}

static void find_holds(sn_coupled_body *body)
{
    const sn_coupled_rig *rig = body->rig;
    double mass = 0;
    for (int row = 0; row < rig->model->vertex_count; ++row) {
        mass += (double)rig->model->rest[4 * row + 3];
    }
    body->hold_mass = (body->is_for_float ? LIGHT_HOLD_MASS : HOLD_MASS) * mass;
    body->hold_count = 0;
    for (int k = 0; k < rig->handle_count; ++k) {
        const unsigned axes = body->handles[k].locks & SN_LOCK_TRANSLATION;
        if (rig->handles[k].parent < 0 || !axes) {
            continue;
        }
        sn_coupled_hold *hold = &body->holds[body->hold_count++];
        hold->handle = k;
        hold->axes = axes;
        memset(hold->functions, 0, (size_t)rig->basis_count * sizeof *hold->functions);
        hold->functions[rig->roots[k]] = 1;
        for (int child = k, parent = rig->handles[k].parent; parent >= 0;
             child = parent, parent = rig->handles[child].parent) {
            for (int e = 0; e < rig->dimension && rig->turning[parent] >= 0; ++e) {
                hold->functions[rig->turning[parent] + e] =
                    (rig->handles[child].pivot[e] - rig->handles[parent].pivot[e]) / rig->length;
            }
        }
    }
}

static void collect_free(const sn_coupled_body *body, int axis, sn_coupled_elimination *e)
{
    const sn_coupled_rig *rig = body->rig;
    e->free_count = 0;
    for (int k = 0; k < rig->handle_count; ++k) {
        if (rig->handles[k].parent < 0 && !(body->handles[k].locks & (unsigned)(SN_LOCK_X << axis))) {
            e->free[e->free_count++] = rig->roots[k];
        }
        for (int i = 0; i < rig->dimension && has_free_columns(body, k); ++i) {
            e->free[e->free_count++] = rig->turning[k] + i;
        }
    }
}

/* Whether two axes have the same locked translations. */
static bool are_axes_alike(const sn_coupled_body *body, int a, int b)
{
    for (int k = 0; k < body->rig->handle_count; ++k) {
        if ((body->handles[k].locks >> a & 1) != (body->handles[k].locks >> b & 1)) {
            return false;
        }
    }
    return true;
}

/* Adds the locked joints on an axis to S. */
static void add_holds(const sn_coupled_body *body, int axis, double *gram)
{
    const size_t basis = (size_t)body->rig->basis_count;
    for (int i = 0; i < body->hold_count; ++i) {
        const double *phi = body->holds[i].functions;
        for (size_t b = 0; b < basis * basis && (body->holds[i].axes >> axis & 1); ++b) {
            gram[b] += body->hold_mass * phi[b / basis] * phi[b % basis];
        }
    }
}

/* Blends S with that of single handles. */
static void blend_grams(const sn_coupled_body *body, const double *gram, double *blend)
{
    const double share = body->settings.regularity;
    for (int i = 0; i < body->rig->basis_count * body->rig->basis_count; ++i) {
        blend[i] = (1 - share) * gram[i] + share * body->rig->single_gram[i];
    }
}

static void prepare_fit(sn_coupled_body *body)
{
    const sn_coupled_rig *rig = body->rig;
    const size_t numbers = (size_t)rig->basis_count * (size_t)rig->basis_count;
    sn_coupled_system *system = &body->fit;
    int free_count = 0;
    system->kept_count = system->scalar_count = 0;
    find_holds(body);
    blend_grams(body, rig->gram, body->fit_gram);
    for (int i = 0; i < rig->handle_count; ++i) {
        const int k = handle_at(rig, i, body->hold_count > 0);
        if (!has_free_columns(body, k) && can_turn_or_stretch(body, k)) {
            const bool has_stretch =
                rig->handles[k].kind == SN_HANDLE_AFFINE && !(body->handles[k].locks & SN_LOCK_STRETCH);
            add_scalars(system, k, rig->dimension, body->handles[k].locks, has_stretch);
        }
    }
    keep_columns(rig, system, system->columns);
    for (int axis = 0; axis < rig->dimension; ++axis) {
        system->of_axis[axis] = &system->axes[axis];
        for (int other = 0; other < axis; ++other) {
            if (are_axes_alike(body, axis, other)) {
                system->of_axis[axis] = system->of_axis[other];
                break;
            }
        }
        if (system->of_axis[axis] == &system->axes[axis]) {
            collect_free(body, axis, &system->axes[axis]);
        }
        free_count += system->of_axis[axis]->free_count;
    }
    choose_border(rig, body->hold_count > 0, free_count, system);
    for (int axis = 0; axis < rig->dimension; ++axis) {
        if (system->of_axis[axis] == &system->axes[axis]) {
            memcpy(body->blend, body->fit_gram, numbers * sizeof(double));
            add_holds(body, axis, body->blend);
            eliminate(rig, body->blend, system, &system->axes[axis], body->work);
        }
    }
    find_structure(system, rig->dimension, body->work);
}

/* ---- the projection ---- */

/* Marks all handles or, with is_driven_only, those with a lock in their subtree. */
static void find_driven(sn_coupled_body *body)
{
    const sn_coupled_rig *rig = body->rig;
    for (int k = 0; k < rig->handle_count; ++k) {
        body->handles[k].is_driven = !body->settings.is_driven_only || body->handles[k].locks != 0;
    }
    for (int i = rig->handle_count - 1; i >= 0; --i) {
        const int k = rig->order[i], parent = rig->handles[k].parent;
        if (parent >= 0 && body->handles[k].is_driven) {
            body->handles[parent].is_driven = true;
        }
    }
}

/* sqrt(a~ / S) of a handle's functions. */
static double softness_of(const sn_coupled_body *body, int handle)
{
    const double own = body->handles[handle].compliance;
    return sqrt(own >= 0 ? own : body->settings.compliance) / body->flesh->substep;
}

/* S + a~. softness: scratch (basis). */
static void soften(sn_coupled_body *body, double *softness, double *gram)
{
    const sn_coupled_rig *rig = body->rig;
    const size_t basis = (size_t)rig->basis_count;
    body->yielding = INFINITY;
    for (int k = 0; k < rig->handle_count; ++k) {
        const double own = softness_of(body, k);
        body->yielding = body->handles[k].is_driven ? fmin(body->yielding, 1 + own * own) : body->yielding;
        if (rig->handles[k].parent < 0) {
            softness[rig->roots[k]] = own;
        }
        for (int e = 0; e < rig->dimension && rig->turning[k] >= 0; ++e) {
            softness[rig->turning[k] + e] = own;
        }
    }
    for (size_t b = 0; b < basis * basis; ++b) {
        gram[b] *= 1 + softness[b / basis] * softness[b % basis];
    }
}

/* S without the pinned vertices. */
static void find_free_gram(const sn_coupled_body *body, double *gram, double *functions)
{
    const sn_coupled_rig *rig = body->rig;
    const size_t basis = (size_t)rig->basis_count;
    memcpy(gram, rig->gram, basis * basis * sizeof *gram);
    for (int i = 0; i < body->flesh->pin_count; ++i) {
        const int row = body->flesh->pins[i].row;
        if (!isinf(body->flesh->pins[i].stiffness)) {
            continue;
        }
        sn_coupled_functions(rig, row, body->raw, functions);
        for (size_t b = 0; b < basis * basis; ++b) {
            gram[b] -= (double)rig->model->rest[4 * row + 3] * functions[b / basis] * functions[b % basis];
        }
    }
}

static void sum_shares(sn_coupled_body *body, double *functions)
{
    const sn_coupled_rig *rig = body->rig;
    const size_t basis = (size_t)rig->basis_count, numbers = (size_t)rig->dimension + 1;
    memset(body->shares, 0, basis * numbers * sizeof *body->shares);
    for (int row = 0; row < rig->model->vertex_count; ++row) {
        const float *rest = rig->model->rest + 4 * row;
        const double x[4] = {1, (double)rest[0], (double)rest[1], (double)rest[2]};
        sn_coupled_functions(rig, row, body->raw, functions);
        for (size_t i = 0; i < basis * numbers && !sn_coupled_is_held(body, row); ++i) {
            body->shares[i] += (double)rest[3] * functions[i / numbers] * x[i % numbers];
        }
    }
}

static void prepare_projection(sn_coupled_body *body)
{
    const sn_coupled_rig *rig = body->rig;
    sn_coupled_system *system = &body->projection;
    sn_coupled_elimination *e = &system->axes[0];
    system->kept_count = system->scalar_count = 0;
    e->free_count = 0;
    find_driven(body);
    for (int i = 0; i < rig->handle_count; ++i) {
        const int k = handle_at(rig, i, false);
        const bool is_driven = body->handles[k].is_driven;
        if (is_driven && rig->handles[k].parent < 0) {
            e->free[e->free_count++] = rig->roots[k];
        }
        for (int axis = 0; axis < rig->dimension && is_driven && rig->handles[k].kind == SN_HANDLE_AFFINE; ++axis) {
            e->free[e->free_count++] = rig->turning[k] + axis;
        }
        if (is_driven && rig->handles[k].kind == SN_HANDLE_RIGID) {
            add_scalars(system, k, rig->dimension, 0, false);
        }
    }
    keep_columns(rig, system, system->columns);
    find_free_gram(body, body->free_gram, body->change);
    blend_grams(body, body->free_gram, body->blend);
    soften(body, body->change, body->blend);
    if (body->settings.is_driven_only) {
        sum_shares(body, body->change);
    }
    choose_border(rig, false, rig->dimension * e->free_count, system);
    eliminate(rig, body->blend, system, e, body->work);
    for (int axis = 0; axis < rig->dimension; ++axis) {
        system->of_axis[axis] = e;
    }
    find_structure(system, rig->dimension, body->work);
}

void sn_coupled_prepare(sn_coupled_body *body)
{
    prepare_fit(body);
    prepare_projection(body);
    sn_rows_find(body->rig->basis_count, (const double *const[3]){body->fit_gram, body->free_gram, body->rig->gram},
                 &body->rows);
    body->is_prepared = true;
    body->pin_edits = body->flesh->pin_edits;
}
