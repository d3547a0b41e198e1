/* SPDX-License-Identifier: MIT */
#include "tools/play/overlays.h"

#include <math.h>

#define REFERENCE_HEIGHT 1080 /* picture height up to which a marker unit is one pixel */

sn_render_overlay sn_overlays_get(const sn_marker_list *list, int height)
{
    return (sn_render_overlay){.markers = list->markers,
                               .marker_count = list->count,
                               .scale = fmaxf((float)height / REFERENCE_HEIGHT, 1),
                               .hidden_alpha = SN_HIDDEN_ALPHA};
}

sn_result sn_overlays_open(sn_overlays *markers, const sn_simulation *s, bool has_handles, bool has_mesh,
                           sn_arena *arena)
{
    const sn_model_counts *c = &s->model->counts;
    sn_result result = SN_OK;
    markers->simulation = s;
    markers->has_handles = has_handles;
    if (has_mesh) {
        markers->rig = SN_NEW(arena, double, 3 * (size_t)c->vertex_count);
        result = markers->rig ? sn_mesh_lines_start(&markers->mesh, s->model) : SN_ERROR_MEMORY;
    }
    if (result == SN_OK && s->parameters->is_coupled) {
        markers->locks = SN_NEW(arena, uint8_t, c->bone_count);
        result = markers->locks ? sn_simulation_coupled_locks(s->parameters, "handles", s->model, markers->locks)
                                : SN_ERROR_MEMORY;
    }
    markers->list.limit = markers->mesh.edge_count + (has_handles ? sn_marker_model_count(s->model) : 0);
    markers->list.markers = result == SN_OK ? SN_NEW(arena, sn_render_marker, markers->list.limit) : NULL;
    return result == SN_OK && !markers->list.markers ? SN_ERROR_MEMORY : result;
}

void sn_overlays_close(sn_overlays *markers)
{
    sn_mesh_lines_finish(&markers->mesh);
    *markers = (sn_overlays){0};
}

void sn_overlays_draw(sn_overlays *markers, const float *transforms, int mode_count, int height, sn_render_scene *scene)
{
    const sn_simulation *s = markers->simulation;
    markers->list.count = 0;
    if (markers->mesh.edge_count > 0) {
        markers->list.visible_depth = SN_MESH_LINES_VISIBLE_DEPTH * (float)s->model->diagonal;
        if (s->parameters->is_coupled || s->parameters->is_layered) {
            sn_simulation_tets(s, markers->mesh.positions, markers->rig);
        } else {
            sn_mesh_lines_set_rig(&markers->mesh, s->model, transforms, mode_count);
        }
        sn_mesh_lines_add_markers(&markers->mesh, &markers->list);
    }
    if (markers->has_handles) {
        markers->list.visible_depth = SN_HANDLE_VISIBLE_DEPTH * (float)s->model->diagonal;
        sn_marker_add_model(&markers->list, s->model, transforms, markers->locks);
    }
    scene->overlay = sn_overlays_get(&markers->list, height);
}
