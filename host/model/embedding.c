/* SPDX-License-Identifier: MIT */
/* Embedding of the surface in its tets, by Phong deformation (sinew/surface.h). */
#include "host/model/embedding.h"

#include <string.h>

typedef struct embedding_arrays {
    int32_t *vertices, *node_of; /* (vertex_count) index of the node, or -1 */
    float *positions;
    int32_t *starts;
    sn_influence *influences;
    sn_morph_delta *deltas;
} embedding_arrays;

static bool is_in_tet(const sn_model *m, size_t vertex)
{
    return m->surface_tets[vertex] >= 0;
}

/* Finds the nodes: the vertices of the tets that contain a vertex of the surface. */
static sn_result find_nodes(const sn_model *m, sn_arena *scratch, sn_embedding *e, embedding_arrays *to)
{
    const size_t n = (size_t)m->counts.vertex_count;
    int count = 0;
    to->node_of = SN_NEW(scratch, int32_t, n);
    if (!to->node_of) {
        return SN_ERROR_MEMORY;
    }
    for (size_t i = 0; i < 4 * (size_t)m->counts.surface_vertex_count; ++i) {
        if (is_in_tet(m, i / 4) && m->surface_barycentric[i] > 0) {
            int32_t *node = &to->node_of[m->tets[4 * (size_t)m->surface_tets[i / 4] + i % 4]];
            count += *node == 0;
            *node = 1;
        }
    }
    to->vertices = SN_NEW(&e->arena, int32_t, count);
    e->rest = SN_NEW(&e->arena, double, 3 * (size_t)count);
    if (!to->vertices || !e->rest) {
        return SN_ERROR_MEMORY;
    }
    count = 0;
    for (size_t v = 0; v < n; ++v) {
        if (to->node_of[v] == 0) {
            to->node_of[v] = -1;
            continue;
        }
        for (size_t d = 0; d < 3; ++d) {
            e->rest[3 * (size_t)count + d] = (double)m->rest_positions[3 * v + d];
        }
        to->vertices[count] = (int32_t)v;
        to->node_of[v] = count++;
    }
    e->nodal.node_count = count;
    return SN_OK;
}

static sn_result find_gradients(const sn_model *m, sn_arena *scratch, sn_embedding *e, const int32_t *vertices)
{
    const size_t n = (size_t)m->counts.vertex_count, tets = (size_t)m->counts.tet_count;
    sn_tet_mesh mesh = {.vertex_count = m->counts.vertex_count,
                        .tet_count = m->counts.tet_count,
                        .positions = SN_NEW(scratch, double, 3 * n),
                        .tets = SN_NEW(scratch, int32_t, 4 * tets),
                        .is_flat = sn_model_is_flat(m)};
    if (!mesh.positions || !mesh.tets) {
        return SN_ERROR_MEMORY;
    }
    for (size_t i = 0; i < 3 * n; ++i) {
        mesh.positions[i] = (double)m->rest_positions[i];
    }
    memcpy(mesh.tets, m->tets, 4 * tets * sizeof *mesh.tets);
    return sn_nodal_gradients_build(&mesh, vertices, e->nodal.node_count, &e->arena, &e->nodal);
}

static sn_result allocate(const sn_model *m, sn_embedding *e, embedding_arrays *to)
{
    const size_t n = (size_t)m->counts.surface_vertex_count;
    to->positions = SN_NEW(&e->arena, float, 3 * n);
    to->starts = SN_NEW(&e->arena, int32_t, n + 1);
    to->influences = SN_NEW(&e->arena, sn_influence, (size_t)m->counts.influence_count + 4 * n);
    to->deltas = SN_NEW(&e->arena, sn_morph_delta, m->counts.morph_delta_count);
    return to->positions && to->starts && to->influences && to->deltas ? SN_OK : SN_ERROR_MEMORY;
}

/* Writes the barycentric weights, scaled to a sum of 1, sorted by node. Returns the end of the list. */
static int32_t write_weights(const sn_model *m, size_t vertex, embedding_arrays *to, int32_t at)
{
    const int32_t *corners = m->tets + 4 * (size_t)m->surface_tets[vertex], first = at;
    const float *b = m->surface_barycentric + 4 * vertex;
    double sum = 0;
    for (size_t k = 0; k < 4; ++k) {
        sum += b[k] > 0 ? (double)b[k] : 0;
    }
    for (size_t k = 0; k < 4; ++k) {
        if (!(b[k] > 0)) {
            continue;
        }
        const int32_t bone = m->counts.bone_count + to->node_of[corners[k]];
        int32_t slot = at++;
        for (; slot > first && to->influences[slot - 1].bone > bone; --slot) {
            to->influences[slot] = to->influences[slot - 1];
        }
        to->influences[slot] = (sn_influence){.bone = bone, .weight = (float)((double)b[k] / sum)};
    }
    return at;
}

/* X'' = 2 X - sum_i b_i X_i, with the weights as rounded to float. */
static void write_position(const sn_model *m, const sn_embedding *e, size_t vertex, embedding_arrays *to)
{
    for (size_t d = 0; d < 3; ++d) {
        double in_tet = 0;
        for (int32_t i = to->starts[vertex]; i < to->starts[vertex + 1]; ++i) {
            const size_t node = (size_t)(to->influences[i].bone - m->counts.bone_count);
            in_tet += (double)to->influences[i].weight * e->rest[3 * node + d];
        }
        to->positions[3 * vertex + d] = (float)(2 * (double)m->surface_positions[3 * vertex + d] - in_tet);
    }
}

static int32_t copy_influences(const sn_model *m, size_t vertex, embedding_arrays *to, int32_t at)
{
    for (int32_t i = m->influence_starts[vertex]; i < m->influence_starts[vertex + 1]; ++i) {
        to->influences[at++] = m->influences[i];
    }
    memcpy(to->positions + 3 * vertex, m->surface_positions + 3 * vertex, 3 * sizeof(float));
    return at;
}

static void fill_surface(const sn_model *m, const sn_embedding *e, embedding_arrays *to)
{
    for (size_t v = 0; v < (size_t)m->counts.surface_vertex_count; ++v) {
        const int32_t first = to->starts[v];
        to->starts[v + 1] = is_in_tet(m, v) ? write_weights(m, v, to, first) : copy_influences(m, v, to, first);
        if (is_in_tet(m, v)) {
            write_position(m, e, v, to);
        }
        for (int32_t i = m->counts.morph_count > 0 ? m->morph_starts[v] : 0;
             m->counts.morph_count > 0 && i < m->morph_starts[v + 1]; ++i) {
            to->deltas[i] = m->morph_deltas[i];
            for (int d = 0; d < 3 && is_in_tet(m, v); ++d) {
                to->deltas[i].offset[d] *= 2;
            }
        }
    }
}

static sn_result build(const sn_model *m, sn_embedding *e)
{
    sn_arena scratch = {0};
    embedding_arrays arrays = {0};
    sn_result result = find_nodes(m, &scratch, e, &arrays);
    if (result == SN_OK) {
        result = find_gradients(m, &scratch, e, arrays.vertices);
    }
    if (result == SN_OK) {
        result = allocate(m, e, &arrays);
    }
    if (result == SN_OK) {
        fill_surface(m, e, &arrays);
        e->surface = sn_model_surface(m);
        e->surface.mode_count = 0;
        e->surface.mode_weights = NULL;
        e->surface.positions = arrays.positions;
        e->surface.influence_starts = arrays.starts;
        e->surface.influences = arrays.influences;
        e->surface.morph_deltas = arrays.deltas;
    }
    sn_arena_finish(&scratch);
    return result;
}

sn_result sn_embedding_create(const sn_model *model, sn_embedding **embedding)
{
    *embedding = NULL;
    sn_embedding *e = sn_alloc(1, sizeof *e);
    if (!e) {
        return SN_ERROR_MEMORY;
    }
    e->model = model;
    const sn_result result = build(model, e);
    if (result != SN_OK) {
        sn_embedding_destroy(&e);
    }
    *embedding = e;
    return result;
}

void sn_embedding_destroy(sn_embedding **embedding)
{
    sn_embedding *e = *embedding;
    *embedding = NULL;
    if (e) {
        sn_arena_finish(&e->arena);
        sn_free(e, 1, sizeof *e);
    }
}

sn_surface sn_embedding_surface(const sn_embedding *embedding)
{
    return embedding->surface;
}

int sn_embedding_matrix_count(const sn_embedding *embedding)
{
    return embedding->nodal.node_count;
}

void sn_embedding_matrices(const sn_embedding *e, const double *flesh, float *matrices)
{
    for (int i = 0; i < e->nodal.node_count; ++i, matrices += 12) {
        const double *x = flesh + 3 * (size_t)e->nodal.vertices[i], *rest = e->rest + 3 * (size_t)i;
        double f[9];
        sn_nodal_gradient(&e->nodal, i, flesh, f);
        for (int d = 0; d < 3; ++d) {
            const double *row = f + 3 * d;
            for (int k = 0; k < 3; ++k) {
                matrices[4 * d + k] = (float)(0.5 * row[k]);
            }
            matrices[4 * d + 3] = (float)(x[d] - 0.5 * (row[0] * rest[0] + row[1] * rest[1] + row[2] * rest[2]));
        }
    }
}
