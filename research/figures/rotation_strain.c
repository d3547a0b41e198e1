/* SPDX-License-Identifier: MIT */
/* Figure 16: rotation-strain coordinates, given what a rig does (the upper half of a neck turned by a bone), and given
 * a linear displacement of the same bend, which is what they were made for. */
#include <math.h>
#include <string.h>

#include "host/math/vec3.h"
#include "research/figures/spaces.h"

#define ANGLE_LIMIT 9
#define DRAWN_ANGLE 90.0
#define PI 3.14159265358979323846

/* A neck along y; the bone turns about z at the middle, its weight goes over smoothly. */
static void bend(const sn_subject *s, double angle, bool is_linear, double *u)
{
    const double axis[3] = {0, 0, 1};
    for (int v = 0; v < s->mesh.vertex_count; ++v) {
        const double *x = s->mesh.positions + 3 * v, t = fmin(fmax(0.5 + x[1] / 0.3, 0), 1);
        const double weight = t * t * (3 - 2 * t);
        double moved[3];
        if (is_linear) {
            sn_cross3(axis, x, moved);
            for (int d = 0; d < 3; ++d) {
                u[3 * v + d] = weight * angle * moved[d];
            }
        } else {
            sn_rotate_all(x, 1, axis, angle, moved);
            for (int d = 0; d < 3; ++d) {
                u[3 * v + d] = weight * (moved[d] - x[d]);
            }
        }
    }
}

/* Over that at rest; what is turned inside out counts too. */
static double measure_volume(const sn_subject *s, const double *u, double *positions)
{
    const sn_tet_mesh moved = {.vertex_count = s->mesh.vertex_count,
                               .tet_count = s->mesh.tet_count,
                               .positions = positions,
                               .tets = s->mesh.tets};
    double sum = 0, rest = 0;
    for (int i = 0; i < 3 * s->mesh.vertex_count; ++i) {
        positions[i] = s->mesh.positions[i] + u[i];
    }
    for (int t = 0; t < s->mesh.tet_count; ++t) {
        sum += fabs(sn_tet_volume(&moved, t));
        rest += s->volumes[t];
    }
    return sum / rest;
}

typedef struct results {
    int angle_count;
    double angles[ANGLE_LIMIT], volumes[3][ANGLE_LIMIT]; /* rig; rig through RS; linear through RS */
    double *shapes[4];                                   /* rig, and through RS; linear, and through RS */
} results;

static sn_result measure(const sn_subject *s, sn_arena *arena, results *r)
{
    const size_t size = 3 * (size_t)s->mesh.vertex_count;
    double *u = SN_NEW(arena, double, size), *mended = SN_NEW(arena, double, size);
    double *positions = SN_NEW(arena, double, size);
    for (int k = 0; k < 4; ++k) {
        r->shapes[k] = SN_NEW(arena, double, size);
    }
    if (!u || !mended || !positions || !r->shapes[3]) {
        return SN_ERROR_MEMORY;
    }
    sn_result result = SN_OK;
    for (int i = 0; i < 2 * r->angle_count && result == SN_OK; ++i) {
        const int at = i / 2, is_linear = i % 2;
        r->angles[at] = 180.0 * at / (r->angle_count - 1);
        const bool is_drawn = fabs(r->angles[at] - DRAWN_ANGLE) < 1e-9;
        bend(s, r->angles[at] * PI / 180, is_linear, u);
        result = sn_rotation_strain(&s->body, u, mended);
        const double before = measure_volume(s, u, positions);
        memcpy(r->shapes[2 * is_linear], is_drawn ? positions : r->shapes[2 * is_linear], size * sizeof *positions);
        r->volumes[1 + is_linear][at] = measure_volume(s, mended, positions);
        memcpy(r->shapes[2 * is_linear + 1], is_drawn ? positions : r->shapes[2 * is_linear + 1],
               size * sizeof *positions);
        r->volumes[0][at] = is_linear ? r->volumes[0][at] : before;
    }
    return result;
}

static sn_result plot(sn_figures *f, const sn_subject *s, const results *r)
{
    static const char *const captions[4] = {"a rig's bend", "and rotation-strain of it", "a linear bend",
                                            "and rotation-strain of it"};
    const sn_plot panel = {
        .title = "Volume of a bent neck",
        .x_label = "angle of the bone (degrees)",
        .y_label = "of that at rest",
        .has_zero = true,
        .series_count = 3,
        .series = {{"the rig's bend", r->angles, r->volumes[0], r->angle_count, SN_PLOT_CURVE, 7},
                   {"rotation-strain of it", r->angles, r->volumes[1], r->angle_count, SN_PLOT_CURVE, 2},
                   {"rotation-strain of a linear bend", r->angles, r->volumes[2], r->angle_count, SN_PLOT_CURVE, 3}}};
    sn_drawn_shape shapes[4];
    char path[SN_FIGURE_PATH];
    for (int k = 0; k < 4; ++k) {
        shapes[k] = (sn_drawn_shape){.caption = captions[k],
                                     .positions = r->shapes[k],
                                     .triangles = s->boundary,
                                     .triangle_count = s->boundary_count};
    }
    const sn_result result = sn_figure_plot(f, "rotation-strain", "Volume of a bent neck", &panel, 1);
    if (result != SN_OK) {
        return result;
    }
    sn_figure_show(f, "rotation-strain-shapes", "The neck at 90 degrees", path);
    return sn_drawing_write(path, &(sn_drawn_view){.yaw = 0.3, .pitch = 0.2, .column_count = 4, .column_width = 210},
                            shapes, 4);
}

sn_result sn_figure_rotation_strain(sn_figures *f)
{
    sn_arena arena = {0};
    sn_tet_mesh mesh;
    sn_subject subject;
    results r = {.angle_count = f->is_quick ? 3 : ANGLE_LIMIT};
    sn_result result =
        sn_bar_build(f->is_quick ? (const int[]){3, 12, 3} : (const int[]){4, 24, 4}, 0.1, &arena, &mesh);
    if (result == SN_OK) {
        result = sn_subject_build(&mesh, &arena, &subject);
    }
    if (result == SN_OK) {
        result = measure(&subject, &arena, &r);
    }
    if (result == SN_OK) {
        result = plot(f, &subject, &r);
        const int half = (r.angle_count - 1) / 2;
        sn_figure_say(
            f, "**Paper.** Rotation-strain coordinates mend linear displacements; what a rig has turned already they\n"
               "collapse, since a rotation of 90 degrees about z has a symmetric part of -1 in x and y.");
        sn_figure_say(
            f,
            "**Here.** A bar for the giraffe's neck (%d vertices), bent by one bone. At 90 degrees rotation-strain\n"
            "coordinates leave %.0f%% of the volume of the rig's bend (which has %.0f%%), and %.0f%% of that of a "
            "linear one,\n"
            "as the paper says.",
            mesh.vertex_count, 100 * r.volumes[1][half], 100 * r.volumes[0][half], 100 * r.volumes[2][half]);
    }
    sn_arena_finish(&arena);
    return result;
}
