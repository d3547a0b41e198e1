/* SPDX-License-Identifier: MIT */
/* Table 1: seconds of skinning eigenmodes and of displacement modes against the number of vertices. */
#include <math.h>

#include "author/modes/eigen/large.h"
#include "research/figures/bodies.h"

#define MODE_COUNT 16
#define SAME_DIMENSION (12 * MODE_COUNT)
#define BODY_LIMIT 4
#define REPEAT_COUNT 3
/* Beyond, a factor of three unknowns a vertex takes seven gigabytes and more. */
#define FACTOR_VERTICES 120000
/* From here on skinning eigenmodes are solved for on a lattice, too: an affine handle has ten rows. */
#define LATTICE_VERTICES (SN_LARGE_SIZE + 10 * SN_LARGE_SIZE_PER_ROW)
#define REPEATED_VERTICES 60000
#define LEAST_VERTICES 2000 /* for so many modes */

typedef struct timing {
    char says[64];
    double vertices;
    double skinning, factor, lattice, same_dimension; /* seconds; 0: not run */
} timing;

/* By how much the two ways differ: of an eigenvalue, and of a mode's length outside of the other ones' span. */
typedef struct agreement {
    double eigenvalue, span;
} agreement;

typedef struct solution {
    double eigenvalues[SAME_DIMENSION];
    sn_subspace modes;
} solution;

static sn_result time_displacement(const sn_subject *s, sn_eigen_method way, int mode_count, sn_arena *arena,
                                   solution *found, double *seconds)
{
    sn_baseline_body body = s->body;
    const double start = sn_figure_seconds();
    sn_result result = sn_baseline_rig_rows(&body, s->leak, s->rig_weights, s->bone_count, arena, &body.constraint);
    if (result == SN_OK) {
        result = sn_displacement_modes_by(&body, way, mode_count, arena, found->eigenvalues, &found->modes);
    }
    *seconds = sn_figure_seconds() - start;
    return result;
}

static sn_result compare(const sn_subject *s, const solution *factor, const solution *lattice, sn_arena *arena,
                         agreement *agrees)
{
    const size_t size = 3 * (size_t)s->mesh.vertex_count;
    double *nearest = SN_NEW(arena, double, size);
    for (int i = 0; i < MODE_COUNT && nearest; ++i) {
        const double *mode = lattice->modes.basis + (size_t)i * size;
        const double left = sn_subspace_fit(&factor->modes, s->mass, s->mesh.vertex_count, mode, nearest);
        agrees->eigenvalue = fmax(agrees->eigenvalue, fabs(lattice->eigenvalues[i] / factor->eigenvalues[i] - 1));
        agrees->span = fmax(agrees->span, left);
    }
    return nearest ? SN_OK : SN_ERROR_MEMORY;
}

/* As many displacement modes as skinning eigenmodes, both ways where both are of use. */
static sn_result time_both_ways(const sn_subject *s, timing *t, agreement *agrees)
{
    sn_arena arena = {0};
    solution factor, lattice;
    const bool has_factor = t->vertices <= FACTOR_VERTICES, has_lattice = t->vertices > LATTICE_VERTICES;
    sn_result result = SN_OK;
    if (has_factor) {
        result = time_displacement(s, SN_EIGEN_FACTOR, MODE_COUNT, &arena, &factor, &t->factor);
    }
    if (result == SN_OK && has_lattice) {
        result = time_displacement(s, SN_EIGEN_LATTICE, MODE_COUNT, &arena, &lattice, &t->lattice);
    }
    if (result == SN_OK && has_factor && has_lattice) {
        result = compare(s, &factor, &lattice, &arena, agrees);
    }
    sn_arena_finish(&arena);
    return result;
}

static sn_result time_same_dimension(const sn_subject *s, timing *t)
{
    sn_arena arena = {0};
    solution found;
    const sn_eigen_method way = t->vertices <= FACTOR_VERTICES ? SN_EIGEN_FACTOR : SN_EIGEN_LATTICE;
    const sn_result result = time_displacement(s, way, SAME_DIMENSION, &arena, &found, &t->same_dimension);
    sn_arena_finish(&arena);
    return result;
}

static sn_result time_body(sn_tet_mesh *mesh, timing *t, agreement *agrees)
{
    sn_arena arena = {0};
    sn_subject subject;
    sn_result result = sn_subject_build(mesh, &arena, &subject);
    t->vertices = mesh->vertex_count;
    if (result == SN_OK) {
        const int repeats = mesh->vertex_count < REPEATED_VERTICES ? REPEAT_COUNT : 1;
        result = sn_subject_time_modes(&subject, MODE_COUNT, repeats, &t->skinning);
    }
    if (result == SN_OK) {
        result = time_both_ways(&subject, t, agrees);
    }
    if (result == SN_OK && mesh->vertex_count > LEAST_VERTICES) {
        result = time_same_dimension(&subject, t);
    }
    sn_arena_finish(&arena);
    return result;
}

/* The body, twice refined, and between them the refined octopus, where it is. */
static sn_result list_bodies(sn_figures *f, sn_arena *arena, sn_tet_mesh *meshes, timing *timings, int *count)
{
    char says[64];
    sn_tet_mesh octopus;
    sn_result result = sn_figure_body(f, arena, &meshes[0], says);
    snprintf(timings[0].says, sizeof timings[0].says, "%s", says);
    if (result == SN_OK) {
        result = sn_tet_refine(&meshes[0], arena, &meshes[1]);
        snprintf(timings[1].says, sizeof timings[1].says, "%.40s, refined", says);
        *count = 2;
    }
    if (result == SN_OK) {
        result = sn_figure_data(f, "tet/cartoon_octopus/cartoon_octopus.msh", arena, &octopus);
    }
    if (result == SN_OK && octopus.tet_count > 0) {
        result = sn_tet_refine(&octopus, arena, &meshes[2]);
        snprintf(timings[2].says, sizeof timings[2].says, "an octopus, refined");
        *count = 3;
    }
    if (result == SN_OK && !f->is_quick) {
        result = sn_tet_refine(&meshes[1], arena, &meshes[*count]);
        snprintf(timings[*count].says, sizeof timings[*count].says, "%.40s, refined twice", says);
        ++*count;
    }
    return result;
}

static void write_seconds(FILE *text, double seconds)
{
    if (seconds > 0) {
        fprintf(text, " %.3g |", seconds);
    } else {
        fputs(" |", text);
    }
}

static void write_table(sn_figures *f, const timing *timings, int count)
{
    fprintf(f->text,
            "\n| body | vertices | %d skinning eigenmodes (s) | %d displacement modes: factor (s) | lattice (s) "
            "| %d displacement modes (s) |\n|---|---|---|---|---|---|\n",
            MODE_COUNT, MODE_COUNT, SAME_DIMENSION);
    for (int i = 0; i < count; ++i) {
        fprintf(f->text, "| %s | %.0f | %.3g |", timings[i].says, timings[i].vertices, timings[i].skinning);
        write_seconds(f->text, timings[i].factor);
        write_seconds(f->text, timings[i].lattice);
        write_seconds(f->text, timings[i].same_dimension);
        fputc('\n', f->text);
    }
}

/* Of as many displacement modes. */
static double shorter(const timing *t)
{
    return t->factor > 0 && t->lattice > 0 ? fmin(t->factor, t->lattice) : t->factor + t->lattice;
}

/* The least and the largest of how many times longer displacement modes take. */
static void find_ratios(const timing *timings, int count, double same[2], double dimension[2])
{
    for (int i = 0; i < count; ++i) {
        const double ratios[2] = {shorter(&timings[i]) / timings[i].skinning,
                                  timings[i].same_dimension / timings[i].skinning};
        double *const ranges[2] = {same, dimension};
        for (int k = 0; k < 2; ++k) {
            if (ratios[k] > 0) {
                ranges[k][0] = ranges[k][0] > 0 ? fmin(ranges[k][0], ratios[k]) : ratios[k];
                ranges[k][1] = fmax(ranges[k][1], ratios[k]);
            }
        }
    }
}

static sn_result plot(sn_figures *f, const timing *timings, int count)
{
    static const double paper_vertices[] = {7842, 31368, 99813, 294033};
    static const double paper_displacement[] = {0.782, 6.76, 62.3, 143.4};
    static const double paper_skinning[] = {0.135, 0.830, 5.14, 14.07};
    double vertices[BODY_LIMIT], displacement[BODY_LIMIT], skinning[BODY_LIMIT], same[BODY_LIMIT];
    for (int i = 0; i < count; ++i) {
        vertices[i] = timings[i].vertices;
        displacement[i] = shorter(&timings[i]);
        skinning[i] = timings[i].skinning;
        same[i] = timings[i].same_dimension;
    }
    const sn_plot panel = {
        .title = "Time of the modes",
        .x_label = "vertices",
        .y_label = "seconds",
        .is_x_log = true,
        .is_y_log = true,
        .series_count = 5,
        .series = {{"16 skinning eigenmodes", vertices, skinning, count, SN_PLOT_CURVE, 1},
                   {"16 displacement modes", vertices, displacement, count, SN_PLOT_CURVE, 2},
                   {"192 displacement modes", vertices, same, count, SN_PLOT_CURVE, 3},
                   {"skinning, paper", paper_vertices, paper_skinning, 4, SN_PLOT_DASHES, 1},
                   {"displacement, paper", paper_vertices, paper_displacement, 4, SN_PLOT_DASHES, 2}}};
    return sn_figure_plot(f, "table1", "Time of modes against the number of vertices", &panel, 1);
}

static void say(sn_figures *f, const timing *timings, int count, const agreement *agrees)
{
    double same[2] = {0}, dimension[2] = {0};
    find_ratios(timings, count, same, dimension);
    sn_figure_say(f,
                  "**Paper.** Skinning eigenmodes take .135 s at 7842 vertices and 14 s at 294 thousand; displacement\n"
                  "modes take 6 to 12 times as long (its numbers of modes are not given).");
    sn_figure_say(
        f,
        "**Here.** Complementary to one affine handle; constraint, assembly and ordering are in the times. There\n"
        "are two ways: Lanczos on a sparse factor, to residuals of 1e-8 of the inverse, and LOBPCG with a lattice as\n"
        "preconditioner, to larger ones: K u - E M u up to .15 of E M u, where high frequencies weigh most.\n"
        "Skinning eigenmodes are by the factor up to %d thousand vertices, by the lattice beyond. Of the two times of\n"
        "%d displacement modes the shorter counts, since a factor suits thin bodies. Where both ran, eigenvalues\n"
        "agree to %.0e, and of no mode more than %.0e is outside of the others' span. Beyond %d thousand vertices\n"
        "there is the lattice alone: a factor of three unknowns a vertex takes seven gigabytes and more. %d modes are\n"
        "by the factor up to there, and by the lattice beyond, some at a time.",
        LATTICE_VERTICES / 1000, MODE_COUNT, agrees->eigenvalue, agrees->span, FACTOR_VERTICES / 1000, SAME_DIMENSION);
    sn_figure_say(
        f,
        "Displacement modes take %.1f to %.1f times as long for as many modes, and %.0f to %.0f times for a subspace\n"
        "of the same dimension (12 a skinning mode). The order is the paper's; its 6 to 12 are\n"
        "for numbers of modes that it does not give.",
        same[0], same[1], dimension[0], dimension[1]);
}

sn_result sn_figure_modes_time(sn_figures *f)
{
    sn_arena arena = {0};
    sn_tet_mesh meshes[BODY_LIMIT];
    timing timings[BODY_LIMIT] = {{.vertices = 0}};
    agreement agrees = {0};
    int count = 0;
    sn_result result = list_bodies(f, &arena, meshes, timings, &count);
    sn_figure_timing_begins(f);
    for (int i = 0; i < count && result == SN_OK; ++i) {
        result = time_body(&meshes[i], &timings[i], &agrees);
    }
    if (result == SN_OK) {
        result = plot(f, timings, count);
        write_table(f, timings, count);
        say(f, timings, count, &agrees);
        sn_figure_timing_ends(f);
    }
    sn_arena_finish(&arena);
    return result;
}
