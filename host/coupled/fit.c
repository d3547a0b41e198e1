/* SPDX-License-Identifier: MIT */
/* The rig's fit (the paper's section 3.1): finds the free scalars of the handles that minimise E = 1/2 sum m |x -
 * x^|^2, by Newton's method on rotations and stretches only; the linear part is always at its optimum for them.
 *
 * With C = sum m phi (x - x^): gradient -N C, matrix N S' N^T - C . d2y, N = dy / dscalar. The paper leaves out the
 * second term, which matters for stretched flesh: at a stretch factor f, a step without it overshoots by f - 1, and
 * beyond f = 2 it never converges. Where the term makes the matrix indefinite, as for inverted flesh, its magnitude is
 * used instead. */
#include <math.h>
#include <string.h>

#include "host/coupled/scalars.h"

#define MAX_ANGLE 1.0     /* rad, limit per Newton step */
#define LARGE_ANGLE 0.1   /* rad; after a larger rotation another step follows */
#define MAX_STEP_FACTOR 4 /* limit of the steps, as a factor of the requested number */

/* ---- targets ---- */

static void rotate_to(sn_coupled_handle_state *handle, unsigned locks, const double *requested)
{
    if ((locks & SN_LOCK_ROTATION) == SN_LOCK_ROTATION) {
        memcpy(handle->rotation, requested, sizeof handle->rotation);
        return;
    }
    double inverse[4], difference[4], vector[3];
    sn_quaternion_conjugate(handle->rotation, inverse);
    sn_quaternion_multiply(requested, inverse, difference);
    sn_quaternion_to_vector(difference, vector);
    for (int axis = 0; axis < 3; ++axis) {
        vector[axis] = locks & (unsigned)(SN_LOCK_ROTATION_X << axis) ? vector[axis] : 0;
    }
    sn_quaternion_from_vector(vector, difference);
    sn_quaternion_multiply(difference, handle->rotation, handle->rotation);
}

static void write_target(sn_coupled_handle_state *handle, double fraction)
{
    const sn_coupled_pose *from = &handle->target_before, *to = &handle->target;
    for (int d = 0; d < 3; ++d) {
        if (handle->locks >> d & 1) {
            handle->position[d] = from->position[d] + fraction * (to->position[d] - from->position[d]);
        }
    }
    if (handle->locks & SN_LOCK_ROTATION) {
        double requested[4];
        sn_quaternion_blend(from->rotation, to->rotation, fraction, requested);
        rotate_to(handle, handle->locks, requested);
    }
    for (int i = 0; i < 9 && (handle->locks & SN_LOCK_STRETCH); ++i) {
        handle->stretch[i] = from->stretch[i] + fraction * (to->stretch[i] - from->stretch[i]);
    }
    if (handle->locks & (SN_LOCK_ROTATION | SN_LOCK_STRETCH)) {
        sn_coupled_compose(handle);
    }
}

void sn_coupled_write_targets(sn_coupled_body *body, double fraction)
{
    for (int k = 0; k < body->rig->handle_count; ++k) {
        if (body->handles[k].locks) {
            write_target(&body->handles[k], fraction);
        }
    }
    for (int i = 0; i < body->joint_lock_count;
         ++i) { /* locked joints: store the target; the joint's own position is computed from its parents */
        sn_coupled_joint_lock *joint_lock = &body->joint_locks[i];
        for (int d = 0; d < 3; ++d) {
            joint_lock->target[d] = body->handles[joint_lock->handle].position[d] - body->flesh->origin[d];
        }
    }
    sn_coupled_update_joints(body);
}

/* ---- Newton's method ---- */

/* Residual of the whole basis, including the locked joints. */
static void compute_residual(sn_coupled_body *body)
{
    const sn_coupled_rig *rig = body->rig;
    const size_t basis = (size_t)rig->basis_count;
    memcpy(body->residual, body->moments, (size_t)rig->dimension * basis * sizeof *body->residual);
    sn_coupled_subtract_product(body, body->fit_gram, body->y, body->residual);
    for (int i = 0; i < body->joint_lock_count; ++i) {
        const sn_coupled_joint_lock *joint_lock = &body->joint_locks[i];
        const double *pivot = rig->handles[joint_lock->handle].pivot;
        for (int d = 0; d < rig->dimension; ++d) {
            double remaining = joint_lock->target[d] - pivot[d];
            for (size_t b = 0; b < basis; ++b) {
                remaining -= joint_lock->functions[b] * body->y[basis * (size_t)d + b];
            }
            for (size_t b = 0; b < basis && (joint_lock->axes >> d & 1); ++b) {
                body->residual[basis * (size_t)d + b] += body->joint_lock_mass * remaining * joint_lock->functions[b];
            }
        }
    }
}

/* -C . d2y / L of a handle's rotations: with B = C A^T, tr(B) 1 - (B + B^T) / 2. is_bounded: a positive bound of it. */
static inline void handle_curvature(const sn_coupled_body *body, int dimension, int solved, bool is_bounded,
                                    double curvature[3][3])
{
    const sn_coupled_system *system = &body->fit;
    const int columns = dimension * system->solved_count;
    const double *linear = body->handles[system->solved[solved]].linear;
    double b[3][3] = {{0}}, size = 0;
    for (int d = 0; d < dimension; ++d) {
        for (int f = 0; f < dimension; ++f) {
            for (int e = 0; e < dimension; ++e) {
                b[d][f] += body->reduced_residual[columns * d + dimension * solved + e] * linear[3 * f + e];
            }
            b[d][f] /= body->rig->length;
            size += fabs(b[d][f]);
        }
    }
    for (int d = 0; d < 3; ++d) {
        for (int f = 0; f < 3; ++f) {
            const double diagonal = d == f ? b[0][0] + b[1][1] + b[2][2] : 0;
            curvature[d][f] = is_bounded ? (d == f ? size : 0) : diagonal - (b[d][f] + b[f][d]) / 2;
        }
    }
}

/* Not for handles that also stretch: these would need the mixed terms, and C vanishes there at convergence. */
static void add_curvature(sn_coupled_body *body, bool is_bounded)
{
    const sn_coupled_system *system = &body->fit;
    double curvature[3][3];
    for (int solved = 0; solved < system->solved_count; ++solved) {
        const int first = system->first_scalars[solved], end = system->first_scalars[solved + 1];
        if (system->scalars[end - 1].number >= 3) {
            continue;
        }
        if (body->rig->dimension == 2) {
            handle_curvature(body, 2, solved, is_bounded, curvature);
        } else {
            handle_curvature(body, 3, solved, is_bounded, curvature);
        }
        for (int i = first; i < end; ++i) {
            for (int j = first; j <= i; ++j) {
                body->matrix[sn_tiles_at(&system->tiles, i, j)] +=
                    curvature[system->scalars[i].number][system->scalars[j].number];
            }
        }
    }
}

void sn_coupled_linearise(sn_coupled_body *body, bool is_bounded)
{
    sn_coupled_assemble(body, &body->fit);
    add_curvature(body, is_bounded);
}

/* Computes the changes of the scalars in body->right. */
static bool solve(sn_coupled_body *body)
{
    sn_coupled_compute_generators(body, &body->fit, body->generators);
    for (int is_bounded = 0; is_bounded < 2; ++is_bounded) {
        sn_coupled_linearise(body, is_bounded);
        if (sn_coupled_solve(body, &body->fit)) {
            return true;
        }
    }
    return false;
}

/* Applies the changes of a handle's scalars. Returns the rotation angle. */
static double move_handle(sn_coupled_body *body, int first, int last)
{
    const sn_coupled_system *system = &body->fit;
    sn_coupled_handle_state *handle = &body->handles[system->scalars[first].handle];
    double vector[3] = {0}, rotation[4], length2 = 0;
    for (int s = first; s < last; ++s) {
        const double change = body->right[s] / body->rig->length;
        const int number = system->scalars[s].number;
        if (number < 3) {
            vector[number] = change;
            length2 += change * change;
        } else {
            int i, j;
            sn_coupled_symmetric_entry(body->rig->dimension, number - 3, &i, &j);
            handle->stretch[3 * i + j] += change;
            handle->stretch[3 * j + i] = handle->stretch[3 * i + j];
        }
    }
    const double angle = sqrt(length2);
    for (int d = 0; d < 3 && angle > MAX_ANGLE; ++d) {
        vector[d] *= MAX_ANGLE / angle;
    }
    sn_quaternion_from_vector(vector, rotation);
    sn_quaternion_multiply(rotation, handle->rotation, handle->rotation);
    sn_quaternion_normalize(handle->rotation);
    sn_coupled_compose(handle);
    return angle;
}

/* One Newton step. Updates the columns of y and stores their changes in `residual`. Returns the largest angle. */
static double newton_step(sn_coupled_body *body)
{
    const sn_coupled_rig *rig = body->rig;
    const sn_coupled_system *system = &body->fit;
    const int dimension = rig->dimension, columns = dimension * system->solved_count;
    double max_angle = 0;
    if (!solve(body)) {
        memset(body->residual, 0, (size_t)(dimension * columns) * sizeof *body->residual);
        return 0;
    }
    for (int solved = 0; solved < system->solved_count; ++solved) {
        max_angle =
            fmax(max_angle, move_handle(body, system->first_scalars[solved], system->first_scalars[solved + 1]));
    }
    for (int d = 0; d < dimension; ++d) {
        double *changes = body->residual + columns * d;
        for (int q = 0; q < columns; ++q) {
            const double *linear = body->handles[system->solved[q / dimension]].linear;
            const int e = q % dimension;
            double *y = &body->y[rig->basis_count * d + system->columns[q]];
            const double now = rig->length * (linear[3 * d + e] - (d == e));
            changes[q] = now - *y;
            *y = now;
        }
    }
    return max_angle;
}

static void apply_linear(sn_coupled_body *body)
{
    const sn_coupled_rig *rig = body->rig;
    for (int k = 0; k < rig->handle_count; ++k) {
        sn_coupled_handle_state *handle = &body->handles[k];
        const unsigned linear_locks = SN_LOCK_ROTATION | SN_LOCK_STRETCH;
        for (int d = 0; d < rig->dimension; ++d) {
            const double *y = body->y + rig->basis_count * d;
            if (rig->handles[k].parent < 0 && !(handle->locks >> d & 1)) {
                handle->position[d] = body->flesh->origin[d] + rig->handles[k].pivot[d] + y[rig->roots[k]];
            }
            for (int e = 0;
                 e < rig->dimension && rig->handles[k].type == SN_HANDLE_AFFINE && !(handle->locks & linear_locks);
                 ++e) {
                handle->linear[3 * d + e] = (d == e) + y[rig->rotation_column[k] + e] / rig->length;
            }
        }
    }
    sn_coupled_update_joints(body);
}

void sn_coupled_fit_begin(sn_coupled_body *body)
{
    const sn_coupled_rig *rig = body->rig;
    const sn_coupled_system *system = &body->fit;
    const int basis = rig->basis_count, columns = rig->dimension * system->solved_count;
    sn_coupled_read_handles(body);
    compute_residual(body);
    for (int d = 0; d < rig->dimension; ++d) {
        sn_coupled_reduce(rig, system->of_axis[d], system, body->residual + basis * d, body->free_solution + basis * d,
                          body->reduced_residual + columns * d);
    }
}

void sn_coupled_fit(sn_coupled_body *body, int newton_count)
{
    const sn_coupled_rig *rig = body->rig;
    const sn_coupled_system *system = &body->fit;
    const int basis = rig->basis_count, columns = rig->dimension * system->solved_count;
    double *before = body->change; /* previous columns of y; then their changes */
    sn_coupled_fit_begin(body);
    for (int d = 0; d < rig->dimension; ++d) {
        for (int q = 0; q < columns; ++q) {
            before[columns * d + q] = body->y[basis * d + system->columns[q]];
        }
    }
    double angle = 0;
    for (int i = 0; i < newton_count || (angle > LARGE_ANGLE && i < MAX_STEP_FACTOR * newton_count); ++i) {
        if (i > 0) {
            sn_coupled_update_residual(body, system, body->residual, body->reduced_residual);
        }
        angle = system->scalar_count > 0 ? newton_step(body) : 0;
    }
    for (int d = 0; d < rig->dimension; ++d) {
        const sn_coupled_elimination *e = system->of_axis[d];
        double *free_solution = body->free_solution + basis * d;
        for (int q = 0; q < columns; ++q) {
            before[columns * d + q] = body->y[basis * d + system->columns[q]] - before[columns * d + q];
        }
        sn_coupled_back_substitute(rig, e, system, before + columns * d, free_solution);
        for (int i = 0; i < e->free_count; ++i) {
            body->y[basis * d + e->free[i]] += free_solution[i];
        }
    }
    apply_linear(body);
}
