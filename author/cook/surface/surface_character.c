/* SPDX-License-Identifier: MIT */
/* The character's own surface as the rendered one: visible parts, skinned by the file's weights, with mode weights
 * interpolated in the tets. */
#include <math.h>
#include <string.h>

#include "author/cook/surface/surface.h"
#include "author/import/names.h"
#include "author/weights/rig_weights.h"

void sn_embed_rows(const sn_tet_mesh *mesh, const int32_t *tets, const double *barycentric, int point_count,
                   const double *rows, int column_count, double *result)
{
    const size_t columns = (size_t)column_count;
    for (size_t i = 0; i < (size_t)point_count; ++i) {
        for (size_t corner = 0; tets[i] >= 0 && corner < 4; ++corner) {
            const double *row = rows + (size_t)mesh->tets[4 * (size_t)tets[i] + corner] * columns;
            for (size_t j = 0; j < columns; ++j) {
                result[i * columns + j] += barycentric[4 * i + corner] * row[j];
            }
        }
    }
}

/* Visible vertices and triangles. */
typedef struct selection {
    int32_t *of_character; /* (vertex_count) */
    int32_t *index;        /* (character's vertex_count) -1: hidden */
    int vertex_count, triangle_count, part_count;
} selection;

static sn_result select_visible(sn_cook_context *cook, selection *visible)
{
    const sn_character *c = &cook->character;
    visible->of_character = SN_NEW(&cook->arena, int32_t, c->vertex_count);
    visible->index = SN_NEW(&cook->arena, int32_t, c->vertex_count);
    if (!visible->of_character || !visible->index) {
        return SN_ERROR_MEMORY;
    }
    memset(visible->index, -1, (size_t)c->vertex_count * sizeof(int32_t));
    for (int p = 0; p < c->part_count; ++p) {
        const sn_character_part *part = &c->parts[p];
        for (int v = part->first_vertex; !part->is_hidden && v < part->first_vertex + part->vertex_count; ++v) {
            visible->of_character[visible->vertex_count] = v;
            visible->index[v] = visible->vertex_count++;
        }
        visible->triangle_count += part->is_hidden ? 0 : part->triangle_count;
        visible->part_count += !part->is_hidden;
    }
    return SN_OK;
}

/* Copies vertices (in model units), triangles and parts. */
static sn_result copy_shape(sn_cook_context *cook, const selection *visible, sn_render_surface *s, sn_model *model)
{
    const sn_character *c = &cook->character;
    const size_t n = (size_t)visible->vertex_count;
    double *positions = SN_NEW(&cook->arena, double, 3 * n), *uvs[2];
    int32_t *triangles = SN_NEW(&cook->arena, int32_t, 3 * (size_t)visible->triangle_count);
    uint16_t *colors = SN_NEW(&cook->arena, uint16_t, 4 * n);
    bool *is_rigid = SN_NEW(&cook->arena, bool, n);
    sn_part *parts = SN_NEW(&cook->arena, sn_part, visible->part_count);
    s->normals = SN_NEW(&cook->arena, double, 3 * n);
    uvs[0] = SN_NEW(&cook->arena, double, 2 * n);
    uvs[1] = SN_NEW(&cook->arena, double, 2 * n);
    if (!positions || !triangles || !colors || !is_rigid || !parts || !s->normals || !uvs[0] || !uvs[1]) {
        return SN_ERROR_MEMORY;
    }
    for (size_t v = 0; v < n; ++v) {
        const size_t from = (size_t)visible->of_character[v];
        for (size_t d = 0; d < 3; ++d) {
            positions[3 * v + d] = (c->positions[3 * from + d] - cook->origin[d]) * cook->scale;
            s->normals[3 * v + d] = c->normals[3 * from + d];
        }
        for (size_t set = 0; set < 2; ++set) {
            memcpy(uvs[set] + 2 * v, c->uvs[set] + 2 * from, 2 * sizeof(double));
        }
        memcpy(colors + 4 * v, c->colors + 4 * from, 4 * sizeof *colors);
        is_rigid[v] = c->is_rigid[from];
    }
    int32_t triangle = 0, part_count = 0;
    for (int p = 0; p < c->part_count; ++p) {
        const sn_character_part *part = &c->parts[p];
        if (part->is_hidden) {
            continue;
        }
        parts[part_count++] =
            (sn_part){triangle, part->triangle_count, part->material >= 0 ? part->material : c->material_count};
        for (size_t i = 0; i < 3 * (size_t)part->triangle_count; ++i) {
            triangles[3 * (size_t)triangle + i] = visible->index[c->triangles[3 * (size_t)part->first_triangle + i]];
        }
        triangle += part->triangle_count;
    }
    s->mesh = (sn_tri_mesh){visible->vertex_count, visible->triangle_count, positions, triangles};
    s->uvs[0] = uvs[0];
    s->uvs[1] = uvs[1];
    s->has_uvs = c->has_uvs;
    s->colors = colors;
    s->is_rigid = is_rigid;
    model->counts.part_count = part_count;
    model->parts = parts;
    return SN_OK;
}

/* Copies the file's own influences. */
static sn_result copy_influences(sn_cook_context *cook, const selection *visible, sn_render_surface *s)
{
    const sn_character *c = &cook->character;
    const size_t influence_count = (size_t)c->influence_starts[c->vertex_count];
    int32_t *starts = SN_NEW(&cook->arena, int32_t, visible->vertex_count + 1),
            *bones = SN_NEW(&cook->arena, int32_t, influence_count);
    double *weights = SN_NEW(&cook->arena, double, influence_count);
    if (!starts || !bones || !weights) {
        return SN_ERROR_MEMORY;
    }
    for (int v = 0; v < visible->vertex_count; ++v) {
        const int32_t first = c->influence_starts[visible->of_character[v]];
        const int32_t count = c->influence_starts[visible->of_character[v] + 1] - first;
        memcpy(bones + starts[v], c->influence_bones + first, (size_t)count * sizeof *bones);
        memcpy(weights + starts[v], c->influence_weights + first, (size_t)count * sizeof *weights);
        starts[v + 1] = starts[v] + count;
    }
    s->rig_starts = starts;
    s->rig_bones = bones;
    s->rig_weights = weights;
    return SN_OK;
}

/* Copies the deltas of visible vertices, in model units. */
static sn_result copy_deltas(sn_cook_context *cook, const selection *visible, sn_render_surface *s)
{
    const sn_character *c = &cook->character;
    int32_t *starts = SN_NEW(&cook->arena, int32_t, c->morph_count + 1), count = 0;
    sn_character_delta *deltas = SN_NEW(&cook->arena, sn_character_delta, c->delta_count);
    if (!starts || !deltas) {
        return SN_ERROR_MEMORY;
    }
    for (int m = 0; m < c->morph_count; ++m) {
        const sn_character_morph *morph = &c->morphs[m];
        for (int i = morph->first_delta; i < morph->first_delta + morph->delta_count; ++i) {
            const sn_character_delta *from = &c->deltas[i];
            if (visible->index[from->vertex] >= 0) {
                deltas[count++] = (sn_character_delta){
                    visible->index[from->vertex],
                    {cook->scale * from->offset[0], cook->scale * from->offset[1], cook->scale * from->offset[2]}};
            }
        }
        starts[m + 1] = count;
    }
    s->morph_count = c->morph_count;
    s->delta_starts = starts;
    s->deltas = deltas;
    return SN_OK;
}

/* Interpolates the weights of a rig on the tets. */
static sn_result embed_influences(sn_cook_context *cook, const int32_t *tets, const double *barycentric,
                                  sn_render_surface *s)
{
    const size_t n = (size_t)s->mesh.vertex_count, b = (size_t)s->bone_count;
    double *table = SN_NEW(&cook->arena, double, n *b);
    if (!table) {
        return SN_ERROR_MEMORY;
    }
    sn_embed_rows(&cook->mesh, tets, barycentric, (int)n, cook->rig_weights, s->bone_count, table);
    for (size_t v = 0; v < n; ++v) {
        if (!sn_weights_normalise(table + v * b, s->bone_count)) {
            table[v * b] = 1;
        }
    }
    return sn_render_surface_list_weights(&cook->arena, table, s);
}

static sn_result embed(sn_cook_context *cook, const selection *visible, const double *mode_weights,
                       sn_render_surface *s)
{
    const size_t n = (size_t)visible->vertex_count;
    int32_t *tets = SN_NEW(&cook->arena, int32_t, n);
    double *barycentric = SN_NEW(&cook->arena, double, 4 * n);
    s->mode_weights = SN_NEW(&cook->arena, double, n *(size_t)s->mode_count);
    if (!tets || !barycentric || !s->mode_weights) {
        return SN_ERROR_MEMORY;
    }
    for (size_t v = 0; v < n; ++v) {
        const size_t from = (size_t)visible->of_character[v];
        tets[v] = cook->embedding_tets[from];
        memcpy(barycentric + 4 * v, cook->embedding_weights + 4 * from, 4 * sizeof(double));
    }
    sn_embed_rows(&cook->mesh, tets, barycentric, (int)n, mode_weights, s->mode_count, s->mode_weights);
    s->tets = tets;
    s->barycentric = barycentric;
    return cook->has_rig || !cook->has_character ? embed_influences(cook, tets, barycentric, s)
                                                 : copy_influences(cook, visible, s);
}

/* Texture coordinates that a material uses: set and transform. */
typedef struct uv_use {
    int32_t set;
    const float *transform;
} uv_use;

static bool is_same_use(const uv_use *a, const uv_use *b)
{
    return a->set == b->set && memcmp(a->transform, b->transform, 6 * sizeof(float)) == 0;
}

/* Applies the transforms of a part's textures to its coordinates. Two different sets fit; a third falls back to the
 * second, with a warning. Stores the set that each texture reads. */
static void bake_uvs(const sn_cook_context *cook, const sn_scene_material *material, int first_vertex, int vertex_count,
                     double *const uvs[2], sn_material *values)
{
    uv_use uses[2];
    int use_count = 0;
    for (int i = 0; i < SN_TEXTURE_USE_COUNT; ++i) {
        const uv_use use = {material->values.uv_sets[i], material->uv_transforms[i]};
        int at = 0;
        if (material->values.textures[i] < 0) {
            values->uv_sets[i] = 0;
            continue;
        }
        while (at < use_count && !is_same_use(&uses[at], &use)) {
            ++at;
        }
        if (at == 2) {
            sn_log(SN_LOG_WARNING, "%s: material '%s': more than two texture transforms; one is ignored", cook->path,
                   material->name);
            at = 1;
        } else if (at == use_count) {
            uses[use_count++] = use;
        }
        values->uv_sets[i] = at;
    }
    for (int v = first_vertex; v < first_vertex + vertex_count; ++v) {
        const double from[2][2] = {{uvs[0][2 * v], uvs[0][2 * v + 1]}, {uvs[1][2 * v], uvs[1][2 * v + 1]}};
        for (int at = 0; at < use_count; ++at) {
            const float *m = uses[at].transform;
            const double *uv = from[uses[at].set];
            uvs[at][2 * v] = (double)m[0] * uv[0] + (double)m[1] * uv[1] + (double)m[2];
            uvs[at][2 * v + 1] = (double)m[3] * uv[0] + (double)m[4] * uv[1] + (double)m[5];
        }
    }
}

/* Copies toon materials, if there are any, with widths in model units. */
static sn_result copy_toons(sn_cook_context *cook, sn_model *model)
{
    const sn_character *c = &cook->character;
    sn_toon_material *toons = SN_NEW(&cook->arena, sn_toon_material, c->material_count + 1);
    bool has_toon = false;
    for (int i = 0; i < c->material_count && toons; ++i) {
        toons[i] = c->materials[i].toon;
        toons[i].outline_width *= toons[i].outline == SN_OUTLINE_WORLD ? (float)cook->scale : 1;
        has_toon |= toons[i].is_toon != 0;
    }
    model->toons = toons;
    model->toon_count = has_toon ? c->material_count + 1 : 0;
    return toons ? SN_OK : SN_ERROR_MEMORY;
}

/* Packs names; too many are left out. */
static sn_result pack_names(sn_cook_context *cook, const char *const *names, int count, const char *fallback,
                            const char **packed, double *packed_bytes)
{
    char *bytes = NULL;
    int32_t size = 0;
    SN_TRY(sn_names_pack(names, count, fallback, &cook->arena, &bytes, &size));
    if (size <= SN_SURFACE_NAME_LIMIT) {
        *packed = bytes;
        *packed_bytes = size;
    }
    return SN_OK;
}

/* Copies what a bake writes again: the names of materials and meshes, and the licence of a VRM. */
static sn_result copy_texts(sn_cook_context *cook, sn_model *model)
{
    const sn_character *c = &cook->character;
    const char **names = SN_NEW(&cook->arena, const char *, c->material_count + 1 + c->part_count);
    int count = 0;
    if (!names) {
        return SN_ERROR_MEMORY;
    }
    for (int i = 0; i < c->material_count; ++i) {
        names[count++] = c->materials[i].name;
    }
    names[count++] = "default";
    SN_TRY(pack_names(cook, names, count, "material", &model->material_names, &model->material_name_bytes));
    count = 0;
    for (int i = 0; i < c->part_count; ++i) {
        names[count] = c->parts[i].name;
        count += !c->parts[i].is_hidden;
    }
    SN_TRY(pack_names(cook, names, count, "mesh", &model->part_names, &model->part_name_bytes));
    const size_t vrm_bytes = c->vrm ? strlen(c->vrm) + 1 : 0;
    if (vrm_bytes <= SN_VRM_LIMIT) {
        model->vrm = c->vrm;
        model->vrm_bytes = (double)vrm_bytes;
        model->vrm_version = c->vrm ? c->vrm_version : 0;
    }
    return SN_OK;
}

/* Copies the character's materials and appends the default one. */
static sn_result copy_materials(sn_cook_context *cook, const sn_render_surface *s, sn_model *model)
{
    const sn_character *c = &cook->character;
    sn_material *materials = SN_NEW(&cook->arena, sn_material, c->material_count + 1);
    if (!materials) {
        return SN_ERROR_MEMORY;
    }
    for (int i = 0; i < c->material_count; ++i) {
        materials[i] = c->materials[i].values;
    }
    materials[c->material_count] = sn_default_material();
    materials[c->material_count].is_double_sided = cook->mesh.is_flat;
    int vertex = 0;
    for (int p = 0; p < c->part_count; ++p) {
        const sn_character_part *part = &c->parts[p];
        if (!part->is_hidden && part->material >= 0) {
            bake_uvs(cook, &c->materials[part->material], vertex, part->vertex_count, s->uvs,
                     &materials[part->material]);
        }
        vertex += part->is_hidden ? 0 : part->vertex_count;
    }
    model->counts.material_count = c->material_count + 1;
    model->materials = materials;
    return SN_OK;
}

/* The first texture with the same pixels. */
static int first_with_pixels(const sn_character *c, int texture)
{
    int i = 0;
    while (c->textures[i].pixels != c->textures[texture].pixels) {
        ++i;
    }
    return i;
}

/* Copies the files of pictures that came as JPEG or WebP. Files that are too large together are left out. */
static sn_result copy_encoded(sn_cook_context *cook, sn_model *model)
{
    const sn_character *c = &cook->character;
    sn_encoded_texture *textures = SN_NEW(&cook->arena, sn_encoded_texture, c->texture_count);
    int64_t bytes = 0;
    SN_TRY(textures ? SN_OK : SN_ERROR_MEMORY);
    for (int i = 0; i < c->texture_count && bytes <= SN_ENCODED_TEXTURE_LIMIT; ++i) {
        const int first = first_with_pixels(c, i);
        textures[i] =
            first < i ? textures[first] : (sn_encoded_texture){(int32_t)bytes, (int32_t)c->textures[i].encoded_size};
        bytes += first < i ? 0 : (int64_t)c->textures[i].encoded_size;
    }
    if (bytes == 0 || bytes > SN_ENCODED_TEXTURE_LIMIT) {
        return SN_OK;
    }
    uint8_t *data = SN_NEW(&cook->arena, uint8_t, bytes);
    SN_TRY(data ? SN_OK : SN_ERROR_MEMORY);
    for (int i = 0; i < c->texture_count; ++i) {
        if (textures[i].byte_count > 0) {
            memcpy(data + textures[i].first_byte, c->textures[i].encoded, (size_t)textures[i].byte_count);
        }
    }
    model->encoded_texture_bytes = (double)bytes;
    model->encoded_textures = textures;
    model->encoded_texture_data = data;
    return SN_OK;
}

/* Textures that differ only in wrapping share their pixels. */
static sn_result copy_textures(sn_cook_context *cook, sn_model *model)
{
    const sn_character *c = &cook->character;
    sn_texture *textures = SN_NEW(&cook->arena, sn_texture, c->texture_count);
    int64_t bytes = 0;
    if (!textures) {
        return SN_ERROR_MEMORY;
    }
    for (int i = 0; i < c->texture_count; ++i) {
        const sn_scene_texture *from = &c->textures[i];
        const int first = first_with_pixels(c, i);
        textures[i] =
            (sn_texture){from->width, from->height, 0, (int32_t)from->wrap_u, (int32_t)from->wrap_v, from->is_nearest};
        textures[i].first_byte = first < i ? textures[first].first_byte : (int32_t)bytes;
        bytes += first < i ? 0 : (int64_t)4 * from->width * from->height;
        if (bytes > INT32_MAX) {
            return sn_fail(SN_ERROR_UNSUPPORTED, "%s: textures are larger than 2 GiB", cook->path);
        }
    }
    uint8_t *pixels = SN_NEW(&cook->arena, uint8_t, bytes);
    if (!pixels) {
        return SN_ERROR_MEMORY;
    }
    for (int i = 0; i < c->texture_count; ++i) {
        const sn_scene_texture *from = &c->textures[i];
        if (first_with_pixels(c, i) == i) {
            memcpy(pixels + textures[i].first_byte, from->pixels,
                   (size_t)4 * (size_t)from->width * (size_t)from->height);
        }
    }
    model->counts.texture_count = c->texture_count;
    model->textures = textures;
    model->counts.texture_bytes = (int32_t)bytes;
    model->texture_pixels = pixels;
    return copy_encoded(cook, model);
}

sn_result sn_surface_from_character(sn_cook_context *cook, const double *mode_weights, sn_render_surface *s,
                                    sn_model *model)
{
    selection visible = {.vertex_count = 0};
    SN_TRY(select_visible(cook, &visible));
    SN_TRY(copy_shape(cook, &visible, s, model));
    SN_TRY(embed(cook, &visible, mode_weights, s));
    SN_TRY(copy_deltas(cook, &visible, s));
    SN_TRY(copy_materials(cook, s, model));
    SN_TRY(copy_toons(cook, model));
    SN_TRY(copy_texts(cook, model));
    return copy_textures(cook, model);
}
