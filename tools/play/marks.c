/* SPDX-License-Identifier: MIT */
#include "tools/play/marks.h"

#include <math.h>

#define PLAIN_HEIGHT 1080 /* of pictures, up to which a mark's unit is a pixel */

sn_render_overlay sn_marks_overlay(const sn_mark_list *list, int height)
{
    return (sn_render_overlay){.marks = list->marks,
                               .mark_count = list->count,
                               .scale = fmaxf((float)height / PLAIN_HEIGHT, 1),
                               .hidden_alpha = SN_HIDDEN_ALPHA};
}

sn_result sn_marks_open(sn_marks *marks, const sn_simulation *s, bool has_handles, bool has_mesh, sn_arena *arena)
{
    const sn_model_counts *c = &s->model->counts;
    sn_result result = SN_OK;
    marks->simulation = s;
    marks->has_handles = has_handles;
    if (has_mesh) {
        marks->rig = SN_NEW(arena, double, 3 * (size_t)c->vertex_count);
        result = marks->rig ? sn_mesh_lines_start(&marks->mesh, s->model) : SN_ERROR_MEMORY;
    }
    if (result == SN_OK && s->parameters->is_coupled) {
        marks->locks = SN_NEW(arena, uint8_t, c->bone_count);
        result = marks->locks ? sn_coupled_locks(s->parameters, "handles", s->model, marks->locks) : SN_ERROR_MEMORY;
    }
    marks->list.limit = marks->mesh.edge_count + (has_handles ? sn_model_mark_count(s->model) : 0);
    marks->list.marks = result == SN_OK ? SN_NEW(arena, sn_render_mark, marks->list.limit) : NULL;
    return result == SN_OK && !marks->list.marks ? SN_ERROR_MEMORY : result;
}

void sn_marks_close(sn_marks *marks)
{
    sn_mesh_lines_finish(&marks->mesh);
    *marks = (sn_marks){0};
}

void sn_marks_draw(sn_marks *marks, const float *transforms, int mode_count, int height, sn_render_scene *scene)
{
    const sn_simulation *s = marks->simulation;
    marks->list.count = 0;
    if (marks->mesh.edge_count > 0) {
        marks->list.reach = SN_MESH_LINES_REACH * (float)s->model->diagonal;
        if (s->parameters->is_coupled || s->parameters->is_layered) {
            sn_simulation_tets(s, marks->mesh.positions, marks->rig);
        } else {
            sn_mesh_lines_rig(&marks->mesh, s->model, transforms, mode_count);
        }
        sn_mesh_lines_mark(&marks->mesh, &marks->list);
    }
    if (marks->has_handles) {
        marks->list.reach = SN_HANDLE_REACH * (float)s->model->diagonal;
        sn_mark_model(&marks->list, s->model, transforms, marks->locks);
    }
    scene->overlay = sn_marks_overlay(&marks->list, height);
}
