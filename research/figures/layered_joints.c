/* SPDX-License-Identifier: MIT */
/* Figure 5 of the layered paper: a joint that bends and twists, by linear blend skinning, by dual quaternions, and as
 * flesh on bones. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "host/math/affine.h"
#include "host/math/quaternion.h"
#include "host/math/vec3.h"
#include "host/skin/dual_quaternion.h"
#include "research/figures/limb.h"

#define PI 3.14159265358979323846
#define RADIUS SN_BENCH_LEG_RADIUS
#define POINTS 15 /* of a motion, with rest: every tenth frame */
#define ROW_LIMIT 64
#define INCOMPRESSIBLE (100.0 / 202) /* Poisson's ratio of lambda = 100 mu */

typedef enum skin { LINEAR, DUAL, FLESH, FIRM_FLESH, SKIN_COUNT } skin;
typedef enum motion { BEND, TWIST, MOTION_COUNT } motion;

static const char *const names[SKIN_COUNT] = {"linear blend", "dual quaternions", "ours, lambda = 4 mu",
                                              "ours, lambda = 100 mu"};
static const double most[MOTION_COUNT] = {140, 179.9}; /* degrees */

static void pose_at(motion m, double degrees, double *pose)
{
    const double angle = degrees * PI / 180;
    sn_limb_pose(0, m == BEND ? angle : 0, m == TWIST ? angle : 0, pose);
}

/* ---- skinning ---- */

static double upper_weight(double y)
{
    const double at = fmin(fmax(0.5 + y / (2.5 * RADIUS), 0), 1);
    return at * at * (3 - 2 * at);
}

static sn_dual_quaternion dual_of(const double *pose)
{
    double linear[9], rotation[4];
    const double place[3] = {pose[3], pose[7], pose[11]};
    for (int i = 0; i < 9; ++i) {
        linear[i] = pose[4 * (i / 3) + i % 3];
    }
    sn_quaternion_from_matrix(linear, rotation);
    return sn_dual_quaternion_make(rotation, place);
}

static void skin_leg(const sn_limb *limb, const double *pose, bool is_dual, double *places)
{
    const sn_dual_quaternion bones[2] = {dual_of(pose), dual_of(pose + 12)};
    for (int v = 0; v < limb->mesh.vertex_count; ++v) {
        const double *x = limb->mesh.positions + 3 * v, weight = upper_weight(x[1]);
        if (is_dual) {
            sn_dual_quaternion sum = {{0}, {0}};
            sn_dual_quaternion_add(weight, &bones[0], &sum);
            sn_dual_quaternion_add(1 - weight, &bones[1], &sum);
            sn_dual_quaternion_apply(&sum, x, places + 3 * v);
        } else {
            double blended[12];
            for (int i = 0; i < 12; ++i) {
                blended[i] = weight * pose[i] + (1 - weight) * pose[12 + i];
            }
            sn_affine_apply(blended, x, places + 3 * v);
        }
    }
}

/* ---- measures ---- */

typedef struct joints {
    sn_limb limb;
    int across, along, move_frames, hold_frames;
    double degrees[MOTION_COUNT][POINTS], volumes[MOTION_COUNT][SKIN_COUNT][POINTS];
    double bulges[SKIN_COUNT][POINTS]; /* the farthest of the outer side from the bones, of the radius; of bends */
    int row_count;
    double rows[ROW_LIMIT], radii[SKIN_COUNT][ROW_LIMIT]; /* of the twisted leg */
    double *shapes[MOTION_COUNT][SKIN_COUNT];             /* at the end */
    int inverted[MOTION_COUNT][SKIN_COUNT];
} joints;

static bool is_skin(const joints *j, int v)
{
    const int side = j->across + 1, x = v % side, z = v / (side * (j->along + 1));
    return x == 0 || x == j->across || z == 0 || z == j->across;
}

/* The side that is outside of a bend: what is inside is squeezed out, as flesh is. */
static bool is_outer(const joints *j, int v)
{
    const double *x = j->limb.mesh.positions + 3 * v;
    return is_skin(j, v) && x[2] > 0.8 * RADIUS && fabs(x[1]) < 2 * RADIUS;
}

static double farthest(const joints *j, const double *pose, const double *places)
{
    double most_distance = 0;
    for (int v = 0; v < j->limb.mesh.vertex_count; ++v) {
        double least = INFINITY;
        for (int bone = 0; bone < 2 && is_outer(j, v); ++bone) {
            const double start[3] = {0}, tip[3] = {0, bone == 0 ? 1 : -1, 0};
            double end[3];
            sn_affine_apply(pose + 12 * bone, tip, end);
            least = fmin(least, sn_segment_distance(places + 3 * v, start, end));
        }
        most_distance = isfinite(least) ? fmax(most_distance, least) : most_distance;
    }
    return most_distance / RADIUS;
}

static void measure_radii(joints *j, const double *places, double *radii)
{
    const int side = j->across + 1;
    j->row_count = j->along + 1 < ROW_LIMIT ? j->along + 1 : ROW_LIMIT;
    for (int row = 0; row < j->row_count; ++row) {
        double sum = 0;
        int count = 0;
        for (int v = 0; v < j->limb.mesh.vertex_count; ++v) {
            if (v / side % (j->along + 1) == row && is_skin(j, v)) {
                j->rows[row] = j->limb.mesh.positions[3 * v + 1] / RADIUS;
                sum += hypot(places[3 * v], places[3 * v + 2]) / RADIUS;
                ++count;
            }
        }
        radii[row] = sum / count;
    }
}

static void measure(joints *j, motion m, skin s, int point, double *places)
{
    double pose[24];
    const double degrees = most[m] * point / (POINTS - 1);
    pose_at(m, degrees, pose);
    j->degrees[m][point] = degrees;
    j->volumes[m][s][point] = sn_limb_volume(&j->limb, places, 2 * RADIUS);
    if (m == BEND) {
        j->bulges[s][point] = farthest(j, pose, places);
    }
}

static void keep(joints *j, motion m, skin s, double *places)
{
    const size_t size = 3 * (size_t)j->limb.mesh.vertex_count * sizeof *places;
    memcpy(j->shapes[m][s], places, size);
    j->inverted[m][s] = sn_limb_inverted(&j->limb, places);
    if (m == TWIST) {
        measure_radii(j, places, j->radii[s]);
    }
}

static sn_result measure_flesh(joints *j, motion m, skin s, double *frames)
{
    const size_t size = 3 * (size_t)j->limb.mesh.vertex_count;
    const int count = j->move_frames + j->hold_frames;
    sn_limb_way way = {m == BEND ? most[m] * PI / 180 : 0, m == TWIST ? most[m] * PI / 180 : 0, j->move_frames};
    const sn_layered_settings settings = sn_limb_damped_settings();
    const double poisson = s == FLESH ? 0.4 : INCOMPRESSIBLE, mu = 1e5 / 2.8;
    sn_limb_material(&j->limb, 2 * mu * (1 + poisson), poisson, NULL);
    const sn_result result =
        sn_limb_play(&j->limb, &settings,
                     &(sn_limb_run){.frame_count = count, .move = sn_limb_move, .user = &way, .places = frames});
    for (int point = 0; point < POINTS && result == SN_OK; ++point) {
        const int frame = point * j->move_frames / (POINTS - 1);
        double *places = frame == 0 ? j->limb.mesh.positions : frames + size * (size_t)(frame - 1);
        measure(j, m, s, point, places);
    }
    if (result == SN_OK) {
        keep(j, m, s, frames + size * (size_t)(count - 1));
    }
    return result;
}

static void measure_skinned(joints *j, motion m, skin s, double *places)
{
    for (int point = 0; point < POINTS; ++point) {
        double pose[24];
        pose_at(m, most[m] * point / (POINTS - 1), pose);
        skin_leg(&j->limb, pose, s == DUAL, places);
        measure(j, m, s, point, places);
    }
    keep(j, m, s, places);
}

static sn_result measure_all(const sn_figures *f, joints *j, sn_arena *arena)
{
    j->across = f->is_quick ? 4 : 10;
    j->along = f->is_quick ? 10 : 30;
    j->move_frames = f->is_quick ? POINTS - 1 : SN_LIMB_BEND_FRAMES;
    j->hold_frames = f->is_quick ? 2 : SN_LIMB_HOLD_FRAMES;
    sn_result result = sn_limb_leg(j->across, j->along, arena, &j->limb);
    const size_t size = 3 * (size_t)j->limb.mesh.vertex_count;
    double *frames = result == SN_OK ? SN_NEW(arena, double, size *(size_t)(j->move_frames + j->hold_frames)) : NULL;
    for (int i = 0; i < MOTION_COUNT * SKIN_COUNT && frames; ++i) {
        j->shapes[i / SKIN_COUNT][i % SKIN_COUNT] = SN_NEW(arena, double, size);
        frames = j->shapes[i / SKIN_COUNT][i % SKIN_COUNT] ? frames : NULL;
    }
    if (result == SN_OK && !frames) {
        result = SN_ERROR_MEMORY;
    }
    for (int i = 0; i < MOTION_COUNT * SKIN_COUNT && result == SN_OK; ++i) {
        const motion m = (motion)(i / SKIN_COUNT);
        const skin s = (skin)(i % SKIN_COUNT);
        if (s == LINEAR || s == DUAL) {
            measure_skinned(j, m, s, frames);
        } else {
            result = measure_flesh(j, m, s, frames);
        }
    }
    return result;
}

/* ---- the section ---- */

static sn_result plot(sn_figures *f, const joints *j)
{
    static const char *const titles[4] = {"Volume around a bent joint", "Volume around a twisted joint",
                                          "Twisted by 180 degrees", "Bulge of a bent joint"};
    static const char *const x_labels[4] = {"bend (degrees)", "twist (degrees)", "along the leg (of its radius)",
                                            "bend (degrees)"};
    static const char *const y_labels[4] = {"of that at rest", "of that at rest", "mean radius (of that at rest)",
                                            "outer side from the bones (of the radius)"};
    sn_plot panels[4];
    for (int p = 0; p < 4; ++p) {
        panels[p] = (sn_plot){.title = titles[p], .x_label = x_labels[p], .y_label = y_labels[p]};
        panels[p].series_count = SKIN_COUNT;
        for (int s = 0; s < SKIN_COUNT; ++s) {
            const double *const x[4] = {j->degrees[BEND], j->degrees[TWIST], j->rows, j->degrees[BEND]};
            const double *const y[4] = {j->volumes[BEND][s], j->volumes[TWIST][s], j->radii[s], j->bulges[s]};
            panels[p].series[s] =
                (sn_plot_series){names[s], x[p], y[p], p == 2 ? j->row_count : POINTS, SN_PLOT_CURVE, 1 + s};
        }
    }
    SN_TRY(sn_figure_plot(f, "layered-joints", "Volume of joints", panels, 2));
    return sn_figure_plot(f, "layered-joints-skin", "Skin of joints", panels + 2, 2);
}

/* Squares on the skin. */
static sn_result checker(const joints *j, sn_arena *arena, int32_t **groups)
{
    *groups = SN_NEW(arena, int32_t, j->limb.boundary_count);
    for (int t = 0; t < j->limb.boundary_count && *groups; ++t) {
        double middle[3] = {0};
        for (int i = 0; i < 9; ++i) {
            middle[i % 3] += j->limb.mesh.positions[3 * j->limb.boundary[3 * t + i / 3] + i % 3] / 3;
        }
        const int row = (int)floor(middle[1] / (0.7 * RADIUS)),
                  column = (int)floor(4 * atan2(middle[0], middle[2]) / PI);
        (*groups)[t] = (row + column) & 1 ? 3 : 1;
    }
    return *groups ? SN_OK : SN_ERROR_MEMORY;
}

static sn_result draw(sn_figures *f, const joints *j, sn_arena *arena)
{
    sn_picture pictures[MOTION_COUNT * SKIN_COUNT];
    char path[SN_FIGURE_PATH];
    int32_t *groups;
    sn_result result = checker(j, arena, &groups);
    for (int i = 0; i < MOTION_COUNT * SKIN_COUNT && result == SN_OK; ++i) {
        const motion m = (motion)(i / SKIN_COUNT);
        const sn_limb_view view = {.yaw = m == BEND ? 1.3 : 0.4,
                                   .pitch = 0.1,
                                   .radius = m == BEND ? 0.31 : 0.44,
                                   .middle = {0, m == BEND ? 0.155 : 0, m == BEND ? -0.1 : 0},
                                   .width = 220,
                                   .height = 280,
                                   .groups = groups};
        result = sn_limb_picture(&j->limb, j->shapes[m][i % SKIN_COUNT], &view, arena, &pictures[i]);
        snprintf(pictures[i].caption, sizeof pictures[i].caption, "%s", names[i % SKIN_COUNT]);
    }
    if (result == SN_OK) {
        sn_figure_show(f, "layered-joints-shapes", "Bent by 140 and twisted by 180 degrees", path);
        result = sn_pictures_write(path, pictures, MOTION_COUNT * SKIN_COUNT, SKIN_COUNT);
    }
    return result;
}

/* The most and the least of the skins. */
typedef struct extremes {
    double narrowest[SKIN_COUNT];
    int widest_at[SKIN_COUNT]; /* of the points of a bend */
} extremes;

static extremes find_extremes(const joints *j)
{
    extremes e = {.widest_at = {0}};
    for (int s = 0; s < SKIN_COUNT; ++s) {
        e.narrowest[s] = INFINITY;
        for (int row = 0; row < j->row_count; ++row) {
            e.narrowest[s] = fmin(e.narrowest[s], j->radii[s][row]);
        }
        for (int point = 0; point < POINTS; ++point) {
            e.widest_at[s] = j->bulges[s][point] > j->bulges[s][e.widest_at[s]] ? point : e.widest_at[s];
        }
    }
    return e;
}

static double widest(const joints *j, const extremes *e, skin s)
{
    return j->bulges[s][e->widest_at[s]];
}

static void print_table(sn_figures *f, const joints *j, const extremes *e)
{
    const int right = 9, last = POINTS - 1; /* 90 degrees */
    fprintf(f->text, "\n| | bent by 90 | by 140 | twisted by 180 | narrowest | outer side, by 140 | at most, at | "
                     "inverted: bent, twisted |\n"
                     "| --- | --- | --- | --- | --- | --- | --- | --- |\n");
    for (int s = 0; s < SKIN_COUNT; ++s) {
        fprintf(f->text, "| %s | %.2f | %.2f | %.2f | %.2f | %.3f | %.3f, %.0f | %d, %d |\n", names[s],
                j->volumes[BEND][s][right], j->volumes[BEND][s][last], j->volumes[TWIST][s][last], e->narrowest[s],
                j->bulges[s][last], widest(j, e, (skin)s), j->degrees[BEND][e->widest_at[s]], j->inverted[BEND][s],
                j->inverted[TWIST][s]);
    }
}

static void judge(sn_figures *f, const joints *j, const extremes *e)
{
    const int last = POINTS - 1;
    const double others = fmin(e->narrowest[DUAL], fmin(e->narrowest[FLESH], e->narrowest[FIRM_FLESH]));
    const double next = fmax(widest(j, e, LINEAR), fmax(widest(j, e, FLESH), widest(j, e, FIRM_FLESH)));
    const double bulge = widest(j, e, DUAL), share = (next - 1) / (bulge - 1);
    const double *const volumes[3] = {j->volumes[BEND][DUAL], j->volumes[BEND][FLESH], j->volumes[BEND][FIRM_FLESH]};
    sn_figure_say(
        f,
        "%s: the others keep %.2f of their radius and more. The\n"
        "dual quaternions bulge by %.1f%% of the radius; %s, up to %.2g%%.\n"
        "Tets inside out at the crease: %d with linear blend, %d with dual quaternions, %d and %d of ours.\n"
        "Bent by 140 degrees dual quaternions keep %.3f of the volume, flesh with this Poisson's ratio %.3f,\n"
        "with lambda = 100 mu %.3f: what flesh keeps is squeezed out sideways at the crease and, without\n"
        "contact of its own, into itself.",
        e->narrowest[LINEAR] < 0.2 && others > 0.5
            ? "The candy wrapper is the linear blend's alone, as the paper has it"
            : "No candy wrapper tells the linear blend from the others",
        floor(100 * others) / 100, 100 * (bulge - 1),
        share < 0.1   ? "the others hardly do"
        : share < 0.5 ? "the others do by less"
                      : "the others do about as much",
        sn_figure_bound(100 * (next - 1), 2), j->inverted[BEND][LINEAR], j->inverted[BEND][DUAL],
        j->inverted[BEND][FLESH], j->inverted[BEND][FIRM_FLESH], volumes[0][last], volumes[1][last], volumes[2][last]);
}

static void say(sn_figures *f, const joints *j)
{
    const extremes e = find_extremes(j);
    int carried = 0;
    for (int v = 0; v < j->limb.mesh.vertex_count; ++v) {
        carried += j->limb.bones[v] >= 0;
    }
    sn_figure_say(f,
                  "**Paper.** Twisted, linear blend skinning is a candy wrapper; bent, dual quaternions bulge. Flesh\n"
                  "on bones does neither, and keeps its volume, without weights to paint.");
    sn_figure_say(f,
                  "**Here.** A leg of %d tets; weights go over along 2.5 radii. Volume within two radii of the\n"
                  "joint, over that at rest; the narrowest mean radius of the twisted leg; and how far the outer\n"
                  "side of the bent one is from its bones, over its radius, when bent by 140 degrees and at most\n"
                  "over the bend, and at how many degrees. Bones carry the %d vertices that are within 27 mm of\n"
                  "them, but for .9 radii around the joint, not those of tets that they run through, as above,\n"
                  "where the motion is the same: so other tets are turned inside out:",
                  j->limb.mesh.tet_count, carried);
    print_table(f, j, &e);
    judge(f, j, &e);
}

sn_result sn_figure_layered_joints(sn_figures *f)
{
    sn_arena arena = {0};
    joints j = {.row_count = 0};
    sn_result result = measure_all(f, &j, &arena);
    if (result == SN_OK) {
        result = plot(f, &j);
    }
    if (result == SN_OK) {
        result = draw(f, &j, &arena);
    }
    if (result == SN_OK) {
        say(f, &j);
    }
    sn_arena_finish(&arena);
    return result;
}
