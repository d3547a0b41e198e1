/* SPDX-License-Identifier: MIT */
/* The coarse part of a two-level substep: sweeps over a lattice (host/xpbd/lattice.h) move flesh along before it is
 * swept itself.
 *
 * Galerkin: nodes move rows by u = P U, weigh P^T m (lumped), and a cell is under the constraints of its flesh's mean
 * F, with its volume and mean stiffness; so its multipliers are those of its tets, of which each has the share of its V
 * k. Flesh begins from both, places and multipliers: from zero multipliers it would add the same force again.
 *
 * M P U is not grad C^T of these multipliers: a stress that is even in each cell pulls at the cells' faces alone, U
 * moves all in between. The difference must not stay where flesh needs no help, or it is at rest elsewhere (a bent soft
 * leg by a third of what it sags). It cannot be made up for before the sweep either, which blows up. So flesh takes of
 * both the share that its own sweeps leave out, (a / (1 + a))^sweeps, a = .3 k h^2 / (rho l^2) (layered.h): the step's
 * fixed point, of many sweeps or many substeps, is that of flesh alone.
 *
 * P U keeps the body's momentum. Its angular momentum it keeps only as far as nodes are where their flesh's mass is: a
 * body that no bone carries is turned back. */
#include <math.h>

#include <string.h>

#include "host/layered/solver.h"
#include "host/math/vec3.h"
#include "host/xpbd/strain.h"

sn_result sn_layered_coarse_create(sn_layered_body *body)
{
    const sn_xpbd_lattice *lattice = body->model->lattice;
    const size_t size = body->flesh->real_size, rows = (size_t)lattice->row_count;
    const size_t lanes = SN_BATCH * (size_t)lattice->cells.batch_count;
    sn_layered_coarse *c = &body->coarse;
    c->rows = sn_alloc(4 * rows, size);
    c->multipliers = sn_alloc(STRAIN_COUNT * lanes, size);
    c->seeds = sn_alloc(SEED_NUMBERS * ((size_t)lattice->cell_count + 1), size);
    if (body->model->carried_count == 0) {
        c->centres = sn_alloc((size_t)lattice->node_count, 3 * sizeof *c->centres);
    }
    if (!c->rows || !c->multipliers || !c->seeds || (body->model->carried_count == 0 && !c->centres)) {
        return SN_ERROR_MEMORY;
    }
    for (size_t node = 0; node < (size_t)lattice->node_count; ++node) {
        sn_xpbd_put(body->flesh, c->rows, 4 * node + 3, (double)lattice->inverse_masses[node]);
    }
    body->flesh->seed_rows = lattice->cell_of;
    return SN_OK;
}

void sn_layered_coarse_destroy(sn_layered_body *body)
{
    const sn_xpbd_lattice *lattice = body->model->lattice;
    sn_layered_coarse *c = &body->coarse;
    if (lattice && body->flesh) {
        const size_t size = body->flesh->real_size;
        sn_free(c->centres, (size_t)lattice->node_count, 3 * sizeof *c->centres);
        sn_free(c->rows, 4 * (size_t)lattice->row_count, size);
        sn_free(c->multipliers, STRAIN_COUNT * SN_BATCH * (size_t)lattice->cells.batch_count, size);
        sn_free(c->seeds, SEED_NUMBERS * ((size_t)lattice->cell_count + 1), size);
    }
}

/* Of what flesh should do in a substep, what its sweeps do not. */
static double left_out(const sn_layered_body *body)
{
    const double h = body->flesh->substep;
    const double a = 0.3 * SN_LAYERED_LIMIT * body->model->rate * body->flesh->settings.stiffness * h * h;
    return pow(a / (1 + a), body->settings.sweep_count);
}

/* ---- angular momentum ---- */

/* (P^T m x) / M of each node: where P U has its angular momentum, sum M c x U. */
static void find_centres(sn_layered_body *body)
{
    const sn_xpbd_lattice *lattice = body->model->lattice;
    const sn_xpbd_body *flesh = body->flesh;
    double *centres = body->coarse.centres;
    memset(centres, 0, 3 * sizeof *centres * (size_t)lattice->node_count);
    for (size_t i = 0; i < CELL_NODES * (size_t)lattice->vertex_count; ++i) {
        const size_t at = 4 * (i / CELL_NODES), node = (size_t)lattice->nodes[i] / 4;
        const double mass = (double)lattice->shares[i] * (double)flesh->model->rest[at + 3];
        for (size_t d = 0; d < 3; ++d) {
            centres[3 * node + d] +=
                mass * (double)lattice->inverse_masses[node] *
                ((double)flesh->model->rest[at + d] + sn_xpbd_get(flesh, flesh->state.displacements, at + d));
        }
    }
}

/* Takes the turn out of U. */
static void turn_back(sn_layered_body *body)
{
    const sn_xpbd_lattice *lattice = body->model->lattice;
    const double *centres = body->coarse.centres;
    double middle[3] = {0}, mass = 0, angular[3] = {0}, second[6] = {0}, omega[3];
    find_centres(body);
    for (size_t n = 0; n < (size_t)lattice->node_count; ++n) {
        const double m = lattice->inverse_masses[n] > 0 ? 1 / (double)lattice->inverse_masses[n] : 0;
        mass += m;
        for (size_t d = 0; d < 3; ++d) {
            middle[d] += m * centres[3 * n + d];
        }
    }
    for (size_t n = 0; n < (size_t)lattice->node_count; ++n) {
        const double m = lattice->inverse_masses[n] > 0 ? 1 / (double)lattice->inverse_masses[n] : 0;
        double arm[3], moved[3], moment[3];
        for (size_t d = 0; d < 3; ++d) {
            arm[d] = centres[3 * n + d] - middle[d] / mass;
            moved[d] = sn_xpbd_get(body->flesh, body->coarse.rows, 4 * n + d);
        }
        sn_cross3(arm, moved, moment);
        for (size_t d = 0; d < 3; ++d) {
            angular[d] += m * moment[d];
            second[d] += m * arm[d] * arm[d];
            second[3 + d] += m * arm[d] * arm[(d + 1) % 3];
        }
    }
    sn_xpbd_spin(second, angular, omega);
    for (size_t n = 0; n < (size_t)lattice->node_count; ++n) {
        double arm[3], turned[3];
        for (size_t d = 0; d < 3; ++d) {
            arm[d] = centres[3 * n + d] - middle[d] / mass;
        }
        sn_cross3(omega, arm, turned);
        for (size_t d = 0; d < 3 && lattice->inverse_masses[n] > 0; ++d) {
            const double moved = sn_xpbd_get(body->flesh, body->coarse.rows, 4 * n + d);
            sn_xpbd_put(body->flesh, body->coarse.rows, 4 * n + d, moved - turned[d]);
        }
    }
}

/* ---- the move ---- */

void sn_layered_coarse_move(sn_layered_body *body)
{
    const sn_xpbd_lattice *lattice = body->model->lattice;
    const sn_xpbd_kernels *kernels = body->flesh->kernels;
    const sn_layered_coarse *c = &body->coarse;
    sn_xpbd_sweep sweep = {.batches = &lattice->cells,
                           .last = lattice->cells.batch_count,
                           .displacements = c->rows,
                           .multipliers = c->multipliers,
                           .inverse_h2 =
                               1 / (body->flesh->substep * body->flesh->substep) / body->flesh->settings.stiffness};
    kernels->look_at_flesh(lattice, body->flesh->state.displacements, c->rows);
    for (int i = 0; i < body->settings.coarse_sweep_count; ++i) {
        sweep.is_first = i == 0;
        (lattice->is_framed ? kernels->cells_framed : kernels->cells)(&sweep);
    }
    const double share = left_out(body);
    if (c->centres) {
        turn_back(body);
    }
    kernels->move_flesh(lattice, c->rows, share, body->flesh->state.displacements);
    kernels->write_seeds(lattice, c->multipliers, share * sweep.inverse_h2, c->seeds);
    body->flesh->seeds = c->seeds;
}
