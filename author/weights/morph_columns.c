/* SPDX-License-Identifier: MIT */
#include "author/weights/morph_columns.h"

/* Returns h_b of a vertex. The first pair of a field gets the remaining weight of the field's other pairs. */
static double pair_weight(const sn_morph_rig *rig, int pair, const double *rig_weights)
{
    const int32_t field = rig->pairs[pair].field;
    if (pair > 0 && rig->pairs[pair - 1].field == field) {
        return rig_weights[rig->pairs[pair].bone];
    }
    double weight = 1;
    for (int other = pair + 1; other < rig->pair_count && rig->pairs[other].field == field; ++other) {
        weight -= rig_weights[rig->pairs[other].bone];
    }
    return weight;
}

void sn_morph_columns_build(const sn_morph_rig *rig, double *columns)
{
    for (size_t v = 0; v < (size_t)rig->vertex_count; ++v) {
        const double *fields = rig->fields + v * 3 * (size_t)rig->field_count;
        for (int i = 0; i < rig->pair_count; ++i) {
            const double weight = pair_weight(rig, i, rig->rig_weights + v * (size_t)rig->bone_count);
            for (int d = 0; d < 3; ++d) {
                *columns++ = weight * fields[3 * rig->pairs[i].field + d];
            }
        }
    }
}

double *sn_copy_to_double(sn_arena *arena, const float *values, size_t count)
{
    double *wide = SN_NEW(arena, double, count);
    for (size_t i = 0; wide && i < count; ++i) {
        wide[i] = (double)values[i];
    }
    return wide;
}

sn_result sn_morph_columns_from_model(const sn_model *model, sn_arena *arena, double **columns)
{
    const sn_model_counts *c = &model->counts;
    const size_t n = (size_t)c->vertex_count;
    sn_arena scratch = {0};
    if (c->morph_pair_count == 0) {
        *columns = SN_NEW(arena, double, 0);
        return *columns ? SN_OK : SN_ERROR_MEMORY;
    }
    const sn_morph_rig rig = {
        .vertex_count = c->vertex_count,
        .bone_count = c->bone_count,
        .field_count = c->morph_field_count,
        .pair_count = c->morph_pair_count,
        .rig_weights = sn_copy_to_double(&scratch, model->rig_weights, n * (size_t)c->bone_count),
        .fields = sn_copy_to_double(&scratch, model->morph_fields, 3 * n * (size_t)c->morph_field_count),
        .pairs = model->morph_pairs};
    *columns = SN_NEW(arena, double, 3 * n * (size_t)c->morph_pair_count);
    const bool is_ok = rig.rig_weights && rig.fields && *columns;
    if (is_ok) {
        sn_morph_columns_build(&rig, *columns);
    }
    sn_arena_finish(&scratch);
    return is_ok ? SN_OK : SN_ERROR_MEMORY;
}

void sn_morph_columns_add(const double *columns, int vertex_count, int pair_count, const double *rows,
                          double *positions)
{
    for (int v = 0; v < vertex_count; ++v, positions += 3) {
        for (int i = 0; i < 3 * pair_count; ++i) {
            const double value = *columns++;
            for (int d = 0; d < 3; ++d) {
                positions[d] += value * rows[3 * i + d];
            }
        }
    }
}
