/* SPDX-License-Identifier: MIT */
#include "runtime/edit/drawn.h"

sn_result sn_drawn_start(sn_drawn *drawn, const sn_model *model)
{
    const sn_model_counts *c = &model->counts;
    *drawn = (sn_drawn){.model = model};
    drawn->matrix_room = c->bone_count;
    drawn->pose = sn_alloc(12 * (size_t)c->bone_count, sizeof *drawn->pose);
    drawn->modes = sn_alloc(12 * (size_t)c->mode_count, sizeof *drawn->modes);
    drawn->positions = sn_alloc(3 * (size_t)c->surface_vertex_count, sizeof *drawn->positions);
    return drawn->pose && drawn->modes && drawn->positions ? SN_OK : SN_ERROR_MEMORY;
}

void sn_drawn_finish(sn_drawn *drawn)
{
    if (drawn->model) {
        const sn_model_counts *c = &drawn->model->counts;
        sn_free(drawn->pose, 12 * (size_t)drawn->matrix_room, sizeof *drawn->pose);
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

/* Grows the pose buffer for an embedding's matrices. On failure nothing changes. */
static bool reserve(sn_drawn *drawn, int count)
{
    if (count <= drawn->matrix_room) {
        return true;
    }
    double *pose = sn_alloc(12 * (size_t)count, sizeof *pose);
    if (pose) {
        sn_free(drawn->pose, 12 * (size_t)drawn->matrix_room, sizeof *drawn->pose);
        drawn->pose = pose;
        drawn->matrix_room = count;
    }
    return pose != NULL;
}

static bool update_embedded(sn_drawn *drawn, sn_body_id body)
{
    const sn_embedding *embedding = sn_body_embedding(body);
    if (!embedding) {
        return false;
    }
    const sn_body_matrices output = sn_body_embedded_output(body);
    const sn_surface mesh = sn_embedding_surface(embedding);
    if (!reserve(drawn, output.bone_count)) {
        return false;
    }
    widen(output.matrices, output.bone_count, drawn->pose);
    sn_skin_surface(&mesh, drawn->pose, NULL, output.morphs, drawn->positions, NULL, NULL);
    return true;
}

void sn_drawn_update(sn_drawn *drawn, sn_body_id body)
{
    if (update_embedded(drawn, body)) {
        return;
    }
    const sn_body_matrices output = sn_body_output(body);
    const sn_surface mesh = sn_model_surface(drawn->model);
    SN_ASSERT(output.bone_count == drawn->model->counts.bone_count);
    widen(output.matrices, output.bone_count, drawn->pose);
    widen(output.matrices + output.bone_count, output.mode_count, drawn->modes);
    sn_skin_surface(&mesh, drawn->pose, drawn->modes, output.morphs, drawn->positions, NULL, NULL);
}
