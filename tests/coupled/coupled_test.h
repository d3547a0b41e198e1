/* SPDX-License-Identifier: MIT */
/* Rigs for the tests of host/coupled, on the bodies of the tests of host/xpbd: handles along x, with bells as weights,
 * or what a test gives. */
#ifndef SN_TESTS_COUPLED_COUPLED_TEST_H
#define SN_TESTS_COUPLED_COUPLED_TEST_H

#include "host/base/hash.h"
#include "host/coupled/scalars.h"
#include "tests/xpbd/xpbd_test.h"

typedef struct sn_coupled_scene {
    sn_xpbd_shape shape;
    sn_xpbd_model *model;
    int handle_count;
    sn_coupled_handle *handles;
    double *weights; /* (vertex_count x handle_count) */
    sn_coupled_rig *rig;
} sn_coupled_scene;

/* Bells around the pivots, of that width, normalised; a handle counts for nothing beyond three widths. */
static inline void sn_coupled_bells(sn_coupled_scene *scene, double width)
{
    for (int v = 0; v < scene->shape.desc.vertex_count; ++v) {
        double sum = 0, *row = scene->weights + v * scene->handle_count;
        for (int k = 0; k < scene->handle_count; ++k) {
            const double away = sn_distance3(scene->shape.positions + 3 * v, scene->handles[k].pivot) / width;
            row[k] = away < 3 ? exp(-away * away) : 0;
            sum += row[k];
        }
        SN_ASSERT(sum > 0);
        for (int k = 0; k < scene->handle_count; ++k) {
            row[k] /= sum;
        }
    }
}

static inline void sn_coupled_scene_rig(sn_coupled_scene *scene)
{
    const sn_coupled_rig_desc desc = {scene->model, scene->handle_count, scene->handles, scene->weights};
    const sn_result result = sn_coupled_rig_create(&desc, &scene->rig);
    SN_ASSERT(result == SN_OK);
}

/* A body with handles evenly along its middle. */
static inline sn_coupled_scene sn_coupled_row(sn_xpbd_shape shape, int handle_count, sn_handle_type type)
{
    sn_coupled_scene scene = {.shape = shape, .handle_count = handle_count};
    const double *last = shape.positions + 3 * (shape.desc.vertex_count - 1);
    scene.model = sn_xpbd_shape_model(&scene.shape);
    scene.handles = SN_NEW(&scene.shape.arena, sn_coupled_handle, handle_count);
    scene.weights = SN_NEW(&scene.shape.arena, double, handle_count *shape.desc.vertex_count);
    SN_ASSERT(scene.handles && scene.weights);
    for (int k = 0; k < handle_count; ++k) {
        scene.handles[k] = (sn_coupled_handle){
            .type = type,
            .parent = -1,
            .pivot = {last[0] * (k + 0.5) / handle_count, last[1] * (0.5 + 0.1 * (k % 2)), last[2] * 0.5}};
    }
    sn_coupled_bells(&scene, 0.7 * last[0] / handle_count + 0.3 * last[1]);
    sn_coupled_scene_rig(&scene);
    return scene;
}

/* Rigid, affine, translation, and joints of a tree, on one body. */
static inline sn_coupled_scene sn_coupled_mixed(int dimension)
{
    sn_coupled_scene scene =
        sn_coupled_row(dimension == 2 ? sn_xpbd_sheet(23, 7, 0.05) : sn_xpbd_bar(13, 4, 3, 0.08), 6, SN_HANDLE_RIGID);
    scene.handles[1].type = SN_HANDLE_AFFINE;
    scene.handles[2].type = SN_HANDLE_TRANSLATION;
    scene.handles[4].parent = 3;
    scene.handles[5].parent = 4;
    sn_coupled_rig_destroy(&scene.rig);
    sn_coupled_scene_rig(&scene);
    return scene;
}

static inline void sn_coupled_scene_finish(sn_coupled_scene *scene)
{
    sn_coupled_rig_destroy(&scene->rig);
    sn_xpbd_model_destroy(&scene->model);
    sn_arena_finish(&scene->shape.arena);
}

/* Two branches from the middle joint along a bar; numbered along it, or the other way round. */
#define SN_COUPLED_TREE_JOINTS 24
static inline sn_coupled_scene sn_coupled_tree(bool is_reversed)
{
    const int count = SN_COUPLED_TREE_JOINTS, middle = count / 2;
    sn_coupled_scene scene = sn_coupled_row(sn_xpbd_bar(24, 3, 3, 0.05), count, SN_HANDLE_RIGID);
    sn_coupled_handle joints[SN_COUPLED_TREE_JOINTS];
    memcpy(joints, scene.handles, sizeof joints);
    for (int k = 0; k < count; ++k) {
        const int parent = k == middle ? -1 : k < middle ? k + 1 : k - 1, own = is_reversed ? count - 1 - k : k;
        scene.handles[own] = joints[k];
        scene.handles[own].parent = parent < 0 ? -1 : is_reversed ? count - 1 - parent : parent;
    }
    sn_coupled_bells(&scene, 0.08);
    sn_coupled_rig_destroy(&scene.rig);
    sn_coupled_scene_rig(&scene);
    return scene;
}

static inline sn_coupled_body *sn_coupled_test_body(const sn_coupled_scene *scene, const sn_coupled_settings *settings)
{
    sn_coupled_body *body = NULL;
    const sn_result result = sn_coupled_body_create(scene->rig, settings, &body);
    SN_ASSERT(result == SN_OK);
    return body;
}

/* Moved by a smooth field of that size, and turned about z: no part of it is at rest. */
static inline void sn_coupled_bend(const sn_coupled_scene *scene, sn_coupled_body *body, double size, double angle)
{
    static double places[3 * 8192];
    const int count = scene->shape.desc.vertex_count;
    SN_ASSERT(count <= 8192);
    for (int v = 0; v < count; ++v) {
        const double *x = scene->shape.positions + 3 * v, c = cos(angle), s = sin(angle);
        const double bent[3] = {x[0] + size * sin(5 * x[1] + 1), x[1] + size * cos(4 * x[0]),
                                x[2] + (scene->shape.desc.element_corners == 3 ? 0 : size * sin(6 * x[0] + 2))};
        places[3 * v] = c * bent[0] - s * bent[1] + 0.1;
        places[3 * v + 1] = s * bent[0] + c * bent[1] - 0.2;
        places[3 * v + 2] = bent[2];
    }
    sn_xpbd_body_set_positions(sn_coupled_body_flesh(body), places);
}

/* A rotation about an axis through a pivot, then a move, as a transform of the world relative to rest. */
static inline void sn_coupled_aim(const double *pivot, const double *axis_angle, const double *move, double *transform)
{
    double turn[4], r[9];
    const double angle = sn_length3(axis_angle), half = angle > 0 ? sin(angle / 2) / angle : 0;
    for (int d = 0; d < 3; ++d) {
        turn[d] = axis_angle[d] * half;
    }
    turn[3] = cos(angle / 2);
    sn_quaternion_to_matrix(turn, r);
    for (int d = 0; d < 3; ++d) {
        transform[4 * d + 3] = pivot[d] + move[d];
        for (int e = 0; e < 3; ++e) {
            transform[4 * d + e] = r[3 * d + e];
            transform[4 * d + 3] -= r[3 * d + e] * pivot[e];
        }
    }
}

static inline uint64_t sn_coupled_hash(uint64_t hash, const sn_coupled_body *body)
{
    double transforms[12 * 64];
    SN_ASSERT(body->rig->handle_count <= 64);
    sn_coupled_body_transforms(body, transforms);
    hash = sn_hash(hash, transforms, 12 * sizeof(double) * (size_t)body->rig->handle_count);
    return sn_hash(hash, body->flesh->state.displacements,
                   4 * body->flesh->real_size * (size_t)body->flesh->state.row_count);
}

#endif
