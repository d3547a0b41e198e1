/* SPDX-License-Identifier: MIT */
#include "author/cook/stages/trial.h"

#include "host/model/root_motion.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "host/base/jobs.h"
#include "host/math/affine.h"
#include "host/math/vec3.h"
#include "host/reduced/reduced.h"
#include "host/skin/skin.h"

#define PI 3.14159265358979323846
#define STEP_LIMIT 900      /* steps of a run, over all clips */
#define ROOT_STEP_LIMIT 360 /* the same beside root motions, which are more violent than most clips */
#define MOTION_STEPS 90
#define HOP (-1)
#define ROTATION (-2)
#define ROOT_MOTION (-3)                                                    /* minus the type */
#define MOTION_LIMIT (STEP_LIMIT / MOTION_STEPS + 1 + SN_ROOT_MOTION_COUNT) /* clips, a walk, and root motions */
#define ROTATION_STEPS 120
#define ROTATION_ANGLE 0.6 /* rad, as of a head that looks around */
#define ROTATION_HERTZ 1.2
#define MEASURE_INTERVAL 3    /* steps between measurements; the flesh moves smoothly */
#define TIP_FRACTION 0.02     /* fraction of the skin's area whose larger displacements do not count */
#define COUNTED_MOTIONS 0.75  /* fraction of the motions that count; the others move the flesh more */
#define MIN_DISPLACEMENT 1e-9 /* fraction of the diagonal; below is rounding */
#define MIN_HEIGHT 0.25       /* of the longest side: flat and long characters */
#define MIN_LENGTH 1e-6       /* fraction of the diagonal; avoids division by zero for degenerate edges */

typedef struct skin_patch {
    double moved, area;
} skin_patch;

/* Ascending, for each motion: the displacement that all but tips stayed below. */
typedef struct skin_levels {
    double values[STEP_LIMIT / MOTION_STEPS + 1];
    int count;
} skin_levels;

/* A motion of the trial and what was measured in it. Motions run in parallel. */
typedef struct trial_motion {
    int clip; /* or HOP, ROTATION, ROOT_MOTION minus the type */
    int first, count;
    sn_root_motion root;
    sn_reduced_solver *solver; /* of its own, as bodies of one solver share scratch memory */
    sn_reduced_body *body;
    double *pose;  /* (bone_count x 12) */
    double *moved; /* (boundary.vertex_count) the largest displacement */
    double displacement, stretch;
    int32_t stretched_edge[2]; /* boundary vertices of the edge with the largest stretch */
    int worst_mode;
    double elastic_energy,
        squared_norm;     /* twice the elastic energy of the coordinates at a stiffness of 1, and their squared norm */
    sn_trial_part *parts; /* (parts->count) displacement and stretch */
} trial_motion;

/* Scratch memory of a thread. */
typedef struct trial_worker {
    double *modes;           /* (mode_count x 12) */
    float *modes32;          /* the same */
    double *positions, *rig; /* (boundary.vertex_count x 3) with secondary motion, and by the rig alone */
    double *displacement;    /* (boundary.vertex_count) of a vertex against the rig */
} trial_worker;

struct sn_trial {
    const sn_model *model;
    int worker_count;
    sn_surface boundary;      /* of the tets, without modes */
    float *mode_weights;      /* (boundary.vertex_count x mode_count) */
    const int32_t *old_index; /* (boundary.vertex_count) vertex of the model */
    int32_t *edges;           /* (edge_count x 2) boundary vertices */
    double *lengths;          /* (edge_count) at rest */
    int edge_count;
    double *areas;      /* (boundary.vertex_count) 1/3 of the adjacent triangles */
    skin_patch *sorted; /* (boundary.vertex_count) scratch */
    skin_levels levels;
    const sn_trial_parts *parts; /* null: none */
    skin_levels *part_levels;    /* (parts->count) */
    int32_t *part_of;            /* (boundary.vertex_count) */
    double elastic_energy, squared_norm;
    trial_motion motions[MOTION_LIMIT];
    int motion_count;
    trial_worker *workers;
    sn_trial_report report;
};

/* ---- the boundary ---- */

/* new_index (vertex_count): index on the boundary, or -1; old_index: the inverse. */
static int number_boundary(const sn_model *model, int32_t *new_index, int32_t *old_index)
{
    int count = 0;
    for (int v = 0; v < model->counts.vertex_count; ++v) {
        new_index[v] = -1;
    }
    for (int64_t i = 0; i < (int64_t)3 * model->counts.triangle_count; ++i) {
        const int32_t vertex = model->triangles[i];
        if (new_index[vertex] < 0) {
            new_index[vertex] = count;
            old_index[count++] = vertex;
        }
    }
    return count;
}

static sn_result list_influences(const sn_model *model, const int32_t *old_index, int count, sn_arena *arena,
                                 sn_surface *mesh)
{
    const size_t bones = (size_t)model->counts.bone_count;
    int32_t *starts = SN_NEW(arena, int32_t, count + 1);
    int32_t total = 0;
    for (int i = 0; i < count && starts; ++i) {
        for (size_t b = 0; b < bones; ++b) {
            total += model->rig_weights[(size_t)old_index[i] * bones + b] != 0;
        }
    }
    sn_influence *influences = SN_NEW(arena, sn_influence, total);
    if (!starts || !influences) {
        return SN_ERROR_MEMORY;
    }
    starts[0] = total = 0;
    for (int i = 0; i < count; ++i) {
        for (size_t b = 0; b < bones; ++b) {
            const float weight = model->rig_weights[(size_t)old_index[i] * bones + b];
            if (weight != 0) {
                influences[total++] = (sn_influence){.bone = (int32_t)b, .weight = weight};
            }
        }
        starts[i + 1] = total;
    }
    mesh->influence_starts = starts;
    mesh->influences = influences;
    return SN_OK;
}

static sn_result gather_boundary(const sn_model *model, const int32_t *old_index, int count, sn_arena *arena,
                                 sn_surface *mesh, float **mode_weights)
{
    const size_t modes = (size_t)model->counts.mode_count;
    float *positions = SN_NEW(arena, float, 3 * (size_t)count);
    *mode_weights = SN_NEW(arena, float, modes *(size_t)count);
    if (!positions || !*mode_weights) {
        return SN_ERROR_MEMORY;
    }
    for (size_t i = 0; i < (size_t)count; ++i) {
        const size_t v = (size_t)old_index[i];
        memcpy(positions + 3 * i, model->rest_positions + 3 * v, 3 * sizeof *positions);
        memcpy(*mode_weights + i * modes, model->mode_weights + v * modes, modes * sizeof **mode_weights);
    }
    *mesh = (sn_surface){.vertex_count = count, .diagonal = model->diagonal, .positions = positions};
    return list_influences(model, old_index, count, arena, mesh);
}

/* Lists each edge of a closed boundary once, from the triangle in which it ascends. Edges of a flat body's open
 * boundary may occur twice. */
static sn_result list_edges(sn_trial *t, const int32_t *new_index, sn_arena *arena)
{
    const sn_model *model = t->model;
    t->edges = SN_NEW(arena, int32_t, 6 * (size_t)model->counts.triangle_count);
    t->lengths = SN_NEW(arena, double, 3 * (size_t)model->counts.triangle_count);
    if (!t->edges || !t->lengths) {
        return SN_ERROR_MEMORY;
    }
    for (int i = 0; i < model->counts.triangle_count; ++i) {
        for (int side = 0; side < 3; ++side) {
            const int32_t *corners = model->triangles + 3 * (size_t)i;
            const int32_t a = corners[side], b = corners[(side + 1) % 3];
            double square = 0;
            for (int d = 0; d < 3; ++d) {
                const double along =
                    (double)model->rest_positions[3 * a + d] - (double)model->rest_positions[3 * b + d];
                square += along * along;
            }
            if (a < b || sn_model_is_flat(model)) {
                t->edges[2 * t->edge_count] = new_index[a];
                t->edges[2 * t->edge_count + 1] = new_index[b];
                t->lengths[t->edge_count++] = sqrt(square);
            }
        }
    }
    return SN_OK;
}

static void measure_areas(sn_trial *t, const int32_t *new_index)
{
    const sn_model *model = t->model;
    for (int i = 0; i < model->counts.triangle_count; ++i) {
        const int32_t *corners = model->triangles + 3 * (size_t)i;
        double sides[2][3], normal[3];
        for (int d = 0; d < 3; ++d) {
            const double first = (double)model->rest_positions[3 * corners[0] + d];
            sides[0][d] = (double)model->rest_positions[3 * corners[1] + d] - first;
            sides[1][d] = (double)model->rest_positions[3 * corners[2] + d] - first;
        }
        sn_cross3(sides[0], sides[1], normal);
        for (int corner = 0; corner < 3; ++corner) {
            t->areas[new_index[corners[corner]]] += sn_length3(normal) / 6;
        }
    }
}

sn_result sn_trial_create(const sn_model *model, int worker_count, sn_arena *arena, sn_trial **trial)
{
    sn_trial *t = SN_NEW(arena, sn_trial, 1);
    int32_t *new_index = SN_NEW(arena, int32_t, model->counts.vertex_count);
    int32_t *old_index = SN_NEW(arena, int32_t, model->counts.vertex_count);
    *trial = t;
    if (!t || !new_index || !old_index) {
        return SN_ERROR_MEMORY;
    }
    const int count = number_boundary(model, new_index, old_index);
    *t = (sn_trial){.model = model, .worker_count = worker_count, .old_index = old_index};
    t->areas = SN_NEW(arena, double, count);
    t->sorted = SN_NEW(arena, skin_patch, count);
    if (!t->areas || !t->sorted) {
        return SN_ERROR_MEMORY;
    }
    measure_areas(t, new_index);
    SN_TRY(gather_boundary(model, old_index, count, arena, &t->boundary, &t->mode_weights));
    return list_edges(t, new_index, arena);
}

sn_result sn_trial_set_parts(sn_trial *t, const sn_trial_parts *parts, sn_arena *arena)
{
    t->parts = parts;
    t->part_levels = SN_NEW(arena, skin_levels, parts->count);
    t->part_of = SN_NEW(arena, int32_t, t->boundary.vertex_count);
    for (int i = 0; i < t->boundary.vertex_count && t->part_of; ++i) {
        t->part_of[i] = parts->of_vertex[t->old_index[i]];
    }
    return t->part_levels && t->part_of ? SN_OK : SN_ERROR_MEMORY;
}

/* ---- measurements ---- */

/* The mode that stretches an edge most: by the difference of its displacements at the ends. */
static int strongest_mode(const sn_trial *t, const double *transforms, const int32_t *edge)
{
    const size_t modes = (size_t)t->model->counts.mode_count;
    double max_stretch = -1;
    int strongest = 0;
    for (size_t j = 0; j < modes; ++j) {
        double ends[2][3];
        for (int e = 0; e < 2; ++e) {
            const size_t v = (size_t)edge[e];
            const float *x = t->boundary.positions + 3 * v;
            const double rest[3] = {(double)x[0], (double)x[1], (double)x[2]};
            sn_affine_apply(transforms + 12 * j, rest, ends[e]);
            for (int d = 0; d < 3; ++d) {
                ends[e][d] *= (double)t->mode_weights[v * modes + j];
            }
        }
        const double added = sn_distance3(ends[0], ends[1]);
        strongest = added > max_stretch ? (int)j : strongest;
        max_stretch = fmax(added, max_stretch);
    }
    return strongest;
}

/* The mass is the identity in these coordinates. */
static void accumulate_energy(const sn_trial *t, trial_motion *motion)
{
    const double *z = sn_reduced_body_coordinates(motion->body);
    for (int i = 0; i < 3 * t->model->counts.coordinate_count; ++i) {
        motion->elastic_energy += t->model->coordinate_stiffness[i / 3] * z[i] * z[i];
        motion->squared_norm += z[i] * z[i];
    }
}

/* Adds the modes' displacement to the rig's positions. In float, as the modes are only a small part of a position. */
static void displace_vertices(const sn_trial *t, trial_worker *w)
{
    const size_t modes = (size_t)t->model->counts.mode_count;
    for (size_t v = 0; v < (size_t)t->boundary.vertex_count; ++v) {
        const float *weights = t->mode_weights + v * modes, *x = t->boundary.positions + 3 * v;
        float blended[12] = {0};
        double square = 0;
        for (size_t j = 0; j < modes; ++j) {
            for (size_t i = 0; i < 12; ++i) {
                blended[i] += weights[j] * w->modes32[12 * j + i];
            }
        }
        for (size_t d = 0; d < 3; ++d) {
            const float *row = blended + 4 * d;
            const double added = (double)(row[0] * x[0] + row[1] * x[1] + row[2] * x[2] + row[3]);
            w->positions[3 * v + d] = w->rig[3 * v + d] + added;
            square += added * added;
        }
        w->displacement[v] = sqrt(square) / t->model->diagonal;
    }
}

static void measure_vertices(const sn_trial *t, const trial_worker *w, trial_motion *motion)
{
    for (int i = 0; i < t->boundary.vertex_count; ++i) {
        const double moved = w->displacement[i];
        motion->moved[i] = moved > motion->moved[i] ? moved : motion->moved[i];
        motion->displacement = moved > motion->displacement ? moved : motion->displacement;
        if (t->parts && t->part_of[i] >= 0) {
            sn_trial_part *part = &motion->parts[t->part_of[i]];
            part->displacement = moved > part->displacement ? moved : part->displacement;
        }
    }
}

static void measure_edges(const sn_trial *t, const trial_worker *w, trial_motion *motion)
{
    const double before = motion->stretch, min_length = MIN_LENGTH * t->model->diagonal;
    for (int i = 0; i < t->edge_count; ++i) {
        const int32_t *edge = t->edges + 2 * (size_t)i;
        const double by_rig = sn_distance3(w->rig + 3 * edge[0], w->rig + 3 * edge[1]);
        const double unstretched = by_rig > t->lengths[i] ? by_rig : t->lengths[i];
        const double length = unstretched > min_length ? unstretched : min_length;
        const double stretch = sn_distance3(w->positions + 3 * edge[0], w->positions + 3 * edge[1]) / length;
        if (stretch > motion->stretch) {
            motion->stretch = stretch;
            memcpy(motion->stretched_edge, edge, sizeof motion->stretched_edge);
        }
        for (int end = 0; end < 2 && t->parts; ++end) {
            if (t->part_of[edge[end]] >= 0) {
                sn_trial_part *part = &motion->parts[t->part_of[edge[end]]];
                part->stretch = stretch > part->stretch ? stretch : part->stretch;
            }
        }
    }
    if (motion->stretch > before) {
        motion->worst_mode = strongest_mode(t, w->modes, motion->stretched_edge);
    }
}

static void measure(const sn_trial *t, trial_worker *w, trial_motion *motion)
{
    accumulate_energy(t, motion);
    sn_reduced_body_mode_transforms(motion->body, 1, w->modes);
    for (size_t i = 0; i < 12 * (size_t)t->model->counts.mode_count; ++i) {
        w->modes32[i] = (float)w->modes[i];
    }
    sn_skin_surface(&t->boundary, motion->pose, NULL, NULL, w->rig, NULL, NULL);
    displace_vertices(t, w);
    measure_vertices(t, w, motion);
    measure_edges(t, w, motion);
}

static int compare_displacements(const void *a, const void *b)
{
    const double x = ((const skin_patch *)a)->moved, y = ((const skin_patch *)b)->moved;
    return (x < y) - (x > y);
}

/* Adds a motion's level (the displacement that all but tips of a part stay below; part -1: all of the skin) to the
 * sorted list, and returns the level of most motions. */
static double add_level(sn_trial *t, const double *moved, int part, skin_levels *levels)
{
    const double tip_fraction = part >= 0 && t->parts->tip_fraction > 0 ? t->parts->tip_fraction : TIP_FRACTION;
    const double counted = part >= 0 && t->parts->counted_motions > 0 ? t->parts->counted_motions : COUNTED_MOTIONS;
    int count = 0;
    double all = 0, above = 0, level = 0;
    for (int i = 0; i < t->boundary.vertex_count; ++i) {
        if (part < 0 || t->part_of[i] == part) {
            t->sorted[count++] = (skin_patch){moved[i], t->areas[i]};
            all += t->areas[i];
        }
    }
    qsort(t->sorted, (size_t)count, sizeof *t->sorted, compare_displacements);
    for (int i = 0; i < count && above <= tip_fraction * all; ++i) {
        level = t->sorted[i].moved;
        above += t->sorted[i].area;
    }
    int at = levels->count++;
    for (; at > 0 && levels->values[at - 1] > level; --at) {
        levels->values[at] = levels->values[at - 1];
    }
    levels->values[at] = level;
    return levels->values[(int)ceil(counted * levels->count) - 1];
}

static void add_levels(sn_trial *t, const trial_motion *motion)
{
    t->report.moved = add_level(t, motion->moved, -1, &t->levels);
    if (motion->clip <= ROOT_MOTION) {
        return;
    }
    const bool is_measured = t->parts && (t->parts->clip < 0 || motion->clip < 0 || motion->clip == t->parts->clip);
    for (int part = 0; is_measured && part < t->parts->count; ++part) {
        t->parts->measured[part].moved = add_level(t, motion->moved, part, &t->part_levels[part]);
    }
}

/* Adds the results of a motion to the report. */
static void add_motion(sn_trial *t, const trial_motion *motion)
{
    if (motion->stretch > t->report.stretch) {
        t->report.stretch = motion->stretch;
        t->report.worst_mode = motion->worst_mode;
    }
    t->report.displacement = fmax(t->report.displacement, motion->displacement);
    t->elastic_energy += motion->elastic_energy;
    t->squared_norm += motion->squared_norm;
    for (int i = 0; t->parts && i < t->parts->count; ++i) {
        sn_trial_part *part = &t->parts->measured[i];
        part->displacement = fmax(part->displacement, motion->parts[i].displacement);
        part->stretch = fmax(part->stretch, motion->parts[i].stretch);
    }
    add_levels(t, motion);
}

/* ---- motion ---- */

/* Rotates bones with is_rotated and their descendants about the vertical through their joints; in a flat body, about
 * the normal of its plane. */
static void rotate_bones(const sn_trial *t, double seconds, double *pose)
{
    const sn_model *model = t->model;
    const double angle = ROTATION_ANGLE * sin(2 * PI * ROTATION_HERTZ * seconds), c = cos(angle), s = sin(angle);
    const double upright[12] = {c, 0, s, 0, 0, 1, 0, 0, -s, 0, c, 0}, flat[12] = {c, -s, 0, 0, s, c, 0, 0, 0, 0, 1, 0};
    sn_model_rest_pose(model, pose);
    for (int bone = 0; bone < model->counts.bone_count; ++bone) {
        int32_t joint = bone, top = -1;
        for (; joint >= 0; joint = model->bone_parents[joint]) {
            top = t->parts->is_rotated[joint] ? joint : top;
        }
        if (top >= 0) {
            double about[12], moved[3], rest[12];
            const float *pivot = model->bone_pivots + 3 * (size_t)top;
            const double point[3] = {(double)pivot[0], (double)pivot[1], (double)pivot[2]};
            memcpy(about, sn_model_is_flat(model) ? flat : upright, sizeof about);
            sn_affine_apply(about, point, moved);
            for (int d = 0; d < 3; ++d) {
                about[4 * d + 3] = point[d] - moved[d];
            }
            memcpy(rest, pose + 12 * (size_t)bone, sizeof rest);
            sn_affine_multiply(about, rest, pose + 12 * (size_t)bone);
        }
    }
}

/* The pose of a step. Morph targets are at rest; target_inertia.c limits their effect later, at the final stiffness. */
static void set_pose(const sn_trial *t, trial_motion *motion, int step)
{
    const double seconds = (motion->first + step) / 60.0;
    if (motion->clip == HOP) {
        sn_model_hop(t->model, seconds, motion->pose);
    } else if (motion->clip == ROTATION) {
        rotate_bones(t, seconds, motion->pose);
    } else if (motion->clip <= ROOT_MOTION) {
        sn_root_motion_pose(&motion->root, seconds, motion->pose);
    } else {
        sn_model_sample_clip(t->model, motion->clip, seconds, motion->pose);
    }
}

static void run_motion(const sn_trial *t, trial_worker *worker, trial_motion *motion)
{
    for (int step = 0; step < motion->count; ++step) {
        set_pose(t, motion, step + 1);
        sn_reduced_body_step(motion->body, motion->pose, NULL);
        if (step % MEASURE_INTERVAL == MEASURE_INTERVAL - 1) {
            measure(t, worker, motion);
        }
    }
}

static void run_range(int first, int last, int worker, void *user)
{
    sn_trial *t = user;
    for (int i = first; i < last; ++i) {
        run_motion(t, &t->workers[worker], &t->motions[i]);
    }
}

static sn_result create_workers(sn_trial *t, int count, sn_arena *arena)
{
    const size_t modes = (size_t)t->model->counts.mode_count, vertices = (size_t)t->boundary.vertex_count;
    bool is_complete = (t->workers = SN_NEW(arena, trial_worker, count)) != NULL;
    for (int i = 0; i < count && is_complete; ++i) {
        trial_worker *w = &t->workers[i];
        w->modes = SN_NEW(arena, double, 12 * modes);
        w->modes32 = SN_NEW(arena, float, 12 * modes);
        w->positions = SN_NEW(arena, double, 3 * vertices);
        w->rig = SN_NEW(arena, double, 3 * vertices);
        w->displacement = SN_NEW(arena, double, vertices);
        is_complete = w->modes && w->modes32 && w->positions && w->rig && w->displacement;
    }
    return is_complete ? SN_OK : SN_ERROR_MEMORY;
}

static sn_result prepare_motion(const sn_trial *t, const sn_reduced_desc *desc, sn_arena *arena, trial_motion *motion)
{
    motion->stretch = 1;
    motion->pose = SN_NEW(arena, double, 12 * (size_t)t->model->counts.bone_count);
    motion->moved = SN_NEW(arena, double, t->boundary.vertex_count);
    motion->parts = SN_NEW(arena, sn_trial_part, t->parts ? t->parts->count : 0);
    if (!motion->pose || !motion->moved || !motion->parts) {
        return SN_ERROR_MEMORY;
    }
    for (int i = 0; t->parts && i < t->parts->count; ++i) {
        motion->parts[i].stretch = 1;
    }
    set_pose(t, motion, 0);
    SN_TRY(sn_reduced_solver_create(t->model, desc, &motion->solver));
    return sn_reduced_body_create(motion->solver, motion->pose, &motion->body);
}

/* Runs the listed motions in parallel, and empties the list. Everything is allocated before the threads start. */
static sn_result run_motions(sn_trial *t, const sn_reduced_desc *desc)
{
    sn_arena scratch = {0};
    sn_jobs *jobs = NULL;
    sn_result result = sn_jobs_create(t->worker_count, &jobs);
    result = result == SN_OK ? create_workers(t, sn_jobs_worker_count(jobs), &scratch) : result;
    for (int i = 0; i < t->motion_count && result == SN_OK; ++i) {
        result = prepare_motion(t, desc, &scratch, &t->motions[i]);
    }
    if (result == SN_OK) {
        sn_parallel_for(jobs, t->motion_count, 1, run_range, t);
    }
    for (int i = 0; i < t->motion_count; ++i) {
        if (result == SN_OK) {
            add_motion(t, &t->motions[i]);
        }
        sn_reduced_body_destroy(&t->motions[i].body);
        sn_reduced_solver_destroy(&t->motions[i].solver);
    }
    t->motion_count = 0;
    sn_jobs_destroy(&jobs);
    sn_arena_finish(&scratch);
    return result;
}

static void list_motion(sn_trial *t, int clip, int first, int count)
{
    t->motions[t->motion_count++] = (trial_motion){.clip = clip, .first = first, .count = count};
}

/* Lists parts of the clips, spread evenly; all of them if they are short enough. */
static void list_clips(sn_trial *t)
{
    const int clip_count = t->model->counts.clip_count;
    const int step_limit = t->parts && t->parts->has_root_motions ? ROOT_STEP_LIMIT : STEP_LIMIT;
    const int max_clips = step_limit / MOTION_STEPS,
              stride = clip_count > max_clips ? (clip_count + max_clips - 1) / max_clips : 1;
    const int run_count = (clip_count + stride - 1) / stride;
    bool is_clip_listed = !t->parts || t->parts->clip < 0;
    for (int clip = 0; clip < clip_count; clip += stride) {
        /* stop before the end, where the clip wraps around */
        const int frames = (int)(sn_model_clip_seconds(t->model, clip) * 60) - 1,
                  steps_per_clip = step_limit / run_count;
        const int count = frames < steps_per_clip ? frames : steps_per_clip;
        list_motion(t, clip, (frames - count) / 2, count);
        is_clip_listed = is_clip_listed || clip == t->parts->clip;
    }
    if (!is_clip_listed) {
        const int frames = (int)(sn_model_clip_seconds(t->model, t->parts->clip) * 60) - 1;
        list_motion(t, t->parts->clip, 0, frames < MOTION_STEPS ? frames : MOTION_STEPS);
    }
}

/* Lists motions of the whole rig, in the rest pose. */
static void list_root_motions(sn_trial *t)
{
    static const sn_root_motion_type types[] = {SN_ROOT_MOTION_JUMP, SN_ROOT_MOTION_SHAKE};
    double box[2][3] = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}}, longest = 0;
    for (size_t i = 0; i < 3 * (size_t)t->model->counts.vertex_count; ++i) {
        box[0][i % 3] = fmin(box[0][i % 3], (double)t->model->rest_positions[i]);
        box[1][i % 3] = fmax(box[1][i % 3], (double)t->model->rest_positions[i]);
    }
    sn_root_motion root = {.model = t->model, .clip = -1};
    for (int d = 0; d < 3; ++d) {
        root.centre[d] = 0.5 * (box[0][d] + box[1][d]);
        longest = fmax(longest, box[1][d] - box[0][d]);
    }
    root.height = fmax(box[1][1] - box[0][1], MIN_HEIGHT * longest);
    for (size_t i = 0; i < sizeof types / sizeof *types; ++i) {
        root.type = types[i];
        list_motion(t, ROOT_MOTION - (int)types[i], 0, (int)(60 * sn_root_motion_seconds(&root)));
        t->motions[t->motion_count - 1].root = root;
    }
}

static void reset(sn_trial *t)
{
    t->report = (sn_trial_report){.stretch = 1};
    t->levels.count = 0;
    t->elastic_energy = t->squared_norm = 0;
    for (int part = 0; t->parts && part < t->parts->count; ++part) {
        t->parts->measured[part] = (sn_trial_part){.stretch = 1};
        t->part_levels[part].count = 0;
    }
}

sn_result sn_trial_run(sn_trial *t, double stiffness, sn_trial_report *report)
{
    sn_reduced_desc desc = sn_default_reduced_desc();
    desc.stiffness = stiffness;
    desc.tolerance = 1e-4;
    reset(t);
    list_clips(t);
    sn_result result = run_motions(t, &desc);
    if (result == SN_OK && !(t->report.displacement > MIN_DISPLACEMENT)) { /* no clips, or clips that move nothing */
        reset(t);
        list_motion(t, HOP, 0, (int)(60 * SN_HOP_SECONDS));
        if (t->parts && t->parts->is_rotated) {
            list_motion(t, ROTATION, 0, ROTATION_STEPS);
        }
    }
    if (t->parts && t->parts->has_root_motions) {
        list_root_motions(t);
    }
    result = result == SN_OK ? run_motions(t, &desc) : result;
    t->report.frequency = t->squared_norm > 0 ? sqrt(stiffness * t->elastic_energy / t->squared_norm) / (2 * PI) : 0;
    *report = t->report;
    return result;
}
