/* SPDX-License-Identifier: MIT */
/* Any bytes as a .sinew file; the checksum is set right, so that the checks behind it are reached. */
#include <stdlib.h>
#include <string.h>

#include "host/base/hash.h"
#include "host/reduced/reduced.h"
#include "host/springs/springs.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* One step, with every detail or with the least. */
static void step_once(const sn_model *model, int coarse, const double *pose, const float *morphs)
{
    sn_reduced_solver *solver = NULL;
    sn_reduced_body *body = NULL;
    sn_reduced_desc desc = sn_default_reduced_desc();
    desc.mode_count = coarse;
    desc.cluster_level = coarse;
    if (sn_reduced_solver_create(model, &desc, &solver) == SN_OK &&
        sn_reduced_body_create(solver, NULL, &body) == SN_OK) {
        if (morphs) {
            sn_reduced_body_set_morphs(body, morphs);
        }
        sn_reduced_body_step(body, pose, NULL);
    }
    sn_reduced_body_destroy(&body);
    sn_reduced_solver_destroy(&solver);
}

/* Two steps of a coupled or layered body, with its bones at rest. */
static void step_flesh(const sn_model *model, sn_body_solver solver)
{
    const sn_world_desc world_desc = sn_default_world_desc();
    sn_body_desc desc = sn_default_body_desc();
    sn_world_id world = {0};
    sn_body_id body = {0};
    desc.model = model;
    desc.solver = solver;
    desc.substep_count = 1;
    if (sn_world_create(&world_desc, &world) == SN_OK && sn_body_create(world, &desc, &body) == SN_OK) {
        sn_world_step(world, 2.0 / 60);
    }
    sn_body_destroy(body);
    sn_world_destroy(world);
}

/* Whatever carries the skin there is hit and held. */
static void touch(sn_springs *springs, const double *pose)
{
    const double point[3] = {0.1, 0.2, 0}, impulse[3] = {0, 1, 0};
    const sn_spring_skin_point at = sn_springs_find_skin_point(springs, pose, point);
    if (at.joint >= 0) {
        sn_springs_apply_impulse(springs, at.joint, sn_springs_nearest_fraction(springs, at.joint, pose, point),
                                 impulse);
        (void)sn_springs_grab(springs, at.joint, pose, point);
        sn_springs_drag(springs, 0, impulse);
    }
}

/* Spring bones to a pose that may be anything, in wind, above a floor. */
static void swing(const sn_model *model, double *pose)
{
    const sn_collider_desc desc = sn_default_collider_desc();
    sn_collider floor;
    sn_springs *springs = NULL;
    if (sn_collider_init(&desc, &floor) == SN_OK && sn_springs_create(model, 1.0 / 50, &springs) == SN_OK && springs) {
        const sn_surroundings around = {.collider_count = 1, .colliders = &floor, .wind = {1, 2, 3}};
        const sn_spring_step_input with = {.surroundings = &around, .area = 1};
        touch(springs, pose);
        sn_springs_step(springs, pose, &with, pose);
        sn_springs_interpolate(springs, 0.5, pose, pose);
        for (int i = 0; i < sn_model_spring_count(model); ++i) {
            (void)sn_model_get_spring(model, i);
        }
    }
    sn_springs_destroy(&springs);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint8_t *copy = aligned_alloc(64, (size + 63) / 64 * 64 + 64);
    if (!copy) {
        return 0;
    }
    memcpy(copy, data, size);
    if (size > 64) {
        const uint64_t bytes = size, checksum = sn_hash(SN_HASH_SEED, copy + 64, size - 64);
        memcpy(copy + 16, &bytes, 8);
        memcpy(copy + 24, &checksum, 8);
    }
    sn_model *model = NULL;
    if (sn_model_load(copy, size, &model) == SN_OK) {
        double *pose = calloc((size_t)model->counts.bone_count + 1, 12 * sizeof(double));
        float *morphs = calloc((size_t)model->counts.morph_count + 1, sizeof(float));
        for (int clip = 0; pose && clip < sn_model_clip_count(model); ++clip) {
            (void)sn_model_clip_name(model, clip);
            sn_model_sample_clip(model, clip, 0.7, pose);
            if (morphs) {
                sn_model_clip_morphs(model, clip, 0.7, morphs, model->counts.morph_count);
            }
        }
        for (int i = 0; morphs && i < sn_model_expression_count(model); ++i) {
            (void)sn_model_expression_name(model, i);
            sn_model_add_expression(model, i, 1, morphs, model->counts.morph_count);
        }
        for (int i = 0; i < sn_model_flesh_part_count(model); ++i) {
            (void)strlen(sn_model_get_flesh_part(model, i).name);
        }
        const sn_surface skin = sn_model_surface(model);
        for (int v = 0; morphs && v < skin.vertex_count; ++v) {
            double position[3];
            sn_skin_morph(&skin, v, morphs, position);
        }
        for (int coarse = 0; pose && coarse < 2; ++coarse) {
            step_once(model, coarse, pose, morphs);
        }
        if (pose) {
            swing(model, pose);
        }
        step_flesh(model, SN_SOLVER_COUPLED);
        if (sn_model_is_layered(model)) {
            step_flesh(model, SN_SOLVER_LAYERED);
        }
        free(pose);
        free(morphs);
        sn_model_release(model);
    }
    free(copy);
    return 0;
}
