/* SPDX-License-Identifier: MIT */
#include "author/cook/preset.h"

#include <math.h>
#include <string.h>

#include "host/math/affine.h"
#include "host/math/vec3.h"
#include "host/reduced/reduced.h"
#include "host/skin/skin.h"

#define PI 3.14159265358979323846
#define TARGET 0.05 /* of the diagonal */
#define RUN_COUNT 4
#define STEP_LIMIT 900 /* of a run, over all clips */
#define STRETCH_STEPS 90
#define HOP_STEPS 90
#define HOP_HEIGHT 0.05 /* of the diagonal */
#define HOPS_A_SECOND 2.0
#define LEAST_FREQUENCY 1.5 /* hertz of the slowest coordinate: softer flesh sways like seaweed */
#define MOST_FACTOR 1e3     /* of a diagonal of 1 */
#define LEAST_MOVED 1e-9    /* of the diagonal: less is rounding, and no motion */

typedef struct trial {
    const sn_model *model;
    double *pose, *modes; /* (bone_count x 12), (mode_count x 12) */
    double *moved_by;     /* (vertex_count x 3) */
    sn_reduced_body *body;
    double moved; /* the largest displacement so far, fraction of the diagonal */
} trial;

static void hop_pose(const sn_model *model, int step, double *pose)
{
    const double phase = 2 * PI * HOPS_A_SECOND * step / 60;
    for (int bone = 0; bone < model->counts.bone_count; ++bone) {
        sn_affine_identity(pose + 12 * (size_t)bone);
        pose[12 * (size_t)bone + 7] = HOP_HEIGHT * model->diagonal * 0.5 * (1 - cos(phase));
    }
}

/* The largest displacement of a vertex of the tets. */
static double displacement(const trial *t)
{
    const sn_model *model = t->model;
    double largest = 0;
    memset(t->moved_by, 0, 3 * (size_t)model->counts.vertex_count * sizeof(double));
    sn_skin_add(model->mode_weights, model->counts.mode_count, t->modes, model->rest_positions,
                model->counts.vertex_count, t->moved_by);
    for (size_t v = 0; v < (size_t)model->counts.vertex_count; ++v) {
        largest = fmax(largest, sn_length3(t->moved_by + 3 * v));
    }
    return largest / model->diagonal;
}

/* Every third step is looked at: the flesh moves smoothly. */
static void advance(trial *t, int step)
{
    sn_reduced_body_step(t->body, t->pose, NULL);
    if (step % 3 == 2) {
        sn_reduced_body_mode_transforms(t->body, 1, t->modes);
        t->moved = fmax(t->moved, displacement(t));
    }
}

static sn_result run_stretch(trial *t, const sn_reduced_solver *solver, int clip, int first, int count)
{
    for (int step = -1; step < count; ++step) {
        if (clip < 0) {
            hop_pose(t->model, step + 1, t->pose);
        } else {
            sn_model_sample_clip(t->model, clip, (first + step + 1) / 60.0, t->pose);
        }
        if (step < 0) {
            const sn_result result = sn_reduced_body_create(solver, t->pose, &t->body);
            if (result != SN_OK) {
                return result;
            }
        } else {
            advance(t, step);
        }
    }
    sn_reduced_body_destroy(&t->body);
    return SN_OK;
}

/* Stretches of the clips, evenly: all of them where they are short enough. */
static sn_result run_clips(trial *t, const sn_reduced_solver *solver)
{
    const int clip_count = t->model->counts.clip_count;
    const int most = STEP_LIMIT / STRETCH_STEPS, stride = clip_count > most ? (clip_count + most - 1) / most : 1;
    const int looked_at = (clip_count + stride - 1) / stride;
    sn_result result = SN_OK;
    for (int clip = 0; clip < clip_count && result == SN_OK; clip += stride) {
        /* not up to the end, where the clip starts anew */
        const int frames = (int)(sn_model_clip_seconds(t->model, clip) * 60) - 1, share = STEP_LIMIT / looked_at;
        const int count = frames < share ? frames : share;
        result = run_stretch(t, solver, clip, (frames - count) / 2, count);
    }
    return result;
}

static sn_result measure(trial *t, double factor)
{
    sn_reduced_desc desc = sn_default_reduced_desc();
    sn_reduced_solver *solver = NULL;
    desc.stiffness = factor;
    desc.tolerance = 1e-4;
    t->moved = 0;
    sn_result result = sn_reduced_solver_create(t->model, &desc, &solver);
    if (result == SN_OK && t->model->counts.clip_count > 0) {
        result = run_clips(t, solver);
    }
    if (result == SN_OK && !(t->moved > LEAST_MOVED)) { /* no clips, or clips that move nothing */
        result = run_stretch(t, solver, -1, 0, HOP_STEPS);
    }
    sn_reduced_body_destroy(&t->body);
    sn_reduced_solver_destroy(&solver);
    return result;
}

sn_result sn_preset_stiffness(const sn_model *model, double *factor)
{
    sn_arena arena = {0};
    trial t = {.model = model,
               .pose = SN_NEW(&arena, double, 12 * (size_t)model->counts.bone_count),
               .modes = SN_NEW(&arena, double, 12 * (size_t)model->counts.mode_count),
               .moved_by = SN_NEW(&arena, double, 3 * (size_t)model->counts.vertex_count)};
    sn_result result = t.pose && t.modes && t.moved_by ? SN_OK : SN_ERROR_MEMORY;
    const double frequency = sqrt(model->coordinate_stiffness[0]) / (2 * PI);
    /* a body twice as large sways as fast where it is four times as stiff */
    const double one = model->diagonal * model->diagonal, most = MOST_FACTOR * one;
    const double least = fmin((LEAST_FREQUENCY / frequency) * (LEAST_FREQUENCY / frequency), most);
    double next = fmax(least, one), nearest = INFINITY;
    *factor = next;
    for (int run = 0; run < RUN_COUNT && result == SN_OK; ++run) {
        result = measure(&t, next);
        if (!(t.moved > LEAST_MOVED)) {
            break;
        }
        /* a rig that bends sharply is answered by stiff flesh too: there the target may be out of reach */
        const double miss = fabs(log(t.moved / TARGET));
        *factor = miss < nearest ? next : *factor;
        nearest = fmin(miss, nearest);
        if (miss < 0.1) {
            break;
        }
        next = fmin(fmax(next * fmin(fmax(t.moved / TARGET, 0.05), 20), least), most);
    }
    sn_arena_finish(&arena);
    return result;
}
