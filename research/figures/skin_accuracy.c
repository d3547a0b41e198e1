/* SPDX-License-Identifier: MIT */
/* Figures 12 to 14: an arm whose true shapes are known, between two of them: this, geometric skinning, and pose-space
 * deformation on top of that. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "host/math/vec3.h"
#include "host/skin/dual_quaternion.h"
#include "research/figures/skin.h"

#define SIZE (3 * (size_t)ARM_VERTICES)
#define TIME_COUNT 3
#define WIDTH 190
#define HEIGHT 150

typedef enum method {
    METHOD_OURS,
    METHOD_STATIC, /* gamma = t: also pose-space deformation on linear blend skinning */
    METHOD_RIG,
    METHOD_DUAL,
    METHOD_DUAL_SPACE, /* pose-space deformation on dual quaternions */
    METHOD_COUNT
} method;

static const char *const names[METHOD_COUNT] = {"this", "PSD on LBS", "LBS", "dual quaternions", "PSD on DQ"};
static const double times[TIME_COUNT] = {0.25, 0.5, 0.75};

typedef struct comparison {
    bending_arm arm;
    sn_known_limb_run run;
    sn_playback playback;
    double box[6];
    double first[SIZE], last[SIZE], truth[SIZE], places[METHOD_COUNT][SIZE];
    double largest[METHOD_COUNT], mean[METHOD_COUNT], at[TIME_COUNT][METHOD_COUNT];
    sn_picture pictures[TIME_COUNT * METHOD_COUNT];
} comparison;

/* The arm's blended dual quaternion of a vertex at a fraction of the angle. */
static sn_dual_quaternion blend(const bending_arm *arm, size_t vertex, double fraction)
{
    const double angle = fraction * arm->shape.bend, none[4] = {0, 0, 0, 1}, place[3] = {0};
    const double turned[4] = {0, 0, sin(angle / 2), cos(angle / 2)};
    const sn_dual_quaternion joints[2] = {sn_dual_quaternion_make(none, place), sn_dual_quaternion_make(turned, place)};
    sn_dual_quaternion sum = {{0}, {0}};
    for (size_t k = 0; k < 2; ++k) {
        sn_dual_quaternion_add((double)arm->weights[4 * vertex + k], &joints[k], &sum);
    }
    return sum;
}

/* Where a rigid motion takes a point from. */
static void pull_back(const sn_dual_quaternion *q, const double *place, double *point)
{
    double zero[3] = {0}, origin[3], moved[3];
    sn_dual_quaternion_apply(q, zero, origin);
    sn_subtract3(place, origin, moved);
    for (int d = 0; d < 3; ++d) {
        double axis[3] = {d == 0, d == 1, d == 2}, turned[3];
        sn_dual_quaternion_apply(q, axis, turned);
        sn_subtract3(turned, origin, turned);
        point[d] = sn_dot3(turned, moved);
    }
}

/* Dual quaternions, and with what the two shapes correct there, which grows with the pose. */
static void place_dual(const comparison *c, double t, double *plain, double *corrected)
{
    for (size_t v = 0; v < ARM_VERTICES; ++v) {
        const sn_dual_quaternion end = blend(&c->arm, v, 1), now = blend(&c->arm, v, t);
        double back[3];
        sn_dual_quaternion_apply(&now, c->first + 3 * v, plain + 3 * v);
        pull_back(&end, c->last + 3 * v, back);
        for (size_t d = 0; d < 3; ++d) {
            back[d] = (1 - t) * c->first[3 * v + d] + t * back[d];
        }
        sn_dual_quaternion_apply(&now, back, corrected + 3 * v);
    }
}

/* Linear blend skinning of the first shape, and of both shapes' blend in the bind pose. */
static void place_linear(const comparison *c, double t, double *plain, double *corrected)
{
    for (size_t v = 0; v < ARM_VERTICES; ++v) {
        const double share = (double)c->arm.weights[4 * v + 1];
        double m[2][4]; /* blended, about z: a rotation's share and what is left of the identity */
        for (int k = 0; k < 2; ++k) {
            const double angle = (k == 0 ? t : 1) * c->arm.shape.bend;
            m[k][0] = 1 - share + share * cos(angle);
            m[k][1] = share * sin(angle);
            m[k][2] = m[k][0] * m[k][0] + m[k][1] * m[k][1];
        }
        const double *x = c->first + 3 * v, *y = c->last + 3 * v;
        const double back[3] = {(m[1][0] * y[0] + m[1][1] * y[1]) / m[1][2],
                                (m[1][0] * y[1] - m[1][1] * y[0]) / m[1][2], y[2]};
        const double mixed[2] = {(1 - t) * x[0] + t * back[0], (1 - t) * x[1] + t * back[1]};
        plain[3 * v] = m[0][0] * x[0] - m[0][1] * x[1];
        plain[3 * v + 1] = m[0][1] * x[0] + m[0][0] * x[1];
        plain[3 * v + 2] = x[2];
        corrected[3 * v] = m[0][0] * mixed[0] - m[0][1] * mixed[1];
        corrected[3 * v + 1] = m[0][1] * mixed[0] + m[0][0] * mixed[1];
        corrected[3 * v + 2] = (1 - t) * x[2] + t * back[2];
    }
}

static sn_result compare(comparison *c, int time, sn_arena *arena)
{
    const double t = times[time];
    double values[ARM_VERTICES];
    sn_result result = SN_OK;
    sn_known_limb_place(SN_KNOWN_ELBOW, &c->arm, t, c->truth);
    sn_playback_evaluate(&c->playback, t, c->places[METHOD_OURS]);
    place_linear(c, t, c->places[METHOD_RIG], c->places[METHOD_STATIC]);
    place_dual(c, t, c->places[METHOD_DUAL], c->places[METHOD_DUAL_SPACE]);
    for (int m = 0; m < METHOD_COUNT && result == SN_OK; ++m) {
        double worst = 0, sum = 0;
        for (size_t v = 0; v < ARM_VERTICES; ++v) {
            const double off = sn_distance3(c->places[m] + 3 * v, c->truth + 3 * v);
            worst = fmax(worst, off);
            sum += off / ARM_VERTICES;
            values[v] = off / 0.1;
        }
        c->at[time][m] = worst;
        c->largest[m] = fmax(c->largest[m], worst);
        c->mean[m] = fmax(c->mean[m], sum);
        const sn_tri_mesh mesh = {ARM_VERTICES, ARM_TRIANGLES, c->places[m], c->arm.triangles};
        const sn_skin_picture picture = {
            .mesh = &mesh, .width = WIDTH, .height = HEIGHT, .values = values, .box = c->box};
        sn_picture *to = &c->pictures[time * METHOD_COUNT + m];
        result = sn_skin_draw(&picture, arena, to);
        snprintf(to->caption, sizeof to->caption, "%s, %.2f: %.3f", names[m], t, worst);
    }
    return result;
}

static void widen(const double *places, double *box)
{
    double own[6];
    sn_skin_box(places, ARM_VERTICES, own);
    for (int d = 0; d < 3; ++d) {
        box[d] = fmin(box[d], own[d]);
        box[3 + d] = fmax(box[3 + d], own[3 + d]);
    }
}

static sn_result prepare(comparison *c, sn_arena *arena)
{
    const sn_known_limb_desc desc = {
        .limb = SN_KNOWN_ELBOW, .segment_count = 1, .seconds = 1, .material = sn_default_fourier_material()};
    sn_known_limb_make(SN_KNOWN_ELBOW, &c->arm);
    sn_known_limb_place(SN_KNOWN_ELBOW, &c->arm, 0, c->first);
    sn_known_limb_place(SN_KNOWN_ELBOW, &c->arm, 1, c->last);
    sn_skin_box(c->first, ARM_VERTICES, c->box);
    widen(c->last, c->box);
    for (int t = 0; t < TIME_COUNT; ++t) {
        sn_known_limb_place(SN_KNOWN_ELBOW, &c->arm, times[t], c->truth);
        widen(c->truth, c->box);
    }
    SN_TRY(sn_known_limb_run_make(&desc, &c->arm, arena, &c->run));
    return sn_playback_init(&c->run.scene, 1, arena, &c->playback);
}

static void print_table(sn_figures *f, const comparison *c)
{
    fprintf(f->text, "\n| method | t = .25 | .5 | .75 | largest mean |\n| --- | --- | --- | --- | --- |\n");
    for (int m = 0; m < METHOD_COUNT; ++m) {
        fprintf(f->text, "| %s | %.4f | %.4f | %.4f | %.4f |\n", names[m], c->at[0][m], c->at[1][m], c->at[2][m],
                c->mean[m]);
    }
}

/* In the paper: ours, dual quaternions, linear blend skinning, from the best to the worst. */
static const char *judge_order(const comparison *c)
{
    const double ours = c->largest[METHOD_OURS], dual = c->largest[METHOD_DUAL], rig = c->largest[METHOD_RIG];
    return ours < dual && dual < rig ? "the order of the three is the paper's"
                                     : "the order of the three is not the paper's";
}

static const char *judge_gain(const comparison *c)
{
    return c->largest[METHOD_RIG] / c->largest[METHOD_OURS] < 0.385 / 0.026 ? "Smaller" : "Larger";
}

sn_result sn_figure_skin_accuracy(sn_figures *f)
{
    sn_arena arena = {0};
    comparison *c = SN_NEW(&arena, comparison, 1);
    char path[SN_FIGURE_PATH];
    sn_result result = c ? prepare(c, &arena) : SN_ERROR_MEMORY;
    sn_figure_show(f, "skin-accuracy", "The arm at quarters, coloured by how far vertices are off", path);
    for (int t = 0; t < TIME_COUNT && result == SN_OK; ++t) {
        result = compare(c, t, &arena);
    }
    if (result == SN_OK) {
        result = sn_pictures_write(path, c->pictures, TIME_COUNT * METHOD_COUNT, METHOD_COUNT);
    }
    if (result == SN_OK) {
        print_table(f, c);
        sn_figure_say(
            f, "**Paper.** Between two scans of an arm, at quarters, the largest distance of a vertex from scans\n"
               "there is .026, .385 with linear blend skinning (LBS), .278 with dual quaternions, .169 with the\n"
               "curves of You et al. Pose-space deformation (PSD, two examples) on either skinning still has\n"
               "collapsing and bulging joints.");
        sn_figure_say(
            f,
            "**Here.** The scans are not public; an arm that bends by 100 degrees stands in, %d vertices, 2.2 long "
            "and\n"
            ".4 thick, whose true shapes are a formula. Orange: .1 off and more. With the shapes at both ends and the\n"
            "default material, the largest distance is %.3f; LBS, with %.3f, is off by %.1f times as much (in the "
            "paper\n"
            "14.8 times), dual quaternions, with %.3f, by %.1f times (10.7). PSD of two examples blends what these\n"
            "correct linearly, as a skin without density and damping does: %.3f on LBS, %.3f on dual quaternions.\n"
            "What LBS leaves of a bend grows with the angle's square, which gamma follows and a linear blend does "
            "not.\n"
            "%s gains than the paper's, on another arm; %s.",
            ARM_VERTICES, c->largest[METHOD_OURS], c->largest[METHOD_RIG],
            c->largest[METHOD_RIG] / c->largest[METHOD_OURS], c->largest[METHOD_DUAL],
            c->largest[METHOD_DUAL] / c->largest[METHOD_OURS], c->largest[METHOD_STATIC], c->largest[METHOD_DUAL_SPACE],
            judge_gain(c), judge_order(c));
    }
    sn_arena_finish(&arena);
    return result;
}
