/* SPDX-License-Identifier: MIT */
#include "runtime/view/solid.h"

#include <string.h>

#include "author/import/character.h"
#include "author/io/scene_file.h"
#include "sinew/author.h"

const float sn_solid_transforms[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};

static sn_material default_material(void)
{
    sn_material material = {.base_color = {0.42F, 0.44F, 0.47F, 1},
                            .roughness = 0.8F,
                            .normal_scale = 1,
                            .occlusion_strength = 1,
                            .alpha_cutoff = 0.5F,
                            .is_double_sided = 1};
    for (int i = 0; i < SN_TEXTURE_USE_COUNT; ++i) {
        material.textures[i] = -1;
    }
    return material;
}

/* Converts the vertices to the renderer's format. */
static bool copy_vertices(const sn_solid_mesh *mesh, sn_arena *arena, sn_model *surface)
{
    const size_t n = (size_t)mesh->vertex_count;
    float *positions_f = SN_NEW(arena, float, 3 * n), *normals = SN_NEW(arena, float, 3 * n);
    float *tangents = SN_NEW(arena, float, 4 * n), *uvs = SN_NEW(arena, float, 4 * n);
    uint16_t *colors = SN_NEW(arena, uint16_t, 4 * n);
    if (!positions_f || !normals || !tangents || !uvs || !colors) {
        return false;
    }
    for (size_t i = 0; i < 3 * n; ++i) {
        positions_f[i] = (float)mesh->positions[i];
        normals[i] = (float)mesh->normals[i];
    }
    for (size_t v = 0; v < n; ++v) { /* any tangent will do without a normal map */
        tangents[4 * v] = tangents[4 * v + 3] = 1;
    }
    memset(colors, 255, 4 * n * sizeof *colors);
    surface->counts.surface_vertex_count = mesh->vertex_count;
    surface->surface_positions = positions_f;
    surface->surface_normals = normals;
    surface->surface_tangents = tangents;
    surface->surface_uvs = uvs;
    surface->surface_colors = colors;
    return true;
}

static bool bind_to_one_bone(sn_arena *arena, sn_model *surface)
{
    const int n = surface->counts.surface_vertex_count;
    int32_t *starts = SN_NEW(arena, int32_t, n + 1);
    sn_influence *influences = SN_NEW(arena, sn_influence, n);
    for (int v = 0; starts && influences && v < n; ++v) {
        starts[v + 1] = v + 1;
        influences[v] = (sn_influence){.bone = 0, .weight = 1};
    }
    surface->counts.influence_count = n;
    surface->counts.bone_count = 1;
    surface->influence_starts = starts;
    surface->influences = influences;
    return starts && influences;
}

sn_result sn_solid_build_surface(const sn_solid_mesh *mesh, sn_arena *arena, sn_model **result)
{
    sn_model *surface = SN_NEW(arena, sn_model, 1);
    sn_material *material = SN_NEW(arena, sn_material, 1);
    sn_part *part = SN_NEW(arena, sn_part, 1);
    if (!surface || !material || !part || !copy_vertices(mesh, arena, surface) || !bind_to_one_bone(arena, surface)) {
        return SN_ERROR_MEMORY;
    }
    *material = default_material();
    *part = (sn_part){.triangle_count = mesh->triangle_count};
    surface->counts.surface_triangle_count = mesh->triangle_count;
    surface->counts.part_count = surface->counts.material_count = 1;
    surface->surface_triangles = mesh->triangles;
    surface->parts = part;
    surface->materials = material;
    surface->diagonal = 1;
    *result = surface;
    return SN_OK;
}

static sn_result create_collider(const char *path, int cells, const sn_character *c, const double *positions,
                                 sn_solid *solid)
{
    const sn_grid_surface surface = {path, c->vertex_count, c->triangle_count, positions, c->triangles};
    sn_collider_desc desc = sn_default_collider_desc();
    const sn_result result = sn_grid_build(&surface, cells, &solid->grid);
    desc.shape = SN_COLLIDER_GRID;
    desc.grid = solid->grid;
    return result == SN_OK ? sn_collider_init(&desc, &solid->collider) : result;
}

sn_result sn_solid_open(const char *path, int cells, const sn_model *model, sn_arena *arena, sn_solid *solid)
{
    const double origin[3] = {model->origin_x, model->origin_y, model->origin_z};
    sn_scene_file scene;
    sn_character c;
    *solid = (sn_solid){0};
    sn_result result = sn_scene_file_read(path, arena, &scene);
    if (result == SN_OK) {
        result = sn_character_build(&scene, path, arena, &c);
    }
    if (result != SN_OK) {
        return result;
    }
    double *positions = SN_NEW(arena, double, 3 * (size_t)c.vertex_count);
    for (size_t i = 0; positions && i < 3 * (size_t)c.vertex_count; ++i) {
        positions[i] = (c.positions[i] - origin[i % 3]) * model->scale;
    }
    result = positions ? create_collider(path, cells, &c, positions, solid) : SN_ERROR_MEMORY;
    if (result == SN_OK) {
        const sn_solid_mesh mesh = {c.vertex_count, c.triangle_count, positions, c.normals, c.triangles};
        result = sn_solid_build_surface(&mesh, arena, &solid->surface);
    }
    if (result != SN_OK) {
        sn_solid_close(solid);
    }
    return result;
}

void sn_solid_close(sn_solid *solid)
{
    sn_grid_destroy(&solid->grid);
    *solid = (sn_solid){0};
}
