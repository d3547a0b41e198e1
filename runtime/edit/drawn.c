/* SPDX-License-Identifier: MIT */
#include "runtime/edit/drawn.h"

sn_result sn_drawn_start(sn_drawn *drawn, const sn_model *model)
{
    const sn_model_counts *c = &model->counts;
    *drawn = (sn_drawn){.model = model};
    drawn->pose = sn_alloc(12 * (size_t)c->bone_count, sizeof *drawn->pose);
    drawn->modes = sn_alloc(12 * (size_t)c->mode_count, sizeof *drawn->modes);
    drawn->positions = sn_alloc(3 * (size_t)c->surface_vertex_count, sizeof *drawn->positions);
    return drawn->pose && drawn->modes && drawn->positions ? SN_OK : SN_ERROR_MEMORY;
}

void sn_drawn_finish(sn_drawn *drawn)
{
    if (drawn->model) {
        const sn_model_counts *c = &drawn->model->counts;
        sn_free(drawn->pose, 12 * (size_t)c->bone_count, sizeof *drawn->pose);
        sn_free(drawn->modes, 12 * (size_t)c->mode_count, sizeof *drawn->modes);
        sn_free(drawn->positions, 3 * (size_t)c->surface_vertex_count, sizeof *drawn->positions);
    }
    *drawn = (sn_drawn){0};
}

static void widen(const sn_mat3x4 *matrices, int count, double *result)
{
    for (int i = 0; i < 12 * count; ++i) {
        result[i] = (double)matrices[i / 12].m[i % 12 / 4][i % 4];
    }
}

void sn_drawn_update(sn_drawn *drawn, sn_body_id body)
{
    const sn_body_matrices output = sn_body_output(body);
    const sn_surface mesh = sn_model_surface(drawn->model);
    SN_ASSERT(output.bone_count == drawn->model->counts.bone_count);
    widen(output.matrices, output.bone_count, drawn->pose);
    widen(output.matrices + output.bone_count, output.mode_count, drawn->modes);
    sn_skin_surface(&mesh, drawn->pose, drawn->modes, output.morphs, drawn->positions, NULL, NULL);
}
