/* SPDX-License-Identifier: MIT */
/* Rotation-strain coordinates (Huang, Tong, Zhou, Bao, Desbrun 2011, "Interactive shape interpolation through
 * controllable dynamic deformation"). The gradient of a linear displacement is split into a symmetric strain and an
 * antisymmetric rotation. The rotation is exponentiated, and the shape whose gradients are nearest to the product is
 * found by one Poisson solve. */
#include <math.h>
#include <string.h>

#include "host/math/vec3.h"
#include "research/baselines/pencil.h"

/* Relative to the Laplacian; keeps the center of mass if nothing is pinned. */
#define REGULARIZATION 1e-6

/* target = exp([w]) (1 + strain) */
static void rotate_gradient(const double *f, double *target)
{
    const double w[3] = {0.5 * (f[7] - f[5]), 0.5 * (f[2] - f[6]), 0.5 * (f[3] - f[1])};
    const double angle = sn_length3(w), s = angle > 1e-8 ? sin(angle) / angle : 1;
    const double c = angle > 1e-8 ? (1 - cos(angle)) / (angle * angle) : 0.5;
    for (int column = 0; column < 3; ++column) {
        double stretched[3], once[3], twice[3];
        for (int row = 0; row < 3; ++row) {
            stretched[row] = (row == column) + 0.5 * (f[3 * row + column] + f[3 * column + row]);
        }
        sn_cross3(w, stretched, once);
        sn_cross3(w, once, twice);
        for (int row = 0; row < 3; ++row) {
            target[3 * row + column] = stretched[row] + s * once[row] + c * twice[row];
        }
    }
}

/* L u = div (target - 1), and `regularization` M u = `regularization` M displacement; pinned: u = displacement. */
static void fill_sides(const sn_baseline_body *body, double regularization, const double *displacements, double *forces)
{
    for (int t = 0; t < body->mesh.tet_count; ++t) {
        double f[9], target[9];
        sn_tet_displacement_gradient(body, t, displacements, f);
        rotate_gradient(f, target);
        for (int i = 0; i < 9; i += 4) {
            target[i] -= 1;
        }
        sn_tet_add_forces(body, t, target, forces);
    }
    for (size_t i = 0; i < 3 * (size_t)body->mesh.vertex_count; ++i) {
        forces[i] += regularization * body->mass[i / 3] * displacements[i];
    }
}

/* Penalizes displacements of pinned vertices with a very large weight. */
static void penalize_pins(const sn_baseline_body *body, const double *displacements, double *shift, double *forces)
{
    const double penalty = 1e8 * pow(sn_tet_volume(&body->mesh, 0), 1.0 / 3);
    for (size_t v = 0; v < (size_t)body->mesh.vertex_count && body->constraint.is_pinned; ++v) {
        if (body->constraint.is_pinned[v]) {
            shift[v] += penalty;
            for (size_t d = 0; d < 3; ++d) {
                forces[3 * v + d] += penalty * displacements[3 * v + d];
            }
        }
    }
}

sn_result sn_rotation_strain(const sn_baseline_body *body, const double *displacements, double *corrected)
{
    const size_t n = (size_t)body->mesh.vertex_count;
    sn_arena scratch = {0};
    sn_sparse laplacian;
    sn_factor *factor = NULL;
    double *shift = SN_NEW(&scratch, double, n), *forces = SN_NEW(&scratch, double, 3 * n);
    double *axes = SN_NEW(&scratch, double, 3 * n), low[3], high[3], mass = 0;
    sn_result result = shift && forces && axes ? SN_OK : SN_ERROR_MEMORY;
    if (result == SN_OK) {
        for (size_t v = 0; v < n; ++v) {
            mass += body->mass[v];
        }
        const double regularization = REGULARIZATION * sn_tet_mesh_box(&body->mesh, low, high) / mass;
        fill_sides(body, regularization, displacements, forces);
        for (size_t v = 0; v < n; ++v) {
            shift[v] = regularization * body->mass[v];
        }
        penalize_pins(body, displacements, shift, forces);
        result = sn_laplacian_build(&body->mesh, body->gradients, body->volumes, NULL, shift, &scratch, &laplacian);
    }
    if (result == SN_OK) {
        result = sn_factor_create(&laplacian, "rotation-strain", &factor);
    }
    for (size_t i = 0; i < 3 * n && result == SN_OK; ++i) {
        axes[i % 3 * n + i / 3] = forces[i];
    }
    if (result == SN_OK) {
        result = sn_factor_solve(factor, 3, axes);
    }
    for (size_t i = 0; i < 3 * n && result == SN_OK; ++i) {
        corrected[i] = axes[i % 3 * n + i / 3];
    }
    sn_factor_destroy(&factor);
    sn_arena_finish(&scratch);
    return result;
}
