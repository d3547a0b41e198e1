/* SPDX-License-Identifier: MIT */
#include "tools/marks.h"

#include <math.h>

#define PLAIN_HEIGHT 1080 /* of pictures, up to which a mark's unit is a pixel */

sn_result sn_marks_open(sn_marks *marks, const sn_model *model, bool has_handles, bool has_mesh, sn_arena *arena)
{
    sn_result result = SN_OK;
    marks->model = model;
    marks->has_handles = has_handles;
    if (has_mesh) {
        result = sn_mesh_lines_start(&marks->mesh, model);
    }
    marks->list.limit = marks->mesh.edge_count + (has_handles ? SN_HANDLE_MARKS * model->counts.bone_count : 0);
    marks->list.marks = result == SN_OK ? SN_NEW(arena, sn_render_mark, marks->list.limit) : NULL;
    return result == SN_OK && !marks->list.marks ? SN_ERROR_MEMORY : result;
}

void sn_marks_close(sn_marks *marks)
{
    sn_mesh_lines_finish(&marks->mesh);
    *marks = (sn_marks){0};
}

void sn_marks_draw(sn_marks *marks, const float *transforms, int mode_count, const uint8_t *locks, int height,
                   sn_render_scene *scene)
{
    const float diagonal = marks->model ? (float)marks->model->diagonal : 0;
    marks->list.count = 0;
    if (marks->mesh.edge_count > 0) {
        marks->list.reach = SN_MESH_LINES_REACH * diagonal;
        sn_mesh_lines_rig(&marks->mesh, marks->model, transforms, mode_count);
        sn_mesh_lines_mark(&marks->mesh, &marks->list);
    }
    if (marks->has_handles) {
        marks->list.reach = SN_HANDLE_REACH * diagonal;
        sn_mark_model(&marks->list, marks->model, transforms, locks);
    }
    scene->overlay = (sn_render_overlay){.marks = marks->list.marks,
                                         .mark_count = marks->list.count,
                                         .scale = fmaxf((float)height / PLAIN_HEIGHT, 1),
                                         .hidden_alpha = SN_HIDDEN_ALPHA};
}
