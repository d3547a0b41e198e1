/* SPDX-License-Identifier: MIT */
/* The parts of anchored flesh in a model, so that a cooked model can be tuned. */
#include "author/cook/parts/parts.h"
#include "author/import/names.h"

static float to_record_float(double value)
{
    return value > 0 ? (float)value : 0;
}

static sn_flesh_part_record make_record(const sn_flesh_part *part)
{
    if (part->is_rigid || part->frequency <= 0) {
        return (sn_flesh_part_record){0};
    }
    return (sn_flesh_part_record){.frequency = to_record_float(part->frequency),
                                  .min_frequency = to_record_float(part->min_frequency),
                                  .max_frequency = to_record_float(part->max_frequency),
                                  .amplitude = to_record_float(part->amplitude),
                                  .max_amplitude = to_record_float(part->max_amplitude),
                                  .settling_time = to_record_float(part->settling_time)};
}

sn_result sn_flesh_parts_store(const sn_flesh_parts *parts, sn_arena *arena, sn_model *model)
{
    sn_flesh_part_record *records = SN_NEW(arena, sn_flesh_part_record, parts->count);
    const char **names = SN_NEW(arena, const char *, parts->count);
    char *bytes = NULL;
    int32_t size = 0;
    if (!records || !names) {
        return SN_ERROR_MEMORY;
    }
    for (int p = 0; p < parts->count; ++p) {
        records[p] = make_record(&parts->list[p]);
        names[p] = parts->list[p].name;
    }
    SN_TRY(sn_names_pack(names, parts->count, "part", arena, &bytes, &size));
    model->flesh_part_count = parts->count;
    model->flesh_part_name_bytes = size;
    model->flesh_parts = records;
    model->flesh_part_names = bytes;
    model->vertex_flesh_parts = parts->of_vertex;
    return SN_OK;
}

sn_result sn_flesh_parts_restore(const sn_model *model, sn_arena *arena, sn_flesh_parts *parts)
{
    const int count = sn_model_flesh_part_count(model), n = model->counts.vertex_count;
    *parts = (sn_flesh_parts){.count = count,
                              .list = SN_NEW(arena, sn_flesh_part, count),
                              .of_vertex = SN_NEW(arena, int32_t, n),
                              .depth = SN_NEW(arena, double, n)};
    if (!parts->list || !parts->of_vertex || !parts->depth) {
        return SN_ERROR_MEMORY;
    }
    for (int v = 0; v < n; ++v) {
        parts->of_vertex[v] = model->vertex_flesh_parts[v];
    }
    for (int p = 0; p < count; ++p) {
        const sn_flesh_part_record *record = &model->flesh_parts[p];
        parts->list[p] = (sn_flesh_part){.name = sn_model_get_flesh_part(model, p).name,
                                         .is_rigid = record->frequency == 0,
                                         .reason = "cooked",
                                         .frequency = (double)record->frequency,
                                         .min_frequency = (double)record->min_frequency,
                                         .max_frequency = (double)record->max_frequency,
                                         .amplitude = (double)record->amplitude,
                                         .max_amplitude = (double)record->max_amplitude,
                                         .settling_time = (double)record->settling_time};
    }
    return SN_OK;
}
