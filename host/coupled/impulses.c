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
    memset(body->multiplier_sum, 0,
           (size_t)(body->rig->dimension * body->rig->basis_count) * sizeof *body->multiplier_sum);
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
static void function_values(const sn_coupled_rig *rig, const double *of_axes, int function, double factor,
                            double *values)
{
    for (int d = 0; d < 3; ++d) {
        values[d] = d < rig->dimension ? factor * of_axes[rig->basis_count * d + function] : 0;
    }
}

/* Impulses along the basis: -S L, minus those of locked joints. basis_impulses: (dimension x basis_count). */
static void find_basis_impulses(sn_coupled_body *body, double *basis_impulses)
{
    const sn_coupled_rig *rig = body->rig;
    const int basis = rig->basis_count;
    const double inverse_substep = 1 / body->flesh->substep;
    memset(basis_impulses, 0, (size_t)(rig->dimension * basis) * sizeof *basis_impulses);
    sn_coupled_subtract_product(body, body->free_gram, body->change, basis_impulses);
    for (int i = 0; i < rig->dimension * basis; ++i) {
        basis_impulses[i] *= inverse_substep;
    }
    for (int i = 0; i < body->joint_lock_count; ++i) {
        const sn_coupled_joint_lock *joint_lock = &body->joint_locks[i];
        sn_coupled_handle_state *handle = &body->handles[joint_lock->handle];
        for (int d = 0; d < rig->dimension; ++d) {
            const double remaining = joint_lock->target[d] + body->flesh->origin[d] - handle->position[d];
            const double impulse = joint_lock->axes >> d & 1 ? inverse_substep * body->joint_lock_mass * remaining : 0;
            handle->impulse[d] += impulse;
            for (int b = 0; b < basis; ++b) {
                basis_impulses[basis * d + b] -= impulse * joint_lock->functions[b];
            }
        }
    }
}

/* A rotation moves columns by their arms. Since the flesh is at its own positions, not the skinned ones, r x F is
 * reduced by C x L. */
static void add_handle_impulse(const sn_coupled_body *body, const double *basis_impulses, int k)
{
    const sn_coupled_rig *rig = body->rig;
    sn_coupled_handle_state *handle = &body->handles[k];
    const double inverse_substep = 1 / body->flesh->substep;
    double residual_momentum[3], velocity_change[3], force[3];
    if (rig->handles[k].parent < 0) {
        function_values(rig, basis_impulses, rig->roots[k], 1, force);
        function_values(rig, body->residual, rig->roots[k], -inverse_substep, residual_momentum);
        function_values(rig, body->change, rig->roots[k], 1, velocity_change);
        add_cross(residual_momentum, velocity_change, handle->impulse + 3);
        for (int d = 0; d < 3; ++d) {
            handle->impulse[d] += force[d];
        }
    }
    for (int e = 0; e < rig->dimension && rig->rotation_column[k] >= 0; ++e) {
        const double arm[3] = {rig->length * handle->linear[e], rig->length * handle->linear[3 + e],
                               rig->length * handle->linear[6 + e]};
        function_values(rig, basis_impulses, rig->rotation_column[k] + e, 1, force);
        function_values(rig, body->residual, rig->rotation_column[k] + e, -inverse_substep, residual_momentum);
        function_values(rig, body->change, rig->rotation_column[k] + e, 1, velocity_change);
        add_cross(arm, force, handle->impulse + 3);
        add_cross(residual_momentum, velocity_change, handle->impulse + 3);
    }
}

/* Impulse of one function's multiplier, from sum m phi x and sum m phi. */
static void add_function_impulse(sn_coupled_body *body, int k, int function)
{
    const sn_coupled_rig *rig = body->rig;
    sn_coupled_handle_state *handle = &body->handles[k];
    const double *moments_of_function = body->free_moments + (rig->dimension + 1) * function;
    double velocity[3], arm[3];
    function_values(rig, body->change, function, -1 / body->flesh->substep, velocity);
    function_values(rig, body->moments, function, 1, arm);
    for (int d = 0; d < rig->dimension; ++d) {
        arm[d] += moments_of_function[d + 1] + moments_of_function[0] * (body->flesh->origin[d] - handle->position[d]);
        handle->impulse[d] += moments_of_function[0] * velocity[d];
    }
    add_cross(arm, velocity, handle->impulse + 3);
}

static void add_function_impulses(sn_coupled_body *body, int k)
{
    const sn_coupled_rig *rig = body->rig;
    if (rig->handles[k].parent < 0) {
        add_function_impulse(body, k, rig->roots[k]);
    }
    for (int e = 0; e < rig->dimension && rig->rotation_column[k] >= 0; ++e) {
        add_function_impulse(body, k, rig->rotation_column[k] + e);
    }
}

void sn_coupled_add_impulses(sn_coupled_body *body)
{
    const sn_coupled_rig *rig = body->rig;
    const bool is_constraint_locked_only = body->settings.is_constraint_locked_only;
    bool is_locked = false;
    for (int k = 0; k < rig->handle_count; ++k) {
        is_locked |= body->handles[k].locks != 0;
    }
    if (!is_locked) {
        return;
    }
    for (int i = 0; i < rig->dimension * rig->basis_count; ++i) {
        body->multiplier_sum[i] -= body->change[i] / body->flesh->substep;
    }
    if (!is_constraint_locked_only) {
        find_basis_impulses(body, body->free_solution);
        memcpy(body->residual, body->moments, (size_t)(rig->dimension * rig->basis_count) * sizeof *body->residual);
        sn_coupled_subtract_product(body, rig->gram, body->y, body->residual);
    }
    for (int k = 0; k < rig->handle_count; ++k) {
        if (is_constraint_locked_only) {
            add_function_impulses(body, k);
        } else {
            add_handle_impulse(body, body->free_solution, k);
        }
    }
}

/* Torque of a handle that does not rotate on the flesh about its pivot: sum m w p x (impulse). */
static void add_torques(const sn_coupled_body *body, int k, const double *changes, double *impulse)
{
    const sn_coupled_rig *rig = body->rig;
    const sn_coupled_blocks *b = &rig->blocks;
    const int dimension = rig->dimension, stride = (dimension + 1) * dimension;
    for (int row = 0; row < rig->model->vertex_count; ++row) {
        const double x[3] = {(double)rig->model->rest[4 * row], (double)rig->model->rest[4 * row + 1],
                             (double)rig->model->rest[4 * row + 2]};
        double velocity[3] = {0}, arm[3] = {0};
        for (int slot = b->starts[row / SN_BATCH]; slot < b->starts[row / SN_BATCH + 1]; ++slot) {
            const double weight = (double)b->weights[SN_BATCH * slot + row % SN_BATCH];
            const double *own = changes + stride * b->handles[slot], *pivot = rig->handles[b->handles[slot]].pivot;
            for (int d = 0; d < dimension; ++d) {
                velocity[d] += weight * own[d];
                arm[d] +=
                    b->handles[slot] == k ? (double)rig->model->rest[4 * row + 3] * weight * (x[d] - pivot[d]) : 0;
                for (int e = 0; e < dimension; ++e) {
                    velocity[d] += weight * own[dimension * (e + 1) + d] * (x[e] - pivot[e]);
                }
            }
        }
        if (!sn_coupled_is_pinned(body, row)) {
            add_cross(arm, velocity, impulse + 3);
        }
    }
}

void sn_coupled_body_impulse(const sn_coupled_body *body, int handle, double *impulse)
{
    SN_ASSERT(handle >= 0 && handle < body->rig->handle_count);
    memcpy(impulse, body->handles[handle].impulse, 6 * sizeof *impulse);
    if (body->rig->rotation_column[handle] < 0 && !body->settings.is_constraint_locked_only) {
        sn_coupled_from_basis(body->rig, body->multiplier_sum, body->handle_sums);
        /* the scratch is unused between steps */
        add_torques(body, handle, body->handle_sums, impulse);
    }
}
