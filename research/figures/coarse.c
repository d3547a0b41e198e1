/* SPDX-License-Identifier: MIT */
/* Figure 3: a fork, whose lower prong is soft, under its weight: a coarse lattice that both prongs lie in moves them
 * together; skinning eigenmodes of the same dimension know that nothing joins them. */
#include <math.h>
#include <string.h>

#include "research/figures/spaces.h"

#define POINT_LIMIT 5
#define SHOWN 2
#define SOFTNESS 0.1
#define KIND_COUNT 2

static const int mode_counts[POINT_LIMIT] = {2, 3, 4, 6, 10};

/* Tets of the bar, but for a slot along x between prongs above and below; vertices without tets go. */
static sn_result cut_slot(const sn_tet_mesh *bar, double from, double half, sn_arena *arena, sn_tet_mesh *fork)
{
    int32_t *numbers = SN_NEW(arena, int32_t, bar->vertex_count);
    *fork = (sn_tet_mesh){.positions = SN_NEW(arena, double, 3 * bar->vertex_count),
                          .tets = SN_NEW(arena, int32_t, 4 * bar->tet_count)};
    if (!numbers || !fork->positions || !fork->tets) {
        return SN_ERROR_MEMORY;
    }
    for (int t = 0; t < bar->tet_count; ++t) {
        const int32_t *tet = bar->tets + 4 * t;
        double x = 0, y = 0;
        for (int c = 0; c < 4; ++c) {
            x += 0.25 * bar->positions[3 * tet[c]];
            y += 0.25 * bar->positions[3 * tet[c] + 1];
        }
        for (int c = 0; c < 4 && (x < from || fabs(y) > half); ++c) {
            if (numbers[tet[c]] == 0) {
                memcpy(fork->positions + 3 * fork->vertex_count, bar->positions + 3 * tet[c], 3 * sizeof(double));
                numbers[tet[c]] = ++fork->vertex_count;
            }
            fork->tets[4 * fork->tet_count + c] = numbers[tet[c]] - 1;
        }
        fork->tet_count += x < from || fabs(y) > half;
    }
    return SN_OK;
}

static sn_result make_fork(bool is_quick, sn_arena *arena, sn_tet_mesh *mesh, sn_subject *s)
{
    const double cell = 0.1;
    sn_tet_mesh bar;
    SN_TRY(sn_bar_build(is_quick ? (const int[]){12, 5, 2} : (const int[]){24, 7, 3}, cell, arena, &bar));
    SN_TRY(cut_slot(&bar, is_quick ? -0.3 : -0.8, 0.5 * cell, arena, mesh));
    SN_TRY(sn_subject_build(mesh, arena, s));
    for (int t = 0; t < mesh->tet_count; ++t) {
        const double *corner = mesh->positions + 3 * mesh->tets[4 * t];
        s->mu[t] *= corner[1] < 0 ? SOFTNESS : 1;
    }
    return sn_subject_pin_end(s, arena);
}

static sn_result skinning(const sn_subject *s, int mode_count, sn_arena *arena, sn_subspace *subspace)
{
    sn_modes modes;
    SN_TRY(sn_subject_modes(s, false, mode_count, arena, &modes));
    return sn_weight_subspace(&s->body, modes.weights, mode_count, true, arena, subspace);
}

/* Nodes that move a pinned vertex do not move. */
static sn_result lattice(const sn_subject *s, int dimension, sn_arena *arena, sn_subspace *subspace)
{
    const size_t n = (size_t)s->mesh.vertex_count;
    double *weights;
    int nodes = 0, kept = 0;
    for (int most = dimension / 3 + 8; kept < dimension / 3; ++most) {
        const sn_result result = sn_lattice_weights(&s->mesh, most, arena, &weights, &nodes);
        if (result != SN_OK) {
            return result;
        }
        kept = 0;
        for (int k = 0; k < nodes; ++k) {
            bool is_free = true;
            for (size_t v = 0; v < n; ++v) {
                is_free &= !s->body.constraint.is_pinned[v] || weights[v * (size_t)nodes + (size_t)k] == 0;
            }
            for (size_t v = 0; v < n && is_free; ++v) {
                weights[v * (size_t)nodes + (size_t)kept] = weights[v * (size_t)nodes + (size_t)k];
            }
            kept += is_free;
        }
    }
    double *packed = SN_NEW(arena, double, n *(size_t)kept);
    for (size_t i = 0; i < n * (size_t)kept && packed; ++i) {
        packed[i] = weights[i / (size_t)kept * (size_t)nodes + i % (size_t)kept];
    }
    return packed ? sn_weight_subspace(&s->body, packed, kept, false, arena, subspace) : SN_ERROR_MEMORY;
}

typedef struct results {
    int point_count;
    double *full, dimensions[KIND_COUNT][POINT_LIMIT], errors[KIND_COUNT][POINT_LIMIT];
    double *shapes[KIND_COUNT + 1];
} results;

static sn_result measure(const sn_subject *s, sn_arena *arena, results *r)
{
    const double gravity[3] = {0, -0.25, 0};
    const int n = s->mesh.vertex_count, shown = r->point_count > SHOWN ? SHOWN : 0;
    double *u = SN_NEW(arena, double, 3 * n), energy;
    for (int k = 0; k <= KIND_COUNT; ++k) {
        r->shapes[k] = SN_NEW(arena, double, 3 * n);
    }
    r->full = SN_NEW(arena, double, 3 * n);
    sn_result result = u && r->full && r->shapes[KIND_COUNT] ? SN_OK : SN_ERROR_MEMORY;
    if (result == SN_OK) {
        result = sn_spaces_settle(s, NULL, 0, gravity, r->full, &energy);
    }
    for (int i = 0; i < KIND_COUNT * r->point_count && result == SN_OK; ++i) {
        const int kind = i % KIND_COUNT, at = i / KIND_COUNT;
        sn_arena scratch = {0};
        sn_subspace subspace;
        result = kind == 0 ? skinning(s, mode_counts[at], &scratch, &subspace)
                           : lattice(s, 12 * mode_counts[at], &scratch, &subspace);
        if (result == SN_OK) {
            result = sn_spaces_settle(s, &subspace, 0, gravity, u, &energy);
        }
        r->dimensions[kind][at] = subspace.dimension;
        r->errors[kind][at] = sn_relative_difference(s->mass, n, 1, u, r->full);
        for (int j = 0; j < 3 * n && at == shown; ++j) {
            r->shapes[kind][j] = s->mesh.positions[j] + u[j];
            r->shapes[KIND_COUNT][j] = s->mesh.positions[j] + r->full[j];
        }
        sn_arena_finish(&scratch);
    }
    return result;
}

sn_result sn_figure_coarse(sn_figures *f)
{
    static const char *const captions[KIND_COUNT + 1] = {"4 skinning eigenmodes", "a lattice of as many dimensions",
                                                         "full space"};
    sn_arena arena = {0};
    sn_tet_mesh mesh;
    sn_subject subject;
    results r = {.point_count = f->is_quick ? 2 : POINT_LIMIT};
    sn_drawn_shape shapes[KIND_COUNT + 1];
    char path[SN_FIGURE_PATH];
    sn_result result = make_fork(f->is_quick, &arena, &mesh, &subject);
    if (result == SN_OK) {
        result = measure(&subject, &arena, &r);
    }
    if (result == SN_OK) {
        const sn_plot panel = {
            .title = "A fork with one soft prong",
            .x_label = "dimensions",
            .y_label = "error, of the displacement",
            .is_y_log = true,
            .series_count = 2,
            .series = {{"skinning eigenmodes", r.dimensions[0], r.errors[0], r.point_count, SN_PLOT_CURVE, 4},
                       {"coarse lattice", r.dimensions[1], r.errors[1], r.point_count, SN_PLOT_CURVE, 1}}};
        result = sn_figure_plot(f, "coarse", "Error against dimensions", &panel, 1);
    }
    if (result == SN_OK) {
        for (int k = 0; k <= KIND_COUNT; ++k) {
            shapes[k] = (sn_drawn_shape){.caption = captions[k],
                                         .positions = r.shapes[k],
                                         .triangles = subject.boundary,
                                         .triangle_count = subject.boundary_count};
        }
        sn_figure_show(f, "coarse-shapes", "The fork under its weight", path);
        result = sn_drawing_write(
            path, &(sn_drawn_view){.yaw = 0.3, .pitch = 0.2, .column_count = KIND_COUNT + 1, .column_width = 280},
            shapes, KIND_COUNT + 1);
        const int at = r.point_count > SHOWN ? SHOWN : 0;
        sn_figure_say(f,
                      "**Paper.** A fine mesh in a coarse one joins what is near in space though not along the body.");
        sn_figure_say(f,
                      "**Here.** A fork (%d vertices) with one end pinned, its lower prong ten times as soft, under "
                      "its weight. With\n"
                      "%.0f dimensions skinning eigenmodes are %.0f%% off the full space and let the prongs part; a "
                      "lattice of %.0f\n"
                      "dimensions, whose cells hold both prongs, moves them together and is %.0f%% off, as the paper "
                      "says. (Linear\n"
                      "tets as large as its cells are also too stiff in bending, which adds to its error.)",
                      mesh.vertex_count, r.dimensions[0][at], 100 * r.errors[0][at], r.dimensions[1][at],
                      100 * r.errors[1][at]);
    }
    sn_arena_finish(&arena);
    return result;
}
