/* SPDX-License-Identifier: MIT */
#include "author/cook/stages/trial.h"

#include "host/model/root_motion.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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
#define ROOT_MOTION (-3) /* minus the type */
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

struct sn_trial {
    const sn_model *model;
    sn_surface boundary;      /* of the tets */
    const int32_t *old_index; /* (boundary.vertex_count) vertex of the model */
    int32_t *edges;           /* (edge_count x 2) boundary vertices */
    double *lengths;          /* (edge_count) at rest */
    int edge_count;
    double *areas,
        *moved; /* (boundary.vertex_count) 1/3 of the adjacent triangles; the largest displacement in a motion */
    skin_patch *sorted; /* (boundary.vertex_count) scratch */
    skin_levels levels;
    const sn_trial_parts *parts; /* null: none */
    skin_levels *part_levels;    /* (parts->count) */
    int32_t *part_of;            /* (boundary.vertex_count) */
    double elastic_energy,
        squared_norm;     /* twice the elastic energy of the coordinates at a stiffness of 1, and their squared norm */
    double *pose, *modes; /* (bone_count x 12), (mode_count x 12) */
    double *positions, *rig; /* (boundary.vertex_count x 3) with secondary motion, and by the rig alone */
    sn_root_motion root;
    sn_reduced_body *body;
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
                                 sn_surface *mesh)
{
    const size_t modes = (size_t)model->counts.mode_count;
    float *positions = SN_NEW(arena, float, 3 * (size_t)count);
    sn_mode_weight *weights = SN_NEW(arena, sn_mode_weight, modes * (size_t)count);
    if (!positions || !weights) {
        return SN_ERROR_MEMORY;
    }
    for (size_t i = 0; i < (size_t)count; ++i) {
        const size_t v = (size_t)old_index[i];
        memcpy(positions + 3 * i, model->rest_positions + 3 * v, 3 * sizeof *positions);
        for (size_t j = 0; j < modes; ++j) {
            weights[i * modes + j] = (sn_mode_weight){.weight = model->mode_weights[v * modes + j]};
        }
    }
    *mesh = (sn_surface){.vertex_count = count,
                         .mode_count = model->counts.mode_count,
                         .diagonal = model->diagonal,
                         .positions = positions,
                         .mode_weights = weights};
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

sn_result sn_trial_create(const sn_model *model, sn_arena *arena, sn_trial **trial)
{
    sn_trial *t = SN_NEW(arena, sn_trial, 1);
    int32_t *new_index = SN_NEW(arena, int32_t, model->counts.vertex_count);
    int32_t *old_index = SN_NEW(arena, int32_t, model->counts.vertex_count);
    *trial = t;
    if (!t || !new_index || !old_index) {
        return SN_ERROR_MEMORY;
    }
    const int count = number_boundary(model, new_index, old_index);
    *t = (sn_trial){.model = model, .old_index = old_index};
    t->pose = SN_NEW(arena, double, 12 * (size_t)model->counts.bone_count);
    t->modes = SN_NEW(arena, double, 12 * (size_t)model->counts.mode_count);
    t->positions = SN_NEW(arena, double, 3 * (size_t)count);
    t->rig = SN_NEW(arena, double, 3 * (size_t)count);
    t->areas = SN_NEW(arena, double, count);
    t->moved = SN_NEW(arena, double, count);
    t->sorted = SN_NEW(arena, skin_patch, count);
    if (!t->pose || !t->modes || !t->positions || !t->rig || !t->areas || !t->moved || !t->sorted) {
        return SN_ERROR_MEMORY;
    }
    measure_areas(t, new_index);
    const sn_result result = gather_boundary(model, old_index, count, arena, &t->boundary);
    return result == SN_OK ? list_edges(t, new_index, arena) : result;
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
static int strongest_mode(const sn_trial *t, const int32_t *edge)
{
    const size_t modes = (size_t)t->boundary.mode_count;
    double max_stretch = -1;
    int strongest = 0;
    for (size_t j = 0; j < modes; ++j) {
        double ends[2][3];
        for (int e = 0; e < 2; ++e) {
            const size_t v = (size_t)edge[e];
            const float *x = t->boundary.positions + 3 * v;
            const double rest[3] = {(double)x[0], (double)x[1], (double)x[2]};
            sn_affine_apply(t->modes + 12 * j, rest, ends[e]);
            for (int d = 0; d < 3; ++d) {
                ends[e][d] *= (double)t->boundary.mode_weights[v * modes + j].weight;
            }
        }
        const double added = sn_distance3(ends[0], ends[1]);
        strongest = added > max_stretch ? (int)j : strongest;
        max_stretch = fmax(added, max_stretch);
    }
    return strongest;
}

/* The mass is the identity in these coordinates. */
static void accumulate_energy(sn_trial *t)
{
    const double *z = sn_reduced_body_coordinates(t->body);
    for (int i = 0; i < 3 * t->model->counts.coordinate_count; ++i) {
        t->elastic_energy += t->model->coordinate_stiffness[i / 3] * z[i] * z[i];
        t->squared_norm += z[i] * z[i];
    }
}

static void measure_vertices(sn_trial *t)
{
    for (int i = 0; i < t->boundary.vertex_count; ++i) {
        const double moved = sn_distance3(t->positions + 3 * i, t->rig + 3 * i) / t->model->diagonal;
        t->moved[i] = fmax(t->moved[i], moved);
        t->report.displacement = fmax(t->report.displacement, moved);
        if (t->parts && t->part_of[i] >= 0) {
            sn_trial_part *part = &t->parts->measured[t->part_of[i]];
            part->displacement = fmax(part->displacement, moved);
        }
    }
}

static void measure_edges(sn_trial *t)
{
    for (int i = 0; i < t->edge_count; ++i) {
        const int32_t *edge = t->edges + 2 * (size_t)i;
        const double by_rig = sn_distance3(t->rig + 3 * edge[0], t->rig + 3 * edge[1]);
        const double length = fmax(fmax(by_rig, t->lengths[i]), MIN_LENGTH * t->model->diagonal);
        const double stretch = sn_distance3(t->positions + 3 * edge[0], t->positions + 3 * edge[1]) / length;
        if (stretch > t->report.stretch) {
            t->report.stretch = stretch;
            t->report.worst_mode = strongest_mode(t, edge);
        }
        for (int end = 0; end < 2 && t->parts; ++end) {
            if (t->part_of[edge[end]] >= 0) {
                sn_trial_part *part = &t->parts->measured[t->part_of[edge[end]]];
                part->stretch = fmax(part->stretch, stretch);
            }
        }
    }
}

static void measure(sn_trial *t)
{
    accumulate_energy(t);
    sn_surface rig = t->boundary;
    rig.mode_count = 0;
    sn_reduced_body_mode_transforms(t->body, 1, t->modes);
    sn_skin_surface(&t->boundary, t->pose, t->modes, NULL, t->positions, NULL, NULL);
    sn_skin_surface(&rig, t->pose, NULL, NULL, t->rig, NULL, NULL);
    measure_vertices(t);
    measure_edges(t);
}

static int compare_displacements(const void *a, const void *b)
{
    const double x = ((const skin_patch *)a)->moved, y = ((const skin_patch *)b)->moved;
    return (x < y) - (x > y);
}

/* Adds a motion's level (the displacement that all but tips of a part stay below; part -1: all of the skin) to the
 * sorted list, and returns the level of most motions. */
static double add_level(sn_trial *t, int part, skin_levels *levels)
{
    const double tip_fraction = part >= 0 && t->parts->tip_fraction > 0 ? t->parts->tip_fraction : TIP_FRACTION;
    const double counted = part >= 0 && t->parts->counted_motions > 0 ? t->parts->counted_motions : COUNTED_MOTIONS;
    int count = 0;
    double all = 0, above = 0, level = 0;
    for (int i = 0; i < t->boundary.vertex_count; ++i) {
        if (part < 0 || t->part_of[i] == part) {
            t->sorted[count++] = (skin_patch){t->moved[i], t->areas[i]};
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

static void add_levels(sn_trial *t, int clip)
{
    t->report.moved = add_level(t, -1, &t->levels);
    if (clip <= ROOT_MOTION) {
        return;
    }
    const bool is_measured = t->parts && (t->parts->clip < 0 || clip < 0 || clip == t->parts->clip);
    for (int part = 0; is_measured && part < t->parts->count; ++part) {
        t->parts->measured[part].moved = add_level(t, part, &t->part_levels[part]);
    }
}

/* ---- motion ---- */

/* Rotates bones with is_rotated and their descendants about the vertical through their joints; in a flat body, about
 * the normal of its plane. */
static void rotate_bones(sn_trial *t, double seconds)
{
    const sn_model *model = t->model;
    const double angle = ROTATION_ANGLE * sin(2 * PI * ROTATION_HERTZ * seconds), c = cos(angle), s = sin(angle);
    const double upright[12] = {c, 0, s, 0, 0, 1, 0, 0, -s, 0, c, 0}, flat[12] = {c, -s, 0, 0, s, c, 0, 0, 0, 0, 1, 0};
    sn_model_rest_pose(model, t->pose);
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
            memcpy(rest, t->pose + 12 * (size_t)bone, sizeof rest);
            sn_affine_multiply(about, rest, t->pose + 12 * (size_t)bone);
        }
    }
}

/* The pose of a step; clip HOP: the hop; ROTATION: the rotation of the parts' bones. Morph targets are at rest;
 * target_inertia.c limits their effect later, at the final stiffness. */
static void set_pose(sn_trial *t, int clip, int step)
{
    if (clip == HOP) {
        sn_model_hop(t->model, step / 60.0, t->pose);
    } else if (clip == ROTATION) {
        rotate_bones(t, step / 60.0);
    } else if (clip <= ROOT_MOTION) {
        sn_root_motion_pose(&t->root, step / 60.0, t->pose);
    } else {
        sn_model_sample_clip(t->model, clip, step / 60.0, t->pose);
    }
}

static sn_result run_motion(sn_trial *t, const sn_reduced_solver *solver, int clip, int first, int count)
{
    memset(t->moved, 0, (size_t)t->boundary.vertex_count * sizeof *t->moved);
    for (int step = -1; step < count; ++step) {
        set_pose(t, clip, first + step + 1);
        if (step < 0) {
            const sn_result result = sn_reduced_body_create(solver, t->pose, &t->body);
            if (result != SN_OK) {
                return result;
            }
        } else {
            sn_reduced_body_step(t->body, t->pose, NULL);
            if (step % MEASURE_INTERVAL == MEASURE_INTERVAL - 1) {
                measure(t);
            }
        }
    }
    sn_reduced_body_destroy(&t->body);
    add_levels(t, clip);
    return SN_OK;
}

/* Runs parts of the clips, spread evenly; all of them if they are short enough. */
static sn_result run_clips(sn_trial *t, const sn_reduced_solver *solver)
{
    const int clip_count = t->model->counts.clip_count;
    const int step_limit = t->parts && t->parts->has_root_motions ? ROOT_STEP_LIMIT : STEP_LIMIT;
    const int max_clips = step_limit / MOTION_STEPS,
              stride = clip_count > max_clips ? (clip_count + max_clips - 1) / max_clips : 1;
    const int run_count = (clip_count + stride - 1) / stride;
    bool is_clip_done = !t->parts || t->parts->clip < 0;
    sn_result result = SN_OK;
    for (int clip = 0; clip < clip_count && result == SN_OK; clip += stride) {
        /* stop before the end, where the clip wraps around */
        const int frames = (int)(sn_model_clip_seconds(t->model, clip) * 60) - 1,
                  steps_per_clip = step_limit / run_count;
        const int count = frames < steps_per_clip ? frames : steps_per_clip;
        result = run_motion(t, solver, clip, (frames - count) / 2, count);
        is_clip_done = is_clip_done || clip == t->parts->clip;
    }
    if (!is_clip_done && result == SN_OK) {
        const int frames = (int)(sn_model_clip_seconds(t->model, t->parts->clip) * 60) - 1;
        result = run_motion(t, solver, t->parts->clip, 0, frames < MOTION_STEPS ? frames : MOTION_STEPS);
    }
    return result;
}

/* Motions of the whole rig, in the rest pose. */
static sn_result run_root_motions(sn_trial *t, const sn_reduced_solver *solver)
{
    static const sn_root_motion_type types[] = {SN_ROOT_MOTION_JUMP, SN_ROOT_MOTION_SHAKE};
    double box[2][3] = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}}, longest = 0;
    for (size_t i = 0; i < 3 * (size_t)t->model->counts.vertex_count; ++i) {
        box[0][i % 3] = fmin(box[0][i % 3], (double)t->model->rest_positions[i]);
        box[1][i % 3] = fmax(box[1][i % 3], (double)t->model->rest_positions[i]);
    }
    t->root = (sn_root_motion){.model = t->model, .clip = -1};
    for (int d = 0; d < 3; ++d) {
        t->root.centre[d] = 0.5 * (box[0][d] + box[1][d]);
        longest = fmax(longest, box[1][d] - box[0][d]);
    }
    t->root.height = fmax(box[1][1] - box[0][1], MIN_HEIGHT * longest);
    sn_result result = SN_OK;
    for (size_t i = 0; i < sizeof types / sizeof *types && result == SN_OK; ++i) {
        t->root.type = types[i];
        result = run_motion(t, solver, ROOT_MOTION - (int)types[i], 0, (int)(60 * sn_root_motion_seconds(&t->root)));
    }
    return result;
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
    sn_reduced_solver *solver = NULL;
    desc.stiffness = stiffness;
    desc.tolerance = 1e-4;
    reset(t);
    sn_result result = sn_reduced_solver_create(t->model, &desc, &solver);
    if (result == SN_OK && t->model->counts.clip_count > 0) {
        result = run_clips(t, solver);
    }
    if (result == SN_OK && !(t->report.displacement > MIN_DISPLACEMENT)) { /* no clips, or clips that move nothing */
        reset(t);
        result = run_motion(t, solver, HOP, 0, (int)(60 * SN_HOP_SECONDS));
        if (result == SN_OK && t->parts && t->parts->is_rotated) {
            result = run_motion(t, solver, ROTATION, 0, ROTATION_STEPS);
        }
    }
    if (result == SN_OK && t->parts && t->parts->has_root_motions) {
        result = run_root_motions(t, solver);
    }
    sn_reduced_body_destroy(&t->body);
    sn_reduced_solver_destroy(&solver);
    t->report.frequency = t->squared_norm > 0 ? sqrt(stiffness * t->elastic_energy / t->squared_norm) / (2 * PI) : 0;
    *report = t->report;
    return result;
}
