/* SPDX-License-Identifier: MIT */
/* Layers of tets around marked vertices (the paper's section on the layered solver): tets of layer 0 have a marked
 * vertex; those of layer l + 1 share a vertex with layer l. */
#include "host/base/arena.h"
#include "host/layered/solver.h"

int sn_layered_find_layers(int vertex_count, int tet_count, const int32_t *tets, const bool *is_seed, int32_t *layers)
{
    bool *is_reached = sn_alloc((size_t)vertex_count, sizeof *is_reached);
    int layer = 0, remaining = tet_count, added = 1;
    if (!is_reached) {
        return -1;
    }
    for (int v = 0; v < vertex_count; ++v) {
        is_reached[v] = is_seed[v];
    }
    for (int t = 0; t < tet_count; ++t) {
        layers[t] = -1;
    }
    for (; remaining > 0 && added > 0; layer += added > 0) {
        added = 0;
        for (int t = 0; t < tet_count; ++t) {
            const int32_t *tet = tets + 4 * (size_t)t;
            if (layers[t] < 0 &&
                (is_reached[tet[0]] || is_reached[tet[1]] || is_reached[tet[2]] || is_reached[tet[3]])) {
                layers[t] = layer;
                ++added;
            }
        }
        for (int t = 0; t < tet_count; ++t) {
            for (int k = 0; k < 4 && layers[t] == layer; ++k) {
                is_reached[tets[4 * (size_t)t + (size_t)k]] = true;
            }
        }
        remaining -= added;
    }
    for (int t = 0; t < tet_count; ++t) {
        layers[t] = layers[t] < 0 ? layer : layers[t];
    }
    sn_free(is_reached, (size_t)vertex_count, sizeof *is_reached);
    return layer + (remaining > 0);
}

/* In each round, unlabelled vertices take the lowest label of their neighbours, until nothing changes. */
sn_result sn_layered_spread_labels(int vertex_count, int tet_count, const int32_t *tets, int32_t *labels)
{
    int32_t *next = sn_alloc((size_t)vertex_count, sizeof *next);
    bool is_spreading = true;
    if (!next) {
        return SN_ERROR_MEMORY;
    }
    while (is_spreading) {
        is_spreading = false;
        for (int v = 0; v < vertex_count; ++v) {
            next[v] = labels[v];
        }
        for (size_t i = 0; i < 16 * (size_t)tet_count; ++i) {
            const int32_t *tet = tets + 4 * (i / 16), to = tet[i / 4 % 4], from = tet[i % 4];
            if (labels[to] < 0 && labels[from] >= 0 && (next[to] < 0 || labels[from] < next[to])) {
                next[to] = labels[from];
                is_spreading = true;
            }
        }
        for (int v = 0; v < vertex_count; ++v) {
            labels[v] = next[v];
        }
    }
    for (int v = 0; v < vertex_count; ++v) {
        labels[v] = labels[v] < 0 ? 0 : labels[v];
    }
    sn_free(next, (size_t)vertex_count, sizeof *next);
    return SN_OK;
}
