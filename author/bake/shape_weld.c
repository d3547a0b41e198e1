/* SPDX-License-Identifier: MIT */
/* Welds a body's vertices at equal positions, which texture seams have split. */
#include <string.h>

#include "author/bake/shaper.h"

static int count_triangles(const sn_scene_file *scene, const sn_scene_mesh *mesh)
{
    int count = 0;
    for (int k = 0; k < mesh->primitive_count; ++k) {
        count += scene->primitives[mesh->first_primitive + k].triangle_count;
    }
    return count;
}

/* Concatenates all primitives of a body. */
static void concatenate_primitives(const sn_shaper *s, const sn_scene_mesh *mesh, double *vertex_positions,
                                   int32_t *triangles)
{
    size_t at = 0, corner = 0;
    for (int k = 0; k < mesh->primitive_count; ++k) {
        const sn_scene_primitive *p = &s->scene.primitives[mesh->first_primitive + k];
        for (int i = 0; i < 3 * p->triangle_count; ++i) {
            triangles[corner++] = (int32_t)at + p->triangles[i];
        }
        for (size_t i = 0; i < 3 * (size_t)p->vertex_count; ++i) {
            vertex_positions[3 * at + i] = (double)p->positions[i];
        }
        at += (size_t)p->vertex_count;
    }
}

/* Computes the welded positions of a key's shape in the bind pose; key -1: of the scene. */
void sn_shaper_weld_positions(const sn_shaper *s, const sn_shape_body *body, int key, sn_shape_weld *w)
{
    const size_t first = 3 * (size_t)body->first_vertex;
    const double *offsets = key >= 0 ? s->offsets + 3 * (size_t)s->vertex_count * (size_t)key + first : NULL;
    memset(w->vertex_positions, 0, 3 * (size_t)w->mesh.vertex_count * sizeof *w->vertex_positions);
    for (size_t i = 0; i < 3 * (size_t)body->vertex_count; ++i) {
        const size_t group = (size_t)w->groups[i / 3];
        w->vertex_positions[3 * group + i % 3] += (w->bind[i] + (offsets ? offsets[i] : 0)) / w->sizes[group];
    }
}

sn_result sn_shaper_weld(const sn_shaper *s, const sn_shape_body *body, int key, sn_arena *arena, sn_shape_weld *w)
{
    const sn_scene_mesh *mesh = &s->scene.meshes[s->scene.nodes[body->node].mesh];
    const int triangle_count = count_triangles(&s->scene, mesh);
    const size_t n = (size_t)body->vertex_count;
    *w = (sn_shape_weld){.groups = SN_NEW(arena, int32_t, n),
                         .sizes = SN_NEW(arena, int, n),
                         .bind = SN_NEW(arena, double, 3 * n),
                         .vertex_positions = SN_NEW(arena, double, 3 * n),
                         .triangles = SN_NEW(arena, int32_t, 3 * (size_t)triangle_count)};
    if (!w->groups || !w->sizes || !w->bind || !w->vertex_positions || !w->triangles) {
        return SN_ERROR_MEMORY;
    }
    concatenate_primitives(s, mesh, w->bind, w->triangles);
    w->mesh = (sn_tri_mesh){body->vertex_count, triangle_count, w->bind, w->triangles};
    int group_count = 0;
    const sn_result result = sn_tri_groups(&w->mesh, NULL, w->groups, &group_count);
    if (result != SN_OK) {
        return result;
    }
    w->mesh.vertex_count = group_count;
    for (size_t v = 0; v < n; ++v) {
        ++w->sizes[w->groups[v]];
    }
    for (int i = 0; i < 3 * triangle_count; ++i) {
        w->triangles[i] = w->groups[w->triangles[i]];
    }
    w->mesh.positions = w->vertex_positions;
    sn_shaper_weld_positions(s, body, key, w);
    return SN_OK;
}
