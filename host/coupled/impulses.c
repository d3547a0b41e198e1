/* SPDX-License-Identifier: MIT */
/* Impulses of the locks on the flesh. The rig has no mass, so the impulse that the projection adds to the flesh along a
 * scalar comes from its lock. Free scalars contribute nothing, except what compliance and regularity let through. */
#include <string.h>

#include "host/coupled/scalars.h"

void sn_coupled_clear_impulses(sn_coupled_body *body)
{
    for (int k = 0; k < body->rig->handle_count; ++k) {
        memset(body->handles[k].impulse, 0, sizeof body->handles[k].impulse);
    }
    memset(body->pushed, 0, (size_t)(body->rig->dimension * body->rig->basis_count) * sizeof *body->pushed);
}

/* sum += a x b */
static void add_cross(const double *a, const double *b, double *sum)
{
    for (int d = 0; d < 3; ++d) {
        const int e = (d + 1) % 3, f = (d + 2) % 3;
        sum[d] += a[e] * b[f] - a[f] * b[e];
    }
}

/* A function's values on all axes, times a factor. */
static void pick(const sn_coupled_rig *rig, const double *of_axes, int function, double factor, double *picked)
{
    for (int d = 0; d < 3; ++d) {
        picked[d] = d < rig->dimension ? factor * of_axes[rig->basis_count * d + function] : 0;
    }
}

/* Impulses along the basis: -S L, minus those of locked joints. basis_impulses: (dimension x basis_count). */
static void find_given(sn_coupled_body *body, double *given)
{
    const sn_coupled_rig *rig = body->rig;
    const int basis = rig->basis_count;
    const double per_second = 1 / body->flesh->substep;
    memset(given, 0, (size_t)(rig->dimension * basis) * sizeof *given);
    sn_coupled_subtract_product(body, body->free_gram, body->change, given);
    for (int i = 0; i < rig->dimension * basis; ++i) {
        given[i] *= per_second;
    }
    for (int i = 0; i < body->hold_count; ++i) {
        const sn_coupled_hold *hold = &body->holds[i];
        sn_coupled_handle_state *handle = &body->handles[hold->handle];
        for (int d = 0; d < rig->dimension; ++d) {
            const double left = hold->target[d] + body->flesh->origin[d] - handle->place[d];
            const double impulse = hold->axes >> d & 1 ? per_second * body->hold_mass * left : 0;
            handle->impulse[d] += impulse;
            for (int b = 0; b < basis; ++b) {
                given[basis * d + b] -= impulse * hold->functions[b];
            }
        }
    }
}

/* A rotation moves columns by their arms. Since the flesh is at its own positions, not the skinned ones, r x F is
 * reduced by C x L. */
static void add_work(const sn_coupled_body *body, const double *given, int k)
{
    const sn_coupled_rig *rig = body->rig;
    sn_coupled_handle_state *handle = &body->handles[k];
    const double per_second = 1 / body->flesh->substep;
    double missed[3], lost[3], force[3];
    if (rig->handles[k].parent < 0) {
        pick(rig, given, rig->roots[k], 1, force);
        pick(rig, body->residual, rig->roots[k], -per_second, missed);
        pick(rig, body->change, rig->roots[k], 1, lost);
        add_cross(missed, lost, handle->impulse + 3);
        for (int d = 0; d < 3; ++d) {
            handle->impulse[d] += force[d];
        }
    }
    for (int e = 0; e < rig->dimension && rig->turning[k] >= 0; ++e) {
        const double arm[3] = {rig->length * handle->linear[e], rig->length * handle->linear[3 + e],
                               rig->length * handle->linear[6 + e]};
        pick(rig, given, rig->turning[k] + e, 1, force);
        pick(rig, body->residual, rig->turning[k] + e, -per_second, missed);
        pick(rig, body->change, rig->turning[k] + e, 1, lost);
        add_cross(arm, force, handle->impulse + 3);
        add_cross(missed, lost, handle->impulse + 3);
    }
}

/* Impulse of one function's multiplier, from sum m phi x and sum m phi. */
static void add_push(sn_coupled_body *body, int k, int function)
{
    const sn_coupled_rig *rig = body->rig;
    sn_coupled_handle_state *handle = &body->handles[k];
    const double *share = body->shares + (rig->dimension + 1) * function;
    double push[3], arm[3];
    pick(rig, body->change, function, -1 / body->flesh->substep, push);
    pick(rig, body->moments, function, 1, arm);
    for (int d = 0; d < rig->dimension; ++d) {
        arm[d] += share[d + 1] + share[0] * (body->flesh->origin[d] - handle->place[d]);
        handle->impulse[d] += share[0] * push[d];
    }
    add_cross(arm, push, handle->impulse + 3);
}

static void add_pushes(sn_coupled_body *body, int k)
{
    const sn_coupled_rig *rig = body->rig;
    if (rig->handles[k].parent < 0) {
        add_push(body, k, rig->roots[k]);
    }
    for (int e = 0; e < rig->dimension && rig->turning[k] >= 0; ++e) {
        add_push(body, k, rig->turning[k] + e);
    }
}

void sn_coupled_add_impulses(sn_coupled_body *body)
{
    const sn_coupled_rig *rig = body->rig;
    const bool is_driven_only = body->settings.is_driven_only;
    bool is_locked = false;
    for (int k = 0; k < rig->handle_count; ++k) {
        is_locked |= body->handles[k].locks != 0;
    }
    if (!is_locked) {
        return;
    }
    for (int i = 0; i < rig->dimension * rig->basis_count; ++i) {
        body->pushed[i] -= body->change[i] / body->flesh->substep;
    }
    if (!is_driven_only) {
        find_given(body, body->found);
        memcpy(body->residual, body->moments, (size_t)(rig->dimension * rig->basis_count) * sizeof *body->residual);
        sn_coupled_subtract_product(body, rig->gram, body->y, body->residual);
    }
    for (int k = 0; k < rig->handle_count; ++k) {
        if (is_driven_only) {
            add_pushes(body, k);
        } else {
            add_work(body, body->found, k);
        }
    }
}

/* Torque of a handle that does not rotate on the flesh about its pivot: sum m w p x (impulse). */
static void add_levers(const sn_coupled_body *body, int k, const double *changes, double *impulse)
{
    const sn_coupled_rig *rig = body->rig;
    const sn_coupled_blocks *b = &rig->blocks;
    const int dimension = rig->dimension, stride = (dimension + 1) * dimension;
    for (int row = 0; row < rig->model->vertex_count; ++row) {
        const double x[3] = {(double)rig->model->rest[4 * row], (double)rig->model->rest[4 * row + 1],
                             (double)rig->model->rest[4 * row + 2]};
        double push[3] = {0}, arm[3] = {0};
        for (int slot = b->starts[row / SN_BATCH]; slot < b->starts[row / SN_BATCH + 1]; ++slot) {
            const double weight = (double)b->weights[SN_BATCH * slot + row % SN_BATCH];
            const double *own = changes + stride * b->handles[slot], *pivot = rig->handles[b->handles[slot]].pivot;
            for (int d = 0; d < dimension; ++d) {
                push[d] += weight * own[d];
                arm[d] +=
                    b->handles[slot] == k ? (double)rig->model->rest[4 * row + 3] * weight * (x[d] - pivot[d]) : 0;
                for (int e = 0; e < dimension; ++e) {
                    push[d] += weight * own[dimension * (e + 1) + d] * (x[e] - pivot[e]);
                }
            }
        }
        if (!sn_coupled_is_held(body, row)) {
            add_cross(arm, push, impulse + 3);
        }
    }
}

void sn_coupled_body_impulse(const sn_coupled_body *body, int handle, double *impulse)
{
    SN_ASSERT(handle >= 0 && handle < body->rig->handle_count);
    memcpy(impulse, body->handles[handle].impulse, 6 * sizeof *impulse);
    if (body->rig->turning[handle] < 0 && !body->settings.is_driven_only) {
        sn_coupled_spread(body->rig, body->pushed, body->raw);
        /* the scratch is unused between steps */
        add_levers(body, handle, body->raw, impulse);
    }
}
