/* SPDX-License-Identifier: MIT */
#include "host/model/check.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#include "host/math/rotation.h"
#include "host/math/vec3.h"

#define MIN_MASS 1e-30F     /* of a vertex: its inverse must be a finite float */
#define MIN_STIFFNESS 1e-30 /* stiffest constraint of a tet times the volume: its inverse must be a finite float */

static bool all_within(const int32_t *values, int64_t count, int32_t min_value, int32_t limit)
{
    for (int64_t i = 0; i < count; ++i) {
        if (values[i] < min_value || values[i] >= limit) {
            return false;
        }
    }
    return true;
}

/* Checks the number of strings, and that the last one is terminated. */
static bool are_names_valid(const char *names, int bytes, int count)
{
    int string_count = 0;
    for (int i = 0; i < bytes; ++i) {
        string_count += names[i] == '\0';
    }
    return string_count == count && (bytes == 0 || names[bytes - 1] == '\0');
}

/* The frame counts must sum to the total. */
static bool are_clips_valid(const sn_model *model)
{
    const sn_model_counts *c = &model->counts;
    int64_t frames = 0;
    for (int i = 0; i < c->clip_count; ++i) {
        if (model->clip_frame_counts[i] < 1 || !(model->clip_frame_rates[i] > 0) ||
            !isfinite(model->clip_frame_rates[i])) {
            return false;
        }
        frames += model->clip_frame_counts[i];
    }
    return frames == c->clip_frame_total && are_names_valid(model->clip_names, c->clip_name_bytes, c->clip_count);
}

/* starts: (count + 1), ascending from 0 to total. */
static bool are_starts_valid(const int32_t *starts, int count, int total)
{
    bool is_valid = starts[0] == 0 && starts[count] == total;
    for (int i = 0; i < count && is_valid; ++i) {
        is_valid = starts[i] <= starts[i + 1];
    }
    return is_valid;
}

static bool are_morphs_valid(const sn_model *model)
{
    const sn_model_counts *c = &model->counts;
    bool is_valid = are_names_valid(model->morph_names, c->morph_name_bytes, c->morph_count) &&
                    all_within(model->morph_tracks, c->morph_track_count, 0, c->morph_count);
    if (is_valid && c->morph_count > 0) {
        is_valid = are_starts_valid(model->morph_starts, c->surface_vertex_count, c->morph_delta_count);
    }
    for (int i = 0; i < c->morph_delta_count && is_valid; ++i) {
        is_valid = all_within(&model->morph_deltas[i].morph, 1, 0, c->morph_count);
    }
    return is_valid;
}

/* Pairs must be sorted by field. */
static bool are_pairs_valid(const sn_model *model)
{
    const sn_model_counts *c = &model->counts;
    bool is_valid = true;
    for (int i = 0; i < c->morph_pair_count && is_valid; ++i) {
        const sn_morph_pair *pair = &model->morph_pairs[i];
        is_valid = all_within(&pair->field, 1, i > 0 ? pair[-1].field : 0, c->morph_field_count) &&
                   all_within(&pair->bone, 1, 0, c->bone_count);
    }
    return is_valid;
}

static bool are_expressions_valid(const sn_model *model)
{
    const sn_model_counts *c = &model->counts;
    bool is_valid = are_names_valid(model->expression_names, c->expression_name_bytes, c->expression_count);
    for (int i = 0; i < c->expression_count && is_valid; ++i) {
        const sn_expression *e = &model->expressions[i];
        is_valid =
            e->first_bind >= 0 && e->bind_count >= 0 && e->first_bind <= c->expression_bind_count - e->bind_count;
    }
    for (int i = 0; i < c->expression_bind_count && is_valid; ++i) {
        is_valid = all_within(&model->expression_binds[i].morph, 1, 0, c->morph_count);
    }
    return is_valid;
}

static bool are_bones_valid(const sn_model *model)
{
    const sn_model_counts *c = &model->counts;
    bool is_valid = true;
    for (int64_t i = 0; i < (int64_t)3 * c->bone_count && is_valid; ++i) {
        is_valid = isfinite(model->bone_pivots[i]);
    }
    for (int64_t i = 0; i < (int64_t)4 * c->bone_count && is_valid; ++i) {
        is_valid = isfinite(model->bone_tails[i]);
    }
    const int32_t role_count = model->has_roles == 1 ? c->bone_count : 0;
    return is_valid && all_within(model->bone_parents, c->bone_count, -1, c->bone_count) &&
           all_within(model->bone_roles, role_count, -1, SN_HUMANOID_COUNT) &&
           all_within(model->bone_types, c->bone_count, 0, SN_BONE_TYPE_COUNT) &&
           are_names_valid(model->bone_names, c->bone_name_bytes, c->bone_count);
}

/* Finds a bone that is its own ancestor, or -1. The parents are in range. */
static sn_result find_circle(const sn_model *model, int *bone)
{
    enum { NEW, ON_PATH, DONE };
    const int count = model->counts.bone_count;
    uint8_t *states = sn_alloc((size_t)count, sizeof *states);
    *bone = -1;
    if (!states) {
        return SN_ERROR_MEMORY;
    }
    for (int b = 0; b < count && *bone < 0; ++b) {
        int at = b;
        for (; at >= 0 && states[at] == NEW; at = model->bone_parents[at]) {
            states[at] = ON_PATH;
        }
        *bone = at >= 0 && states[at] == ON_PATH ? at : -1;
        for (at = b; at >= 0 && states[at] == ON_PATH; at = model->bone_parents[at]) {
            states[at] = DONE;
        }
    }
    sn_free(states, (size_t)count, sizeof *states);
    return SN_OK;
}

static bool are_cages_valid(const sn_model *model)
{
    const sn_model_counts *c = &model->counts;
    const bool is_valid = c->cage_face_count > 0
                              ? are_starts_valid(model->cage_face_starts, c->cage_face_count, c->cage_corner_count)
                              : c->cage_corner_count == 0;
    return is_valid && all_within(model->cage_edges, (int64_t)2 * c->cage_edge_count, 0, c->bone_count) &&
           all_within(model->cage_corners, c->cage_corner_count, 0, c->bone_count);
}

/* Every index of the drawn surface must be in range. */
static bool is_surface_valid(const sn_model *model)
{
    const sn_model_counts *c = &model->counts;
    bool is_valid =
        all_within(model->surface_triangles, (int64_t)3 * c->surface_triangle_count, 0, c->surface_vertex_count) &&
        all_within(model->surface_tets, c->surface_vertex_count, -1, c->tet_count) &&
        are_starts_valid(model->influence_starts, c->surface_vertex_count, c->influence_count);
    for (int i = 0; i < c->influence_count && is_valid; ++i) {
        is_valid = model->influences[i].bone >= 0 && model->influences[i].bone < c->bone_count;
    }
    is_valid =
        is_valid && all_within(model->sample_vertices, c->sample_count, 0, c->surface_vertex_count) &&
        all_within(model->sample_extremes, (int64_t)SN_SAMPLE_EXTREMES * c->sample_count, 0, c->surface_vertex_count);
    for (int i = 0; i < c->part_count && is_valid; ++i) {
        const sn_part *part = &model->parts[i];
        is_valid = part->first_triangle >= 0 && part->triangle_count >= 0 && part->material >= 0 &&
                   part->material < c->material_count &&
                   part->first_triangle <= c->surface_triangle_count - part->triangle_count;
    }
    return is_valid;
}

/* A vertex in a tet needs a positive barycentric coordinate. */
static bool are_barycentrics_valid(const sn_model *model)
{
    bool is_valid = true;
    for (size_t v = 0; v < (size_t)model->counts.surface_vertex_count && is_valid; ++v) {
        const float *b = model->surface_barycentric + 4 * v;
        is_valid = isfinite(b[0]) && isfinite(b[1]) && isfinite(b[2]) && isfinite(b[3]) &&
                   (model->surface_tets[v] < 0 || b[0] > 0 || b[1] > 0 || b[2] > 0 || b[3] > 0);
    }
    return is_valid;
}

/* Every level must have fewer clusters than the one before. */
static bool are_levels_valid(const sn_model *model)
{
    const sn_model_counts *c = &model->counts;
    int limit = c->cluster_count;
    for (int level = 0; level < c->coarse_level_count; ++level) {
        const int count = model->coarse_cluster_counts[level];
        const int32_t *clusters = model->coarse_clusters + (size_t)level * (size_t)c->cluster_count;
        if (count < 1 || count >= limit || !all_within(clusters, c->cluster_count, 0, count)) {
            return false;
        }
        limit = count;
    }
    return true;
}

static bool is_toon_valid(const sn_model *model, const sn_toon_material *toon)
{
    enum { FIRST = offsetof(sn_toon_material, shade_color) };
    float values[(sizeof *toon - FIRST) / sizeof(float)], sum = 0;
    memcpy(values, (const uint8_t *)toon + FIRST, sizeof values);
    for (size_t i = 0; i < sizeof values / sizeof values[0]; ++i) {
        sum += 0 * values[i];
    }
    return sum == 0 && all_within(&toon->outline, 1, 0, SN_OUTLINE_COUNT) &&
           all_within(toon->textures, SN_TOON_TEXTURE_USE_COUNT, -1, model->counts.texture_count);
}

static bool are_surface_names_valid(const char *names, double name_bytes, int count)
{
    const int bytes = sn_model_valid_count(name_bytes, SN_SURFACE_NAME_LIMIT);
    return name_bytes == bytes && (bytes == 0 || are_names_valid(names, bytes, count));
}

/* Names of the surface, if there are any, and the text of a VRM are terminated. */
static bool are_texts_valid(const sn_model *model)
{
    const int bytes = sn_model_valid_count(model->vrm_bytes, SN_VRM_LIMIT);
    return are_surface_names_valid(model->material_names, model->material_name_bytes, model->counts.material_count) &&
           are_surface_names_valid(model->part_names, model->part_name_bytes, model->counts.part_count) &&
           model->vrm_bytes == bytes && (bytes == 0 || are_names_valid(model->vrm, bytes, 1));
}

static bool are_toons_valid(const sn_model *model)
{
    bool is_valid = model->toon_count == 0 || model->toon_count == model->counts.material_count;
    for (int i = 0; i < model->counts.material_count && is_valid && model->toon_count > 0; ++i) {
        is_valid = model->toons[i].is_toon == 0 || is_toon_valid(model, &model->toons[i]);
    }
    return is_valid;
}

static bool are_textures_valid(const sn_model *model)
{
    const sn_model_counts *c = &model->counts;
    bool is_valid = true;
    for (int i = 0; i < c->material_count && is_valid; ++i) {
        const sn_material *material = &model->materials[i];
        is_valid = all_within(material->textures, SN_TEXTURE_USE_COUNT, -1, c->texture_count) &&
                   all_within(material->uv_sets, SN_TEXTURE_USE_COUNT, 0, 2) &&
                   all_within(&material->alpha_mode, 1, 0, SN_ALPHA_MODE_COUNT);
    }
    for (int i = 0; i < c->texture_count && is_valid; ++i) {
        const sn_texture *texture = &model->textures[i];
        is_valid = texture->width > 0 && texture->height > 0 && texture->first_byte >= 0 &&
                   all_within(&texture->wrap_u, 1, 0, SN_WRAP_COUNT) &&
                   all_within(&texture->wrap_v, 1, 0, SN_WRAP_COUNT) &&
                   (int64_t)texture->width * texture->height <= ((int64_t)c->texture_bytes - texture->first_byte) / 4;
    }
    return is_valid;
}

static bool are_encoded_textures_valid(const sn_model *model)
{
    const int bytes = sn_model_valid_count(model->encoded_texture_bytes, SN_ENCODED_TEXTURE_LIMIT);
    bool is_valid = model->encoded_texture_bytes == bytes;
    for (int i = 0; i < model->counts.texture_count && is_valid && bytes > 0; ++i) {
        const sn_encoded_texture *encoded = &model->encoded_textures[i];
        is_valid = encoded->first_byte >= 0 && encoded->byte_count >= 0 &&
                   (int64_t)encoded->first_byte + encoded->byte_count <= bytes;
    }
    return is_valid;
}

static bool is_rigid(const float *m)
{
    bool is_valid = true;
    for (int a = 0; a < 3; ++a) {
        is_valid = is_valid && isfinite(m[4 * a + 3]);
        for (int b = 0; b <= a; ++b) {
            const float product = m[a] * m[b] + m[4 + a] * m[4 + b] + m[8 + a] * m[8 + b];
            is_valid = is_valid && fabsf(product - (a == b ? 1.0F : 0.0F)) <= 1e-3F;
        }
    }
    return is_valid;
}

static bool is_valid_size(float value)
{
    return value >= 0 && value < 1e9F;
}

static bool are_bone_colliders_valid(const sn_model *model)
{
    const int count = sn_model_valid_bone_collider_count(model);
    bool is_valid = model->bone_collider_count == count;
    for (int i = 0; i < count && is_valid; ++i) {
        const sn_bone_collider *c = &model->bone_colliders[i];
        is_valid = all_within(&c->bone, 1, 0, model->counts.bone_count) && is_valid_size(c->radius) &&
                   all_within(&c->shape, 1, SN_COLLIDER_PLANE, SN_COLLIDER_CAPSULE + 1) &&
                   is_valid_size(c->half_height) && is_valid_size(c->friction) && is_rigid(c->transform);
    }
    for (int64_t i = 0; i < (int64_t)count * model->counts.sample_count && is_valid; ++i) {
        is_valid = isfinite(model->sample_clearances[i]);
    }
    return is_valid;
}

static bool are_bounded(const float *values, int count)
{
    bool is_valid = true;
    for (int i = 0; i < count && is_valid; ++i) {
        is_valid = fabsf(values[i]) < 1e9F;
    }
    return is_valid;
}

static bool is_spring_joint_valid(const sn_model *model, int index)
{
    const sn_spring_joint *j = &model->spring_joints[index];
    const int links = (int)model->spring_link_count;
    return all_within(&j->bone, 1, 0, model->counts.bone_count) && all_within(&j->parent, 1, -1, index) &&
           all_within(&j->center, 1, -1, model->counts.bone_count) && j->first_link >= 0 && j->link_count >= 0 &&
           j->link_count <= SN_SPRING_SOLID_LIMIT && j->first_link <= links - j->link_count &&
           is_valid_size(j->stiffness) && is_valid_size(j->hit_radius) && j->drag >= 0 && j->drag <= 1 &&
           are_bounded(j->gravity, 3) && are_bounded(j->head, 3) && are_bounded(j->tail, 3) &&
           (j->head[0] != j->tail[0] || j->head[1] != j->tail[1] || j->head[2] != j->tail[2]);
}

static bool is_spring_solid_valid(const sn_model *model, int index)
{
    const sn_spring_solid *s = &model->spring_solids[index];
    const double normal[3] = {(double)s->end[0], (double)s->end[1], (double)s->end[2]};
    const bool is_plane = s->shape == SN_COLLIDER_PLANE;
    return all_within(&s->bone, 1, 0, model->counts.bone_count) &&
           all_within(&s->shape, 1, SN_COLLIDER_PLANE, SN_COLLIDER_CAPSULE + 1) &&
           all_within(&s->is_inside, 1, 0, is_plane ? 1 : 2) && is_valid_size(s->radius) &&
           are_bounded(s->location, 3) && are_bounded(s->end, 3) && (!is_plane || fabs(sn_length3(normal) - 1) < 1e-3);
}

static bool are_springs_valid(const sn_model *model)
{
    const int joints = sn_model_valid_count(model->spring_joint_count, SN_SPRING_JOINT_LIMIT);
    const int solids = sn_model_valid_count(model->spring_solid_count, SN_SPRING_SOLID_LIMIT);
    const int links = sn_model_valid_count(model->spring_link_count, SN_SPRING_LINK_LIMIT);
    bool is_valid = model->spring_joint_count == joints && model->spring_solid_count == solids &&
                    model->spring_link_count == links && model->soft_spring_count >= 0 &&
                    model->soft_spring_count <= model->counts.bone_count &&
                    all_within(model->spring_links, links, 0, solids) &&
                    all_within(model->spring_bones, joints > 0 ? model->counts.bone_count : 0, -1, joints) &&
                    (joints == 0 || (model->scale > 0 && isfinite(model->scale)));
    for (int i = 0; i < joints && is_valid; ++i) {
        is_valid = is_spring_joint_valid(model, i);
    }
    for (int i = 0; i < solids && is_valid; ++i) {
        is_valid = is_spring_solid_valid(model, i);
    }
    return is_valid;
}

/* All vertices of a flat body must be in the plane. */
static bool is_flat_valid(const sn_model *model)
{
    bool is_valid = model->is_flat == 0 || model->is_flat == 1;
    for (int64_t t = 0; t < model->counts.tet_count && is_valid && model->is_flat == 1; ++t) {
        is_valid = model->tets[4 * t + 3] == model->tets[4 * t + 2];
    }
    for (int64_t v = 0; v < model->counts.vertex_count && is_valid && model->is_flat == 1; ++v) {
        is_valid = model->rest_positions[3 * v + 2] == 0;
    }
    return is_valid;
}

static bool are_finite(const float *values, size_t count)
{
    bool is_valid = true;
    for (size_t i = 0; i < count && is_valid; ++i) {
        is_valid = isfinite(values[i]);
    }
    return is_valid;
}

static bool is_frame(const float *r)
{
    double frame[9];
    for (int i = 0; i < 9; ++i) {
        frame[i] = (double)r[i];
    }
    return sn_is_rotation3(frame);
}

/* NaN if a position is. */
static double tet_volume(const sn_model *model, size_t tet)
{
    const int32_t *corners = model->tets + 4 * tet;
    double edges[3][3], normal[3];
    for (size_t i = 0; i < 9; ++i) {
        edges[i / 3][i % 3] = (double)model->rest_positions[3 * (size_t)corners[1 + i / 3] + i % 3] -
                              (double)model->rest_positions[3 * (size_t)corners[0] + i % 3];
    }
    sn_cross3(edges[0], edges[1], normal);
    return sn_dot3(normal, edges[2]) / 6;
}

/* k (SN_STRAIN_STIFFNESS_COUNT). The volume stiffness must not be below the min shear stiffness, or an inverted tet
 * could be stable. */
static bool is_strain_stiffness(const float *k, double volume)
{
    bool is_valid = true;
    float max_stiffness = 0;
    for (int i = 0; i < SN_STRAIN_STIFFNESS_COUNT; ++i) {
        is_valid = is_valid && k[i] >= 0 && isfinite(k[i]);
        max_stiffness = fmaxf(max_stiffness, k[i]);
    }
    const float *shear = k + SN_STRAIN_SHEAR;
    return is_valid && (double)max_stiffness * volume >= MIN_STIFFNESS &&
           k[SN_STRAIN_VOLUME] >= 0.999F * fminf(shear[0], fminf(shear[1], shear[2]));
}

static bool is_strain_valid(const sn_model *model)
{
    const sn_model_counts *c = &model->counts;
    if (model->strain_type == SN_STRAIN_NONE) {
        return true;
    }
    bool is_valid = (model->strain_type == SN_STRAIN_GLOBAL || model->strain_type == SN_STRAIN_FRAMES) &&
                    model->is_flat == 0 &&
                    all_within(model->strain_attached_bones, c->vertex_count, -1, c->bone_count) &&
                    are_finite(model->rest_positions, 3 * (size_t)c->vertex_count) &&
                    are_finite(model->rig_weights, (size_t)c->vertex_count * (size_t)c->bone_count) &&
                    are_finite(model->vertex_mass, (size_t)c->vertex_count);
    for (int v = 0; v < c->vertex_count && is_valid; ++v) {
        is_valid = model->vertex_mass[v] >= MIN_MASS;
    }
    for (size_t t = 0; t < (size_t)c->tet_count && is_valid; ++t) {
        const double volume = tet_volume(model, t);
        is_valid = volume > 0 && is_strain_stiffness(model->strain_stiffness + SN_STRAIN_STIFFNESS_COUNT * t, volume) &&
                   (model->strain_type != SN_STRAIN_FRAMES || is_frame(model->strain_frames + 9 * t));
    }
    return is_valid;
}

static bool are_non_negative(const double *values, int count)
{
    bool is_valid = true;
    for (int i = 0; i < count && is_valid; ++i) {
        is_valid = isfinite(values[i]) && values[i] >= 0;
    }
    return is_valid;
}

/* Strain limits and decay rates. */
static bool is_response_valid(const sn_model *model)
{
    const sn_model_counts *c = &model->counts;
    return are_non_negative(&model->strain_limit_stiffness, 1) &&
           are_non_negative(model->cluster_strain_limits, c->cluster_count) &&
           are_non_negative(model->coordinate_decay, c->coordinate_count) &&
           are_non_negative(model->coordinate_tangent_stiffness, c->coordinate_count);
}

static bool are_flesh_parts_valid(const sn_model *model)
{
    const int count = sn_model_valid_count(model->flesh_part_count, SN_FLESH_PART_LIMIT);
    const int bytes = sn_model_valid_count(model->flesh_part_name_bytes, SN_FLESH_PART_NAME_LIMIT);
    bool is_valid = model->flesh_part_count == count && model->flesh_part_name_bytes == bytes &&
                    are_names_valid(model->flesh_part_names, bytes, count) &&
                    all_within(model->vertex_flesh_parts, count > 0 ? model->counts.vertex_count : 0, 0, count);
    for (int i = 0; i < count && is_valid; ++i) {
        const sn_flesh_part_record *p = &model->flesh_parts[i];
        is_valid = is_valid_size(p->frequency) && is_valid_size(p->min_frequency) && is_valid_size(p->max_frequency) &&
                   p->min_frequency <= p->max_frequency && is_valid_size(p->amplitude) &&
                   is_valid_size(p->max_amplitude) && is_valid_size(p->settling_time);
    }
    return is_valid;
}

sn_result sn_model_check_counts(const char *name, const sn_model_counts *c)
{
    const bool has_modes =
        c->mode_count >= 1 && c->cluster_count >= 1 && c->coordinate_count >= 1 &&
        (int64_t)c->coordinate_count + c->constrained_coordinate_count <= (int64_t)4 * c->mode_count &&
        c->min_mode_count >= 1 && c->min_mode_count <= c->mode_count && c->cluster_count <= c->tet_count;
    const bool has_none = c->mode_count == 0 && c->cluster_count == 0 && c->coordinate_count == 0 &&
                          c->constrained_coordinate_count == 0 && c->min_mode_count == 0 &&
                          c->coarse_level_count == 0 && c->morph_field_count == 0 && c->morph_pair_count == 0;
    if (c->vertex_count < 1 || c->tet_count < 1 || c->bone_count < 1 || !(has_modes || has_none)) {
        return sn_fail(SN_ERROR_FORMAT, "%s: the counts are inconsistent; the file is damaged", name);
    }
    return SN_OK;
}

sn_result sn_model_check_contents(const char *name, const sn_model *model)
{
    const sn_model_counts *c = &model->counts;
    if (!all_within(model->tets, (int64_t)4 * c->tet_count, 0, c->vertex_count) ||
        !all_within(model->triangles, (int64_t)3 * c->triangle_count, 0, c->vertex_count) ||
        !all_within(model->tet_clusters, c->cluster_count > 0 ? c->tet_count : 0, 0, c->cluster_count) ||
        !are_bones_valid(model) || !are_cages_valid(model) || !are_clips_valid(model) || !are_levels_valid(model) ||
        !is_surface_valid(model) || !are_textures_valid(model) || !are_toons_valid(model) ||
        !are_encoded_textures_valid(model) || !are_texts_valid(model) || !are_morphs_valid(model) ||
        !are_pairs_valid(model) || !are_expressions_valid(model)) {
        return sn_fail(SN_ERROR_FORMAT, "%s: an index is out of range; the file is damaged", name);
    }
    int bone = 0;
    if (find_circle(model, &bone) != SN_OK) {
        return SN_ERROR_MEMORY;
    }
    if (bone >= 0) {
        return sn_fail(SN_ERROR_FORMAT, "%s: bone %d is its own ancestor; the file is damaged", name, bone);
    }
    if (!are_barycentrics_valid(model)) {
        return sn_fail(SN_ERROR_FORMAT, "%s: invalid barycentric coordinates of the surface; the file is damaged",
                       name);
    }
    if (!is_flat_valid(model)) {
        return sn_fail(SN_ERROR_FORMAT, "%s: a flat body is not flat; the file is damaged", name);
    }
    if (!are_bone_colliders_valid(model)) {
        return sn_fail(SN_ERROR_FORMAT, "%s: invalid colliders on bones; the file is damaged", name);
    }
    if (!are_springs_valid(model)) {
        return sn_fail(SN_ERROR_FORMAT, "%s: invalid spring bone table; the file is damaged", name);
    }
    if (!is_strain_valid(model)) {
        return sn_fail(SN_ERROR_FORMAT, "%s: invalid strain data of layered bodies; the file is damaged", name);
    }
    if (!is_response_valid(model)) {
        return sn_fail(SN_ERROR_FORMAT, "%s: invalid strain limits or decay rates; the file is damaged", name);
    }
    if (!are_flesh_parts_valid(model)) {
        return sn_fail(SN_ERROR_FORMAT, "%s: invalid table of flesh parts; the file is damaged", name);
    }
    if (!(model->generated_clip_count >= 0 && model->generated_clip_count <= model->counts.clip_count)) {
        return sn_fail(SN_ERROR_FORMAT, "%s: invalid count of generated clips; the file is damaged", name);
    }
    if (model->has_roles != 0 && model->has_roles != 1) {
        return sn_fail(SN_ERROR_FORMAT, "%s: has_roles is not 0 or 1; the file is damaged", name);
    }
    if (model->is_posed != 0 && model->is_posed != 1) {
        return sn_fail(SN_ERROR_FORMAT, "%s: is_posed is not 0 or 1; the file is damaged", name);
    }
    if (!(model->scale > 0) || !(model->diagonal > 0) || !isfinite(model->scale) || !isfinite(model->diagonal)) {
        return sn_fail(SN_ERROR_FORMAT, "%s: the scale is not positive; the file is damaged", name);
    }
    return SN_OK;
}
