/* SPDX-License-Identifier: MIT */
/* Plans the camera. Sample vertices, spread over the surface, are skinned by the rig's pose in some frames. The camera
 * path is their smoothed center; the camera is placed at the minimum distance from which it sees all samples. Scenery
 * (scenery.h) is ignored. */
#include "runtime/camera/stage.h"

#include <math.h>
#include <string.h>

#include "host/math/affine.h"
#include "runtime/camera/portrait.h"
#include "runtime/camera/scenery.h"

#define SAMPLE_LIMIT 400
#define CANDIDATE_LIMIT 20000
#define CENTER_PASSES 4 /* each pass reduces the remaining offset to a small fraction */
#define RADIANS(degrees) ((degrees) * (3.14159265358979323846 / 180))
#define EXTENT_LIMIT 1e15 /* the renderer uses single precision */

static const struct {
    double vertical_angle, pitch, yaw, side_yaw; /* radians */
    double side_length; /* depth / width above which a model (an animal) is viewed from the side */
    double margin;      /* factor on the picture's half size */
    double smoothing;   /* standard deviation of the path filter, seconds */
    double light[3];    /* direction towards the light: right of the camera, up, towards the camera */
    float light_size, radiance[3], sky[3], ground[3], background[3];
} studio = {
    .vertical_angle = RADIANS(30),
    .pitch = RADIANS(12),
    .yaw = RADIANS(35),
    .side_yaw = RADIANS(60),
    .side_length = 1.5,
    .margin = 1.12,
    .smoothing = 0.5,
    .light = {-0.55, 1, 0.6},
    .light_size = 0.12F,
    .radiance = {0.80F, 0.77F, 0.72F},
    .sky = {0.40F, 0.43F, 0.47F},
    .ground = {0.26F, 0.25F, 0.24F},
    .background = {0.62F, 0.63F, 0.64F},
};

typedef struct plan_context {
    const sn_stage_desc *desc;
    sn_arena arena;
    double *pose;  /* (bone_count x 12) */
    float *morphs; /* (morph_count) */
    sn_surface skin;
    int vertex_count; /* of the surface, or of the tet mesh if there is no surface */
    const float *rest;
    int *included; /* (included_count) vertices that are not scenery, ascending */
    int included_count;
    int *framed; /* (framed_count) those of the included ones that the picture shows */
    int framed_count;
    int *samples; /* (sample_count) vertex indices */
    int sample_count;
    double (*points)[3];  /* (key_count x sample_count) positions, transformed to camera axes by to_camera_axes */
    double (*centers)[2]; /* (key_count) mean of the samples, x and z */
} plan_context;

/* Orthonormal camera axes: right, up, backward (away from the target). */
static void camera_axes(double yaw, double axes[3][3])
{
    const double s = sin(yaw), c = cos(yaw), sp = sin(studio.pitch), cp = cos(studio.pitch);
    memcpy(axes, (double[3][3]){{c, 0, -s}, {-s * sp, cp, -c * sp}, {-s * cp, -sp, -c * cp}}, 9 * sizeof(double));
}

static void skin_vertex(const plan_context *p, int vertex, double position[3])
{
    const sn_model *m = p->desc->model;
    const float *x = p->rest + 3 * (size_t)vertex;
    double rest[3] = {x[0], x[1], x[2]};
    const bool is_surface = m->counts.surface_vertex_count > 0;
    const int first = is_surface ? m->influence_starts[vertex] : 0;
    const int last = is_surface ? m->influence_starts[vertex + 1] : m->counts.bone_count;
    memset(position, 0, 3 * sizeof(double));
    if (is_surface) {
        sn_skin_morph(&p->skin, vertex, p->morphs, rest);
    }
    for (int i = first; i < last; ++i) {
        const int bone = is_surface ? m->influences[i].bone : i;
        const double weight =
            (double)(is_surface ? m->influences[i].weight
                                : m->rig_weights[(size_t)vertex * (size_t)m->counts.bone_count + (size_t)i]);
        double moved[3];
        sn_affine_apply(p->pose + 12 * (size_t)bone, rest, moved);
        for (int d = 0; d < 3; ++d) {
            position[d] += weight * moved[d];
        }
    }
}

static double squared_distance(const float *a, const float *b)
{
    const double x = a[0] - b[0], y = a[1] - b[1], z = a[2] - b[2];
    return x * x + y * y + z * z;
}

/* The vertex with the maximum extent in a direction. */
static int extreme_vertex(const plan_context *p, int x, int y, int z)
{
    int max_index = 0;
    double max_extent = -INFINITY;
    for (int i = 0; i < p->framed_count; ++i) {
        const int v = p->framed[i];
        const float *at = p->rest + 3 * (size_t)v;
        const double bound = (double)at[0] * x + (double)at[1] * y + (double)at[2] * z;
        if (bound > max_extent) {
            max_extent = bound;
            max_index = v;
        }
    }
    return max_index;
}

/* Samples the extreme vertices in the 26 directions to the neighbours in a grid. Farthest-point sampling alone may skip
 * such corners. */
static void choose_extremes(plan_context *p)
{
    for (int i = 0; i < 27; ++i) {
        if (i != 13) {
            p->samples[p->sample_count++] = extreme_vertex(p, i % 3 - 1, i / 3 % 3 - 1, i / 9 - 1);
        }
    }
}

/* Updates the candidates' distances to the sample set after adding one sample; returns the farthest candidate. */
static int cover(const plan_context *p, int sample, int stride, int count, double *distances)
{
    const float *chosen = p->rest + 3 * (size_t)sample;
    int max_index = 0;
    for (int i = 0; i < count; ++i) {
        distances[i] = fmin(distances[i], squared_distance(p->rest + 3 * (size_t)p->framed[i * stride], chosen));
        max_index = distances[i] > distances[max_index] ? i : max_index;
    }
    return max_index;
}

/* Farthest-point sampling, seeded with the extreme vertices: tips of tails and fingers come first. */
static sn_result choose_samples(plan_context *p)
{
    const int stride = 1 + (p->framed_count - 1) / CANDIDATE_LIMIT, count = (p->framed_count - 1) / stride + 1;
    double *distances = SN_NEW(&p->arena, double, count);
    p->samples = SN_NEW(&p->arena, int, SAMPLE_LIMIT);
    if (!distances || !p->samples) {
        return SN_ERROR_MEMORY;
    }
    for (int i = 0; i < count; ++i) {
        distances[i] = INFINITY;
    }
    choose_extremes(p);
    int max_index = 0;
    for (int k = 0; k < p->sample_count; ++k) {
        max_index = cover(p, p->samples[k], stride, count, distances);
    }
    while (p->sample_count < SAMPLE_LIMIT && distances[max_index] > 0) {
        const int sample = p->framed[max_index * stride];
        p->samples[p->sample_count++] = sample;
        max_index = cover(p, sample, stride, count, distances);
    }
    return SN_OK;
}

static sn_result allocate(plan_context *p, int key_count)
{
    const sn_model_counts *c = &p->desc->model->counts;
    const bool is_surface = c->surface_vertex_count > 0;
    p->vertex_count = is_surface ? c->surface_vertex_count : c->vertex_count;
    p->rest = is_surface ? p->desc->model->surface_positions : p->desc->model->rest_positions;
    p->included = SN_NEW(&p->arena, int, p->vertex_count);
    p->framed = SN_NEW(&p->arena, int, p->vertex_count);
    if (!p->included || !p->framed) {
        return SN_ERROR_MEMORY;
    }
    p->included_count = sn_scenery_exclude(p->desc->model, p->rest, p->vertex_count, p->included);
    memcpy(p->framed, p->included, (size_t)p->included_count * sizeof *p->framed);
    p->framed_count = p->included_count;
    if (p->desc->view == SN_VIEW_PORTRAIT) {
        p->framed_count = sn_portrait_choose(p->desc->model, p->rest, p->framed, p->framed_count);
    }
    const sn_result result = choose_samples(p);
    if (result != SN_OK) {
        return result;
    }
    p->skin = sn_model_surface(p->desc->model);
    p->pose = SN_NEW(&p->arena, double, 12 * (size_t)c->bone_count);
    p->morphs = SN_NEW(&p->arena, float, c->morph_count);
    p->points = sn_arena_alloc(&p->arena, (size_t)key_count * (size_t)p->sample_count, sizeof *p->points);
    p->centers = sn_arena_alloc(&p->arena, (size_t)key_count, sizeof *p->centers);
    return p->pose && p->morphs && p->points && p->centers ? SN_OK : SN_ERROR_MEMORY;
}

static int key_frame(const sn_stage *stage, int key)
{
    return stage->key_count < 2 ? 0 : (int)((int64_t)key * (stage->frame_count - 1) / (stage->key_count - 1));
}

static int point_count(const plan_context *p, const sn_stage *stage)
{
    return stage->key_count * p->sample_count;
}

static double (*key_points(const plan_context *p, int key))[3]
{
    return p->points + (size_t)key * (size_t)p->sample_count;
}

static sn_result skin_keys(plan_context *p, const sn_stage *stage)
{
    for (int key = 0; key < stage->key_count; ++key) {
        double(*points)[3] = key_points(p, key);
        p->desc->pose(key_frame(stage, key), p->pose, p->morphs, p->desc->pose_user);
        for (int i = 0; i < p->sample_count; ++i) {
            skin_vertex(p, p->samples[i], points[i]);
            const double bound = fmax(fabs(points[i][0]), fmax(fabs(points[i][1]), fabs(points[i][2])));
            if (!(points[i][0] + points[i][1] + points[i][2] < INFINITY && bound < EXTENT_LIMIT)) {
                return sn_fail(SN_ERROR_ARGUMENT, "%s: frame %d: the pose is not finite or too large to draw",
                               p->desc->name, key_frame(stage, key));
            }
            p->centers[key][0] += points[i][0] / p->sample_count;
            p->centers[key][1] += points[i][2] / p->sample_count;
        }
    }
    return SN_OK;
}

/* Size of the samples' bounding box in the first frame. */
static void first_size(const plan_context *p, double size[3])
{
    for (int d = 0; d < 3; ++d) {
        double low = INFINITY, high = -INFINITY;
        for (int i = 0; i < p->sample_count; ++i) {
            low = fmin(low, p->points[i][d]);
            high = fmax(high, p->points[i][d]);
        }
        size[d] = high - low;
    }
}

/* Minimum height over all vertices, in the frame in which a sample is lowest. */
static double find_ground(plan_context *p, const sn_stage *stage)
{
    double min_height = INFINITY;
    int min_key = 0;
    for (int i = 0; i < point_count(p, stage); ++i) {
        if (p->points[i][1] < min_height) {
            min_height = p->points[i][1];
            min_key = i / p->sample_count;
        }
    }
    p->desc->pose(key_frame(stage, min_key), p->pose, p->morphs, p->desc->pose_user);
    for (int i = 0; i < p->included_count; ++i) {
        double position[3];
        skin_vertex(p, p->included[i], position);
        min_height = fmin(min_height, position[1]);
    }
    return min_height;
}

static bool is_travelling(const plan_context *p, int key_count, const double size[3])
{
    double extent = 0;
    for (int d = 0; d < 2; ++d) {
        double low = INFINITY, high = -INFINITY;
        for (int key = 0; key < key_count; ++key) {
            low = fmin(low, p->centers[key][d]);
            high = fmax(high, p->centers[key][d]);
        }
        extent = fmax(extent, high - low);
    }
    return extent > fmax(size[0], fmax(size[1], size[2]));
}

/* Gaussian filter over the key frames. The path is extended by point reflection at its ends, so that the camera neither
 * starts nor stops before the character. */
static void smooth_path(const plan_context *p, sn_stage *stage)
{
    const int last = stage->key_count - 1;
    const double key_seconds = p->desc->seconds_per_frame * (stage->frame_count - 1) / last;
    const double deviation = fmin(studio.smoothing / key_seconds, SN_STAGE_KEY_LIMIT);
    const int bound = (int)ceil(3 * deviation) < last ? (int)ceil(3 * deviation) : last;
    for (int key = 0; key <= last; ++key) {
        double sum[2] = {0}, weight_sum = 0;
        for (int k = -bound; k <= bound; ++k) {
            const double weight = exp(-0.5 * (k / deviation) * (k / deviation));
            const int at = key + k, clamped_key = at < 0 ? -at : at > last ? 2 * last - at : at;
            for (int d = 0; d < 2; ++d) {
                const double value = p->centers[clamped_key][d], end = p->centers[at < 0 ? 0 : last][d];
                sum[d] += weight * (at == clamped_key ? value : 2 * end - value);
            }
            weight_sum += weight;
        }
        stage->path[key][0] = sum[0] / weight_sum;
        stage->path[key][1] = sum[1] / weight_sum;
    }
}

/* Converts the points to coordinates relative to the path, in camera axes. */
static void to_camera_axes(plan_context *p, const sn_stage *stage, const double axes[3][3])
{
    for (int i = 0; i < point_count(p, stage); ++i) {
        double *at = p->points[i];
        const double *path = stage->path[i / p->sample_count];
        const double x = at[0] - path[0], y = at[1], z = at[2] - path[1];
        for (int d = 0; d < 3; ++d) {
            at[d] = axes[d][0] * x + axes[d][1] * y + axes[d][2] * z;
        }
    }
}

/* Moves the target along the camera axes. */
static void move_center(plan_context *p, sn_stage *stage, const double axes[3][3], const double offset[3])
{
    for (int d = 0; d < 3; ++d) {
        for (int i = 0; i < point_count(p, stage); ++i) {
            p->points[i][d] -= offset[d];
        }
        for (int k = 0; k < 3; ++k) {
            stage->center[k] += offset[d] * axes[d][k];
        }
    }
}

/* Center of the points' bounding box. If the camera distance is known: of their box in the perspective picture. */
static void find_box_center(const plan_context *p, const sn_stage *stage, double box_center[3])
{
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (int i = 0; i < point_count(p, stage); ++i) {
        for (int d = 0; d < 3; ++d) {
            const double depth = stage->distance > 0 && d < 2 ? 1 + p->points[i][2] / stage->distance : 1;
            low[d] = fmin(low[d], p->points[i][d] / depth);
            high[d] = fmax(high[d], p->points[i][d] / depth);
        }
    }
    for (int d = 0; d < 3; ++d) {
        box_center[d] = (low[d] + high[d]) / 2;
    }
}

/* Minimum distance from which every point is inside the picture, with the margin. */
static void fit_distance(const plan_context *p, sn_stage *stage)
{
    const double vertical = tan(studio.vertical_angle / 2) / studio.margin;
    const double horizontal = vertical * p->desc->width / p->desc->height;
    double distance = 0, radius = 0;
    for (int i = 0; i < point_count(p, stage); ++i) {
        const double *at = p->points[i];
        distance = fmax(distance, fmax(fabs(at[0]) / horizontal, fabs(at[1]) / vertical) - at[2]);
        radius = fmax(radius, sqrt(at[0] * at[0] + at[1] * at[1] + at[2] * at[2]));
    }
    /* a model of zero size counts as one unit large */
    stage->radius = radius > 0 ? studio.margin * radius : 1;
    stage->distance = fmax(distance, 1.05 * stage->radius);
}

static void frame_points(plan_context *p, sn_stage *stage)
{
    double axes[3][3], box_center[3];
    camera_axes(stage->yaw, axes);
    to_camera_axes(p, stage, axes);
    for (int pass = 0; pass < CENTER_PASSES; ++pass) {
        find_box_center(p, stage, box_center);
        move_center(p, stage, axes, box_center);
        fit_distance(p, stage);
    }
}

static void plan_view(plan_context *p, sn_stage *stage)
{
    double size[3];
    first_size(p, size);
    static const double yaws[SN_VIEW_COUNT] = {
        [SN_VIEW_SIDE] = RADIANS(90), [SN_VIEW_BACK] = RADIANS(180), [SN_VIEW_PORTRAIT] = RADIANS(25)};
    stage->yaw = yaws[p->desc->view];
    if (p->desc->view == SN_VIEW_AUTOMATIC) {
        stage->yaw = size[2] > studio.side_length * size[0] ? studio.side_yaw : studio.yaw;
    }
    stage->yaw += p->desc->model->facing < 0 ? RADIANS(180) : 0; /* view it from the front */
    stage->ground_height = find_ground(p, stage);
    if (is_travelling(p, stage->key_count, size)) {
        smooth_path(p, stage);
    }
    frame_points(p, stage);
}

sn_result sn_stage_plan(const sn_stage_desc *desc, sn_stage *stage)
{
    SN_ASSERT(desc && desc->model && desc->pose && stage && desc->frame_count > 0 && desc->seconds_per_frame > 0);
    SN_ASSERT(desc->width > 0 && desc->height > 0);
    plan_context p = {.desc = desc};
    *stage = (sn_stage){.frame_count = desc->frame_count};
    stage->key_count = desc->frame_count < SN_STAGE_KEY_LIMIT ? desc->frame_count : SN_STAGE_KEY_LIMIT;
    sn_result result = allocate(&p, stage->key_count);
    if (result == SN_OK) {
        result = skin_keys(&p, stage);
    }
    if (result == SN_OK) {
        plan_view(&p, stage);
    }
    sn_arena_finish(&p.arena);
    return result;
}

static void find_target(const sn_stage *stage, double frame, double target[3])
{
    const double at = stage->frame_count < 2 ? 0 : frame * (stage->key_count - 1) / (stage->frame_count - 1);
    const int key = (int)at, next = key + 1 < stage->key_count ? key + 1 : key;
    memcpy(target, stage->center, 3 * sizeof(double));
    for (int d = 0; d < 2; ++d) {
        target[2 * d] += stage->path[key][d] + (at - key) * (stage->path[next][d] - stage->path[key][d]);
    }
}

static void set_camera(const sn_stage *stage, const double axes[3][3], const double target[3], sn_camera *camera)
{
    *camera = (sn_camera){.vertical_angle = (float)studio.vertical_angle,
                          .near_distance = (float)fmax(stage->distance - 1.5 * stage->radius, 0.02 * stage->distance),
                          .far_distance = (float)(stage->distance + 30 * stage->radius)};
    for (int d = 0; d < 3; ++d) {
        camera->target[d] = (float)target[d];
        camera->eye[d] = (float)(target[d] - stage->distance * axes[2][d]);
    }
}

double sn_stage_pitch(void)
{
    return studio.pitch;
}

double sn_stage_vertical_angle(void)
{
    return studio.vertical_angle;
}

void sn_stage_scene(const sn_stage *stage, double frame, sn_render_scene *scene)
{
    SN_ASSERT(frame >= 0 && frame <= stage->frame_count - 1);
    double axes[3][3], target[3];
    camera_axes(stage->yaw, axes);
    find_target(stage, frame, target);
    *scene = (sn_render_scene){
        .light_size = studio.light_size,
        .bounds_radius = (float)stage->radius,
        .has_ground = true,
        .ground_height = (float)stage->ground_height,
    };
    set_camera(stage, axes, target, &scene->camera);
    const double s = sin(stage->yaw), c = cos(stage->yaw);
    const double right_offset = studio.light[0], front_offset = studio.light[2];
    scene->light_direction[0] = (float)-(right_offset * c + front_offset * s);
    scene->light_direction[1] = (float)-studio.light[1];
    scene->light_direction[2] = (float)-(front_offset * c - right_offset * s);
    for (int d = 0; d < 3; ++d) {
        scene->bounds_center[d] = (float)target[d];
        scene->light_radiance[d] = studio.radiance[d];
        scene->sky[d] = studio.sky[d];
        scene->ground[d] = studio.ground[d];
        scene->background[d] = studio.background[d];
    }
}
