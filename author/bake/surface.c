/* SPDX-License-Identifier: MIT */
/* Computes the surface of the motion by the reference of the vertex shader, in the coordinates of the source file. */
#include <math.h>
#include <string.h>

#include "author/bake/baker.h"
#include "host/math/affine.h"

static void to_file_units(const sn_model *model, const double *from, float *to)
{
    const double origin[3] = {model->origin_x, model->origin_y, model->origin_z};
    for (int d = 0; d < 3; ++d) {
        to[d] = (float)(from[d] / model->scale + origin[d]);
    }
}

void sn_bake_surface(const sn_bake_motion *motion, int frame, double *positions, double *normals)
{
    const sn_model *m = motion->model;
    sn_surface mesh = sn_model_surface(m);
    const size_t f = (size_t)frame, width = 3 * (size_t)mesh.vertex_count;
    if (motion->surface) {
        for (size_t i = 0; i < width; ++i) {
            positions[i] = (double)motion->surface[f * width + i];
            if (normals) {
                normals[i] = (double)motion->surface_normals[f * width + i];
            }
        }
        return;
    }
    const double *modes = motion->modes ? motion->modes + f * 12 * (size_t)m->counts.mode_count : NULL;
    const float *morphs = motion->morphs ? motion->morphs + f * (size_t)mesh.morph_count : m->morph_default_weights;
    mesh.mode_count = modes ? mesh.mode_count : 0;
    sn_skin_surface(&mesh, motion->poses + f * 12 * (size_t)m->counts.bone_count, modes, morphs, positions, normals,
                    NULL);
}

static bool load_frame(sn_baker *b, int frame, double *positions, double *normals)
{
    const size_t n = (size_t)b->vertex_count, f = (size_t)frame;
    bool is_finite = true;
    sn_bake_surface(b->motion, frame, positions, normals);
    for (size_t v = 0; v < n; ++v) {
        float *to = b->surface + 3 * (f * n + v);
        to_file_units(b->model, positions + 3 * v, to);
        for (size_t d = 0; d < 3; ++d) {
            is_finite &= isfinite(to[d]) != 0;
            if (b->normals) {
                b->normals[3 * (f * n + v) + d] = (float)normals[3 * v + d];
            }
        }
    }
    return is_finite;
}

static void load_poses(sn_baker *b)
{
    const sn_model *m = b->model;
    const double origin[3] = {-m->origin_x * m->scale, -m->origin_y * m->scale, -m->origin_z * m->scale};
    for (size_t i = 0; i < (size_t)b->frame_count * (size_t)m->counts.bone_count; ++i) {
        sn_affine_rescale(b->motion->poses + 12 * i, origin, 1 / m->scale, b->poses + 12 * i);
    }
}

sn_result sn_baker_load_surface(sn_baker *b)
{
    const sn_model *m = b->model;
    const sn_surface mesh = sn_model_surface(m);
    b->frame_count = b->motion->frame_count;
    b->vertex_count = mesh.vertex_count;
    b->diagonal = m->diagonal / m->scale;
    const size_t n = (size_t)b->vertex_count, frames = (size_t)b->frame_count;
    double *positions = SN_NEW(&b->scratch, double, 3 * n), *normals = NULL;
    b->poses = SN_NEW(&b->scratch, double, 12 * frames * (size_t)m->counts.bone_count);
    b->rest = SN_NEW(b->arena, float, 3 * n);
    b->surface = sn_arena_alloc(&b->scratch, frames, 3 * n * sizeof(float));
    if (!positions || !b->poses || !b->rest || !b->surface) {
        return SN_ERROR_MEMORY;
    }
    if (b->desc.form == SN_BAKE_TARGETS) {
        normals = SN_NEW(&b->scratch, double, 3 * n);
        b->normals = sn_arena_alloc(&b->scratch, frames, 3 * n * sizeof(float));
        if (!normals || !b->normals) {
            return SN_ERROR_MEMORY;
        }
    }
    load_poses(b);
    for (size_t v = 0; v < n; ++v) {
        sn_skin_morph(&mesh, (int)v, NULL, positions + 3 * v);
        to_file_units(m, positions + 3 * v, b->rest + 3 * v);
    }
    for (int frame = 0; frame < b->frame_count; ++frame) {
        if (!load_frame(b, frame, positions, normals)) {
            return sn_fail_within(SN_ERROR_NUMERIC, "motion frame %d: a vertex position is not finite", frame);
        }
    }
    return SN_OK;
}

void sn_baker_rest(const sn_baker *b, int frame, int vertex, double *position)
{
    const sn_model *m = b->model;
    const int morph_count = m->counts.morph_count;
    const float *morphs =
        b->motion->morphs ? b->motion->morphs + (size_t)frame * (size_t)morph_count : b->model->morph_default_weights;
    for (int d = 0; d < 3; ++d) {
        position[d] = (double)b->rest[3 * (size_t)vertex + (size_t)d];
    }
    for (int i = morph_count > 0 ? m->morph_starts[vertex] : 0; morph_count > 0 && i < m->morph_starts[vertex + 1];
         ++i) {
        const sn_morph_delta *delta = &m->morph_deltas[i];
        for (int d = 0; d < 3; ++d) {
            position[d] += (double)morphs[delta->morph] * (double)delta->offset[d] / m->scale;
        }
    }
}

int sn_bake_part_vertices(const sn_model *model, int part, int32_t *vertices, int32_t *local)
{
    const sn_part *p = &model->parts[part];
    const int n = model->counts.surface_vertex_count;
    int count = 0;
    for (int v = 0; v < n; ++v) {
        vertices[v] = 0;
    }
    for (int i = 3 * p->first_triangle; i < 3 * (p->first_triangle + p->triangle_count); ++i) {
        vertices[model->surface_triangles[i]] = 1;
    }
    for (int v = 0; v < n; ++v) {
        if (vertices[v]) {
            if (local) {
                local[v] = count;
            }
            vertices[count++] = v; /* count <= v, so only entries that have been read are overwritten */
        }
    }
    return count;
}
