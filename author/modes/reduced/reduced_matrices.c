/* SPDX-License-Identifier: MIT */
/* Precomputes the matrices of the reduced step (paper, section 5): the basis (reduced_basis.c), its products with
 * itself and the rig (reduced_products.c, reduced_morphs.c), and here its bounds and the clusters' matrices. */
#include "author/modes/reduced/reduced_parts.h"

#include <math.h>
#include <string.h>

#include "author/modes/constraint/row_sums.h"
#include "host/model/displacement_bound.h"
#include "host/model/model.h"

#define AHEAD 8 /* distance of prefetching, in tets */

typedef struct cluster_work {
    int32_t *starts, *tets; /* tets sorted by cluster: tets[starts[c]] on */
    int32_t *vertices;      /* (n) of the cluster */
    double *gradients_sum;  /* (n + 1 x 3) of its vertices: sum over its tets of mu V times the vertex's gradient */
    int32_t *places;        /* (n) used_slots + 1 + slot of the vertex, if it is in this cluster */
    int32_t used_slots;     /* sum of the vertex counts of the previous clusters */
} cluster_work;

static void sort_tets(const sn_reduced_input *in, cluster_work *c)
{
    for (int t = 0; t < in->mesh->tet_count; ++t) {
        ++c->starts[in->clusters[t] + 1];
    }
    for (int i = 0; i < in->cluster_count; ++i) {
        c->starts[i + 1] += c->starts[i];
    }
    for (int t = in->mesh->tet_count - 1; t >= 0; --t) {
        c->tets[--c->starts[in->clusters[t] + 1]] = t;
    }
    /* each end has moved down to its start: start i + 1 now holds start i */
    memmove(c->starts, c->starts + 1, (size_t)in->cluster_count * sizeof *c->starts);
    c->starts[in->cluster_count] = in->mesh->tet_count;
}

/* Fills vertices and gradients_sum; returns the number of vertices. Has no branches that depend on data. */
static int32_t gather_gradients(const sn_reduced_input *in, cluster_work *c, int cluster)
{
    int32_t count = 0;
    for (int32_t i = c->starts[cluster]; i < c->starts[cluster + 1]; ++i) {
        const size_t t = (size_t)c->tets[i];
        const double stiffness = in->tet_mu[t] * in->volumes[t];
        const size_t ahead = (size_t)c->tets[i + AHEAD < in->mesh->tet_count ? i + AHEAD : i];
        __builtin_prefetch(in->mesh->tets + 4 * ahead);
        __builtin_prefetch(in->gradients + 12 * ahead);
        __builtin_prefetch(in->gradients + 12 * ahead + 8);
        __builtin_prefetch(in->tet_mu + ahead);
        __builtin_prefetch(in->volumes + ahead);
        for (size_t corner = 0; corner < 4; ++corner) {
            const int32_t v = in->mesh->tets[4 * t + corner];
            const bool is_known = c->places[v] > c->used_slots;
            const int32_t slot = is_known ? c->places[v] - c->used_slots - 1 : count;
            double *gradient_sum = c->gradients_sum + 3 * (size_t)slot;
            memset(c->gradients_sum + 3 * (size_t)count, 0, 3 * sizeof *c->gradients_sum);
            c->places[v] = c->used_slots + 1 + slot;
            c->vertices[slot] = v;
            count += !is_known;
            for (size_t d = 0; d < 3; ++d) {
                gradient_sum[d] += stiffness * in->gradients[12 * t + 3 * corner + d];
            }
        }
    }
    c->used_slots += count;
    return count;
}

/* bone (3 x p) += gradient_sum times the vertex's row of Jc. */
static void add_bones(const sn_reduced_scratch_pool *work, size_t v, const double gradient_sum[3], double *bone)
{
    const double *x = work->places + 4 * v;
    for (int32_t at = work->rig.starts[v]; at < work->rig.starts[v + 1]; ++at) {
        for (size_t d = 0; d < 3; ++d) {
            const double weight = gradient_sum[d] * work->rig.values[at];
            for (size_t k = 0; k < 4; ++k) {
                bone[d * work->p + 4 * (size_t)work->rig.indices[at] + k] += weight * x[k];
            }
        }
    }
}

/* S[c] = sum_{t in c} mu_t V_t G_t^T U, split into the columns of V and Jc. mu is inside of the sum, so that the rest
 * pose is a fixed point for clusters of mixed materials. A cluster's tets are summed at its vertices first, of which
 * there are about a quarter as many. */
sn_result sn_reduced_clusters_build(sn_reduced_scratch_pool *work, double *coordinate, double *bone)
{
    const sn_reduced_input *in = work->in;
    cluster_work c = {.starts = SN_NEW(&work->arena, int32_t, in->cluster_count + 1),
                      .tets = SN_NEW(&work->arena, int32_t, in->mesh->tet_count),
                      .vertices = SN_NEW(&work->arena, int32_t, work->n),
                      .gradients_sum = SN_NEW(&work->arena, double, 3 * (work->n + 1)),
                      .places = SN_NEW(&work->arena, int32_t, work->n)};
    if (!c.starts || !c.tets || !c.vertices || !c.gradients_sum || !c.places) {
        return SN_ERROR_MEMORY;
    }
    sort_tets(in, &c);
    for (int cluster = 0; cluster < in->cluster_count; ++cluster) {
        const size_t count = (size_t)gather_gradients(in, &c, cluster);
        sn_row_sums_add(count, c.vertices, c.gradients_sum, 3, work->basis, work->q,
                        coordinate + 3 * (size_t)cluster * work->q);
        for (size_t i = 0; i < count && bone; ++i) {
            add_bones(work, (size_t)c.vertices[i], c.gradients_sum + 3 * i, bone + 3 * (size_t)cluster * work->p);
        }
    }
    return SN_OK;
}

static double mean_weight(const sn_reduced_input *in, const int32_t *corners, size_t bone)
{
    double sum = 0;
    for (int k = 0; k < 3; ++k) {
        sum += in->rig_weights[(size_t)corners[k] * (size_t)in->bone_count + bone];
    }
    return sum / 3;
}

/* For a flat body, adds the terms perpendicular to the plane: the gradient of g_b z along z is g_b, and modes have
 * none. See SN_FLAT_DEPTH. */
static void add_depth(const sn_reduced_input *in, sn_reduced_matrices *out)
{
    const size_t bones = (size_t)in->bone_count, p = 4 * bones;
    for (size_t t = 0; t < (size_t)in->mesh->tet_count; ++t) {
        const double stiffness = SN_FLAT_DEPTH * in->tet_mu[t] * in->volumes[t];
        const int32_t *corners = in->mesh->tets + 4 * t;
        double *perpendicular = out->cluster_bone + (3 * (size_t)in->clusters[t] + 2) * p;
        for (size_t a = 0; a < bones; ++a) {
            const double own_weight = mean_weight(in, corners, a);
            perpendicular[4 * a + 2] += stiffness * own_weight;
            for (size_t b = 0; b < bones && own_weight != 0; ++b) {
                out->stiffness_bone[(4 * a + 2) * p + 4 * b + 2] +=
                    stiffness * own_weight * mean_weight(in, corners, b);
            }
        }
    }
}

static sn_result allocate_outputs(const sn_reduced_scratch_pool *work, sn_arena *arena, sn_reduced_matrices *out)
{
    const size_t q = work->q, p = work->p, clusters = (size_t)work->in->cluster_count;
    out->coordinate_count = (int)q;
    out->constrained_coordinate_count = (int)work->removed;
    const bool is_ok =
        (out->mode_from_coordinate = SN_NEW(arena, double, work->columns *q)) &&
        (out->coordinate_from_mode = SN_NEW(arena, double, work->columns *q)) &&
        (out->constrained_from_mode = SN_NEW(arena, double, work->columns * work->removed)) &&
        (out->coordinate_stiffness = SN_NEW(arena, double, q)) && (out->coordinate_bounds = SN_NEW(arena, double, q)) &&
        (out->coordinate_mass = SN_NEW(arena, double, q)) &&
        (out->coordinate_tangent_stiffness = SN_NEW(arena, double, q)) &&
        (out->coordinate_decay = SN_NEW(arena, double, q)) &&
        (out->cluster_strain_limits = SN_NEW(arena, double, clusters)) &&
        (out->cluster_coordinate = SN_NEW(arena, double, 3 * clusters * q)) &&
        (out->cluster_bone = SN_NEW(arena, double, 3 * clusters * p)) &&
        (out->cluster_lame = SN_NEW(arena, double, clusters)) && (out->mass_cross = SN_NEW(arena, double, q *p)) &&
        (out->stiffness_cross = SN_NEW(arena, double, q *p)) && (out->mass_bone = SN_NEW(arena, double, p *p)) &&
        (out->stiffness_bone = SN_NEW(arena, double, p *p)) &&
        (out->morph_cross = SN_NEW(arena, double, q * work->m)) &&
        (out->morph_mass = SN_NEW(arena, double, work->m *(p + work->m)));
    return is_ok ? SN_OK : SN_ERROR_MEMORY;
}

static sn_result build(sn_reduced_scratch_pool *work, sn_arena *arena, sn_reduced_matrices *out)
{
    sn_result result = sn_reduced_rows_build(work);
    if (result == SN_OK) {
        result = sn_reduced_basis_build(work);
    }
    if (result == SN_OK) {
        result = allocate_outputs(work, arena, out);
    }
    if (result != SN_OK) {
        return result;
    }
    for (size_t i = 0; i < work->columns; ++i) {
        for (size_t j = 0; j < work->q; ++j) {
            out->mode_from_coordinate[i * work->q + j] = work->map[j * work->columns + i];
            out->coordinate_from_mode[j * work->columns + i] = work->inverse[i * work->q + j];
        }
        for (size_t j = 0; j < work->removed; ++j) {
            out->constrained_from_mode[j * work->columns + i] = work->removed_inverse[i * work->removed + j];
        }
    }
    memcpy(out->coordinate_stiffness, work->lambda, work->q * sizeof(double));
    const sn_displacement_basis basis = {work->n, work->q, work->lambda, work->basis};
    result = sn_displacement_bound_compute(&basis, out->coordinate_bounds);
    sn_reduced_cross_write(work, out);
    if (result == SN_OK) {
        result = sn_reduced_isolate_targets(work, out);
    }
    if (result == SN_OK) {
        result = sn_reduced_morphs_build(work, out);
    }
    if (result == SN_OK) {
        result = sn_reduced_clusters_build(work, out->cluster_coordinate, out->cluster_bone);
    }
    for (int t = 0; t < work->in->mesh->tet_count; ++t) {
        out->total_stiffness += work->in->tet_mu[t] * work->in->volumes[t];
    }
    if (result == SN_OK && work->in->mesh->is_flat) {
        add_depth(work->in, out);
    }
    if (result == SN_OK && work->in->strain_limit_stiffness > 0) {
        result = sn_reduced_limit_bones(work, out);
    }
    result = result == SN_OK ? sn_reduced_volume_build(work, out) : result;
    return result == SN_OK ? sn_reduced_response_build(work, out) : result;
}

sn_result sn_reduced_matrices_build(const sn_reduced_input *input, sn_arena *arena, sn_reduced_matrices *reduced)
{
    sn_reduced_scratch_pool work = {.in = input,
                                    .n = (size_t)input->mesh->vertex_count,
                                    .columns = 4 * (size_t)input->modes->mode_count,
                                    .p = 4 * (size_t)input->bone_count,
                                    .m = 3 * (size_t)input->pair_count};
    *reduced = (sn_reduced_matrices){0};
    const sn_result result = build(&work, arena, reduced);
    sn_arena_finish(&work.arena);
    return result;
}
