/* SPDX-License-Identifier: MIT */
/* Writes the USD layer and its meshes. */
#include "author/io/usd/usd_write.h"

#include <math.h>
#include <string.h>

#include "author/io/scene_finite.h"
#include "author/io/usd/usd_writer.h"

#define ROOT "Character"

/* Precision of the text: positions have the digits of a float, offsets of morph targets 1/1000 of the largest, unit
 * vectors 1e-5, weights and texture coordinates 1e-6. */
#define POSITION_DIGITS 8
#define OFFSET_DIGITS 4
#define UNIT_DECIMALS 5
#define WEIGHT_DECIMALS 6

static void put_header(sn_usd_writer *w)
{
    const double seconds = w->scene->clip_count > 0 ? w->scene->clips[0].seconds : 0;
    sn_usd_line(w, "#usda 1.0");
    sn_usd_line(w, "(");
    sn_usd_line(w, "    defaultPrim = \"" ROOT "\"");
    sn_usd_line(w, "    doc = \"Sinew " SN_VERSION_STRING "\"");
    sn_usd_line(w, "    startTimeCode = 0");
    sn_usd_line(w, "    endTimeCode = %.9g", seconds * w->frame_rate);
    sn_usd_line(w, "    framesPerSecond = %.9g", w->frame_rate);
    sn_usd_line(w, "    timeCodesPerSecond = %.9g", w->frame_rate);
    sn_usd_line(w, "    metersPerUnit = 1");
    sn_usd_line(w, "    upAxis = \"Y\"");
    sn_usd_line(w, ")");
    sn_usd_put(w, "\n");
}

static void put_array(sn_usd_writer *w, const char *declaration, const float *values, int count, int width, int stride,
                      int decimals, const char *metadata)
{
    sn_usd_indent(w);
    sn_usd_put(w, "%s = ", declaration);
    sn_usd_floats(w, values, count, width, stride, decimals);
    sn_usd_put(w, "%s\n", metadata);
}

#define BY_VERTEX " (interpolation = \"vertex\")"

/* v points up in USD. */
static void put_uvs(sn_usd_writer *w, const char *declaration, const float *uvs, int count)
{
    float *up = SN_NEW(&w->arena, float, 2 * (size_t)count);
    if (!up) {
        w->result = SN_ERROR_MEMORY;
        return;
    }
    for (size_t i = 0; i < 2 * (size_t)count; ++i) {
        up[i] = i % 2 ? 1 - uvs[i] : uvs[i];
    }
    put_array(w, declaration, up, count, 2, 2, WEIGHT_DECIMALS, BY_VERTEX);
}

static void put_extent(sn_usd_writer *w, const sn_scene_primitive *p)
{
    float bounds[6];
    for (int d = 0; d < 3; ++d) {
        bounds[d] = bounds[3 + d] = p->positions[d];
        for (int v = 1; v < p->vertex_count; ++v) {
            bounds[d] = fminf(bounds[d], p->positions[3 * v + d]);
            bounds[3 + d] = fmaxf(bounds[3 + d], p->positions[3 * v + d]);
        }
    }
    put_array(w, "float3[] extent", bounds, 2, 3, 3, SN_USD_EXACT, "");
}

static void put_geometry(sn_usd_writer *w, const sn_scene_primitive *p)
{
    sn_usd_indent(w);
    sn_usd_put(w, "int[] faceVertexCounts = [");
    for (int i = 0; i < p->triangle_count; ++i) {
        sn_usd_put(w, i > 0 ? ", 3" : "3");
    }
    sn_usd_put(w, "]\n");
    sn_usd_indent(w);
    sn_usd_put(w, "int[] faceVertexIndices = ");
    sn_usd_integers(w, p->triangles, 3 * (size_t)p->triangle_count);
    sn_usd_put(w, "\n");
    put_extent(w, p);
    put_array(w, "point3f[] points", p->positions, p->vertex_count, 3, 3,
              sn_usd_decimals(p->positions, 3 * (size_t)p->vertex_count, POSITION_DIGITS), "");
    if (p->normals) {
        put_array(w, "normal3f[] normals", p->normals, p->vertex_count, 3, 3, UNIT_DECIMALS, BY_VERTEX);
    }
    if (p->uvs[0]) {
        put_uvs(w, "texCoord2f[] primvars:st", p->uvs[0], p->vertex_count);
    }
    if (p->uvs[1]) {
        put_uvs(w, "texCoord2f[] primvars:st1", p->uvs[1], p->vertex_count);
    }
    if (p->colors) {
        put_array(w, "color3f[] primvars:displayColor", p->colors, p->vertex_count, 3, 4, UNIT_DECIMALS, BY_VERTEX);
    }
    sn_usd_line(w, "uniform token subdivisionScheme = \"none\"");
}

static void put_influences(sn_usd_writer *w, const sn_scene_primitive *p, const int32_t *numbers)
{
    const size_t count = (size_t)p->vertex_count * (size_t)p->influence_count;
    int32_t *joints = SN_NEW(&w->arena, int32_t, count);
    if (!joints) {
        w->result = SN_ERROR_MEMORY;
        return;
    }
    for (size_t i = 0; i < count; ++i) {
        joints[i] = numbers[p->joints[i]];
    }
    sn_usd_indent(w);
    sn_usd_put(w, "int[] primvars:skel:jointIndices = ");
    sn_usd_integers(w, joints, count);
    sn_usd_put(w, " (\n");
    sn_usd_line(w, "    elementSize = %d", p->influence_count);
    sn_usd_line(w, "    interpolation = \"vertex\"");
    sn_usd_line(w, ")");
    sn_usd_indent(w);
    sn_usd_put(w, "float[] primvars:skel:jointWeights = ");
    sn_usd_floats(w, p->weights, (int)count, 1, 1, WEIGHT_DECIMALS);
    sn_usd_put(w, " (\n");
    sn_usd_line(w, "    elementSize = %d", p->influence_count);
    sn_usd_line(w, "    interpolation = \"vertex\"");
    sn_usd_line(w, ")");
    sn_usd_line(w,
                "matrix4d primvars:skel:geomBindTransform = ((1, 0, 0, 0), (0, 1, 0, 0), (0, 0, 1, 0), (0, 0, 0, 1))");
    sn_usd_line(w, "rel skel:skeleton = </" ROOT "/Skeleton>");
}

static bool exceeds(const float *x, double min_offset)
{
    return fabs((double)x[0]) >= min_offset || fabs((double)x[1]) >= min_offset || fabs((double)x[2]) >= min_offset;
}

/* A morph target of a part, at the precision that is written. */
typedef struct part_target {
    const float *offsets, *normals; /* (vertex_count x 3), or null */
    int decimals, normal_decimals;
    double min_offset, min_normal; /* shorter offsets are written as 0 */
} part_target;

static part_target target_of(const sn_scene_primitive *p, int target)
{
    const size_t n = (size_t)p->vertex_count;
    part_target t = {.offsets = p->morph_positions[target],
                     .normals = p->morph_normals ? p->morph_normals[target] : NULL};
    t.decimals = t.offsets ? sn_usd_decimals(t.offsets, 3 * n, OFFSET_DIGITS) : 0;
    t.normal_decimals = t.normals ? sn_usd_decimals(t.normals, 3 * n, OFFSET_DIGITS) : 0;
    t.min_offset = pow(10, -t.decimals) / 2;
    t.min_normal = pow(10, -t.normal_decimals) / 2;
    return t;
}

static bool is_moved(const part_target *t, size_t v)
{
    return t->offsets &&
           (exceeds(t->offsets + 3 * v, t->min_offset) || (t->normals && exceeds(t->normals + 3 * v, t->min_normal)));
}

static bool moves_part(const sn_scene_primitive *p, int target)
{
    const part_target t = target_of(p, target);
    size_t v = 0;
    while (v < (size_t)p->vertex_count && !is_moved(&t, v)) {
        ++v;
    }
    return v < (size_t)p->vertex_count;
}

/* Writes the vertices that a target moves by more than the written precision, with their offsets and normal offsets. */
static void put_target(sn_usd_writer *w, const char *name, const sn_scene_primitive *p, int target)
{
    const part_target t = target_of(p, target);
    const size_t n = (size_t)p->vertex_count;
    int32_t *moved = SN_NEW(&w->arena, int32_t, n);
    float *moved_offsets = SN_NEW(&w->arena, float, 3 * n), *moved_normals = SN_NEW(&w->arena, float, 3 * n);
    size_t count = 0;
    if (!moved || !moved_offsets || !moved_normals) {
        w->result = SN_ERROR_MEMORY;
        return;
    }
    for (size_t v = 0; v < n; ++v) {
        if (is_moved(&t, v)) {
            memcpy(moved_offsets + 3 * count, t.offsets + 3 * v, 3 * sizeof(float));
            memcpy(moved_normals + 3 * count, (t.normals ? t.normals : t.offsets) + 3 * v, 3 * sizeof(float));
            moved[count++] = (int32_t)v;
        }
    }
    sn_usd_line(w, "def BlendShape \"%s\"", name);
    sn_usd_open_brace(w);
    put_array(w, "uniform vector3f[] offsets", moved_offsets, (int)count, 3, 3, t.decimals, "");
    if (t.normals) {
        put_array(w, "uniform vector3f[] normalOffsets", moved_normals, (int)count, 3, 3, t.normal_decimals, "");
    }
    sn_usd_indent(w);
    sn_usd_put(w, "uniform int[] pointIndices = ");
    sn_usd_integers(w, moved, count);
    sn_usd_put(w, "\n");
    sn_usd_close_brace(w);
}

/* Binds the targets that move something of the part: OpenUSD refuses empty ones. */
static void put_targets(sn_usd_writer *w, const sn_scene_primitive *p, int part, const char *const *names)
{
    const int count = w->scene->meshes[0].morph_count;
    int32_t *targets = SN_NEW(&w->arena, int32_t, count);
    int target_count = 0;
    if (!targets) {
        w->result = SN_ERROR_MEMORY;
        return;
    }
    for (int k = 0; k < count; ++k) {
        if (moves_part(p, k)) {
            targets[target_count++] = k;
        }
    }
    if (target_count == 0) {
        return;
    }
    sn_usd_indent(w);
    sn_usd_put(w, "uniform token[] skel:blendShapes = [");
    for (int k = 0; k < target_count; ++k) {
        sn_usd_put(w, k > 0 ? ", \"%s\"" : "\"%s\"", names[targets[k]]);
    }
    sn_usd_put(w, "]\n");
    sn_usd_indent(w);
    sn_usd_put(w, "rel skel:blendShapeTargets = [");
    for (int k = 0; k < target_count; ++k) {
        sn_usd_put(w, "%s</" ROOT "/Body_%d/%s>", k > 0 ? ", " : "", part, names[targets[k]]);
    }
    sn_usd_put(w, "]\n");
    for (int k = 0; k < target_count; ++k) {
        put_target(w, names[targets[k]], p, targets[k]);
    }
}

static void put_mesh(sn_usd_writer *w, int part, const int32_t *numbers, const char *const *targets)
{
    const sn_scene_primitive *p = &w->scene->primitives[w->scene->meshes[0].first_primitive + part];
    sn_usd_line(w, "def Mesh \"Body_%d\" (", part);
    sn_usd_line(w, "    prepend apiSchemas = [\"SkelBindingAPI\", \"MaterialBindingAPI\"]");
    sn_usd_line(w, ")");
    sn_usd_open_brace(w);
    if (p->material >= 0) {
        sn_usd_line(w, "uniform bool doubleSided = %d", w->scene->materials[p->material].values.is_double_sided != 0);
        sn_usd_line(w, "rel material:binding = </" ROOT "/Materials/Material_%d>", p->material);
    }
    put_geometry(w, p);
    put_influences(w, p, numbers);
    put_targets(w, p, part, targets);
    sn_usd_close_brace(w);
}

static const char **name_targets(sn_usd_writer *w)
{
    const sn_scene_mesh *mesh = &w->scene->meshes[0];
    const char **names = SN_NEW(&w->arena, const char *, mesh->morph_count);
    for (int k = 0; names && k < mesh->morph_count && w->result == SN_OK; ++k) {
        names[k] = sn_usd_identifier(w, mesh->morph_names ? mesh->morph_names[k] : "", names, k);
    }
    w->result = names ? w->result : SN_ERROR_MEMORY;
    return names;
}

static void write_layer(sn_usd_writer *w)
{
    const char **targets = name_targets(w);
    const int32_t *numbers = sn_usd_skin_joints(w);
    put_header(w);
    sn_usd_line(w, "def SkelRoot \"" ROOT "\" (");
    sn_usd_line(w, "    prepend apiSchemas = [\"SkelBindingAPI\"]");
    sn_usd_line(w, ")");
    sn_usd_open_brace(w);
    if (w->result == SN_OK) {
        sn_usd_write_skeleton(w, ROOT, targets);
    }
    for (int part = 0; part < w->scene->meshes[0].primitive_count && w->result == SN_OK; ++part) {
        put_mesh(w, part, numbers, targets);
    }
    if (w->result == SN_OK) {
        sn_usd_write_materials(w, ROOT);
    }
    sn_usd_close_brace(w);
}

static bool is_supported(const sn_scene_file *scene)
{
    bool is_ok = scene->skin_count == 1 && scene->mesh_count == 1 && scene->clip_count <= 1;
    int mesh_node_count = 0;
    for (int i = 0; i < scene->node_count && is_ok; ++i) {
        const sn_scene_node *node = &scene->nodes[i];
        mesh_node_count += node->mesh >= 0;
        is_ok = node->mesh >= 0 ? node->skin == 0 && node->parent < 0
                                : node->parent < i && (node->parent < 0 || scene->nodes[node->parent].mesh < 0);
    }
    for (int i = 0; i < scene->channel_count && is_ok; ++i) {
        is_ok = scene->channels[i].interpolation == SN_KEYS_LINEAR;
    }
    return is_ok && mesh_node_count == 1;
}

sn_result sn_usd_write(const char *path, const sn_scene_file *scene, double frame_rate)
{
    SN_ASSERT(path && scene && frame_rate > 0 && strrchr(path, '.'));
    if (!is_supported(scene)) {
        return sn_fail(SN_ERROR_UNSUPPORTED, "%s: the scene is not a single skinned mesh with a skeleton", path);
    }
    const sn_result result = sn_scene_check_finite(scene, path);
    if (result != SN_OK) {
        return result;
    }
    sn_usd_writer w = {.path = path, .scene = scene, .frame_rate = frame_rate};
    write_layer(&w);
    if (w.result == SN_OK) {
        w.result = sn_file_write(path, w.text, w.size);
    }
    sn_arena_finish(&w.arena);
    return w.result;
}
