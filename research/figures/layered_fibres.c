/* SPDX-License-Identifier: MIT */
/* Figures 3 and 8 of the layered paper: frames from a few curves, and flesh that is stiff along them. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "author/frames/frame_field.h"
#include "author/frames/nurbs.h"
#include "author/frames/rotation_minimising.h"
#include "host/math/vec3.h"
#include "research/figures/limb.h"

#define YOUNG 3e4
#define FRAMES 60
#define CURVES 4
#define POINTS 5
#define DEGREE 3
#define NEEDLE_LENGTH 0.03 /* m */
#define NEEDLE_WIDTH 0.0025
#define DRAWN_MOST 0.06 /* m */
#define YAW 0.0

/* In the body's box, 0 to 1: along the back into the head, up either ear, up the belly. */
static const double controls[CURVES][POINTS][3] = {
    {{0.95, 0.25, 0.6}, {0.8, 0.45, 0.6}, {0.55, 0.55, 0.62}, {0.3, 0.58, 0.64}, {0.08, 0.64, 0.62}},
    {{0.25, 0.7, 0.55}, {0.34, 0.77, 0.5}, {0.4, 0.83, 0.46}, {0.44, 0.89, 0.41}, {0.47, 0.96, 0.38}},
    {{0.15, 0.7, 0.6}, {0.16, 0.76, 0.48}, {0.18, 0.82, 0.35}, {0.17, 0.88, 0.2}, {0.16, 0.95, 0.06}},
    {{0.45, 0.12, 0.6}, {0.35, 0.2, 0.62}, {0.28, 0.3, 0.62}, {0.25, 0.4, 0.62}, {0.22, 0.5, 0.62}}};

typedef struct subject {
    sn_limb limb;
    double box[3];
    int known_count;
    bool is_bunny;
    int frame_count;
    sn_nurbs_samples curves[CURVES];
} subject;

static sn_result build(const sn_figures *f, sn_arena *arena, subject *s)
{
    double low[3], high[3];
    s->frame_count = f->is_quick ? 4 : FRAMES;
    SN_TRY(sn_limb_bunny(f, 6000, arena, &s->limb, &s->is_bunny));
    sn_tet_mesh_box(&s->limb.mesh, low, high);
    for (int d = 0; d < 3; ++d) {
        s->box[d] = high[d] - low[d];
    }
    return SN_OK;
}

static sn_result lay_fibres(subject *s, sn_arena *arena)
{
    sn_frame_line lines[CURVES];
    sn_frame_field_report report = {0};
    double knots[POINTS + DEGREE + 1], weights[POINTS];
    sn_result result = SN_OK;
    sn_nurbs_clamped_knots(DEGREE, POINTS, knots);
    for (int c = 0; c < CURVES && result == SN_OK; ++c) {
        static const double up[3] = {0, 1, 0};
        double points[3 * POINTS];
        for (int i = 0; i < 3 * POINTS; ++i) {
            points[i] = s->box[i % 3] * controls[c][i / 3][i % 3];
            weights[i / 3] = 1;
        }
        const sn_nurbs curve = {DEGREE, POINTS, points, weights, knots};
        result = sn_nurbs_sample(&curve, 0.01, arena, &s->curves[c]);
        double *frames = result == SN_OK ? SN_NEW(arena, double, 9 * (size_t)s->curves[c].count) : NULL;
        if (!frames) {
            return result == SN_OK ? SN_ERROR_MEMORY : result;
        }
        sn_frames_minimise_rotation(s->curves[c].count, s->curves[c].points, s->curves[c].tangents, up, frames);
        lines[c] = (sn_frame_line){s->curves[c].count, s->curves[c].points, frames, 0.02};
    }
    if (result == SN_OK) {
        result = sn_frame_field_build(&s->limb.mesh, lines, CURVES, s->limb.frames, &report);
        s->known_count = report.known_count;
    }
    return result;
}

/* ---- motion ---- */

/* Hops and turns. */
static void hop(int frame, void *user, double *pose)
{
    (void)user;
    const double at = frame / 60.0, angle = 0.15 * sin(9 * at), c = cos(angle), s = sin(angle);
    const double all[12] = {c, 0, s, 0.03 * sin(8 * at), 0, 1, 0, 0.025 * sin(14 * at), -s, 0, c, 0};
    memcpy(pose, all, sizeof all);
}

typedef enum material { ISOTROPIC, FIBRES, SOFT_SHEAR, MATERIAL_COUNT } material;

static const char *const names[MATERIAL_COUNT] = {"isotropic", "stretch x 10 along fibres", "shear x 0.2 between axes"};

static const double factors[MATERIAL_COUNT][6] = {{1, 1, 1, 1, 1, 1}, {10, 1, 1, 1, 1, 1}, {1, 1, 1, 0.2, 0.2, 0.2}};

typedef struct results {
    double seconds[FRAMES], ways[MATERIAL_COUNT][FRAMES]; /* of flesh against the bone, root mean square, mm */
    double stretches[MATERIAL_COUNT][2];                  /* of tets along axis 1, along axis 2: root mean square */
    double *places[MATERIAL_COUNT];                       /* (frame_count x vertex_count x 3) */
    int inverted[MATERIAL_COUNT], worst[MATERIAL_COUNT];  /* frame of the largest way */
} results;

/* Where the bone would have all flesh. */
static void carry_rigidly(const sn_limb *limb, int frame, double *places)
{
    double pose[12];
    hop(frame, NULL, pose);
    for (int v = 0; v < limb->mesh.vertex_count; ++v) {
        const double *x = limb->mesh.positions + 3 * v;
        for (int d = 0; d < 3; ++d) {
            places[3 * v + d] = sn_dot3(pose + 4 * d, x) + pose[4 * d + 3];
        }
    }
}

/* |F r| - 1 of an axis of a tet's frame. */
static double strain(const sn_limb *limb, const double *places, int t, int axis)
{
    const double *frame = limb->frames + 9 * (size_t)t, *gradients = limb->gradients + 12 * (size_t)t;
    const double direction[3] = {frame[axis], frame[3 + axis], frame[6 + axis]};
    double moved[3] = {0};
    for (int k = 0; k < 4; ++k) {
        const double share = sn_dot3(gradients + 3 * k, direction);
        for (int d = 0; d < 3; ++d) {
            moved[d] += share * places[3 * limb->mesh.tets[4 * t + k] + d];
        }
    }
    return sn_length3(moved) - 1;
}

static void measure(const subject *s, const double *rigid, int frame, material m, results *r)
{
    const sn_limb *limb = &s->limb;
    const double *now = r->places[m] + 3 * (size_t)frame * (size_t)limb->mesh.vertex_count;
    r->seconds[frame] = (frame + 1) / 60.0;
    r->ways[m][frame] = 1e3 * sn_limb_distance(limb, now, rigid, 1);
    r->worst[m] = r->ways[m][frame] > r->ways[m][r->worst[m]] ? frame : r->worst[m];
    for (int axis = 0; axis < 2; ++axis) {
        double sum = 0, volume = 0;
        for (int t = 0; t < limb->mesh.tet_count; ++t) {
            const double one = strain(limb, now, t, axis);
            sum += limb->volumes[t] * one * one;
            volume += limb->volumes[t];
        }
        r->stretches[m][axis] += sum / volume / s->frame_count;
    }
}

static sn_result shake(subject *s, sn_arena *arena, results *r)
{
    const size_t size = 3 * (size_t)s->limb.mesh.vertex_count;
    double *rigid = SN_NEW(arena, double, size);
    sn_result result = rigid ? SN_OK : SN_ERROR_MEMORY;
    for (int m = 0; m < MATERIAL_COUNT && result == SN_OK; ++m) {
        sn_layered_settings settings = sn_default_layered_settings();
        settings.damping = 2;
        r->places[m] = SN_NEW(arena, double, size *(size_t)s->frame_count);
        s->limb.desc.frames = m == ISOTROPIC ? NULL : s->limb.frames;
        sn_limb_material(&s->limb, YOUNG, 0.4, factors[m]);
        result = r->places[m]
                     ? sn_limb_play(&s->limb, &settings,
                                    &(sn_limb_run){.frame_count = s->frame_count, .move = hop, .places = r->places[m]})
                     : SN_ERROR_MEMORY;
        for (int frame = 0; frame < s->frame_count && result == SN_OK; ++frame) {
            carry_rigidly(&s->limb, frame + 1, rigid);
            measure(s, rigid, frame, (material)m, r);
        }
        for (int axis = 0; axis < 2; ++axis) {
            r->stretches[m][axis] = sqrt(r->stretches[m][axis]);
        }
        if (result == SN_OK) {
            r->inverted[m] = sn_limb_inverted(&s->limb, r->places[m] + size * (size_t)(s->frame_count - 1));
        }
    }
    return result;
}

/* ---- pictures ---- */

/* A needle from a place along a direction, before the surface, seen from both sides. */
static void add_needle(const double *place, const double *direction, int *vertex, int *triangle, double *positions,
                       int32_t *triangles)
{
    const double across[3] = {-direction[1], direction[0], 0}, size = fmax(sn_length3(across), 1e-9);
    for (int i = 0; i < 3; ++i) {
        for (int d = 0; d < 3; ++d) {
            positions[3 * (*vertex + i) + d] = place[d] + (i == 2 ? 1 : -1) * 0.5 * NEEDLE_LENGTH * direction[d] +
                                               (i == 2   ? 0
                                                : i == 0 ? 1
                                                         : -1) *
                                                   NEEDLE_WIDTH * across[d] / size +
                                               (d == 2 ? 0.01 : 0);
        }
        triangles[3 * *triangle + i] = *vertex + i;
        triangles[3 * (*triangle + 1) + i] = *vertex + 2 - i;
    }
    *vertex += 3;
    *triangle += 2;
}

/* The first axes of tets below every few triangles of the surface. */
static sn_result draw_field(const subject *s, sn_arena *arena, sn_picture *picture)
{
    const sn_tet_mesh *mesh = &s->limb.mesh;
    const int stride = mesh->tet_count > 2000 ? 12 : 4, needles = mesh->tet_count / stride + 1;
    const double *no_values = NULL;
    sn_tri_mesh skin;
    if (sn_limb_surface(&s->limb, mesh->positions, arena, &skin, &no_values) != SN_OK) {
        return SN_ERROR_MEMORY;
    }
    const int vertices = skin.vertex_count + 3 * needles, triangles = skin.triangle_count + 2 * needles;
    double *positions = SN_NEW(arena, double, 3 * (size_t)vertices);
    int32_t *corners = SN_NEW(arena, int32_t, 3 * (size_t)triangles), *groups = SN_NEW(arena, int32_t, triangles);
    int vertex = skin.vertex_count, triangle = skin.triangle_count;
    if (!positions || !corners || !groups) {
        return SN_ERROR_MEMORY;
    }
    memcpy(positions, skin.positions, 3 * (size_t)vertex * sizeof *positions);
    memcpy(corners, skin.triangles, 3 * (size_t)triangle * sizeof *corners);
    for (int i = 0; i < triangles; ++i) {
        groups[i] = i < triangle ? 4 : 0;
    }
    for (int t = 0; t < mesh->tet_count; t += stride) {
        const double *frame = s->limb.frames + 9 * (size_t)t, direction[3] = {frame[0], frame[3], frame[6]};
        double middle[3] = {0};
        for (int i = 0; i < 12; ++i) {
            middle[i % 3] += mesh->positions[3 * mesh->tets[4 * t + i / 3] + i % 3] / 4;
        }
        add_needle(middle, direction, &vertex, &triangle, positions, corners);
    }
    for (int i = 0; i < 3 * vertex; ++i) {
        positions[i] -= 0.5 * s->box[i % 3];
    }
    const sn_raster_desc desc = {.positions = positions,
                                 .triangles = corners,
                                 .vertex_count = vertex,
                                 .triangle_count = triangle,
                                 .groups = groups,
                                 .yaw = YAW,
                                 .radius = 0.36,
                                 .width = 300,
                                 .height = 300};
    snprintf(picture->caption, sizeof picture->caption, "fibres (axis 1)");
    sn_picture drawn;
    const sn_result result = sn_raster_draw(&desc, arena, &drawn);
    memcpy(drawn.caption, picture->caption, sizeof drawn.caption);
    *picture = drawn;
    return result;
}

static sn_result draw(sn_figures *f, const subject *s, const results *r, sn_arena *arena)
{
    const size_t n = (size_t)s->limb.mesh.vertex_count;
    sn_picture pictures[1 + MATERIAL_COUNT];
    char path[SN_FIGURE_PATH];
    double *values = SN_NEW(arena, double, n), *rigid = SN_NEW(arena, double, 3 * n);
    sn_result result = values && rigid ? draw_field(s, arena, &pictures[0]) : SN_ERROR_MEMORY;
    for (int m = 0; m < MATERIAL_COUNT && result == SN_OK; ++m) {
        const int frame = r->worst[ISOTROPIC];
        const double *now = r->places[m] + 3 * (size_t)frame * n;
        double pose[12];
        hop(frame + 1, NULL, pose);
        carry_rigidly(&s->limb, frame + 1, rigid);
        for (size_t v = 0; v < n; ++v) {
            values[v] = sn_distance3(now + 3 * v, rigid + 3 * v) / DRAWN_MOST;
        }
        const sn_limb_view view = {.yaw = YAW,
                                   .radius = 0.36,
                                   .middle = {0.5 * s->box[0] + pose[3], 0.5 * s->box[1] + pose[7], 0.5 * s->box[2]},
                                   .width = 300,
                                   .height = 300,
                                   .values = values};
        result = sn_limb_picture(&s->limb, now, &view, arena, &pictures[1 + m]);
        snprintf(pictures[1 + m].caption, sizeof pictures->caption, "%s", names[m]);
    }
    if (result == SN_OK) {
        sn_figure_show(f, "layered-fibres-shapes",
                       "Fibres along curves; flesh at one moment, orange where it is 6 cm from where its bone has it",
                       path);
        result = sn_pictures_write(path, pictures, 1 + MATERIAL_COUNT, 2);
    }
    return result;
}

static void say(sn_figures *f, const subject *s, const results *r)
{
    const double(*of)[2] = r->stretches;
    const double along = of[1][0] / of[0][0], across = of[1][1] / of[0][1];
    const char *flesh = across < 0.95   ? "stiffer across them, too, though by less"
                        : across < 1.05 ? "as soft across them as before"
                                        : "softer across them than before";
    sn_figure_say(f,
                  "**Here.** %s of %d tets, half a metre high, E = 30 kPa, on feet that hop and turn; %d curves\n"
                  "%sset the frames of %d vertices, the field those of all tets.\n"
                  "Strain over %.1f s, root of the mean square, along the first axis and the second: %.3f and %.3f\n"
                  "where flesh is isotropic, %.3f and %.3f with tenfold stretch along the first, %.3f and %.3f with\n"
                  "a fifth of the shear. Fibres leave %.0f%% of the strain along them and %.0f%% across: flesh is\n"
                  "%s along the curves, and %s.\n"
                  "Wrinkles were not looked for. Tets inside out at the end: %d, %d and %d.",
                  s->is_bunny ? "The bunny" : "A bar", s->limb.mesh.tet_count, CURVES,
                  s->is_bunny ? "(along the back, up the ears and up the belly) " : "", s->known_count,
                  s->frame_count / 60.0, of[0][0], of[0][1], of[1][0], of[1][1], of[2][0], of[2][1], 100 * along,
                  100 * across, along < 0.95 ? "stiffer" : "no stiffer",
                  along < across ? flesh : "no softer across them", r->inverted[0], r->inverted[1], r->inverted[2]);
}

sn_result sn_figure_layered_fibres(sn_figures *f)
{
    sn_arena arena = {0};
    subject s = {.frame_count = 0};
    results r = {.inverted = {0}};
    sn_plot panel = {.title = "A body that hops on its feet",
                     .x_label = "seconds",
                     .y_label = "mm from its bone (root mean square)",
                     .has_zero = true,
                     .series_count = MATERIAL_COUNT};
    sn_result result = build(f, &arena, &s);
    if (result == SN_OK) {
        result = lay_fibres(&s, &arena);
    }
    if (result == SN_OK) {
        result = shake(&s, &arena, &r);
    }
    for (int m = 0; m < MATERIAL_COUNT; ++m) {
        panel.series[m] = (sn_plot_series){names[m], r.seconds, r.ways[m], s.frame_count, SN_PLOT_LINE, 1 + m};
    }
    if (result == SN_OK) {
        result = sn_figure_plot(f, "layered-fibres", "Isotropic and anisotropic flesh in the same motion", &panel, 1);
    }
    if (result == SN_OK) {
        result = draw(f, &s, &r, &arena);
    }
    if (result == SN_OK) {
        sn_figure_say(
            f, "**Paper.** NURBS curves drawn on a bunny, frames along them that turn least, and a smooth field\n"
               "between; with six coefficients along its axes flesh moves more expressively than isotropic flesh\n"
               "does: ears that flex, a belly that wrinkles.");
        say(f, &s, &r);
    }
    sn_arena_finish(&arena);
    return result;
}
