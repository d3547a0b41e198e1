/* SPDX-License-Identifier: MIT */
#include "research/figures/runs.h"

#include <math.h>
#include <string.h>

#include "author/cook/cook.h"
#include "author/cook/stages/stages.h"
#include "host/math/affine.h"
#include "tools/command/median.h"

void sn_run_pose(int frame, double time_step, double *pose)
{
    const double t = frame * time_step, angle = 0.15 * (1 - cos(6 * t));
    sn_affine_identity(pose);
    pose[0] = pose[5] = cos(angle);
    pose[1] = -sin(angle);
    pose[4] = sin(angle);
    pose[3] = 0.05 * (1 - cos(8 * t));
    pose[7] = 0.04 * (1 - cos(5 * t));
}

sn_result sn_run_cook(const sn_tet_mesh *mesh, int mode_count, int cluster_count, sn_run_base *base)
{
    *base = (sn_run_base){.desc = sn_default_cook_desc(), .cooking = {.mesh = *mesh}};
    base->desc.complementary = SN_COMPLEMENTARY_WEIGHTS; /* as the paper has it */
    base->desc.mode_count = mode_count;
    base->desc.cluster_count = cluster_count;
    return sn_cook_context_run(&base->cooking, "figure", &base->desc);
}

/* The first modes alone; sn_cook_context_assemble reads them in rows. */
static sn_result cut_modes(sn_cook_context *k, int mode_count)
{
    const sn_modes all = k->modes;
    const size_t n = (size_t)k->mesh.vertex_count, from = (size_t)all.mode_count, to = (size_t)mode_count;
    k->modes.mode_count = mode_count;
    k->modes.eigenvalues = SN_NEW(&k->arena, double, to);
    k->modes.weights = SN_NEW(&k->arena, double, n *to);
    if (!k->modes.eigenvalues || !k->modes.weights) {
        return SN_ERROR_MEMORY;
    }
    memcpy(k->modes.eigenvalues, all.eigenvalues, to * sizeof(double));
    for (size_t i = 0; i < n * to; ++i) {
        k->modes.weights[i] = all.weights[i / to * from + i % to];
    }
    return SN_OK;
}

static sn_result cluster_again(sn_cook_context *k, int wanted)
{
    k->clusters = SN_NEW(&k->arena, int32_t, k->mesh.tet_count);
    k->levels = (sn_cluster_levels){0}; /* those of the clusters before */
    return k->clusters ? sn_clusters_build(&k->mesh, k->volumes, k->neighbours, &k->modes, wanted, k->clusters,
                                           &k->report.cluster_count)
                       : SN_ERROR_MEMORY;
}

sn_result sn_variant_make(const sn_run_base *base, int mode_count, int wanted, sn_variant *v)
{
    *v = (sn_variant){.cooking = base->cooking};
    sn_cook_context *k = &v->cooking;
    k->arena = (sn_arena){0};
    SN_TRY(cut_modes(k, mode_count));
    if (wanted > 0) {
        SN_TRY(cluster_again(k, wanted));
    }
    SN_TRY(sn_cook_context_build_reduced(k));
    SN_TRY(sn_cook_context_assemble(k));
    return sn_model_load(k->bytes, k->size, &v->model);
}

void sn_variant_finish(sn_variant *v)
{
    sn_model_release(v->model);
    sn_arena_finish(&v->cooking.arena);
}

static sn_result start_run(const sn_model *model, const sn_run_desc *desc, sn_arena *arena, sn_run *run)
{
    const size_t n = (size_t)model->counts.vertex_count;
    *run = (sn_run){.frame_count = desc->frame_count,
                    .vertex_count = (int)n,
                    .displacements = SN_NEW(arena, double, 3 * n * (size_t)desc->frame_count)};
    SN_ASSERT(model->counts.bone_count == 1 || model->counts.clip_count > 0);
    return run->displacements ? SN_OK : SN_ERROR_MEMORY;
}

static void pose_at(const sn_model *model, int frame, double time_step, double *pose)
{
    if (model->counts.clip_count > 0) {
        sn_model_sample_clip(model, 0, frame * time_step, pose);
    } else {
        sn_run_pose(frame, time_step, pose);
    }
}

sn_result sn_run_full(const sn_model *model, const sn_run_desc *desc, sn_arena *arena, sn_run *run)
{
    sn_arena scratch = {0};
    sn_fullspace_input input;
    sn_fullspace_desc full = sn_default_fullspace_desc();
    sn_fullspace_solver *solver = NULL;
    sn_fullspace_body *body = NULL;
    double *times = SN_NEW(&scratch, double, desc->frame_count);
    double *pose = SN_NEW(&scratch, double, 12 * model->counts.bone_count);
    full.time_step = desc->time_step;
    full.tolerance = desc->tolerance;
    full.iteration_limit = desc->iteration_limit;
    sn_result result = times && pose ? start_run(model, desc, arena, run) : SN_ERROR_MEMORY;
    if (result == SN_OK) {
        result = sn_fullspace_input_from_model(model, "figure", &scratch, &input);
    }
    if (result == SN_OK) {
        result = sn_fullspace_solver_create(&input, &full, &solver);
    }
    if (result == SN_OK) {
        pose_at(model, 0, desc->time_step, pose);
        result = sn_fullspace_body_create(solver, pose, &body);
    }
    for (int frame = 0; frame < desc->frame_count && result == SN_OK; ++frame) {
        pose_at(model, frame + 1, desc->time_step, pose);
        const double start = sn_figure_seconds();
        run->iterations += sn_fullspace_body_step(body, pose).iteration_count;
        times[frame] = 1e3 * (sn_figure_seconds() - start);
        sn_fullspace_body_displacements(body, run->displacements + 3 * (size_t)run->vertex_count * (size_t)frame);
    }
    if (result == SN_OK) {
        run->milliseconds = sn_median(times, desc->frame_count);
        run->iterations /= desc->frame_count;
    }
    sn_fullspace_body_destroy(&body);
    sn_fullspace_solver_destroy(&solver);
    sn_arena_finish(&scratch);
    return result;
}

sn_result sn_run_reduced(const sn_model *model, const sn_run_desc *desc, sn_arena *arena, sn_run *run)
{
    sn_arena scratch = {0};
    sn_reduced_desc reduced = sn_default_reduced_desc();
    sn_reduced_solver *solver = NULL;
    sn_reduced_body *body = NULL;
    double *times = SN_NEW(&scratch, double, desc->frame_count);
    double *pose = SN_NEW(&scratch, double, 12 * model->counts.bone_count);
    double *transforms = SN_NEW(&scratch, double, 12 * model->counts.mode_count);
    reduced.time_step = desc->time_step;
    reduced.tolerance = desc->tolerance;
    reduced.iteration_limit = desc->iteration_limit;
    sn_result result = times && pose && transforms ? start_run(model, desc, arena, run) : SN_ERROR_MEMORY;
    if (result == SN_OK) {
        result = sn_reduced_solver_create(model, &reduced, &solver);
    }
    if (result == SN_OK) {
        pose_at(model, 0, desc->time_step, pose);
        result = sn_reduced_body_create(solver, pose, &body);
    }
    for (int frame = 0; frame < desc->frame_count && result == SN_OK; ++frame) {
        pose_at(model, frame + 1, desc->time_step, pose);
        const double start = sn_figure_seconds();
        run->iterations += sn_reduced_body_step(body, pose, NULL).iteration_count;
        times[frame] = 1e3 * (sn_figure_seconds() - start);
        sn_reduced_body_mode_transforms(body, 1, transforms);
        sn_skin_add(model->mode_weights, model->counts.mode_count, transforms, model->rest_positions, run->vertex_count,
                    run->displacements + 3 * (size_t)run->vertex_count * (size_t)frame);
    }
    if (result == SN_OK) {
        run->milliseconds = sn_median(times, desc->frame_count);
        run->iterations /= desc->frame_count;
    }
    sn_reduced_body_destroy(&body);
    sn_reduced_solver_destroy(&solver);
    sn_arena_finish(&scratch);
    return result;
}

double sn_run_error(const sn_model *model, const sn_run *run, const sn_run *reference, int frame_count)
{
    const size_t size = 3 * (size_t)run->vertex_count;
    double square = 0, whole = 0;
    for (size_t i = 0; i < size * (size_t)frame_count; ++i) {
        const double mass = (double)model->vertex_mass[i % size / 3];
        const double difference = run->displacements[i] - reference->displacements[i];
        square += mass * difference * difference;
        whole += mass * reference->displacements[i] * reference->displacements[i];
    }
    return sqrt(square / whole);
}
