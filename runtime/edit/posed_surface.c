/* SPDX-License-Identifier: MIT */
#include "runtime/edit/posed_surface.h"

sn_result sn_posed_surface_start(sn_posed_surface *surface, const sn_model *model)
{
    const sn_model_counts *c = &model->counts;
    *surface = (sn_posed_surface){.model = model};
    surface->matrix_capacity = c->bone_count;
    surface->pose = sn_alloc(12 * (size_t)c->bone_count, sizeof *surface->pose);
    surface->modes = sn_alloc(12 * (size_t)c->mode_count, sizeof *surface->modes);
    surface->positions = sn_alloc(3 * (size_t)c->surface_vertex_count, sizeof *surface->positions);
    return surface->pose && surface->modes && surface->positions ? SN_OK : SN_ERROR_MEMORY;
}

void sn_posed_surface_finish(sn_posed_surface *surface)
{
    if (surface->model) {
        const sn_model_counts *c = &surface->model->counts;
        sn_free(surface->pose, 12 * (size_t)surface->matrix_capacity, sizeof *surface->pose);
        sn_free(surface->modes, 12 * (size_t)c->mode_count, sizeof *surface->modes);
        sn_free(surface->positions, 3 * (size_t)c->surface_vertex_count, sizeof *surface->positions);
    }
    *surface = (sn_posed_surface){0};
}

static void to_double(const sn_mat3x4 *matrices, int count, double *result)
{
    for (int i = 0; i < 12 * count; ++i) {
        result[i] = (double)matrices[i / 12].m[i % 12 / 4][i % 4];
    }
}

/* Grows the pose buffer for an embedding's matrices. On failure nothing changes. */
static bool reserve(sn_posed_surface *surface, int count)
{
    if (count <= surface->matrix_capacity) {
        return true;
    }
    double *pose = sn_alloc(12 * (size_t)count, sizeof *pose);
    if (pose) {
        sn_free(surface->pose, 12 * (size_t)surface->matrix_capacity, sizeof *surface->pose);
        surface->pose = pose;
        surface->matrix_capacity = count;
    }
    return pose != NULL;
}

static bool update_embedded(sn_posed_surface *surface, sn_body_id body)
{
    const sn_embedding *embedding = sn_body_embedding(body);
    if (!embedding) {
        return false;
    }
    const sn_body_matrices output = sn_body_embedded_output(body);
    const sn_surface mesh = sn_embedding_surface(embedding);
    if (!reserve(surface, output.bone_count)) {
        return false;
    }
    to_double(output.matrices, output.bone_count, surface->pose);
    sn_skin_surface(&mesh, surface->pose, NULL, output.morphs, surface->positions, NULL, NULL);
    return true;
}

void sn_posed_surface_update(sn_posed_surface *surface, sn_body_id body)
{
    if (update_embedded(surface, body)) {
        return;
    }
    const sn_body_matrices output = sn_body_output(body);
    const sn_surface mesh = sn_model_surface(surface->model);
    SN_ASSERT(output.bone_count == surface->model->counts.bone_count);
    to_double(output.matrices, output.bone_count, surface->pose);
    to_double(output.matrices + output.bone_count, output.mode_count, surface->modes);
    sn_skin_surface(&mesh, surface->pose, surface->modes, output.morphs, surface->positions, NULL, NULL);
}
