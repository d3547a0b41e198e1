/* SPDX-License-Identifier: MIT */
/* Load-dependent Ritz vectors (Wilson, Yuan and Dickens 1982, Dynamic analysis by direct superposition of Ritz vectors)
 * of chains of soft bones, as weights of skinning modes. In the moving frame of its parent, a chain is loaded by
 * inertial forces, which are almost uniform over a small part. With g the chain's weights, its first vector is K^-1 M
 * g, the next is K^-1 M times the first, and so on, with all vertices pinned except the chains' flesh. The twelve
 * numbers of a mode give every affine motion of the chain's end. If there are more chains than modes, close chains
 * share modes, each scaled to the same displacement, since their stiffness is chosen for that.
 *
 * Eigenmodes of the soft rig would be dominated by the softest chain and would move the body with it; so would Ritz
 * vectors without the pins. Pinning fewer vertices would leave too little flesh to hold a limb whose vertices have
 * several bones. */
#include "author/modes/reduced/soft_bone_modes.h"

#include <math.h>
#include <string.h>

#include "author/modes/reduced/added_modes.h"
#include "host/math/vec3.h"

#define MIN_CHAIN_WEIGHT 0.25 /* total weight of chains below which a vertex moves with the body only */
#define MAX_DEPTH 3           /* vectors of a chain */
#define LENGTH_RATIO 0.5      /* length of a vector relative to the previous one */

typedef struct chains {
    const sn_mode_problem *problem;
    size_t size, count;
    int depth, group_count;
    int *groups;     /* (count) chains with the same group share modes */
    double *centres; /* (count x 3) */
    double *volumes; /* (count) times density */
    double *values;  /* (size x count) x = M^1/2 w of each chain */
    double *columns; /* (size x group_count depth) the first of each group, then the second of each, and so on */
} chains;

static sn_result allocate(chains *c, size_t max_count, sn_arena *scratch)
{
    const size_t groups = c->count < max_count ? c->count : max_count, depth = max_count / groups;
    c->depth = depth < MAX_DEPTH ? (int)depth : MAX_DEPTH;
    c->group_count = (int)groups;
    c->groups = SN_NEW(scratch, int, c->count);
    c->centres = SN_NEW(scratch, double, 3 * c->count);
    c->volumes = SN_NEW(scratch, double, c->count);
    c->values = SN_NEW(scratch, double, c->size * c->count);
    c->columns = SN_NEW(scratch, double, c->size *groups *(size_t)c->depth);
    return c->groups && c->centres && c->volumes && c->values && c->columns ? SN_OK : SN_ERROR_MEMORY;
}

/* M^1/2 g and the center of each chain. */
static void gather(const sn_soft_bone_modes_input *in, const chains *c)
{
    const sn_mode_unknowns *u = &c->problem->unknowns;
    for (size_t i = 0; i < c->size; ++i) {
        const size_t v = (size_t)u->vertices[i];
        for (size_t j = 0; j < c->count; ++j) {
            const double chain_weight = in->chain_weights[v * c->count + j];
            c->values[j * c->size + i] = sqrt(u->mass[i]) * chain_weight;
            c->volumes[j] += u->mass[i] * chain_weight;
            for (size_t d = 0; d < 3; ++d) {
                c->centres[3 * j + d] += u->mass[i] * chain_weight * in->mesh->positions[3 * v + d];
            }
        }
    }
    for (size_t i = 0; i < 3 * c->count; ++i) {
        c->centres[i] /= c->volumes[i / 3] > 0 ? c->volumes[i / 3] : 1;
    }
}

/* Forms groups around the largest chain, the one farthest from it, the one farthest from both, and so on. */
static sn_result form_groups(const chains *c, sn_arena *scratch)
{
    double *distances = SN_NEW(scratch, double, c->count);
    size_t next = 0;
    if (!distances) {
        return SN_ERROR_MEMORY;
    }
    for (size_t j = 0; j < c->count; ++j) {
        distances[j] = INFINITY;
        next = c->volumes[j] > c->volumes[next] ? j : next;
    }
    for (int group = 0; group < c->group_count; ++group) {
        const double *centre = c->centres + 3 * next;
        for (size_t j = 0; j < c->count; ++j) {
            const double distance = sn_distance3(c->centres + 3 * j, centre);
            if (distance < distances[j] || j == next) {
                distances[j] = j == next ? -1 : distance;
                c->groups[j] = group;
            }
        }
        for (size_t j = 0; j < c->count; ++j) {
            next = distances[j] > distances[next] ? j : next;
        }
    }
    return SN_OK;
}

/* Scales each chain's vector to a largest displacement of 1. */
static void normalise_displacement(const chains *c)
{
    for (size_t j = 0; j < c->count; ++j) {
        double *x = c->values + j * c->size, max_displacement = 0;
        for (size_t i = 0; i < c->size; ++i) {
            max_displacement = fmax(max_displacement, fabs(x[i]) / sqrt(c->problem->unknowns.mass[i]));
        }
        for (size_t i = 0; i < c->size; ++i) {
            x[i] *= max_displacement > 0 ? 1 / max_displacement : 0;
        }
    }
}

/* Adds the vectors of one depth to the groups' columns, orthogonal to the group's previous columns. */
static void add_to_columns(const chains *c, int depth)
{
    for (size_t j = 0; j < c->count; ++j) {
        double *column = c->columns + (size_t)(depth * c->group_count + c->groups[j]) * c->size;
        for (size_t i = 0; i < c->size; ++i) {
            column[i] += c->values[j * c->size + i];
        }
    }
    for (int group = 0; group < c->group_count; ++group) {
        double *column = c->columns + (size_t)(depth * c->group_count + group) * c->size;
        for (int before = 0; before < depth; ++before) {
            const double *other = c->columns + (size_t)(before * c->group_count + group) * c->size;
            const double square = sn_dense_dot(c->size, other, other), product = sn_dense_dot(c->size, column, other);
            for (size_t i = 0; i < c->size; ++i) {
                column[i] -= square > 0 ? product / square * other[i] : 0;
            }
        }
        const double square = sn_dense_dot(c->size, column, column), length = pow(LENGTH_RATIO, depth);
        for (size_t i = 0; i < c->size; ++i) {
            column[i] *= square > 0 ? length / sqrt(square) : 0;
        }
    }
}

/* Copies from the unknowns of the chains' flesh to those of the whole body. */
static sn_result copy_to_whole_body(const chains *c, const sn_mode_problem *body, sn_arena *scratch, double **columns)
{
    const size_t count = (size_t)(c->depth * c->group_count), size = body->unknowns.count;
    *columns = SN_NEW(scratch, double, size *count);
    for (size_t i = 0; i < c->size && *columns; ++i) {
        const int32_t to = body->unknowns.slots[c->problem->unknowns.vertices[i]];
        for (size_t j = 0; j < count; ++j) {
            (*columns)[j * size + (size_t)to] = c->columns[j * c->size + i];
        }
    }
    return *columns ? SN_OK : SN_ERROR_MEMORY;
}

static sn_result compute_columns(const sn_soft_bone_modes_input *in, chains *c, sn_arena *scratch)
{
    sn_result result = allocate(c, (size_t)in->max_count, scratch);
    if (result == SN_OK) {
        gather(in, c);
        result = form_groups(c, scratch);
    }
    for (int depth = 0; depth < c->depth && result == SN_OK; ++depth) {
        result = sn_modes_solve_loads(c->problem, in->mesh->positions, c->count, scratch, c->values);
        normalise_displacement(c);
        add_to_columns(c, depth);
    }
    return result;
}

/* Pins everything but the chains' flesh; returns whether there is any. */
static bool pin_body(const sn_soft_bone_modes_input *in, bool *is_pinned)
{
    bool is_any_free = false;
    for (int v = 0; v < in->mesh->vertex_count; ++v) {
        double chain_weight = 0;
        for (int j = 0; j < in->chain_count; ++j) {
            chain_weight += in->chain_weights[(size_t)v * (size_t)in->chain_count + (size_t)j];
        }
        is_pinned[v] = !(chain_weight >= MIN_CHAIN_WEIGHT) || (in->is_pinned && in->is_pinned[v]);
        is_any_free = is_any_free || !is_pinned[v];
    }
    return is_any_free;
}

sn_result sn_modes_add_soft_bones(const sn_soft_bone_modes_input *in, sn_arena *arena, sn_modes *modes)
{
    const sn_mode_elements e = {.mesh = in->mesh, .volumes = in->volumes, .hessian = &modes->hessian};
    sn_arena scratch = {0};
    sn_mode_problem body = {0}, flesh = {0};
    bool *is_pinned = SN_NEW(&scratch, bool, in->mesh->vertex_count);
    const sn_constraint pins = {.rows = SN_NEW(&scratch, double, 0), .is_pinned = in->is_pinned};
    const sn_constraint fixed_rest = {.rows = pins.rows, .is_pinned = is_pinned};
    sn_result result = is_pinned && pins.rows ? SN_OK : SN_ERROR_MEMORY;
    if (result == SN_OK && pin_body(in, is_pinned)) {
        result = sn_mode_problem_build(&e, in->mass, &pins, &scratch, &body);
        result = result == SN_OK ? sn_mode_problem_build(&e, in->mass, &fixed_rest, &scratch, &flesh) : result;
        chains c = {.problem = &flesh, .size = flesh.unknowns.count, .count = (size_t)in->chain_count};
        sn_added_columns added = {
            .min_energy = modes->eigenvalues[0], .max_unexplained = SN_MAX_UNEXPLAINED, .max_count = in->max_count};
        result = result == SN_OK ? compute_columns(in, &c, &scratch) : result;
        result = result == SN_OK ? copy_to_whole_body(&c, &body, &scratch, &added.values) : result;
        if (result == SN_OK) {
            added.count = (size_t)(c.depth * c.group_count);
            added.square = sn_dense_dot(body.unknowns.count * added.count, added.values, added.values);
            result = sn_modes_add_columns(&body, &added, &scratch, arena, modes);
        }
    }
    sn_arena_finish(&scratch);
    return result;
}
