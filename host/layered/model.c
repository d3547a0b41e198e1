/* SPDX-License-Identifier: MIT */
/* Builds a layered model from its description. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "host/layered/solver.h"
#include "host/mesh/tet_mesh.h"
#include "host/xpbd/strain.h"

#define SUBSTEP_LIMIT 0.2 /* of k h^2 / (rho l^2), see layered.h */
#define STIFFNESS_QUANTILE                                                                                             \
    0.95 /* fraction of the tets that the rule considers; slivers must not slow all others down */

/* Limits of the substeps per 1/60 s. */
#define MIN_SUBSTEPS 15.0 /* with 8, volume-preserving flesh jitters where it is folded */
#define MAX_SUBSTEPS 60.0

/* ---- checks ---- */

static sn_result check_vertices(const sn_layered_desc *desc)
{
    for (int v = 0; v < desc->vertex_count; ++v) {
        if (!(desc->masses[v] > 0)) {
            return sn_fail_within(SN_ERROR_ARGUMENT, "layered model: vertex %d: mass %g is not positive", v,
                                  desc->masses[v]);
        }
        if (desc->bones && (desc->bones[v] < -1 || desc->bones[v] >= desc->bone_count)) {
            return sn_fail_within(SN_ERROR_ARGUMENT,
                                  "layered model: vertex %d: bone %d does not exist; there are %d bones", v,
                                  desc->bones[v], desc->bone_count);
        }
    }
    return SN_OK;
}

static sn_result check_corners(const sn_layered_desc *desc, int t)
{
    const int32_t *tet = desc->tets + 4 * (size_t)t;
    for (int k = 0; k < 4; ++k) {
        if (tet[k] < 0 || tet[k] >= desc->vertex_count) {
            return sn_fail_within(SN_ERROR_ARGUMENT, "layered model: tet %d: vertex %d does not exist", t, tet[k]);
        }
        for (int i = 0; i < k; ++i) {
            if (tet[i] == tet[k]) {
                return sn_fail_within(SN_ERROR_ARGUMENT, "layered model: tet %d: vertex %d is repeated", t, tet[k]);
            }
        }
    }
    return SN_OK;
}

/* Checks all tets, including those that never deform. Writes their volumes. */
static sn_result check_tets(const sn_layered_desc *desc, const sn_tet_mesh *mesh, double *volumes)
{
    for (int t = 0; t < desc->tet_count; ++t) {
        double max_stiffness;
        SN_TRY(check_corners(desc, t));
        volumes[t] = sn_tet_volume(mesh, t);
        SN_TRY(volumes[t] > 0 ? sn_xpbd_check_strain(t, desc->stiffness + STRAIN_COUNT * (size_t)t,
                                                     desc->frames ? desc->frames + 9 * (size_t)t : NULL, &max_stiffness)
                              : sn_fail_within(SN_ERROR_ARGUMENT, "layered model: tet %d: volume %g is not positive", t,
                                               volumes[t]));
    }
    return SN_OK;
}

/* ---- attached vertices, and the bones that others follow ---- */

static void flag_attached(const sn_layered_model *m, const sn_layered_desc *desc, bool *is_attached)
{
    for (int v = 0; v < m->vertex_count; ++v) {
        is_attached[v] = desc->bones && desc->bones[v] >= 0;
    }
}

static sn_result collect_attached(sn_layered_model *m, const sn_layered_desc *desc)
{
    double *counts = sn_alloc((size_t)m->bone_count, sizeof *counts);
    if (!counts) {
        return SN_ERROR_MEMORY;
    }
    for (int v = 0; v < m->vertex_count; ++v) {
        const int32_t bone = desc->bones ? desc->bones[v] : -1;
        m->parent_bones[v] = bone;
        if (bone >= 0) {
            m->attached[m->attached_vertex_count++] = (sn_layered_attached_vertex){v, bone};
            counts[bone] += 1;
            for (int d = 0; d < 3; ++d) {
                m->pivots[3 * bone + d] += desc->positions[3 * (size_t)v + (size_t)d];
            }
        }
    }
    for (int i = 0; i < 3 * m->bone_count; ++i) {
        m->pivots[i] /= fmax(counts[i / 3], 1);
    }
    sn_free(counts, (size_t)m->bone_count, sizeof *counts);
    return sn_layered_spread_labels(m->vertex_count, desc->tet_count, desc->tets, m->parent_bones);
}

/* ---- flesh ---- */

/* Deformable tets (tet_count x 4), with the description's data and volumes; is_attached (vertex_count). */
typedef struct layered_flesh {
    int tet_count;
    int32_t *tets;
    double *stiffness, *frames; /* (tet_count x 7), (tet_count x 9) or null */
    double *volumes;
    double total_volume; /* including tets that never deform */
    const bool *is_attached;
} layered_flesh;

/* Copies the description without tets whose vertices are all attached, which never deform. */
static sn_result collect_tets(const sn_layered_model *m, const sn_layered_desc *desc, const bool *is_attached,
                              sn_arena *arena, layered_flesh *flesh)
{
    const size_t count = (size_t)desc->tet_count;
    int32_t *tets = SN_NEW(arena, int32_t, 4 * count);
    double *stiffness = SN_NEW(arena, double, STRAIN_COUNT *count), *frames = SN_NEW(arena, double, 9 * count);
    double *volumes = SN_NEW(arena, double, count), total = 0;
    if (!tets || !stiffness || !frames || !volumes) {
        return SN_ERROR_MEMORY;
    }
    memcpy(tets, desc->tets, 4 * count * sizeof *tets);
    const sn_tet_mesh mesh = {
        .vertex_count = m->vertex_count, .tet_count = desc->tet_count, .positions = m->positions, .tets = tets};
    const sn_result result = check_tets(desc, &mesh, volumes);
    if (result != SN_OK) {
        return result;
    }
    size_t count_kept = 0;
    for (size_t t = 0; t < count; ++t) {
        const int32_t *tet = desc->tets + 4 * t;
        total += volumes[t];
        if (is_attached[tet[0]] && is_attached[tet[1]] && is_attached[tet[2]] && is_attached[tet[3]]) {
            continue;
        }
        memcpy(tets + 4 * count_kept, tet, 4 * sizeof *tet);
        memcpy(stiffness + STRAIN_COUNT * count_kept, desc->stiffness + STRAIN_COUNT * t,
               STRAIN_COUNT * sizeof(double));
        if (desc->frames) {
            memcpy(frames + 9 * count_kept, desc->frames + 9 * t, 9 * sizeof(double));
        }
        volumes[count_kept] = volumes[t];
        ++count_kept;
    }
    *flesh = (layered_flesh){.tet_count = (int)count_kept,
                             .tets = tets,
                             .stiffness = stiffness,
                             .frames = desc->frames ? frames : NULL,
                             .volumes = volumes,
                             .total_volume = total,
                             .is_attached = is_attached};
    return SN_OK;
}

static sn_result build_flesh(sn_layered_model *m, const sn_layered_desc *desc, layered_flesh *flesh,
                             const int32_t *layers, sn_arena *scratch)
{
    const double *density = SN_NEW(scratch, double, (size_t)flesh->tet_count);
    const sn_xpbd_desc flesh_description = {.vertex_count = m->vertex_count,
                                            .positions = desc->positions,
                                            .element_count = flesh->tet_count,
                                            .element_corners = 4,
                                            .elements = flesh->tets,
                                            .density = density,
                                            .strain_stiffness = flesh->stiffness,
                                            .frames = flesh->frames,
                                            .groups = layers,
                                            .is_coloured = desc->is_coloured,
                                            .masses = desc->masses};
    return density ? sn_xpbd_model_create(&flesh_description, &m->flesh) : SN_ERROR_MEMORY;
}

/* ---- layers ---- */

/* Lists the unattached rows of each layer's tets, each once per layer. */
static sn_result list_layers(sn_layered_model *m, const layered_flesh *flesh, const int32_t *layers, sn_arena *scratch)
{
    const int layer_count = m->flesh->group_count;
    int32_t *last_layer = SN_NEW(scratch, int32_t, (size_t)m->vertex_count);
    int32_t *rows = SN_NEW(&m->arena, int32_t, 4 * (size_t)flesh->tet_count);
    m->layer_starts = SN_NEW(&m->arena, int32_t, (size_t)layer_count + 1);
    m->layer_rows = rows;
    if (!last_layer || !rows || !m->layer_starts) {
        return SN_ERROR_MEMORY;
    }
    int count = 0;
    for (int layer = 0; layer < layer_count; ++layer) {
        m->layer_starts[layer] = count;
        for (int i = 0; i < 4 * flesh->tet_count; ++i) {
            const int32_t vertex = flesh->tets[i];
            if (layers[i / 4] == layer && !flesh->is_attached[vertex] && last_layer[vertex] <= layer) {
                last_layer[vertex] = layer + 1;
                rows[count++] = m->flesh->rows[vertex];
            }
        }
    }
    m->layer_starts[layer_count] = count;
    return SN_OK;
}

/* ---- substep rule ---- */

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Computes m->rate of the substep rule. */
static sn_result measure_rate(sn_layered_model *m, const sn_layered_desc *desc, const layered_flesh *flesh)
{
    const size_t count = (size_t)flesh->tet_count;
    double *rates = sn_alloc(count, sizeof *rates), mass = 0;
    if (!rates) {
        return SN_ERROR_MEMORY;
    }
    for (int v = 0; v < desc->vertex_count; ++v) {
        mass += desc->masses[v];
    }
    for (size_t t = 0; t < count; ++t) {
        const double *k = flesh->stiffness + STRAIN_COUNT * t, l = cbrt(6 * flesh->volumes[t]);
        const double stretch = fmax(fmax(k[0], k[1]), k[2]), shear = fmax(fmax(k[3], k[4]), k[5]);
        rates[t] = fmax(stretch, 2 * shear) * flesh->total_volume / (SUBSTEP_LIMIT * mass * l * l);
    }
    qsort(rates, count, sizeof *rates, compare);
    m->rate = count > 0 ? rates[(size_t)(STIFFNESS_QUANTILE * (double)(count - 1))] : 0;
    sn_free(rates, count, sizeof *rates);
    return SN_OK;
}

int sn_layered_required_substeps(const sn_layered_model *model, double time_step, double stiffness)
{
    const double frame_count = fmax(60 * time_step, 1.0 / MIN_SUBSTEPS);
    const double flesh_description = time_step * sqrt(stiffness * model->rate);
    return (int)ceil(fmin(fmin(fmax(flesh_description, MIN_SUBSTEPS * frame_count), MAX_SUBSTEPS * frame_count), 1e6));
}

/* ---- the model ---- */

static sn_result allocate(sn_layered_model *m, const sn_layered_desc *desc)
{
    const size_t vertices = (size_t)m->vertex_count, bones = (size_t)m->bone_count;
    m->positions = SN_NEW(&m->arena, double, 3 * vertices);
    m->pivots = SN_NEW(&m->arena, double, 3 * bones);
    m->attached = SN_NEW(&m->arena, sn_layered_attached_vertex, vertices);
    m->parent_bones = SN_NEW(&m->arena, int32_t, vertices);
    m->parent_bones_by_row = SN_NEW(&m->arena, int32_t, vertices);
    m->weights = desc->weights ? SN_NEW(&m->arena, float, vertices *bones) : NULL;
    if (!m->positions || !m->pivots || !m->attached || !m->parent_bones || !m->parent_bones_by_row ||
        (desc->weights && !m->weights)) {
        return SN_ERROR_MEMORY;
    }
    memcpy(m->positions, desc->positions, 3 * vertices * sizeof *m->positions);
    if (desc->weights) {
        memcpy(m->weights, desc->weights, vertices * bones * sizeof *m->weights);
    }
    return SN_OK;
}

static sn_result build_sweeps(sn_layered_model *m, const sn_layered_desc *desc, layered_flesh *flesh,
                              const int32_t *layers, sn_arena *scratch)
{
    SN_TRY(build_flesh(m, desc, flesh, layers, scratch));
    for (int v = 0; v < m->vertex_count; ++v) {
        m->parent_bones_by_row[m->flesh->rows[v]] = m->parent_bones[v];
    }
    SN_TRY(measure_rate(m, desc, flesh));
    if (layers) {
        SN_TRY(list_layers(m, flesh, layers, scratch));
    }
    return SN_OK;
}

static sn_result build(sn_layered_model *m, const sn_layered_desc *desc, sn_arena *scratch)
{
    bool *is_attached = SN_NEW(scratch, bool, (size_t)m->vertex_count);
    int32_t *layers = SN_NEW(scratch, int32_t, (size_t)desc->tet_count);
    layered_flesh flesh;
    sn_result result = is_attached && layers ? allocate(m, desc) : SN_ERROR_MEMORY;
    if (result == SN_OK) {
        flag_attached(m, desc, is_attached);
        result = collect_tets(m, desc, is_attached, scratch, &flesh);
    }
    if (result == SN_OK) {
        result = collect_attached(m, desc);
    }
    if (result != SN_OK) {
        return result;
    }
    m->tet_count = flesh.tet_count;
    if (m->mode != SN_LAYERED_LAYERS) {
        return build_sweeps(m, desc, &flesh, NULL, scratch);
    }
    return sn_layered_find_layers(m->vertex_count, flesh.tet_count, flesh.tets, is_attached, layers) < 0
               ? SN_ERROR_MEMORY
               : build_sweeps(m, desc, &flesh, layers, scratch);
}

sn_result sn_layered_model_create(const sn_layered_desc *desc, sn_layered_model **model)
{
    *model = NULL;
    if (desc->vertex_count < 1 || desc->tet_count < 1 || desc->bone_count < 1 ||
        (unsigned)desc->mode >= SN_LAYERED_MODE_COUNT) {
        return sn_fail_within(SN_ERROR_ARGUMENT, "layered model: %d vertices, %d tets, %d bones, mode %d",
                              desc->vertex_count, desc->tet_count, desc->bone_count, (int)desc->mode);
    }
    sn_result result = check_vertices(desc);
    sn_layered_model *created = result == SN_OK ? sn_alloc(1, sizeof *created) : NULL;
    if (!created) {
        return result == SN_OK ? SN_ERROR_MEMORY : result;
    }
    sn_arena scratch = {0};
    created->mode = desc->mode;
    created->vertex_count = desc->vertex_count;
    created->bone_count = desc->bone_count;
    result = build(created, desc, &scratch);
    sn_arena_finish(&scratch);
    if (result != SN_OK) {
        sn_layered_model_destroy(&created);
    }
    *model = created;
    return result;
}

void sn_layered_model_destroy(sn_layered_model **model)
{
    if (*model) {
        sn_xpbd_model_destroy(&(*model)->flesh);
        sn_arena_finish(&(*model)->arena);
        sn_free(*model, 1, sizeof **model);
        *model = NULL;
    }
}

sn_layered_counts sn_layered_model_counts(const sn_layered_model *model)
{
    return (sn_layered_counts){.attached_vertex_count = model->attached_vertex_count,
                               .tet_count = model->tet_count,
                               .layer_count = model->flesh->group_count};
}
