/* SPDX-License-Identifier: MIT */
/* Converts a model's tets and material to double. */
#include <string.h>

#include "author/fullspace/fullspace.h"
#include "author/weights/morph_columns.h"

static bool *find_pins(const sn_model *model, sn_arena *arena)
{
    const size_t n = (size_t)model->counts.vertex_count, modes = (size_t)model->counts.mode_count;
    bool *is_pinned = SN_NEW(arena, bool, n);
    for (size_t v = 0; is_pinned && v < n; ++v) {
        is_pinned[v] = true;
        for (size_t j = 0; j < modes; ++j) {
            is_pinned[v] &= model->mode_weights[v * modes + j] == 0;
        }
    }
    return is_pinned;
}

static bool *find_translated(const sn_model *model, sn_arena *arena)
{
    bool *is_translated = SN_NEW(arena, bool, model->counts.bone_count);
    for (int b = 0; is_translated && b < model->counts.bone_count; ++b) {
        is_translated[b] = sn_model_is_bone_translation_only(model, b);
    }
    return is_translated;
}

static sn_result check_volumes(const sn_tet_mesh *mesh, const char *name)
{
    for (int t = 0; t < mesh->tet_count; ++t) {
        if (!(sn_tet_volume(mesh, t) > 0)) {
            return sn_fail(SN_ERROR_NUMERIC, "%s: tet %d has no volume in the model's precision", name, t);
        }
    }
    return SN_OK;
}

sn_result sn_fullspace_input_from_model(const sn_model *model, const char *name, sn_arena *arena,
                                        sn_fullspace_input *input)
{
    const sn_model_counts *c = &model->counts;
    const size_t n = (size_t)c->vertex_count, tets = (size_t)c->tet_count;
    if (sn_model_is_flat(model)) {
        return sn_fail(SN_ERROR_UNSUPPORTED, "%s: is a flat body; the full-space solver supports only tets", name);
    }
    *input =
        (sn_fullspace_input){.name = name,
                             .mesh = {.vertex_count = c->vertex_count,
                                      .tet_count = c->tet_count,
                                      .positions = sn_copy_to_double(arena, model->rest_positions, 3 * n),
                                      .tets = SN_NEW(arena, int32_t, 4 * tets)},
                             .tet_mu = sn_copy_to_double(arena, model->tet_stiffness, tets),
                             .tet_lame = sn_copy_to_double(arena, model->tet_lame, tets),
                             .mass = sn_copy_to_double(arena, model->vertex_mass, n),
                             .leak = sn_copy_to_double(arena, model->leak, n),
                             .is_pinned = find_pins(model, arena),
                             .rig_weights = sn_copy_to_double(arena, model->rig_weights, n * (size_t)c->bone_count),
                             .bone_count = c->bone_count,
                             .is_translated = find_translated(model, arena),
                             .morph_pairs = model->morph_pairs,
                             .pair_count = c->morph_pair_count,
                             .field_count = c->morph_field_count,
                             .is_posed = model->is_posed == 1,
                             .clusters = model->tet_clusters,
                             .cluster_count = c->cluster_count};
    if (!input->mesh.positions || !input->mesh.tets || !input->tet_mu || !input->tet_lame || !input->mass ||
        !input->leak || !input->is_pinned || !input->rig_weights || !input->is_translated) {
        return SN_ERROR_MEMORY;
    }
    double *columns = NULL;
    const sn_result result = sn_morph_columns_from_model(model, arena, &columns);
    if (result != SN_OK) {
        return result;
    }
    input->morph_columns = columns;
    memcpy(input->mesh.tets, model->tets, 4 * tets * sizeof(int32_t));
    return check_volumes(&input->mesh, name);
}
