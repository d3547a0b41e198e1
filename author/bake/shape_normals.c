/* SPDX-License-Identifier: MIT */
/* Computes normals in the bind pose: the file's normals plus the change of the face-averaged normals, so hard edges
 * stay hard. The change of a segment is stored in its mode 0, which makes normals exact at keys. */
#include <string.h>

#include "author/bake/shaper.h"
#include "host/math/vec3.h"

/* Copies the body's own normals, or the face averages if it has none. */
static void init_normals(const sn_shaper *s, const sn_shape_body *body, const sn_shape_weld *w, const double *means)
{
    const sn_scene_mesh *mesh = &s->scene.meshes[s->scene.nodes[body->node].mesh];
    float *to = s->base_normals + 3 * (size_t)body->first_vertex;
    size_t at = 0;
    for (int k = 0; k < mesh->primitive_count; ++k) {
        const sn_scene_primitive *p = &s->scene.primitives[mesh->first_primitive + k];
        for (size_t v = 0; v < (size_t)p->vertex_count; ++v, ++at) {
            for (size_t d = 0; d < 3; ++d) {
                to[3 * at + d] = p->normals ? p->normals[3 * v + d] : (float)means[3 * (size_t)w->groups[at] + d];
            }
        }
    }
}

static sn_result find_body_normals(sn_shaper *s, const sn_shape_body *body)
{
    sn_arena arena = {0};
    sn_shape_weld w;
    sn_result result = sn_shaper_weld(s, body, -1, &arena, &w);
    const size_t count = result == SN_OK ? 3 * (size_t)w.mesh.vertex_count : 0, first = 3 * (size_t)body->first_vertex;
    double *before = SN_NEW(&arena, double, count), *now = SN_NEW(&arena, double, count);
    result = result == SN_OK && (!before || !now) ? SN_ERROR_MEMORY : result;
    if (result == SN_OK) {
        sn_tri_normals(&w.mesh, before);
        init_normals(s, body, &w, before);
    }
    for (int key = 0; key < s->desc.key_count && result == SN_OK; ++key) {
        float *to = (key > 0 ? s->normal_offsets[(key - 1) * s->mode_count] : s->base_normals) + first;
        sn_shaper_weld_positions(s, body, key, &w);
        sn_tri_normals(&w.mesh, now);
        for (size_t i = 0; i < 3 * (size_t)body->vertex_count; ++i) {
            const size_t at = 3 * (size_t)w.groups[i / 3] + i % 3;
            to[i] = (key > 0 ? 0 : to[i]) + (float)(now[at] - before[at]);
        }
        memcpy(before, now, count * sizeof *before);
    }
    sn_arena_finish(&arena);
    return result;
}

sn_result sn_shaper_find_normals(sn_shaper *s)
{
    const size_t n = 3 * (size_t)s->vertex_count;
    sn_result result = SN_OK;
    s->base_normals = SN_NEW(s->arena, float, n);
    s->normal_offsets = SN_NEW(s->arena, float *, s->target_count);
    for (int i = 0; s->normal_offsets && i < s->target_count && result == SN_OK; i += s->mode_count) {
        s->normal_offsets[i] = SN_NEW(s->arena, float, n);
        result = s->normal_offsets[i] ? SN_OK : SN_ERROR_MEMORY;
    }
    result = s->base_normals && s->normal_offsets ? result : SN_ERROR_MEMORY;
    for (int i = 0; i < s->body_count && result == SN_OK; ++i) {
        result = find_body_normals(s, &s->bodies[i]);
    }
    for (size_t i = 0; i < n && result == SN_OK; i += 3) {
        double normal[3] = {(double)s->base_normals[i], (double)s->base_normals[i + 1], (double)s->base_normals[i + 2]};
        sn_normalize3(normal, (const double[3]){0, 1, 0});
        for (size_t d = 0; d < 3; ++d) {
            s->base_normals[i + d] = (float)normal[d];
        }
    }
    return result;
}
