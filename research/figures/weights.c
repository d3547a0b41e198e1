/* SPDX-License-Identifier: MIT */
/* Figures 6, 7, 9 and 17 as pictures: weights under three rigs, local ones, what one of them can do, and clusters. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "research/figures/pictures.h"
#include "research/figures/spaces.h"

#define SHOWN 4 /* weights in a row */
#define RIG_COUNT 3
#define ROW_COUNT (RIG_COUNT + 1) /* the last: local ones */
#define MODE_COUNT 16
#define CLUSTER_COUNT 60
#define SPARSITY 3.0

static const char *const rig_names[RIG_COUNT] = {"no rig", "one handle", "four bones"};

typedef struct weights {
    sn_figures *figures;
    sn_arena arena;
    sn_subject subjects[RIG_COUNT]; /* of one mesh */
    sn_modes modes[ROW_COUNT];
    double excess[RIG_COUNT]; /* the largest cosine of a weight to what the rig of four bones forbids */
    double support[2];        /* the share of vertices that a weight moves, mean: smooth, local */
    double density[RIG_COUNT];
    int cluster_counts[RIG_COUNT], width, height;
    sn_picture pictures[SHOWN * ROW_COUNT];
} weights;

static sn_raster_desc view(const weights *w, double radius)
{
    const sn_subject *s = &w->subjects[0];
    return (sn_raster_desc){.positions = s->mesh.positions,
                            .triangles = s->boundary,
                            .vertex_count = s->mesh.vertex_count,
                            .triangle_count = s->boundary_count,
                            .yaw = 0.6,
                            .pitch = 0.25,
                            .radius = radius,
                            .width = w->width,
                            .height = w->height};
}

static double largest_of(const sn_modes *modes, int vertex_count, int mode)
{
    double largest = 0;
    for (int v = 0; v < vertex_count; ++v) {
        largest = fmax(largest, fabs(modes->weights[v * modes->mode_count + mode]));
    }
    return largest;
}

/* The share of vertices where a weight is more than a hundredth of its largest, over the modes that are shown. */
static double supported(const sn_modes *modes, int vertex_count)
{
    int count = 0;
    for (int j = 0; j < SHOWN; ++j) {
        const double largest = largest_of(modes, vertex_count, j);
        for (int v = 0; v < vertex_count; ++v) {
            count += fabs(modes->weights[v * modes->mode_count + j]) > 0.01 * largest;
        }
    }
    return (double)count / (SHOWN * vertex_count);
}

/* Rows (row_count x vertex_count) of a basis that is orthonormal in M^-1: Gram and Schmidt, twice. */
static double *straighten(const sn_constraint *c, const double *mass, int vertex_count, sn_arena *arena)
{
    const size_t n = (size_t)vertex_count, rows = (size_t)c->row_count;
    double *basis = SN_NEW(arena, double, rows *n);
    for (size_t i = 0; basis && i < rows; ++i) {
        double *row = basis + i * n;
        memcpy(row, c->rows + i * n, n * sizeof *row);
        for (size_t k = 0; k < 2 * i + 1; ++k) { /* the last: its own norm */
            const double *other = basis + (k < 2 * i ? k % i : i) * n;
            double product = 0;
            for (size_t v = 0; v < n; ++v) {
                product += row[v] * other[v] / mass[v];
            }
            for (size_t v = 0; v < n; ++v) {
                row[v] = k < 2 * i ? row[v] - product * other[v] : row[v] / sqrt(product);
            }
        }
    }
    return basis;
}

static double most_forbidden(const double *basis, int row_count, const sn_modes *modes, int vertex_count)
{
    double most = 0;
    for (int j = 0; j < SHOWN; ++j) {
        double square = 0;
        for (int i = 0; i < row_count; ++i) {
            double product = 0;
            for (int v = 0; v < vertex_count; ++v) {
                product +=
                    basis[(size_t)i * (size_t)vertex_count + (size_t)v] * modes->weights[v * modes->mode_count + j];
            }
            square += product * product;
        }
        most = fmax(most, sqrt(square));
    }
    return most;
}

static sn_result find_modes(weights *w)
{
    sn_subject *s = w->subjects;
    const int n = s->mesh.vertex_count;
    s[1] = s[2] = s[0];
    sn_constraint constraint = {.row_count = 0};
    sn_result result = sn_subject_add_bones(&s[2], 4, &w->arena);
    for (int rig = 0; rig < RIG_COUNT && result == SN_OK; ++rig) {
        result = sn_subject_modes(&s[rig], rig > 0, MODE_COUNT, &w->arena, &w->modes[rig]);
    }
    if (result == SN_OK) {
        const sn_constraint_rig rig = {s[2].bone_count, s[2].rig_weights, NULL};
        result = sn_constraint_build(&s->mesh, s->mass, s->leak, &rig, &w->arena, &constraint);
    }
    double *basis = result == SN_OK ? straighten(&constraint, s->mass, n, &w->arena) : NULL;
    result = result == SN_OK && !basis ? SN_ERROR_MEMORY : result;
    for (int rig = 0; rig < RIG_COUNT && result == SN_OK; ++rig) {
        w->excess[rig] = most_forbidden(basis, constraint.row_count, &w->modes[rig], n);
    }
    if (result == SN_OK) { /* local ones replace those that they begin with */
        const sn_constraint_rig rig = {1, s[1].rig_weights, NULL};
        result = sn_constraint_build(&s->mesh, s->mass, s->leak, &rig, &w->arena, &constraint);
    }
    if (result == SN_OK) {
        result = sn_subject_modes(&s[1], true, MODE_COUNT, &w->arena, &w->modes[RIG_COUNT]);
    }
    if (result == SN_OK) {
        w->support[0] = supported(&w->modes[RIG_COUNT], n);
        result = sn_modes_localise(&s->mesh, s->gradients, s->volumes, s->mass, NULL, &constraint,
                                   w->figures->is_quick ? 0.3 : SPARSITY, &w->modes[RIG_COUNT]);
    }
    if (result == SN_OK) {
        w->support[1] = supported(&w->modes[RIG_COUNT], n);
    }
    return result;
}

static sn_result draw_weights(weights *w)
{
    const int n = w->subjects[0].mesh.vertex_count;
    double *values = SN_NEW(&w->arena, double, n);
    sn_result result = values ? SN_OK : SN_ERROR_MEMORY;
    char path[SN_FIGURE_PATH];
    for (int i = 0; i < SHOWN * ROW_COUNT && result == SN_OK; ++i) {
        const int row = i / SHOWN, mode = i % SHOWN;
        const sn_modes *modes = &w->modes[row];
        const double largest = largest_of(modes, n, mode);
        sn_raster_desc desc = view(w, 0.37);
        for (int v = 0; v < n; ++v) {
            values[v] = modes->weights[v * modes->mode_count + mode] / largest;
        }
        desc.values = values;
        result = sn_raster_draw(&desc, &w->arena, &w->pictures[i]);
        snprintf(w->pictures[i].caption, sizeof w->pictures[i].caption, "%s, weight %d",
                 row < RIG_COUNT ? rig_names[row] : "one handle, local", mode + 1);
    }
    if (result == SN_OK) {
        sn_figure_show(w->figures, "weights", "Weights by rig, and local ones; blue is negative, orange positive",
                       path);
        result = sn_pictures_write(path, w->pictures, SHOWN * ROW_COUNT, SHOWN);
    }
    return result;
}

/* The first weight under one handle, times each of the twelve entries of its transform. */
static sn_result draw_motions(weights *w)
{
    static const char axes[] = "xyz1";
    const sn_modes *modes = &w->modes[1];
    const double *x = w->subjects[1].mesh.positions;
    const int n = w->subjects[1].mesh.vertex_count;
    double *moved = SN_NEW(&w->arena, double, 3 * n);
    sn_result result = moved ? SN_OK : SN_ERROR_MEMORY;
    char path[SN_FIGURE_PATH];
    for (int i = 0; i < 12 && result == SN_OK; ++i) {
        const int to = i / 4, from = i % 4;
        double largest = 0;
        for (int pass = 0; pass < 2; ++pass) { /* how far the entry moves anything; then as far as all others do */
            for (int v = 0; v < n; ++v) {
                const double move = modes->weights[v * modes->mode_count] * (from < 3 ? x[3 * v + from] : 1);
                largest = pass == 0 ? fmax(largest, fabs(move)) : largest;
                memcpy(moved + 3 * v, x + 3 * v, 3 * sizeof *x);
                moved[3 * v + to] += pass == 0 ? 0 : 0.15 * move / largest;
            }
        }
        sn_raster_desc desc = view(w, 0.47);
        desc.positions = moved;
        result = sn_raster_draw(&desc, &w->arena, &w->pictures[i]);
        snprintf(w->pictures[i].caption, sizeof w->pictures[i].caption, from < 3 ? "%c += w %c" : "%c += w", axes[to],
                 axes[from]);
    }
    if (result == SN_OK) {
        sn_figure_show(w->figures, "weights-motions", "What one weight can do", path);
        result = sn_pictures_write(path, w->pictures, 12, 4);
    }
    return result;
}

typedef struct ranked {
    double activity;
    int tet;
} ranked;

static int by_activity(const void *left, const void *right)
{
    const ranked *a = left, *b = right;
    return (a->activity < b->activity) - (a->activity > b->activity);
}

/* How many times as many clusters a volume has where modes say that most happens (a quarter of the tets) as where they
 * say least: the mean of 1 / V over tets, by volume. The modes' say is sum_j w_j^2 / E_j. */
static sn_result find_density(const sn_subject *s, const sn_modes *modes, const int32_t *labels, int cluster_count,
                              double *density)
{
    sn_arena scratch = {0};
    double *cluster_volumes = SN_NEW(&scratch, double, cluster_count), sums[2] = {0}, volumes[2] = {0};
    ranked *order = SN_NEW(&scratch, ranked, s->mesh.tet_count);
    const int quarter = s->mesh.tet_count / 4;
    for (int t = 0; t < s->mesh.tet_count && order && cluster_volumes; ++t) {
        cluster_volumes[labels[t]] += s->volumes[t];
        order[t].tet = t;
        for (int i = 0; i < 4 * modes->mode_count; ++i) {
            const int mode = i / 4;
            const double weight =
                modes->weights[(size_t)s->mesh.tets[4 * t + i % 4] * (size_t)modes->mode_count + (size_t)mode];
            order[t].activity += modes->eigenvalues[mode] > 1e-6 ? weight * weight / modes->eigenvalues[mode] : 0;
        }
    }
    if (order && cluster_volumes) {
        qsort(order, (size_t)s->mesh.tet_count, sizeof *order, by_activity);
        for (int i = 0; i < 2 * quarter; ++i) {
            const int t = order[i < quarter ? i : s->mesh.tet_count - 1 - (i - quarter)].tet;
            sums[i >= quarter] += s->volumes[t] / cluster_volumes[labels[t]];
            volumes[i >= quarter] += s->volumes[t];
        }
        *density = sums[0] / volumes[0] / (sums[1] / volumes[1]);
    }
    const bool is_made = order && cluster_volumes;
    sn_arena_finish(&scratch);
    return is_made ? SN_OK : SN_ERROR_MEMORY;
}

/* The cluster of the tet behind each triangle of the surface, which sn_tet_boundary lists tet by tet. */
static void label_surface(const sn_subject *s, const int32_t *labels, int32_t *groups)
{
    for (int f = 0; f < 4 * s->mesh.tet_count; ++f) {
        if (s->neighbours[f] < 0) {
            *groups++ = labels[f / 4];
        }
    }
}

static sn_result draw_clusters(weights *w)
{
    const sn_subject *s = &w->subjects[0];
    int32_t *labels = SN_NEW(&w->arena, int32_t, s->mesh.tet_count);
    int32_t *groups = SN_NEW(&w->arena, int32_t, s->boundary_count);
    sn_result result = labels && groups ? SN_OK : SN_ERROR_MEMORY;
    char path[SN_FIGURE_PATH];
    for (int rig = 0; rig < RIG_COUNT && result == SN_OK; ++rig) {
        sn_raster_desc desc = view(w, 0.37);
        result = sn_clusters_build(&s->mesh, s->volumes, s->neighbours, &w->modes[rig], CLUSTER_COUNT, labels,
                                   &w->cluster_counts[rig]);
        if (result == SN_OK) {
            result = find_density(s, &w->modes[rig], labels, w->cluster_counts[rig], &w->density[rig]);
        }
        if (result == SN_OK) {
            label_surface(s, labels, groups);
            desc.groups = groups;
            result = sn_raster_draw(&desc, &w->arena, &w->pictures[rig]);
        }
        snprintf(w->pictures[rig].caption, sizeof w->pictures[rig].caption, "%s: %d clusters", rig_names[rig],
                 w->cluster_counts[rig]);
    }
    if (result == SN_OK) {
        sn_figure_show(w->figures, "weights-clusters", "Clusters by rig", path);
        result = sn_pictures_write(path, w->pictures, RIG_COUNT, RIG_COUNT);
    }
    return result;
}

sn_result sn_figure_weights(sn_figures *f)
{
    weights w = {.figures = f, .width = f->is_quick ? 60 : 180, .height = f->is_quick ? 50 : 180};
    sn_tet_mesh mesh;
    char says[64];
    sn_result result = sn_figure_body(f, &w.arena, &mesh, says);
    if (result == SN_OK) {
        result = sn_subject_build(&mesh, &w.arena, &w.subjects[0]);
    }
    if (result == SN_OK) {
        result = find_modes(&w);
    }
    if (result == SN_OK) {
        result = draw_weights(&w);
    }
    if (result == SN_OK) {
        sn_figure_say(f,
                      "**Paper.** Weights change with the rig, to stay complementary to it (figure 6); each stands "
                      "for twelve\n"
                      "affine motions (figure 7); a term that asks for sparse weights makes them local (figure 17).");
        sn_figure_say(f,
                      "**Here.** On %s (%d vertices). Without a rig the first weight is constant. Four bones forbid "
                      "what the\n"
                      "weights of the upper rows hold: the largest cosine of one of four to what they forbid is "
                      "%.2f without rig,\n"
                      "%.2f with one handle and %.0e with these bones. Of the smooth weights under one handle %.0f%% "
                      "of all vertices\n"
                      "have more than a hundredth of the largest, of the local ones (`--sparsity 3`) %.0f%%. All three "
                      "as the paper\n"
                      "says.",
                      says, mesh.vertex_count, w.excess[0], w.excess[1], w.excess[2], 100 * w.support[0],
                      100 * w.support[1]);
        result = draw_motions(&w);
    }
    if (result == SN_OK) {
        sn_figure_say(f, "The first weight w under one handle, by each entry of its transform, all scaled to move "
                         "something by .15.");
        result = draw_clusters(&w);
    }
    if (result == SN_OK) {
        sn_figure_say(f, "**Paper.** Clusters are found on the weights alone (figure 9), so that they know rig and "
                         "material, and are finer where\n"
                         "secondary motion is likely; those that lie apart are split.");
        sn_figure_say(f,
                      "**Here.** %d are asked for. In the quarter of the tets where modes allow the most motion a "
                      "volume has %.1f times\n"
                      "as many clusters as in the quarter where they allow the least, without a rig; %.1f times with "
                      "one handle, %.1f\n"
                      "with four bones: under a rig, as the paper says.",
                      CLUSTER_COUNT, w.density[0], w.density[1], w.density[2]);
    }
    sn_arena_finish(&w.arena);
    return result;
}
