/* SPDX-License-Identifier: MIT */
/* Packs a model's matrices as the shader reads them: floats in groups of four, mass in the unit of sn_reduced_unit. */
#include "compute/reduced/private.h"
#include "host/base/arena.h"
#include "host/model/tangent_stiffness.h"
#include "host/reduced/reduced.h"
#include "host/reduced/view.h"

/* Element (row, column); 0 in the padding. */
static double entry(const double *matrix, uint32_t rows, uint32_t columns, uint32_t row, uint32_t column)
{
    return row < rows && column < columns ? matrix[(size_t)row * columns + column] : 0;
}

static void pack_local(const sn_model *model, double unit, uint32_t q, uint32_t clusters, float *packed)
{
    for (uint32_t i = 0; i < q; i += 4) {
        for (uint32_t k = 0; k < 3; ++k) {
            for (uint32_t c = 0; c < clusters; ++c, packed += 4) {
                for (uint32_t n = 0; n < 4; ++n) {
                    packed[n] = (float)(entry(model->cluster_coordinate, 3 * clusters, q, 3 * c + k, i + n) / unit);
                }
            }
        }
    }
}

static void pack_global(const sn_model *model, double unit, uint32_t q, uint32_t clusters, float *packed)
{
    for (uint32_t row = 0; row < 3 * clusters; ++row) {
        for (uint32_t i = 0; i < 4 * sn_reduced_vec4_count(q); ++i) {
            *packed++ = (float)(entry(model->cluster_coordinate, 3 * clusters, q, row, i) / unit);
        }
    }
}

static void pack_bone(const sn_model *model, double unit, uint32_t bones, uint32_t clusters, float *packed)
{
    for (uint32_t b = 0; b < bones; ++b) {
        for (uint32_t k = 0; k < 3; ++k) {
            for (uint32_t c = 0; c < clusters; ++c, packed += 4) {
                for (uint32_t n = 0; n < 4; ++n) {
                    const double total = entry(model->cluster_bone, 3 * clusters, 4 * bones, 3 * c + k, 4 * b + n);
                    packed[n] = (float)(total / (unit * unit));
                }
            }
        }
    }
}

static void pack_cross(const double *matrix, double unit, uint32_t q, uint32_t bones, float *packed)
{
    for (uint32_t b = 0; b < bones; ++b) {
        for (uint32_t i = 0; i < 4 * sn_reduced_vec4_count(q); ++i, packed += 4) {
            for (uint32_t n = 0; n < 4; ++n) {
                packed[n] = (float)(entry(matrix, q, 4 * bones, i, 4 * b + n) / unit);
            }
        }
    }
}

static void pack_pairs(const double *matrix, double unit, uint32_t q, uint32_t pairs, float *packed)
{
    for (uint32_t pair = 0; pair < pairs; ++pair) {
        for (uint32_t i = 0; i < 4 * sn_reduced_vec4_count(q); ++i, packed += 4) {
            for (uint32_t n = 0; n < 3; ++n) {
                packed[n] = (float)(entry(matrix, q, 3 * pairs, i, 3 * pair + n) / unit);
            }
        }
    }
}

static void pack_coordinates(const sn_model *model, double unit, uint32_t q, float *packed)
{
    for (uint32_t i = 0; i < q; ++i, packed += 4) {
        packed[0] = (float)model->coordinate_stiffness[i];
        packed[1] = (float)(unit * model->coordinate_bounds[i]);
        packed[2] = (float)(model->coordinate_mass[i] / unit);
    }
}

static void pack_modes(const sn_model *model, double unit, uint32_t q, uint32_t modes, float *packed)
{
    for (uint32_t i = 0; i < q; ++i) {
        for (uint32_t j = 0; j < modes; ++j, packed += 4) {
            for (uint32_t n = 0; n < 4; ++n) {
                packed[n] = (float)(unit * entry(model->mode_from_coordinate, 4 * modes, q, 4 * j + n, i));
            }
        }
    }
}

static void pack_volume(const sn_model *model, double unit, uint32_t clusters, float *packed)
{
    for (uint32_t c = 0; c < clusters; ++c, packed += 4) {
        const double own = sn_model_cluster_stiffness(model, (int)c) / (unit * unit);
        packed[0] = own > 0 ? (float)(model->cluster_lame[c] / (unit * unit) / (own * own)) : 0;
        packed[1] = (float)(sn_model_rest_trace(model) * own);
        packed[2] = own > 0 ? (float)(1 / own) : 0;
        packed[3] = (float)own;
    }
}

static void pack_response(const sn_model *model, uint32_t q, float *packed)
{
    for (uint32_t i = 0; i < q; ++i, packed += 4) {
        packed[0] = (float)model->coordinate_tangent_stiffness[i];
        packed[1] = (float)model->coordinate_decay[i];
    }
}

/* bone: as packed by pack_bone. Sums in the order of the shader. */
static void pack_limit(const sn_model *model, double unit, uint32_t bones, uint32_t clusters, const float *bone,
                       float *packed)
{
    for (uint32_t c = 0; c < clusters; ++c) {
        const float own = (float)(sn_model_cluster_stiffness(model, (int)c) / (unit * unit));
        for (uint32_t k = 0; k < 3; ++k, packed += 4) {
            for (uint32_t b = 0; b < bones; ++b) {
                for (uint32_t d = 0; d < 3; ++d) {
                    packed[d] += bone[4 * ((size_t)(3 * b + k) * clusters + c) + d];
                }
            }
            packed[k] -= own;
            packed[3] = (float)model->cluster_strain_limits[c];
        }
    }
}

static void pack_basis(const double *basis, uint32_t rows, uint32_t q, float *packed)
{
    for (uint32_t row = 0; row < rows; ++row) {
        for (uint32_t i = 0; i < 4 * sn_reduced_vec4_count(q); ++i) {
            *packed++ = (float)entry(basis, rows, q, row, i);
        }
    }
}

static void pack(const sn_model *model, const double *basis, const sn_gpu_reduced_model *m, float *packed)
{
    const uint32_t q = m->coordinate_count, clusters = m->cluster_count, bones = m->bone_count;
    const struct sn_reduced_model_layout at = sn_gpu_reduced_layout_of(m);
    pack_local(model, m->unit, q, clusters, packed + 4 * at.local);
    pack_global(model, m->unit, q, clusters, packed + 4 * at.global);
    pack_bone(model, m->unit, bones, clusters, packed + 4 * at.bone);
    pack_cross(model->mass_cross, m->unit, q, bones, packed + 4 * at.mass_cross);
    pack_cross(model->stiffness_cross, m->unit, q, bones, packed + 4 * at.stiffness_cross);
    pack_pairs(model->morph_cross, m->unit, q, m->pair_count, packed + 4 * at.morph_cross);
    pack_coordinates(model, m->unit, q, packed + 4 * at.coordinate);
    pack_modes(model, m->unit, q, m->mode_count, packed + 4 * at.mode);
    pack_volume(model, m->unit, clusters, packed + 4 * at.volume);
    pack_response(model, q, packed + 4 * at.response);
    pack_limit(model, m->unit, bones, clusters, packed + 4 * at.bone, packed + 4 * at.limit);
    sn_gpu_reduced_pack_samples(model, m->unit, &at, packed);
    pack_basis(basis, m->basis_rows, q, packed + 4 * at.basis);
}

static sn_result upload(sn_gpu_reduced *r, const sn_model *model, const double *basis, const sn_gpu_reduced_model *m,
                        size_t size)
{
    const VkDeviceSize first = m->first * SN_REDUCED_VEC4_BYTES, bytes = size * SN_REDUCED_VEC4_BYTES;
    float *packed = sn_alloc(size, SN_REDUCED_VEC4_BYTES);
    if (!packed) {
        return SN_ERROR_MEMORY;
    }
    pack(model, basis, m, packed);
    sn_result result = sn_gpu_reduced_enlarge(r, SN_REDUCED_MODELS, first + bytes);
    if (result == SN_OK) {
        result = sn_gpu_upload_range(r->device, &r->buffers[SN_REDUCED_MODELS], first, packed, bytes);
    }
    sn_free(packed, size, SN_REDUCED_VEC4_BYTES);
    return result;
}

static bool has_decay(const sn_model *model)
{
    for (int i = 0; i < model->counts.coordinate_count; ++i) {
        if (model->coordinate_decay[i] > 0) {
            return true;
        }
    }
    return false;
}

static sn_gpu_reduced_model describe(const sn_gpu_reduced *r, const sn_model *model)
{
    const sn_model_counts *c = &model->counts;
    return (sn_gpu_reduced_model){.source = r->model_count,
                                  .used_modes = c->mode_count,
                                  .coordinate_count = (uint32_t)c->coordinate_count,
                                  .source_count = (uint32_t)c->coordinate_count,
                                  .cluster_count = (uint32_t)c->cluster_count,
                                  .bone_count = (uint32_t)c->bone_count,
                                  .mode_count = (uint32_t)c->mode_count,
                                  .sample_count = (uint32_t)c->sample_count,
                                  .pair_count = (uint32_t)c->morph_pair_count,
                                  .clearance_count = (uint32_t)sn_model_valid_bone_collider_count(model),
                                  .first = r->model_vec4s,
                                  .diagonal = model->diagonal,
                                  .unit = sn_reduced_unit(model),
                                  .volume = SN_VOLUME_BOUND_FACTOR * model->volume_bound,
                                  .limit_stiffness = model->strain_limit_stiffness,
                                  .has_decay = has_decay(model)};
}

/* basis: of a level that has one, else null. */
static sn_result add(sn_gpu_reduced *r, const sn_model *model, const double *basis, sn_gpu_reduced_model *added)
{
    sn_gpu_reduced_model *grown = sn_grow(r->models, r->model_count, &r->model_capacity, sizeof *r->models);
    if (!grown) {
        return SN_ERROR_MEMORY;
    }
    r->models = grown;
    sn_result result = sn_gpu_reduced_count_points(model, added);
    if (result != SN_OK) {
        return result;
    }
    result = sn_gpu_reduced_copy_host_data(model, &added->arena, &added->retained);
    r->models[r->model_count++] = *added;
    const uint32_t size = sn_gpu_reduced_layout_of(added).size;
    if (result == SN_OK) {
        result = sn_gpu_reduced_check_loops(r, added);
    }
    if (result == SN_OK) {
        result = sn_gpu_reduced_create_pipelines(r);
    }
    if (result == SN_OK) {
        result = upload(r, model, basis, added, size);
    }
    if (result == SN_OK && r->body_count > 0) {
        result = sn_gpu_reduced_bind(r);
    }
    if (result != SN_OK) {
        sn_arena_finish(&r->models[--r->model_count].arena);
        return result;
    }
    r->model_vec4s += size;
    return SN_OK;
}

sn_result sn_gpu_reduced_add_model(sn_gpu_reduced *r, const sn_model *model, int *index)
{
    sn_gpu_reduced_model added = describe(r, model);
    *index = r->model_count;
    if (model->counts.mode_count == 0) {
        return sn_fail(SN_ERROR_UNSUPPORTED, "reduced solver: the model has no modes");
    }
    return add(r, model, NULL, &added);
}

static int find_level(const sn_gpu_reduced *r, int source, int used_modes, int cluster_level)
{
    int i = source;
    while (i < r->model_count && (r->models[i].source != source || r->models[i].used_modes != used_modes ||
                                  r->models[i].cluster_level != cluster_level)) {
        ++i;
    }
    return i;
}

sn_result sn_gpu_reduced_add_level(sn_gpu_reduced *r, int model_index, const sn_model *model, int mode_count,
                                   int cluster_level, int *index)
{
    SN_ASSERT(model_index >= 0 && model_index < r->model_count && mode_count >= 0 && cluster_level >= 0);
    const int source = r->models[model_index].source, coarsest = model->counts.coarse_level_count;
    const int modes = sn_model_level_mode_count(model, mode_count);
    const int level = cluster_level < coarsest ? cluster_level : coarsest;
    sn_arena arena = {0};
    sn_reduced_view view;
    *index = find_level(r, source, modes, level);
    if (*index < r->model_count) {
        return SN_OK;
    }
    sn_result result = sn_reduced_view_build(model, modes, level, &arena, &view);
    if (result == SN_OK) {
        sn_gpu_reduced_model added = describe(r, &view.model);
        added.source = source;
        added.used_modes = modes;
        added.cluster_level = level;
        added.source_count = (uint32_t)model->counts.coordinate_count;
        added.basis_rows = view.basis ? added.source_count : 0;
        result = add(r, &view.model, view.basis, &added);
    }
    sn_arena_finish(&arena);
    return result;
}
