/* SPDX-License-Identifier: MIT */
#include "tools/sim/full_space.h"

#include "host/mesh/embedding.h"
#include "host/platform/platform.h"

static sn_result embed_surface(sn_full_space *full, const sn_tet_mesh *mesh, sn_arena *arena)
{
    const sn_model *m = full->model;
    const int count = m->counts.surface_vertex_count;
    sn_arena scratch = {0};
    double *points = SN_NEW(&scratch, double, 3 * (size_t)count);
    full->surface_tets = SN_NEW(arena, int32_t, count);
    full->surface_weights = SN_NEW(arena, double, 4 * (size_t)count);
    sn_result result = points && full->surface_tets && full->surface_weights ? SN_OK : SN_ERROR_MEMORY;
    if (result == SN_OK) {
        for (size_t i = 0; i < 3 * (size_t)count; ++i) {
            points[i] = (double)m->surface_positions[i];
        }
        result = sn_tet_locate(mesh, m->triangles, m->counts.triangle_count, points, count, full->surface_tets,
                               full->surface_weights);
    }
    for (int v = 0; v < count && result == SN_OK; ++v) {
        full->surface_tets[v] = sn_model_is_vertex_rigid(m, (size_t)v) ? -1 : full->surface_tets[v];
    }
    sn_arena_finish(&scratch);
    return result;
}

static void update_morphs(sn_full_space *full, const sn_simulation *simulation)
{
    sn_model_morph_fields(full->model, simulation->morphs, full->fields);
    sn_fullspace_body_set_fields(full->body, full->fields);
}

sn_result sn_full_space_open(sn_full_space *full, const sn_simulation *simulation, const char *model_path,
                             const sn_fullspace_desc *desc, sn_arena *arena)
{
    const sn_model *model = simulation->model;
    sn_fullspace_input input;
    full->model = model;
    full->fields = SN_NEW(arena, double, model->counts.morph_field_count);
    full->displacements = SN_NEW(arena, double, 3 * (size_t)model->counts.vertex_count);
    if (!full->displacements || !full->fields) {
        return SN_ERROR_MEMORY;
    }
    SN_TRY(sn_fullspace_input_from_model(model, model_path, arena, &input));
    SN_TRY(embed_surface(full, &input.mesh, arena));
    SN_TRY(sn_fullspace_solver_create(&input, desc, &full->solver));
    SN_TRY(sn_fullspace_body_create(full->solver, simulation->pose, &full->body));
    update_morphs(full, simulation);
    sn_fullspace_body_reset(full->body, simulation->pose);
    return SN_OK;
}

void sn_full_space_close(sn_full_space *full)
{
    sn_fullspace_body_destroy(&full->body);
    sn_fullspace_solver_destroy(&full->solver);
}

sn_fullspace_report sn_full_space_step(sn_full_space *full, const sn_simulation *simulation)
{
    const double start = sn_now();
    update_morphs(full, simulation);
    const sn_fullspace_report report = sn_fullspace_body_step(full->body, simulation->pose);
    full->milliseconds = 1e3 * (sn_now() - start);
    sn_fullspace_body_displacements(full->body, full->displacements);
    return report;
}

void sn_full_space_add(const sn_full_space *full, double amount, double *tet_positions, double *surface_positions)
{
    const sn_model *m = full->model;
    for (size_t i = 0; i < 3 * (size_t)m->counts.vertex_count; ++i) {
        tet_positions[i] += amount * full->displacements[i];
    }
    for (size_t v = 0; v < (size_t)m->counts.surface_vertex_count; ++v) {
        for (size_t corner = 0; full->surface_tets[v] >= 0 && corner < 4; ++corner) {
            const size_t from = (size_t)m->tets[4 * (size_t)full->surface_tets[v] + corner];
            for (size_t d = 0; d < 3; ++d) {
                surface_positions[3 * v + d] +=
                    amount * full->surface_weights[4 * v + corner] * full->displacements[3 * from + d];
            }
        }
    }
}
