/* SPDX-License-Identifier: MIT */
/* Model queries: counts, names, clips, morph targets. */
#include "host/model/model.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "host/math/affine.h"

/* Name at an index of a packed list of strings; null if out of range. */
static const char *name_at(const char *names, int count, int index)
{
    if (index < 0 || index >= count) {
        return NULL;
    }
    for (int i = 0; i < index; ++i) {
        names += strlen(names) + 1;
    }
    return names;
}

int sn_model_vertex_count(const sn_model *model)
{
    return model->counts.vertex_count;
}

int sn_model_tet_count(const sn_model *model)
{
    return model->counts.tet_count;
}

int sn_model_bone_count(const sn_model *model)
{
    return model->counts.bone_count;
}

double sn_model_scale(const sn_model *model)
{
    return model->scale;
}

void sn_model_origin(const sn_model *model, double origin[3])
{
    origin[0] = model->origin_x;
    origin[1] = model->origin_y;
    origin[2] = model->origin_z;
}

const char *sn_model_bone_name(const sn_model *model, int bone)
{
    return name_at(model->bone_names, model->counts.bone_count, bone);
}

int sn_model_bone_parent(const sn_model *model, int bone)
{
    SN_ASSERT(bone >= 0 && bone < model->counts.bone_count);
    return model->bone_parents[bone];
}

void sn_model_bone_pivot(const sn_model *model, int bone, double pivot[3])
{
    SN_ASSERT(bone >= 0 && bone < model->counts.bone_count);
    for (int d = 0; d < 3; ++d) {
        pivot[d] = (double)model->bone_pivots[3 * bone + d];
    }
}

bool sn_model_is_bone_stretchable(const sn_model *model, int bone)
{
    SN_ASSERT(bone >= 0 && bone < model->counts.bone_count);
    return model->bone_types[bone] == SN_BONE_STRETCHABLE;
}

bool sn_model_is_bone_translation_only(const sn_model *model, int bone)
{
    return bone >= 0 && bone < model->counts.bone_count && model->bone_types[bone] == SN_BONE_TRANSLATION;
}

double sn_model_mass(const sn_model *model)
{
    return model->total_mass;
}

double sn_model_young_modulus(const sn_model *model)
{
    return model->young;
}

bool sn_model_is_flat(const sn_model *model)
{
    return model->is_flat == 1;
}

bool sn_model_is_layered(const sn_model *model)
{
    return model->strain_type > SN_STRAIN_NONE;
}

int sn_model_mode_count(const sn_model *model)
{
    return model->counts.mode_count;
}

int sn_model_level_mode_count(const sn_model *model, int mode_count)
{
    const int all = model->counts.mode_count, min_count = model->counts.min_mode_count;
    const int requested = mode_count < min_count ? min_count : mode_count;
    return mode_count > 0 && requested < all ? requested : all;
}

int sn_model_cluster_count(const sn_model *model)
{
    return model->counts.cluster_count;
}

int sn_model_cluster_level_count(const sn_model *model)
{
    return 1 + model->counts.coarse_level_count;
}

int sn_model_level_cluster_count(const sn_model *model, int level)
{
    SN_ASSERT(level >= 0 && level <= model->counts.coarse_level_count);
    return level == 0 ? model->counts.cluster_count : model->coarse_cluster_counts[level - 1];
}

int sn_model_clip_count(const sn_model *model)
{
    return model->counts.clip_count;
}

const char *sn_model_clip_name(const sn_model *model, int clip)
{
    return name_at(model->clip_names, model->counts.clip_count, clip);
}

double sn_model_clip_seconds(const sn_model *model, int clip)
{
    if (clip < 0 || clip >= model->counts.clip_count) {
        return 0;
    }
    return (model->clip_frame_counts[clip] - 1) / model->clip_frame_rates[clip];
}

double sn_model_bone_area(const sn_model *model, int sample, int bone)
{
    const size_t v = (size_t)model->sample_vertices[sample];
    double weight = 0;
    for (int32_t i = model->influence_starts[v]; i < model->influence_starts[v + 1]; ++i) {
        weight += model->influences[i].bone == bone ? (double)model->influences[i].weight : 0;
    }
    return (double)model->sample_areas[sample] * weight;
}

bool sn_model_is_vertex_rigid(const sn_model *model, size_t vertex)
{
    if (model->counts.mode_count == 0) {
        return model->surface_tets[vertex] < 0;
    }
    const size_t modes = (size_t)model->counts.mode_count;
    for (size_t j = 0; j < modes; ++j) {
        if (model->surface_modes[vertex * modes + j].weight != 0) {
            return false;
        }
    }
    return true;
}

int sn_model_clip_start(const sn_model *model, int clip)
{
    int start = 0;
    for (int i = 0; i < clip; ++i) {
        start += model->clip_frame_counts[i];
    }
    return start;
}

int sn_model_find_clip(const sn_model *model, const char *name)
{
    for (int i = 0; i < model->counts.clip_count; ++i) {
        if (strcmp(sn_model_clip_name(model, i), name) == 0) {
            return i;
        }
    }
    return -1;
}

/* A position between two frames, which are numbered over all clips. */
typedef struct frame_interval {
    size_t from, to;
    double fraction;
} frame_interval;

static frame_interval find_interval(const sn_model *model, int clip, double seconds)
{
    const int frame_count = model->clip_frame_counts[clip];
    const double period = sn_model_clip_seconds(model, clip);
    double time = period > 0 && isfinite(seconds) ? fmod(seconds, period) : 0;
    time += time < 0 ? period : 0;
    /* rounding tolerance, so that sampling at the frame rate returns exact frames */
    const double position = time * model->clip_frame_rates[clip] + 1e-9;
    const int frame = (int)position < frame_count - 1 ? (int)position : frame_count - 1;
    const int next = frame + 1 < frame_count ? frame + 1 : frame;
    const size_t start = (size_t)sn_model_clip_start(model, clip);
    return (frame_interval){start + (size_t)frame, start + (size_t)next, fmax(position - frame - 1e-9, 0)};
}

/* Interpolates entry i of a table with one row of `width` per frame. */
static double blend_rows(const float *rows, size_t width, const frame_interval *interval, size_t i)
{
    const double a = (double)rows[interval->from * width + i], b = (double)rows[interval->to * width + i];
    return a + interval->fraction * (b - a);
}

void sn_model_sample_clip(const sn_model *model, int clip, double seconds, double *pose)
{
    const frame_interval interval = find_interval(model, clip, seconds);
    const size_t width = 12 * (size_t)model->counts.bone_count;
    for (size_t i = 0; i < width; ++i) {
        pose[i] = blend_rows(model->clip_transforms, width, &interval, i);
    }
}

bool sn_model_has_rest_pose_only(const sn_model *model)
{
    return model->counts.clip_count == 1 && model->clip_frame_counts[0] == 1;
}

void sn_model_rest_pose(const sn_model *model, double *pose)
{
    for (int bone = 0; bone < model->counts.bone_count; ++bone) {
        sn_affine_identity(pose + 12 * (size_t)bone);
    }
    if (sn_model_has_rest_pose_only(model)) {
        sn_model_sample_clip(model, 0, 0, pose);
    }
}

void sn_model_hop(const sn_model *model, double seconds, double *pose)
{
    const bool is_flat = sn_model_is_flat(model);
    const double pi = 3.14159265358979323846, angle = pi / (is_flat ? 18 : 9) * sin(pi * seconds);
    const double c = cos(angle), s = sin(angle);
    const double height = 0.05 * model->diagonal * 0.5 * (1 - cos(3 * pi * seconds));
    const double hop[12] = {c, 0, s, 0, 0, 1, 0, height, -s, 0, c, 0};
    const double lean[12] = {c, -s, 0, 0, s, c, 0, height, 0, 0, 1, 0};
    sn_model_rest_pose(model, pose);
    for (int bone = 0; bone < model->counts.bone_count; ++bone) {
        double rest[12];
        memcpy(rest, pose + 12 * (size_t)bone, sizeof rest);
        sn_affine_multiply(is_flat ? lean : hop, rest, pose + 12 * (size_t)bone);
    }
}

void sn_model_clip_pose(const sn_model *model, int clip, double seconds, sn_mat3x4 *bones, int count)
{
    SN_ASSERT(clip >= 0 && clip < model->counts.clip_count && count == model->counts.bone_count);
    const frame_interval interval = find_interval(model, clip, seconds);
    const size_t width = 12 * (size_t)count;
    for (size_t i = 0; i < width; ++i) {
        bones[i / 12].m[i % 12 / 4][i % 4] = (float)blend_rows(model->clip_transforms, width, &interval, i);
    }
}

/* ---- colliders on bones ---- */

int sn_model_bone_collider_count(const sn_model *model)
{
    return sn_model_valid_bone_collider_count(model);
}

sn_model_bone_collider sn_model_get_bone_collider(const sn_model *model, int collider)
{
    static const char *const shapes[] = {
        [SN_COLLIDER_PLANE] = "plane", [SN_COLLIDER_SPHERE] = "sphere", [SN_COLLIDER_CAPSULE] = "capsule"};
    const size_t count = (size_t)sn_model_valid_bone_collider_count(model);
    SN_ASSERT(collider >= 0 && (size_t)collider < count);
    const sn_bone_collider *c = &model->bone_colliders[collider];
    sn_model_bone_collider result = {.bone = c->bone,
                                     .shape = shapes[c->shape],
                                     .radius = c->radius,
                                     .half_height = c->half_height,
                                     .friction = c->friction};
    memcpy(result.transform.m, c->transform, sizeof c->transform);
    for (size_t s = 0; s < (size_t)model->counts.sample_count; ++s) {
        result.sample_count += model->sample_clearances[s * count + (size_t)collider] > -FLT_MAX;
    }
    return result;
}

/* ---- parts of anchored flesh ---- */

int sn_model_flesh_part_count(const sn_model *model)
{
    return (int)model->flesh_part_count;
}

sn_model_flesh_part sn_model_get_flesh_part(const sn_model *model, int part)
{
    SN_ASSERT(part >= 0 && part < sn_model_flesh_part_count(model));
    const sn_flesh_part_record *record = &model->flesh_parts[part];
    const char *name = model->flesh_part_names;
    for (int i = 0; i < part; ++i) {
        name += strlen(name) + 1;
    }
    return (sn_model_flesh_part){.name = name,
                                 .frequency = record->frequency,
                                 .amplitude = record->amplitude,
                                 .settling_time = record->settling_time};
}

/* ---- spring bones ---- */

int sn_model_spring_count(const sn_model *model)
{
    return (int)model->spring_joint_count;
}

int sn_model_spring_collider_count(const sn_model *model)
{
    return (int)model->spring_solid_count;
}

sn_model_spring sn_model_get_spring(const sn_model *model, int spring)
{
    SN_ASSERT(spring >= 0 && spring < sn_model_spring_count(model));
    const sn_spring_joint *j = &model->spring_joints[spring];
    sn_model_spring result = {.bone = j->bone,
                              .parent = j->parent,
                              .center = j->center,
                              .collider_count = j->link_count,
                              .stiffness = j->stiffness,
                              .drag = j->drag,
                              .hit_radius = j->hit_radius};
    memcpy(result.gravity, j->gravity, sizeof result.gravity);
    memcpy(result.head, j->head, sizeof result.head);
    memcpy(result.tail, j->tail, sizeof result.tail);
    return result;
}

/* ---- morph targets ---- */

int sn_model_morph_count(const sn_model *model)
{
    return model->counts.morph_count;
}

const char *sn_model_morph_name(const sn_model *model, int morph)
{
    return name_at(model->morph_names, model->counts.morph_count, morph);
}

void sn_model_default_morphs(const sn_model *model, float *weights, int count)
{
    SN_ASSERT(count == model->counts.morph_count);
    for (int m = 0; m < count; ++m) {
        weights[m] = model->morph_default_weights[m];
    }
}

void sn_model_clip_morphs(const sn_model *model, int clip, double seconds, float *weights, int count)
{
    SN_ASSERT(clip >= 0 && clip < model->counts.clip_count);
    const frame_interval interval = find_interval(model, clip, seconds);
    const size_t width = (size_t)model->counts.morph_track_count;
    sn_model_default_morphs(model, weights, count);
    for (size_t i = 0; i < width; ++i) {
        weights[model->morph_tracks[i]] = (float)blend_rows(model->clip_morphs, width, &interval, i);
    }
}

const char *sn_model_material_name(const sn_model *model, int material)
{
    return model->material_name_bytes > 0 ? name_at(model->material_names, model->counts.material_count, material) : "";
}

const char *sn_model_part_name(const sn_model *model, int part)
{
    return model->part_name_bytes > 0 ? name_at(model->part_names, model->counts.part_count, part) : "";
}

int sn_model_expression_count(const sn_model *model)
{
    return model->counts.expression_count;
}

const char *sn_model_expression_name(const sn_model *model, int expression)
{
    return name_at(model->expression_names, model->counts.expression_count, expression);
}

static void add_expression(const sn_model *model, const sn_expression *e, float effect, float *weights)
{
    for (int i = e->first_bind; i < e->first_bind + e->bind_count; ++i) {
        weights[model->expression_binds[i].morph] += effect * model->expression_binds[i].weight;
    }
}

void sn_model_add_expression(const sn_model *model, int expression, float value, float *weights, int count)
{
    SN_ASSERT(expression >= 0 && expression < model->counts.expression_count && count == model->counts.morph_count);
    static const float shares[SN_EXPRESSION_GROUP_COUNT] = {1, 1, 1};
    add_expression(model, &model->expressions[expression],
                   sn_expression_effect(&model->expressions[expression], value, shares), weights);
}

void sn_model_add_expressions(const sn_model *model, const float *values, float *weights, int count)
{
    SN_ASSERT(count == model->counts.morph_count);
    float shares[SN_EXPRESSION_GROUP_COUNT];
    sn_expressions_find_shares(model->expressions, model->counts.expression_count, values, shares);
    for (int i = 0; i < model->counts.expression_count; ++i) {
        if (values[i] != 0) {
            add_expression(model, &model->expressions[i],
                           sn_expression_effect(&model->expressions[i], values[i], shares), weights);
        }
    }
}
