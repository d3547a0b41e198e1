/* SPDX-License-Identifier: MIT */
#include "tools/simulation/embedded_surface.h"

#include "host/skin/skin.h"

sn_result sn_embedded_surface_open(sn_embedded_surface *f, const sn_model *model, sn_arena *arena)
{
    const sn_result result = sn_embedding_create(model, &f->embedding);
    if (result != SN_OK) {
        return result;
    }
    f->matrix_count = model->counts.bone_count + sn_embedding_matrix_count(f->embedding);
    f->positions = SN_NEW(arena, double, 3 * (size_t)model->counts.vertex_count);
    f->rig = SN_NEW(arena, double, 3 * (size_t)model->counts.vertex_count);
    f->matrices = SN_NEW(arena, float, 12 * (size_t)f->matrix_count);
    f->double_matrices = SN_NEW(arena, double, 12 * (size_t)f->matrix_count);
    return f->positions && f->rig && f->matrices && f->double_matrices ? SN_OK : SN_ERROR_MEMORY;
}

void sn_embedded_surface_close(sn_embedded_surface *f)
{
    sn_embedding_destroy(&f->embedding);
}

void sn_embedded_surface_update(sn_embedded_surface *f, const double *bones)
{
    const size_t bone_numbers = 12 * (size_t)f->embedding->model->counts.bone_count;
    sn_embedding_matrices(f->embedding, f->positions, f->matrices + bone_numbers);
    for (size_t i = 0; i < bone_numbers; ++i) {
        f->matrices[i] = (float)bones[i];
    }
    for (size_t i = 0; i < 12 * (size_t)f->matrix_count; ++i) {
        f->double_matrices[i] = (double)f->matrices[i];
    }
}

void sn_embedded_surface_positions(const sn_embedded_surface *f, const float *morphs, double *positions,
                                   double *normals)
{
    const sn_surface surface = sn_embedding_surface(f->embedding);
    sn_skin_surface(&surface, f->double_matrices, NULL, morphs, positions, normals, NULL);
}
