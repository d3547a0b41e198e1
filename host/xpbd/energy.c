/* SPDX-License-Identifier: MIT */
/* Energies and momenta of a body in double: 1/2 C^2 / alpha of every constraint (XPBD, equation 3), by the recipes of
 * the sweep; and the number of substeps that its stiffness needs. */
#include <math.h>
#include <stdbool.h>

#include "host/xpbd/pack.h"

#define REAL double
#define SQRT sqrt
#include "host/xpbd/recipe_line.inc"
#include "host/xpbd/recipe_polar.inc"
#include "host/xpbd/recipe_strain.inc"
#include "host/xpbd/recipe_triangle.inc"

/* A constraint with compliance 0 holds exactly and stores no energy. */
static double stored_energy(double c, double compliance)
{
    return compliance > 0 ? 0.5 * c * c / compliance : 0;
}

/* (C_D f)^2 / f^2 */
static double pair_d_energy(const pair *p, double compliance)
{
    return p->f_f > 0 && compliance > 0 ? 0.5 * p->d_f * p->d_f / (p->f_f * compliance) : 0;
}

static double strain_energy(bool is_framed, const double *values, const double vertices[4][4])
{
    double unused[3][3];
    strain s;
    strain_of(is_framed, values, vertices, &s);
    double energy = stored_energy(strain_volume(is_framed, &s, unused), values[15]);
    for (int i = 0; i < 3; ++i) {
        energy += stored_energy(stretch_constraint(is_framed, &s, i, unused[0]), values[9 + i]);
        energy += stored_energy(shear_constraint(is_framed, &s, i < 2 ? 0 : 1, i < 1 ? 1 : 2), values[12 + i]);
    }
    return energy;
}

static double tet_energy(const sn_xpbd_model *model, const double *values, const double vertices[4][4])
{
    double g[9];
    pair p;
    if (model->is_strain) {
        return strain_energy(model->is_framed, values, vertices);
    }
    tet_gradient(values, vertices, g);
    if (model->is_legacy) {
        tet_pair_legacy(g, &p);
    } else if (model->is_polar) {
        tet_pair_polar(g, &p);
    } else {
        tet_pair(g, &p);
    }
    return stored_energy(p.h, values[9]) + pair_d_energy(&p, values[10]);
}

static double triangle_energy(bool is_legacy, const double *values, const double vertices[3][4])
{
    double g[4];
    pair p;
    triangle_gradient(values, vertices, g);
    if (is_legacy) {
        triangle_pair_legacy(g, &p);
    } else {
        triangle_pair(g, &p);
    }
    return stored_energy(p.h, values[4]) + pair_d_energy(&p, values[5]);
}

static double constraint_energy(int type, const double *values, const double vertices[4][4])
{
    double gradients[4][3], g[9], cof[9];
    switch (type) {
    case SN_XPBD_DISTANCE:
        return stored_energy(distance_constraint(values, vertices, gradients), values[4]);
    case SN_XPBD_BENDING:
        return stored_energy(bending_constraint(values, vertices, gradients), values[11]);
    default:
        tet_gradient(values, vertices, g);
        return stored_energy(tet_volume(g, cof), values[9]);
    }
}

/* type < 0: elements. */
static double batches_energy(const sn_xpbd_body *body, const sn_xpbd_batches *b, int type)
{
    double energy = 0;
    for (int batch = 0; batch < b->batch_count; ++batch) {
        const int32_t *corners = b->corners + (size_t)batch * (size_t)b->corner_count * SN_BATCH;
        const float *floats = b->values + (size_t)batch * (size_t)b->value_count * SN_BATCH;
        for (int lane = 0; lane < b->fill[batch]; ++lane) {
            double vertices[4][4] = {{0}}, values[SN_XPBD_VALUE_LIMIT];
            load_values(floats + lane, b->value_count, values);
            for (int k = 0; k < 4 * b->corner_count; ++k) {
                const size_t at = (size_t)corners[SN_BATCH * (k / 4) + lane];
                vertices[k / 4][k % 4] = sn_xpbd_get_real(body, body->state.displacements, at + (size_t)k % 4);
            }
            if (type >= 0) {
                energy += constraint_energy(type, values, vertices);
            } else if (b->corner_count == 4) {
                energy += tet_energy(body->model, values, vertices);
            } else {
                energy += triangle_energy(body->model->is_legacy, values, vertices);
            }
        }
    }
    return energy;
}

static void add_vertex(const sn_xpbd_body *body, int row, sn_xpbd_energy *energy)
{
    const size_t at = 4 * (size_t)row;
    const double mass = sn_xpbd_get_real(body, body->state.velocities, at + 3);
    double x[3], v[3];
    sn_xpbd_get_position(body, row, x);
    for (size_t d = 0; d < 3; ++d) {
        v[d] = sn_xpbd_get_real(body, body->state.velocities, at + d);
    }
    for (int d = 0; d < 3; ++d) {
        const int e = (d + 1) % 3, f = (d + 2) % 3;
        energy->kinetic += 0.5 * mass * v[d] * v[d];
        energy->potential -= mass * body->settings.gravity[d] * x[d];
        energy->momentum[d] += mass * v[d];
        energy->angular_momentum[d] += mass * (x[e] * v[f] - x[f] * v[e]);
    }
}

sn_xpbd_energy sn_xpbd_body_energy(const sn_xpbd_body *body)
{
    sn_xpbd_energy energy = {.elastic = body->settings.stiffness * batches_energy(body, &body->model->elements, -1)};
    for (int type = 0; type < SN_XPBD_TYPE_COUNT; ++type) {
        energy.elastic +=
            body->settings.constraint_stiffness * batches_energy(body, &body->model->constraints_by_type[type], type);
    }
    for (int row = 0; row < body->model->vertex_count; ++row) {
        add_vertex(body, row, &energy);
    }
    return energy;
}

/* ---- stiffness ---- */

#define MAX_PHASE_PER_SUBSTEP                                                                                          \
    0.75 /* limit of omega h, at which a bar fixed at one end sags by at most 20% too much                             \
          */

/* omega^2 of an isolated element: (stiffness of both constraints) sum w |b|^2, with b the gradients of its coordinates.
 */
static double square_rate(const sn_xpbd_model *model, const sn_xpbd_batches *b, int batch, int lane)
{
    const int n = b->corner_count - 1;
    const float *values = b->values + (size_t)batch * (size_t)b->value_count * SN_BATCH + lane;
    const int32_t *corners = b->corners + (size_t)batch * (size_t)b->corner_count * SN_BATCH + lane;
    double last[3] = {0}, sum = 0;
    for (int k = 0; k <= n; ++k) {
        double square = 0;
        for (int i = 0; i < n; ++i) {
            const double gradient = k < n ? (double)values[SN_BATCH * (n * k + i)] : -last[i];
            last[i] += k < n ? gradient : 0;
            square += gradient * gradient;
        }
        sum += square / (double)model->rest[corners[SN_BATCH * k] + 3];
    }
    return sum * (1 / (double)values[SN_BATCH * n * n] + 1 / (double)values[SN_BATCH * (n * n + 1)]);
}

int sn_xpbd_required_substeps(const sn_xpbd_model *model, double time_step, double stiffness)
{
    const sn_xpbd_batches *b = &model->elements;
    double sum = 0;
    int count = 0;
    SN_ASSERT(!model->is_strain); /* its stiffness depends on the direction */
    for (int batch = 0; batch < b->batch_count; ++batch) {
        for (int lane = 0; lane < b->fill[batch]; ++lane) {
            sum += sqrt(square_rate(model, b, batch, lane));
            ++count;
        }
    }
    const double waves = count > 0 ? time_step * sqrt(stiffness) * sum / count : 0;
    return waves < MAX_PHASE_PER_SUBSTEP * 1e6 ? (int)ceil(fmax(waves / MAX_PHASE_PER_SUBSTEP, 1)) : 1000000;
}
