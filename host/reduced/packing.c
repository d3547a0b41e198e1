/* SPDX-License-Identifier: MIT */
/* Packs a model's matrices in the order in which the kernels read them. */
#include <math.h>

#include "host/model/tangent_stiffness.h"
#include "host/reduced/solver.h"

/* Whether any of bone b's four columns is nonzero in rows [first, last). */
static bool has_bone_columns(const double *matrix, int columns, int first, int last, int bone)
{
    for (int row = first; row < last; ++row) {
        const double *at = matrix + (size_t)row * (size_t)columns + 4 * (size_t)bone;
        if (fabs(at[0]) + fabs(at[1]) + fabs(at[2]) + fabs(at[3]) > 0) {
            return true;
        }
    }
    return false;
}

static int min_int(int a, int b)
{
    return a < b ? a : b;
}

/* Fills starts (group_count + 1) and bones; only counts if bones is null. */
static int list_bones(const sn_model *model, int group_count, int32_t *starts, int32_t *bones)
{
    const int rows = 3 * model->counts.cluster_count, columns = 4 * model->counts.bone_count;
    int count = 0;
    for (int group = 0; group < group_count; ++group) {
        const int first = 3 * SN_GROUP * group, last = min_int(first + 3 * SN_GROUP, rows);
        starts[group] = count;
        for (int bone = 0; bone < model->counts.bone_count; ++bone) {
            if (has_bone_columns(model->cluster_bone, columns, first, last, bone)) {
                count += 1;
                if (bones) {
                    bones[count - 1] = bone;
                }
            }
        }
    }
    starts[group_count] = count;
    return count;
}

/* Packs the group's columns [first, first + count) of a matrix (3 cluster_count x columns) as (2 x count x 3 x
 * SN_LANES). */
static double *pack_group(const double *matrix, int cluster_count, int columns, int group, int first, int count,
                          double *packed)
{
    for (int i = 0; i < SN_GROUP / SN_LANES * count; ++i) {
        for (int k = 0; k < 3; ++k) {
            for (int lane = 0; lane < SN_LANES; ++lane) {
                const int cluster = SN_GROUP * group + i / count * SN_LANES + lane;
                const size_t row = 3 * (size_t)cluster + (size_t)k;
                *packed++ = cluster < cluster_count ? matrix[row * (size_t)columns + (size_t)(first + i % count)] : 0;
            }
        }
    }
    return packed;
}

/* Converts to float. Rows of SN_GROUP lanes are divided by their units, which repeat cyclically. */
static void to_float(const double *doubles, size_t count, const double *units, size_t unit_count, float *floats)
{
    for (size_t i = 0; i < count; ++i) {
        floats[i] = (float)(doubles[i] / units[i / SN_GROUP % unit_count]);
    }
}

#define ROW_LIMIT 3

/* Per-cluster values for one of the passes: `count` rows of SN_GROUP lanes per group, and the unit of each row in
 * float. */
typedef struct cluster_rows {
    size_t count;
    void (*fill)(const sn_model *model, int cluster, double values[ROW_LIMIT]);
    double units[ROW_LIMIT];
} cluster_rows;

static void fill_volume(const sn_model *model, int c, double values[ROW_LIMIT])
{
    const double own = sn_model_cluster_stiffness(model, c);
    values[0] = own > 0 ? model->cluster_lame[c] / (own * own) : 0;
    values[1] = sn_model_rest_trace(model) * own;
}

static void fill_hookean(const sn_model *model, int c, double values[ROW_LIMIT])
{
    const double own = sn_model_cluster_stiffness(model, c), inverse = own > 0 ? 1 / own : 0;
    values[0] = inverse;
    values[1] = own;
    values[2] = model->cluster_lame[c] * inverse + 0.5;
}

static void fill_posed(const sn_model *model, int c, double values[ROW_LIMIT])
{
    const double own = sn_model_cluster_stiffness(model, c);
    values[0] = values[1] = own;
    values[2] = (sn_model_rest_trace(model) - 2) * own;
}

static sn_result pack_rows(sn_reduced_solver *solver, const cluster_rows *rows, const double **doubles,
                           const float **floats)
{
    const sn_model *model = solver->model;
    const size_t size = (size_t)solver->clusters64.group_count * rows->count * SN_GROUP;
    double *all = SN_NEW(&solver->arena, double, size), values[ROW_LIMIT];
    float *all32 = SN_NEW(&solver->arena, float, size);
    if (!all || !all32) {
        return SN_ERROR_MEMORY;
    }
    for (int c = 0; c < model->counts.cluster_count; ++c) {
        double *at = all + (size_t)(c / SN_GROUP) * rows->count * SN_GROUP + c % SN_GROUP;
        rows->fill(model, c, values);
        for (size_t row = 0; row < rows->count; ++row) {
            at[row * SN_GROUP] = values[row];
        }
    }
    to_float(all, size, rows->units, rows->count, all32);
    *doubles = all;
    *floats = all32;
    return SN_OK;
}

static sn_result pack_volume(sn_reduced_solver *solver)
{
    const double square = solver->unit * solver->unit;
    const cluster_rows rows = {2, fill_volume, {1 / square, square}};
    return pack_rows(solver, &rows, &solver->clusters64.volume, &solver->clusters32.volume);
}

static sn_result pack_hookean(sn_reduced_solver *solver)
{
    const double square = solver->unit * solver->unit;
    const cluster_rows rows = {3, fill_hookean, {1 / square, square, 1}};
    return pack_rows(solver, &rows, &solver->clusters64.hookean, &solver->clusters32.hookean);
}

static sn_result pack_posed(sn_reduced_solver *solver)
{
    const double square = solver->unit * solver->unit;
    const cluster_rows rows = {3, fill_posed, {square, square, square}};
    return pack_rows(solver, &rows, &solver->clusters64.posed, &solver->clusters32.posed);
}

/* The gradients of the rig at rest (group_count x 9 x SN_GROUP). */
static sn_result find_rest_gradients(sn_reduced_solver *solver, double **doubles, float **floats)
{
    const size_t size = 9 * SN_GROUP * (size_t)solver->clusters64.group_count;
    const size_t columns = 3 * (size_t)solver->column_count;
    sn_arena scratch = {0};
    double *rig64 = SN_NEW(&scratch, double, columns);
    float *rig32 = SN_NEW(&scratch, float, columns);
    *doubles = SN_NEW(&solver->arena, double, size);
    *floats = SN_NEW(&solver->arena, float, size);
    const bool is_ok = rig64 && rig32 && *doubles && *floats;
    if (is_ok) {
        sn_reduced_rig_from_pose(NULL, solver->model->counts.bone_count, rig64);
        for (size_t i = 0; i < columns; ++i) {
            rig32[i] = (float)rig64[i];
        }
        sn_cluster_rig_f64(&solver->clusters64, rig64, *doubles);
        sn_cluster_rig_f32(&solver->clusters32, rig32, *floats);
    }
    sn_arena_finish(&scratch);
    return is_ok ? SN_OK : SN_ERROR_MEMORY;
}

static void fill_limit(const sn_model *model, int c, double values[ROW_LIMIT])
{
    const double own = sn_model_cluster_stiffness(model, c);
    values[0] = own;
    values[1] = own > 0 ? 1 / own : 0;
    values[2] = model->cluster_strain_limits[c];
}

/* Before posed is set, so that the rig's gradients are those of the bind pose. */
static sn_result pack_limit(sn_reduced_solver *solver)
{
    const sn_model *model = solver->model;
    const double square = solver->unit * solver->unit;
    const cluster_rows rows = {3, fill_limit, {square, 1 / square, 1}};
    sn_cluster_data_f64 *c64 = &solver->clusters64;
    sn_cluster_data_f32 *c32 = &solver->clusters32;
    double *error64 = NULL;
    float *error32 = NULL;
    sn_result result = find_rest_gradients(solver, &error64, &error32);
    result = result == SN_OK ? pack_rows(solver, &rows, &c64->limit, &c32->limit) : result;
    for (int i = 0; i < 9 * SN_GROUP * c64->group_count && result == SN_OK; ++i) {
        const int own = i / (9 * SN_GROUP) * 3 * SN_GROUP + i % SN_GROUP;
        const bool is_diagonal = i / SN_GROUP % 9 % 4 == 0;
        error64[i] -= is_diagonal ? c64->limit[own] : 0;
        error32[i] -= is_diagonal ? c32->limit[own] : 0;
    }
    c64->rest_error = error64;
    c32->rest_error = error32;
    c64->limit_stiffness = model->strain_limit_stiffness;
    c32->limit_stiffness = (float)model->strain_limit_stiffness;
    c64->is_flat = c32->is_flat = sn_model_is_flat(model);
    return result;
}

sn_result sn_reduced_pack_clusters(sn_reduced_solver *solver)
{
    const sn_model *model = solver->model;
    const int clusters = model->counts.cluster_count, count = solver->coordinate_count;
    const int groups = (clusters + SN_GROUP - 1) / SN_GROUP;
    sn_arena *arena = &solver->arena;
    int32_t *starts = SN_NEW(arena, int32_t, groups + 1);
    const size_t bone_count = starts ? (size_t)list_bones(model, groups, starts, NULL) : 0;
    const size_t coordinate_size = (size_t)groups * 3 * SN_GROUP * (size_t)count;
    const size_t bone_size = bone_count * 12 * SN_GROUP;
    int32_t *bones = SN_NEW(arena, int32_t, bone_count);
    double *coordinate64 = SN_NEW(arena, double, coordinate_size), *bone64 = SN_NEW(arena, double, bone_size);
    float *coordinate32 = SN_NEW(arena, float, coordinate_size), *bone32 = SN_NEW(arena, float, bone_size);
    if (!starts || !bones || !coordinate64 || !bone64 || !coordinate32 || !bone32) {
        return SN_ERROR_MEMORY;
    }
    list_bones(model, groups, starts, bones);
    double *coordinate_end = coordinate64, *bone_end = bone64;
    for (int group = 0; group < groups; ++group) {
        coordinate_end = pack_group(model->cluster_coordinate, clusters, count, group, 0, count, coordinate_end);
        for (int32_t i = starts[group]; i < starts[group + 1]; ++i) {
            bone_end =
                pack_group(model->cluster_bone, clusters, solver->column_count, group, 4 * bones[i], 4, bone_end);
        }
    }
    to_float(coordinate64, coordinate_size, &solver->unit, 1, coordinate32);
    to_float(bone64, bone_size, (const double[]){solver->unit * solver->unit}, 1, bone32);
    solver->clusters64 = (sn_cluster_data_f64){
        clusters, groups, count, solver->padded_count, coordinate64, starts, bones, bone64, NULL, NULL, NULL, NULL,
        NULL,     0,      false};
    solver->clusters32 = (sn_cluster_data_f32){
        clusters, groups, count, solver->padded_count, coordinate32, starts, bones, bone32, NULL, NULL, NULL, NULL,
        NULL,     0,      false};
    if (model->strain_limit_stiffness > 0) {
        const sn_result result = pack_limit(solver);
        if (result != SN_OK) {
            return result;
        }
    }
    if (model->is_posed == 1) {
        const sn_result result = pack_posed(solver);
        if (result != SN_OK) {
            return result;
        }
    }
    return solver->desc.is_neo_hookean       ? pack_hookean(solver)
           : solver->model->volume_bound > 0 ? pack_volume(solver)
                                             : SN_OK;
}

/* Lists the bones that affect any coordinate. */
static int list_loading_bones(const sn_model *model, int32_t *bones)
{
    const int rows = model->counts.coordinate_count, columns = 4 * model->counts.bone_count;
    int count = 0;
    for (int bone = 0; bone < model->counts.bone_count; ++bone) {
        if (has_bone_columns(model->mass_cross, columns, 0, rows, bone) ||
            has_bone_columns(model->stiffness_cross, columns, 0, rows, bone)) {
            bones[count++] = bone;
        }
    }
    return count;
}

sn_result sn_reduced_pack_morph_load(sn_reduced_solver *solver)
{
    const size_t columns = 3 * (size_t)solver->pair_count;
    float *matrix = SN_NEW(&solver->arena, float, (size_t)solver->padded_count *columns);
    if (!matrix) {
        return SN_ERROR_MEMORY;
    }
    solver->rig_load.pair_count = solver->pair_count;
    solver->rig_load.morph_matrix = matrix;
    for (int first = 0; first < solver->padded_count; first += SN_GROUP) {
        for (size_t column = 0; column < columns; ++column, matrix += SN_GROUP) {
            for (int lane = 0; lane < SN_GROUP && first + lane < solver->coordinate_count; ++lane) {
                const double entry = solver->model->morph_cross[(size_t)(first + lane) * columns + column];
                matrix[lane] = (float)(entry / solver->unit);
            }
        }
    }
    return SN_OK;
}

sn_result sn_reduced_pack_rig_load(sn_reduced_solver *solver)
{
    const sn_model *model = solver->model;
    sn_arena *arena = &solver->arena;
    int32_t *bones = SN_NEW(arena, int32_t, model->counts.bone_count);
    const int bone_count = bones ? list_loading_bones(model, bones) : 0;
    float *matrix = SN_NEW(arena, float, (size_t)solver->padded_count * 8 * (size_t)bone_count);
    if (!bones || !matrix) {
        return SN_ERROR_MEMORY;
    }
    solver->rig_load = (sn_rig_load_data){
        .bone_count = bone_count, .padded_count = solver->padded_count, .bones = bones, .matrix = matrix};
    for (int first = 0; first < solver->padded_count; first += SN_GROUP) {
        for (int i = 0; i < 4 * bone_count; ++i, matrix += 2 * SN_GROUP) {
            const size_t column = 4 * (size_t)bones[i / 4] + (size_t)(i % 4);
            for (int lane = 0; lane < SN_GROUP && first + lane < solver->coordinate_count; ++lane) {
                const size_t at = (size_t)(first + lane) * (size_t)solver->column_count + column;
                matrix[lane] = (float)(model->mass_cross[at] / solver->unit);
                matrix[SN_GROUP + lane] = (float)(model->stiffness_cross[at] / solver->unit);
            }
        }
    }
    return SN_OK;
}
