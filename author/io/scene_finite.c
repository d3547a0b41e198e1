/* SPDX-License-Identifier: MIT */
#include "author/io/scene_finite.h"

#include <float.h>
#include <math.h>

static const char *name_or_empty(const char *name)
{
    return name ? name : "";
}

static bool are_finite(const double *values, size_t count)
{
    bool is_finite = true;
    for (size_t i = 0; i < count && is_finite; ++i) {
        is_finite = fabs(values[i]) <= (double)FLT_MAX;
    }
    return is_finite;
}

/* Returns the index of the first value that is not finite, or `count`; values may be null. */
static size_t find_non_finite(const float *values, size_t count)
{
    size_t at = 0;
    while (values && at < count && isfinite(values[at])) {
        ++at;
    }
    return values ? at : count;
}

/* Checks an array with `width` numbers per vertex. */
static sn_result check_vertices(const float *values, size_t count, size_t width, const char *path, const char *mesh,
                                const char *what)
{
    const size_t at = find_non_finite(values, count * width);
    return at == count * width ? SN_OK
                               : sn_fail(SN_ERROR_NUMERIC, "%s: mesh '%.80s': %s of vertex %zu are not finite", path,
                                         mesh, what, at / width);
}

static sn_result check_base(const sn_scene_primitive *p, const char *path, const char *mesh)
{
    const struct {
        const float *values;
        size_t width;
        const char *what;
    } arrays[] = {{p->positions, 3, "positions"},
                  {p->normals, 3, "normals"},
                  {p->tangents, 4, "tangents"},
                  {p->uvs[0], 2, "texture coordinates"},
                  {p->uvs[1], 2, "texture coordinates"},
                  {p->colors, 4, "colours"},
                  {p->weights, (size_t)p->influence_count, "skinning weights"}};
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; ++i) {
        SN_TRY(check_vertices(arrays[i].values, (size_t)p->vertex_count, arrays[i].width, path, mesh, arrays[i].what));
    }
    for (int i = 0; i < SN_PAINTED_COUNT; ++i) {
        SN_TRY(check_vertices(p->paint[i], (size_t)p->vertex_count, 1, path, mesh,
                              sn_painted_quantity_name((sn_painted_quantity)i)));
    }
    return SN_OK;
}

static sn_result check_target(const sn_scene_primitive *p, int target, const char *path, const char *mesh)
{
    const float *const fields[] = {p->morph_positions ? p->morph_positions[target] : NULL,
                                   p->morph_normals ? p->morph_normals[target] : NULL};
    const size_t n = 3 * (size_t)p->vertex_count;
    for (int i = 0; i < 2; ++i) {
        const size_t at = find_non_finite(fields[i], n);
        if (at < n) {
            return sn_fail(SN_ERROR_NUMERIC, "%s: mesh '%.80s': target %d: the offset of vertex %zu is not finite",
                           path, mesh, target, at / 3);
        }
    }
    return SN_OK;
}

static sn_result check_mesh(const sn_scene_file *scene, const sn_scene_mesh *mesh, const char *path)
{
    const size_t weight = find_non_finite(mesh->morph_weights, (size_t)mesh->morph_count);
    if (weight < (size_t)mesh->morph_count) {
        return sn_fail(SN_ERROR_NUMERIC, "%s: mesh '%.80s': weight %zu is not finite", path, name_or_empty(mesh->name),
                       weight);
    }
    for (int k = 0; k < mesh->primitive_count; ++k) {
        const sn_scene_primitive *p = &scene->primitives[mesh->first_primitive + k];
        SN_TRY(check_base(p, path, name_or_empty(mesh->name)));
        for (int m = 0; m < mesh->morph_count; ++m) {
            SN_TRY(check_target(p, m, path, name_or_empty(mesh->name)));
        }
    }
    return SN_OK;
}

static sn_result check_node(const sn_scene_file *scene, const sn_scene_node *node, const char *path)
{
    const size_t count = node->mesh >= 0 ? (size_t)scene->meshes[node->mesh].morph_count : 0;
    const bool is_ok = are_finite(node->local, 12) && are_finite(node->translation, 3) &&
                       are_finite(node->rotation, 4) && are_finite(node->scale, 3) &&
                       find_non_finite(node->morph_weights, count) == count;
    return is_ok ? SN_OK
                 : sn_fail(SN_ERROR_NUMERIC, "%s: node '%.80s': the transform or a morph weight is not finite", path,
                           name_or_empty(node->name));
}

static sn_result check_channel(const sn_scene_file *scene, const sn_scene_clip *clip, const sn_scene_channel *c,
                               const char *path)
{
    static const char *const paths[] = {"translation", "rotation", "scale", "weights"};
    const size_t keys = (size_t)c->key_count;
    const size_t width = (size_t)c->width * (c->interpolation == SN_KEYS_CUBIC ? 3 : 1);
    const size_t time = find_non_finite(c->times, keys), at = find_non_finite(c->values, keys * width);
    if (time < keys) {
        return sn_fail(SN_ERROR_NUMERIC, "%s: clip '%.80s': the time of key %zu is not finite", path,
                       name_or_empty(clip->name), time);
    }
    if (at < keys * width) {
        return sn_fail(SN_ERROR_NUMERIC, "%s: clip '%.80s': %s of node '%.80s' at %g s: the value is not finite", path,
                       name_or_empty(clip->name), paths[c->path], name_or_empty(scene->nodes[c->node].name),
                       (double)c->times[at / width]);
    }
    return SN_OK;
}

static sn_result check_clips(const sn_scene_file *scene, const char *path)
{
    for (int i = 0; i < scene->clip_count; ++i) {
        const sn_scene_clip *clip = &scene->clips[i];
        for (int k = 0; k < clip->channel_count; ++k) {
            SN_TRY(check_channel(scene, clip, &scene->channels[clip->first_channel + k], path));
        }
    }
    return SN_OK;
}

sn_result sn_scene_check_finite(const sn_scene_file *scene, const char *path)
{
    for (int i = 0; i < scene->node_count; ++i) {
        SN_TRY(check_node(scene, &scene->nodes[i], path));
    }
    for (int i = 0; i < scene->skin_count; ++i) {
        const sn_scene_skin *skin = &scene->skins[i];
        if (!are_finite(skin->inverse_bind, 12 * (size_t)skin->joint_count)) {
            return sn_fail(SN_ERROR_NUMERIC, "%s: skin %d: an inverse bind matrix is not finite", path, i);
        }
    }
    for (int i = 0; i < scene->mesh_count; ++i) {
        SN_TRY(check_mesh(scene, &scene->meshes[i], path));
    }
    return check_clips(scene, path);
}
