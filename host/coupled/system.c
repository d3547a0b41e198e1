/* SPDX-License-Identifier: MIT */
/* Builds what is constant for given locks, pins, compliances and settings: the scalars of the fit and of the
 * projection, and their matrices with the linear part eliminated. */
#include <math.h>
#include <string.h>

#include "host/coupled/scalars.h"
#include "host/math/cholesky.h"

#define JOINT_LOCK_MASS 1e5       /* of a locked joint, as a factor of the body's mass */
#define LIGHT_JOINT_LOCK_MASS 1e3 /* for float solvers, which must distinguish it from a small handle's flesh */

/* ---- elimination ---- */

static void list_columns(const sn_coupled_rig *rig, const sn_coupled_system *system, int32_t *columns)
{
    for (int j = 0; j < system->solved_count; ++j) {
        for (int e = 0; e < rig->dimension; ++e) {
            columns[rig->dimension * j + e] = rig->rotation_column[system->solved[j]] + e;
        }
    }
}

/* Lays out the matrices in the storage. */
static void lay_out(size_t solved, size_t free_count, bool has_border, sn_coupled_elimination *e)
{
    e->reduced = e->storage;
    e->transfer = e->reduced + solved * solved;
    e->inverse = e->transfer + solved * free_count;
    e->border = e->inverse + free_count * free_count;
    e->corner = e->border + (has_border ? solved * free_count : 0);
}

/* Computes S_FF^-1; scratch_gram: (free_count x free_count). */
static void invert_free(const double *gram, size_t basis, bool has_border, sn_coupled_elimination *e,
                        double *scratch_gram)
{
    const size_t free_count = (size_t)e->free_count;
    for (size_t i = 0; i < free_count; ++i) {
        for (size_t j = 0; j < free_count; ++j) {
            scratch_gram[free_count * i + j] = gram[basis * (size_t)e->free[i] + (size_t)e->free[j]];
        }
    }
    const double trace = sn_coupled_regularize(e->free_count, free_count, scratch_gram);
    for (size_t i = 0; i < free_count && !(trace > 0); ++i) { /* functions that affect no vertex stay fixed */
        scratch_gram[(free_count + 1) * i] = 1;
    }
    if (has_border) {
        memcpy(e->corner, scratch_gram, free_count * free_count * sizeof *scratch_gram);
    }
    memset(e->inverse, 0, free_count * free_count * sizeof *e->inverse);
    if (sn_cholesky_factor(e->free_count, scratch_gram)) {
        sn_cholesky_invert(e->free_count, scratch_gram, e->inverse);
    }
}

/* Eliminates the free functions from gram (basis x basis). */
static void eliminate(const sn_coupled_rig *rig, const double *gram, const sn_coupled_system *system,
                      sn_coupled_elimination *e, double *scratch_gram)
{
    const size_t basis = (size_t)rig->basis_count, free_count = (size_t)e->free_count;
    const size_t solved = (size_t)(rig->dimension * system->solved_count);
    int32_t *columns = system->columns;
    const bool has_border = system->border_count > 0;
    lay_out(solved, free_count, has_border, e);
    invert_free(gram, basis, has_border, e, scratch_gram);
    for (size_t i = 0; i < solved; ++i) {
        const double *row = gram + basis * (size_t)columns[i];
        for (size_t j = 0; j < free_count; ++j) {
            double sum = 0;
            for (size_t f = 0; f < free_count; ++f) {
                sum += row[e->free[f]] * e->inverse[free_count * f + j];
            }
            e->transfer[free_count * i + j] = sum;
        }
        for (size_t j = 0; j < solved; ++j) {
            double entry = row[columns[j]];
            for (size_t f = 0; f < free_count && !has_border; ++f) {
                entry -= e->transfer[free_count * i + f] * gram[basis * (size_t)e->free[f] + (size_t)columns[j]];
            }
            e->reduced[solved * i + j] = entry;
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
            system->scalars[system->scalar_count++] = (sn_coupled_scalar){handle, system->solved_count, axis};
        }
    }
    for (int entry = 0; has_stretch && entry < dimension * (dimension + 1) / 2; ++entry) {
        system->scalars[system->scalar_count++] = (sn_coupled_scalar){handle, system->solved_count, 3 + entry};
    }
    system->solved[system->solved_count++] = handle;
}

/* Elimination order of the scalars. Children come first in large trees, which keeps uncoupled entries zero. Locked
 * joints couple all handles, and with that order they lose precision. */
static int handle_in_order(const sn_coupled_rig *rig, int index, bool has_joint_locks)
{
    return rig->rotating_count < SN_COUPLED_LARGE_TREE || has_joint_locks ? index
                                                                          : rig->order[rig->handle_count - 1 - index];
}

/* Whether the free functions (`count` on all axes) are bordered behind the scalars. Locked joints would lose precision
 * that way. */
static void choose_border(const sn_coupled_rig *rig, bool has_joint_locks, int count, sn_coupled_system *system)
{
    const bool is_bordered =
        rig->rotating_count >= SN_COUPLED_LARGE_TREE && !has_joint_locks && count <= SN_COUPLED_MAX_BORDER;
    system->border_count = is_bordered ? count : 0;
}

/* ---- coupled handles ---- */

static void find_first_scalars(sn_coupled_system *system, int dimension)
{
    int s = 0;
    system->is_rotation_only = dimension == 3;
    for (int solved = 0; solved < system->solved_count; ++solved) {
        system->first_scalars[solved] = s;
        for (; s < system->scalar_count && system->scalars[s].solved == solved; ++s) {
            system->is_rotation_only &= system->scalars[s].number < 3;
        }
    }
    system->first_scalars[system->solved_count] = s;
}

static bool is_block_nonzero(const sn_coupled_system *system, int dimension, int own, int other)
{
    const int columns = dimension * system->solved_count;
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

/* is_nonzero: scratch (solved_count^2). */
static void find_links(sn_coupled_system *system, int dimension, bool *is_nonzero)
{
    const int solved = system->solved_count;
    system->group_count = (solved + SN_TILE - 1) / SN_TILE;
    memset(system->links, 0, (size_t)(solved * system->group_count));
    for (int other = 0; other < solved; ++other) {
        for (int own = other; own < solved; ++own) {
            const bool is_linked = is_block_nonzero(system, dimension, own, other);
            is_nonzero[solved * own + other] = is_linked;
            system->links[system->group_count * other + own / SN_TILE] |= (uint8_t)(is_linked << own % SN_TILE);
        }
    }
}

static void find_tiles(sn_coupled_system *system, bool *is_nonzero)
{
    const int solved = system->solved_count;
    sn_tiles_fill_in(solved, is_nonzero);
    sn_tiles_init(system->scalar_count + system->border_count, &system->tiles);
    for (int i = 0; i < solved * solved; ++i) {
        const int own = i / solved, other = i % solved, row = system->first_scalars[own],
                  column = system->first_scalars[other];
        if (other <= own && is_nonzero[i]) {
            sn_tiles_add(&system->tiles, row, system->first_scalars[own + 1] - row, column,
                         system->first_scalars[other + 1] - column);
        }
    }
    sn_tiles_add(&system->tiles, system->scalar_count, system->border_count, 0, system->scalar_count);
}

/* Collects the blocks in the order in which couple_rotations reads them. */
static void collect_blocks(const sn_coupled_system *system, sn_coupled_elimination *e)
{
    const int solved = system->solved_count;
    double *block = e->blocks;
    for (int column = 0; column < solved; ++column) {
        for (int first = sn_coupled_link_group_start(column); first < solved; first += SN_COUPLED_LINK_GROUP) {
            for (int i = 0; i < 9 * SN_COUPLED_LINK_GROUP && sn_coupled_links(system, first, column) != 0; ++i) {
                const int own = first + i % SN_COUPLED_LINK_GROUP, entry = i / SN_COUPLED_LINK_GROUP;
                const size_t row = 3 * (size_t)own + (size_t)(entry / 3);
                *block++ = own < solved ? e->reduced[3 * (size_t)solved * row + (size_t)(3 * column + entry % 3)] : 0;
            }
        }
    }
}

/* scratch_gram: scratch (basis_count^2). */
static void find_structure(sn_coupled_system *system, int dimension, double *scratch_gram)
{
    find_first_scalars(system, dimension);
    find_links(system, dimension, (bool *)scratch_gram);
    find_tiles(system, (bool *)scratch_gram);
    for (int axis = 0; axis < dimension; ++axis) {
        sn_coupled_elimination *e = &system->axes[axis];
        if (system->of_axis[axis] == e) {
            const double *const matrices[3] = {e->reduced};
            sn_rows_find(dimension * system->solved_count, matrices, &e->rows);
            if (system->is_rotation_only) {
                collect_blocks(system, e);
            }
        }
    }
}

/* ---- the fit ---- */

static bool has_free_columns(const sn_coupled_body *body, int handle)
{
    return body->rig->handles[handle].type == SN_HANDLE_AFFINE &&
           !(body->handles[handle].locks & (SN_LOCK_ROTATION | SN_LOCK_STRETCH));
}

static bool can_rotate_or_stretch(const sn_coupled_body *body, int handle)
{
    const unsigned rest = SN_LOCK_ROTATION | SN_LOCK_STRETCH;
    return (sn_coupled_possible_locks(body->rig, handle) & rest & ~body->handles[handle].locks) != 0;
}

static void find_joint_locks(sn_coupled_body *body)
{
    const sn_coupled_rig *rig = body->rig;
    double mass = 0;
    for (int row = 0; row < rig->model->vertex_count; ++row) {
        mass += (double)rig->model->rest[4 * row + 3];
    }
    body->joint_lock_mass = (body->is_for_float ? LIGHT_JOINT_LOCK_MASS : JOINT_LOCK_MASS) * mass;
    body->joint_lock_count = 0;
    for (int k = 0; k < rig->handle_count; ++k) {
        const unsigned axes = body->handles[k].locks & SN_LOCK_TRANSLATION;
        if (rig->handles[k].parent < 0 || !axes) {
            continue;
        }
        sn_coupled_joint_lock *joint_lock = &body->joint_locks[body->joint_lock_count++];
        joint_lock->handle = k;
        joint_lock->axes = axes;
        memset(joint_lock->functions, 0, (size_t)rig->basis_count * sizeof *joint_lock->functions);
        joint_lock->functions[rig->roots[k]] = 1;
        for (int child = k, parent = rig->handles[k].parent; parent >= 0;
             child = parent, parent = rig->handles[child].parent) {
            for (int e = 0; e < rig->dimension && rig->rotation_column[parent] >= 0; ++e) {
                joint_lock->functions[rig->rotation_column[parent] + e] =
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
            e->free[e->free_count++] = rig->rotation_column[k] + i;
        }
    }
}

/* Whether two axes have the same locked translations. */
static bool have_equal_locks(const sn_coupled_body *body, int a, int b)
{
    for (int k = 0; k < body->rig->handle_count; ++k) {
        if ((body->handles[k].locks >> a & 1) != (body->handles[k].locks >> b & 1)) {
            return false;
        }
    }
    return true;
}

/* Adds the locked joints on an axis to S. */
static void add_joint_locks(const sn_coupled_body *body, int axis, double *gram)
{
    const size_t basis = (size_t)body->rig->basis_count;
    for (int i = 0; i < body->joint_lock_count; ++i) {
        const double *phi = body->joint_locks[i].functions;
        for (size_t b = 0; b < basis * basis && (body->joint_locks[i].axes >> axis & 1); ++b) {
            gram[b] += body->joint_lock_mass * phi[b / basis] * phi[b % basis];
        }
    }
}

/* Blends S with that of single handles. */
static void blend_grams(const sn_coupled_body *body, const double *gram, double *blended_gram)
{
    const double weight = body->settings.regularity;
    for (int i = 0; i < body->rig->basis_count * body->rig->basis_count; ++i) {
        blended_gram[i] = (1 - weight) * gram[i] + weight * body->rig->single_gram[i];
    }
}

static void prepare_fit(sn_coupled_body *body)
{
    const sn_coupled_rig *rig = body->rig;
    const size_t numbers = (size_t)rig->basis_count * (size_t)rig->basis_count;
    sn_coupled_system *system = &body->fit;
    int free_count = 0;
    system->solved_count = system->scalar_count = 0;
    find_joint_locks(body);
    blend_grams(body, rig->gram, body->fit_gram);
    for (int i = 0; i < rig->handle_count; ++i) {
        const int k = handle_in_order(rig, i, body->joint_lock_count > 0);
        if (!has_free_columns(body, k) && can_rotate_or_stretch(body, k)) {
            const bool has_stretch =
                rig->handles[k].type == SN_HANDLE_AFFINE && !(body->handles[k].locks & SN_LOCK_STRETCH);
            add_scalars(system, k, rig->dimension, body->handles[k].locks, has_stretch);
        }
    }
    list_columns(rig, system, system->columns);
    for (int axis = 0; axis < rig->dimension; ++axis) {
        system->of_axis[axis] = &system->axes[axis];
        for (int other = 0; other < axis; ++other) {
            if (have_equal_locks(body, axis, other)) {
                system->of_axis[axis] = system->of_axis[other];
                break;
            }
        }
        if (system->of_axis[axis] == &system->axes[axis]) {
            collect_free(body, axis, &system->axes[axis]);
        }
        free_count += system->of_axis[axis]->free_count;
    }
    choose_border(rig, body->joint_lock_count > 0, free_count, system);
    for (int axis = 0; axis < rig->dimension; ++axis) {
        if (system->of_axis[axis] == &system->axes[axis]) {
            memcpy(body->blended_gram, body->fit_gram, numbers * sizeof(double));
            add_joint_locks(body, axis, body->blended_gram);
            eliminate(rig, body->blended_gram, system, &system->axes[axis], body->scratch_gram);
        }
    }
    find_structure(system, rig->dimension, body->scratch_gram);
}

/* ---- the projection ---- */

/* Marks all handles or, with is_constraint_locked_only, those with a lock in their subtree. */
static void find_driven(sn_coupled_body *body)
{
    const sn_coupled_rig *rig = body->rig;
    for (int k = 0; k < rig->handle_count; ++k) {
        body->handles[k].is_driven = !body->settings.is_constraint_locked_only || body->handles[k].locks != 0;
    }
    for (int i = rig->handle_count - 1; i >= 0; --i) {
        const int k = rig->order[i], parent = rig->handles[k].parent;
        if (parent >= 0 && body->handles[k].is_driven) {
            body->handles[parent].is_driven = true;
        }
    }
}

/* sqrt(a~ / S) of a handle's functions. */
static double relative_compliance(const sn_coupled_body *body, int handle)
{
    const double own = body->handles[handle].compliance;
    return sqrt(own >= 0 ? own : body->settings.compliance) / body->flesh->substep;
}

/* S + a~. softness: scratch (basis). */
static void add_compliance(sn_coupled_body *body, double *softness, double *gram)
{
    const sn_coupled_rig *rig = body->rig;
    const size_t basis = (size_t)rig->basis_count;
    body->min_compliance_factor = INFINITY;
    for (int k = 0; k < rig->handle_count; ++k) {
        const double own = relative_compliance(body, k);
        body->min_compliance_factor =
            body->handles[k].is_driven ? fmin(body->min_compliance_factor, 1 + own * own) : body->min_compliance_factor;
        if (rig->handles[k].parent < 0) {
            softness[rig->roots[k]] = own;
        }
        for (int e = 0; e < rig->dimension && rig->rotation_column[k] >= 0; ++e) {
            softness[rig->rotation_column[k] + e] = own;
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
        sn_coupled_basis_functions(rig, row, body->handle_sums, functions);
        for (size_t b = 0; b < basis * basis; ++b) {
            gram[b] -= (double)rig->model->rest[4 * row + 3] * functions[b / basis] * functions[b % basis];
        }
    }
}

static void sum_free_moments(sn_coupled_body *body, double *functions)
{
    const sn_coupled_rig *rig = body->rig;
    const size_t basis = (size_t)rig->basis_count, numbers = (size_t)rig->dimension + 1;
    memset(body->free_moments, 0, basis * numbers * sizeof *body->free_moments);
    for (int row = 0; row < rig->model->vertex_count; ++row) {
        const float *rest = rig->model->rest + 4 * row;
        const double x[4] = {1, (double)rest[0], (double)rest[1], (double)rest[2]};
        sn_coupled_basis_functions(rig, row, body->handle_sums, functions);
        for (size_t i = 0; i < basis * numbers && !sn_coupled_is_pinned(body, row); ++i) {
            body->free_moments[i] += (double)rest[3] * functions[i / numbers] * x[i % numbers];
        }
    }
}

static void prepare_projection(sn_coupled_body *body)
{
    const sn_coupled_rig *rig = body->rig;
    sn_coupled_system *system = &body->projection;
    sn_coupled_elimination *e = &system->axes[0];
    system->solved_count = system->scalar_count = 0;
    e->free_count = 0;
    find_driven(body);
    for (int i = 0; i < rig->handle_count; ++i) {
        const int k = handle_in_order(rig, i, false);
        const bool is_driven = body->handles[k].is_driven;
        if (is_driven && rig->handles[k].parent < 0) {
            e->free[e->free_count++] = rig->roots[k];
        }
        for (int axis = 0; axis < rig->dimension && is_driven && rig->handles[k].type == SN_HANDLE_AFFINE; ++axis) {
            e->free[e->free_count++] = rig->rotation_column[k] + axis;
        }
        if (is_driven && rig->handles[k].type == SN_HANDLE_RIGID) {
            add_scalars(system, k, rig->dimension, 0, false);
        }
    }
    list_columns(rig, system, system->columns);
    find_free_gram(body, body->free_gram, body->change);
    blend_grams(body, body->free_gram, body->blended_gram);
    add_compliance(body, body->change, body->blended_gram);
    if (body->settings.is_constraint_locked_only) {
        sum_free_moments(body, body->change);
    }
    choose_border(rig, false, rig->dimension * e->free_count, system);
    eliminate(rig, body->blended_gram, system, e, body->scratch_gram);
    for (int axis = 0; axis < rig->dimension; ++axis) {
        system->of_axis[axis] = e;
    }
    find_structure(system, rig->dimension, body->scratch_gram);
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
