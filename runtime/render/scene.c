/* SPDX-License-Identifier: MIT */
/* Converts a scene's camera and light to shader constants. */
#include "host/math/linear.h"
#include "runtime/render/private.h"

_Static_assert(sizeof(sn_frame_constants) == 3 * 64 + 13 * 16, "layout of std140");
_Static_assert(sizeof(sn_material_constants) == 11 * 16, "layout of std140");
_Static_assert(sizeof(sn_body_constants) == 32, "layout of the push constants");

sn_render_scene sn_default_render_scene(void)
{
    return (sn_render_scene){
        .camera = {.eye = {0, 1.5F, 5.5F},
                   .target = {0, 0.95F, 0},
                   .vertical_angle = 0.5F,
                   .near_distance = 0.1F,
                   .far_distance = 100},
        .light_direction = {0.7F, -1, -0.55F},
        .light_radiance = {0.92F, 0.88F, 0.82F},
        .sky = {0.28F, 0.295F, 0.33F},
        .ground = {0.18F, 0.16F, 0.145F},
        .light_size = 0.12F,
        .bounds_center = {0, 1, 0},
        .bounds_radius = 1.5F,
        .has_ground = true,
        .background = {0.56F, 0.535F, 0.51F},
    };
}

static void set(float *vector, const float *xyz, float w)
{
    glm_vec3_copy((float *)xyz, vector);
    vector[3] = w;
}

/* An up vector that is not parallel to `direction`: +y if possible. */
static void choose_up(const float *direction, float *up)
{
    glm_vec3_copy(fabsf(direction[1]) > 0.999F ? (vec3){0, 0, -1} : (vec3){0, 1, 0}, up);
}

/* View matrix of an eye: the inverse of its rigid transform. */
static void eye_view(const sn_camera *camera, const sn_eye *eye, mat4 view)
{
    versor rotation;
    vec3 translation;
    mat4 translation_matrix;
    glm_vec4_copy((float *)eye->orientation, rotation);
    glm_quat_conjugate(rotation, rotation);
    glm_quat_mat4(rotation, view);
    glm_vec3_negate_to((float *)camera->eye, translation);
    glm_translate_make(translation_matrix, translation);
    glm_mat4_mul(view, translation_matrix, view);
}

static void eye_projection(const sn_camera *camera, const sn_eye *eye, float *result)
{
    const float near_plane = camera->near_distance;
    mat4 view, projection;
    eye_view(camera, eye, view);
    glm_frustum(near_plane * eye->left, near_plane * eye->right, near_plane * eye->down, near_plane * eye->up,
                near_plane, camera->far_distance, projection);
    for (int column = 0; column < 4; ++column) {
        projection[column][1] *= -1; /* Vulkan's clip space y points down */
    }
    glm_mat4_mul(projection, view, view);
    memcpy(result, view, sizeof(mat4));
}

static void camera_projection(const sn_camera *camera, float aspect, float *result)
{
    vec3 forward, up, eye, target;
    mat4 view, projection;
    glm_vec3_copy((float *)camera->eye, eye);
    glm_vec3_copy((float *)camera->target, target);
    glm_vec3_sub(target, eye, forward);
    glm_vec3_normalize(forward);
    choose_up(forward, up);
    glm_lookat(eye, target, up, view);
    glm_perspective(camera->vertical_angle, aspect, camera->near_distance, camera->far_distance, projection);
    projection[1][1] *= -1; /* Vulkan's clip space y points down */
    glm_mat4_mul(projection, view, view);
    memcpy(result, view, sizeof(mat4));
}

/* Orthographic projection of a box along `axes`: `origin` is its center in x and y; z maps from [near, near + depth] to
 * [0, 1]. */
static void box_projection(const float *axes[3], const float *origin, const float size[3], float near_plane,
                           float *result)
{
    const float scale[3] = {2 / size[0], 2 / size[1], 1 / size[2]};
    memset(result, 0, 16 * sizeof(float));
    for (int row = 0; row < 3; ++row) {
        for (int column = 0; column < 3; ++column) {
            result[4 * column + row] = axes[row][column] * scale[row];
        }
        const float box_center = glm_vec3_dot((float *)axes[row], (float *)origin) + (row == 2 ? near_plane : 0);
        result[12 + row] = -box_center * scale[row];
    }
    result[15] = 1;
}

static void light_frame(const sn_render_scene *scene, int shadow_size, sn_frame_constants *c)
{
    vec3 along = {0, -1, 0}, up, right;
    if (glm_vec3_norm2((float *)scene->light_direction) > 0) {
        glm_vec3_normalize_to((float *)scene->light_direction, along);
    }
    choose_up(along, up);
    glm_vec3_crossn(along, up, right);
    glm_vec3_cross(right, along, up);
    set(c->light_right, right, 0);
    set(c->light_up, up, 0);
    set(c->light_along, along, scene->light_size);
    /* margin of some texels, so that the map's border never shows as a shadow's edge */
    const float width = 2 * scene->bounds_radius * (1 + 8.0F / (float)shadow_size), depth = 2 * scene->bounds_radius;
    box_projection((const float *[3]){right, up, along}, scene->bounds_center, (float[3]){width, width, depth},
                   -0.5F * depth, c->shadow_projection);
    set(c->shadow, (float[3]){width, depth, width / (float)shadow_size}, 0);
}

/* Projection of the contact map: looks up from below the ground. */
static void contact_frame(const sn_render_scene *scene, sn_frame_constants *c)
{
    const float width = 2 * scene->bounds_radius, depth = (float)SN_CONTACT_DEPTH * scene->bounds_radius;
    const float origin[3] = {scene->bounds_center[0], scene->ground_height, scene->bounds_center[2]};
    box_projection((const float *[3]){(float[3]){1, 0, 0}, (float[3]){0, 0, 1}, (float[3]){0, 1, 0}}, origin,
                   (float[3]){width, width, depth}, (float)-SN_CONTACT_BELOW * depth, c->contact_projection);
    set(c->floor_plane, (float[3]){scene->ground_height, scene->has_ground ? 1.0F : 0.0F, width}, 1.0F / SN_COVER_SIZE);
}

void sn_render_set_backdrop(sn_render_scene *scene, sn_backdrop backdrop, const float color[3])
{
    scene->backdrop = backdrop;
    scene->has_ground = scene->has_ground && backdrop == SN_BACKDROP_STUDIO;
    if (backdrop == SN_BACKDROP_PLAIN) {
        memcpy(scene->background, color, sizeof scene->background);
    }
}

void sn_render_frame_constants(const sn_render_scene *scene, const sn_renderer_desc *desc,
                               sn_frame_constants *constants)
{
    const float width = (float)desc->width, height = (float)desc->height;
    *constants = (sn_frame_constants){0};
    if (scene->eye) {
        eye_projection(&scene->camera, scene->eye, constants->view_projection);
    } else {
        camera_projection(&scene->camera, width / height, constants->view_projection);
    }
    light_frame(scene, desc->shadow_size, constants);
    contact_frame(scene, constants);
    set(constants->eye, scene->camera.eye, 1);
    set(constants->light_radiance, scene->light_radiance, 0);
    set(constants->sky, scene->sky, 0);
    set(constants->ground, scene->ground, 0);
    set(constants->background, scene->background, scene->eye || scene->backdrop != SN_BACKDROP_STUDIO ? 0 : 1);
    set(constants->bounds, scene->bounds_center, scene->bounds_radius);
    set(constants->screen, (float[3]){width, height, 1 / width}, 1 / height);
    set(constants->overlay, (float[3]){scene->overlay.scale, scene->overlay.hidden_alpha, scene->seconds}, 0);
}

static float part_distance(const sn_render_scene *scene, const sn_render_body *body, const sn_render_part *part)
{
    float at[3] = {part->center[0], part->center[1], part->center[2]};
    if (part->bone >= 0) {
        const float *m = body->transforms + 12 * part->bone;
        for (int i = 0; i < 3; ++i) {
            at[i] = m[4 * i] * part->center[0] + m[4 * i + 1] * part->center[1] + m[4 * i + 2] * part->center[2] +
                    m[4 * i + 3];
        }
    }
    return glm_vec3_distance(at, (float *)scene->camera.eye);
}

static bool is_before(const sn_render_blend *a, const sn_render_blend *b)
{
    if (a->order != b->order) {
        return a->order < b->order;
    }
    if (a->distance != b->distance) {
        return a->distance > b->distance;
    }
    return a->body != b->body ? a->body < b->body : a->part < b->part;
}

/* Parts are sorted as units, by their material's order, then by the distance to the center of their rest box,
 * transformed by their heaviest bone. Interleaved parts are drawn in the wrong order, apart from what is opaque of
 * them. */
int sn_render_sort_blends(const sn_render_scene *scene, sn_render_blend *blends)
{
    int count = 0;
    for (int b = 0; b < scene->body_count; ++b) {
        const sn_render_body *body = &scene->bodies[b];
        for (int p = 0; body->model->blend_part_count > 0 && p < body->model->part_count; ++p) {
            const sn_render_part *part = &body->model->parts[p];
            const sn_render_material *material = &body->model->materials[part->material];
            if (material->alpha_mode == SN_ALPHA_BLEND) {
                /* insertion sort: few items, and qsort may allocate */
                const sn_render_blend blend = {part_distance(scene, body, part), material->order, b, p};
                int at = count++;
                for (; at > 0 && is_before(&blend, &blends[at - 1]); --at) {
                    blends[at] = blends[at - 1];
                }
                blends[at] = blend;
            }
        }
    }
    return count;
}
