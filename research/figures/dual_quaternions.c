/* SPDX-License-Identifier: MIT */
/* The paper's future work: rigs that are not linear in their parameters. Dual-quaternion skinning (Kavan, Collins, Žára
 * and O'Sullivan 2008) under modes made for linear blend skinning: how far the flesh can undo such a rig's motion, and
 * what it would cost to update the constraint, and all that the step takes from the rig, in every frame. */
#include <math.h>
#include <string.h>

#include "author/cook/cook.h"
#include "author/sparse/sparse.h"
#include "host/math/affine.h"
#include "host/math/quaternion.h"
#include "host/math/vec3.h"
#include "host/skin/dual_quaternion.h"
#include "research/figures/runs.h"
#include "research/figures/spaces.h"

#define BONES 4
#define PARAMETERS (6 * BONES)
#define MODES 16
#define ANGLE_LIMIT 9
#define STEP 1e-5
#define REPEATS 15
#define PI 3.14159265358979323846

typedef enum skinning { LINEAR, DUAL, SKINNING_COUNT } skinning;

/* A bone's motion: x -> R x + t. */
typedef struct motion {
    double rotation[4], translation[3];
} motion;

static void from_vector(const double *vector, double *q)
{
    const double angle = sn_length3(vector), scale = angle > 0 ? sin(0.5 * angle) / angle : 0.5;
    for (int d = 0; d < 3; ++d) {
        q[d] = scale * vector[d];
    }
    q[3] = cos(0.5 * angle);
}

/* Neighbouring bones are twisted against each other by `angle` about x; `bump` (6) moves bone `bumped` on. */
static void pose_bones(double angle, int bumped, const double *bump, motion *bones)
{
    for (int b = 0; b < BONES; ++b) {
        const double twist[3] = {b % 2 ? 0.5 * angle : -0.5 * angle, 0, 0};
        bones[b] = (motion){.translation = {0}};
        from_vector(twist, bones[b].rotation);
        if (b == bumped) {
            double more[4];
            from_vector(bump, more);
            sn_quaternion_multiply(more, bones[b].rotation, bones[b].rotation);
            memcpy(bones[b].translation, bump + 3, sizeof bones[b].translation);
        }
    }
}

static void skin_linear(const double *weights, const double (*matrices)[12], const double *x, double *place)
{
    memset(place, 0, 3 * sizeof *place);
    for (int b = 0; b < BONES; ++b) {
        double moved[3];
        sn_affine_apply(matrices[b], x, moved);
        for (int d = 0; d < 3; ++d) {
            place[d] += weights[b] * moved[d];
        }
    }
}

static void skin_dual(const double *weights, const sn_dual_quaternion *bones, const double *x, double *place)
{
    sn_dual_quaternion sum = {{0}, {0}};
    for (int b = 0; b < BONES; ++b) {
        sn_dual_quaternion_add(weights[b], &bones[b], &sum);
    }
    sn_dual_quaternion_apply(&sum, x, place);
}

static void skin(const sn_subject *s, const motion *bones, skinning kind, double *positions)
{
    double matrices[BONES][12];
    sn_dual_quaternion duals[BONES];
    for (int b = 0; b < BONES; ++b) {
        double linear[9];
        const double *t = bones[b].translation;
        sn_quaternion_to_matrix(bones[b].rotation, linear);
        for (int i = 0; i < 12; ++i) {
            matrices[b][i] = i % 4 < 3 ? linear[i / 4 * 3 + i % 4] : t[i / 4];
        }
        duals[b] = sn_dual_quaternion_make(bones[b].rotation, t);
    }
    for (int v = 0; v < s->mesh.vertex_count; ++v) {
        const double *weights = s->rig_weights + BONES * v, *x = s->mesh.positions + 3 * v;
        if (kind == LINEAR) {
            skin_linear(weights, matrices, x, positions + 3 * v);
        } else {
            skin_dual(weights, duals, x, positions + 3 * v);
        }
    }
}

/* D dx/dtheta for all parameters of all bones, orthonormal in the mass. */
static sn_result take_tangents(const sn_subject *s, double angle, skinning kind, sn_arena *arena, sn_subspace *tangents)
{
    const size_t size = 3 * (size_t)s->mesh.vertex_count;
    double *sides[2] = {SN_NEW(arena, double, size), SN_NEW(arena, double, size)};
    *tangents = (sn_subspace){PARAMETERS, SN_NEW(arena, double, PARAMETERS *size)};
    if (!sides[0] || !sides[1] || !tangents->basis) {
        return SN_ERROR_MEMORY;
    }
    for (int p = 0; p < PARAMETERS; ++p) {
        for (int side = 0; side < 2; ++side) {
            double bump[6] = {0};
            motion bones[BONES];
            bump[p % 6] = side ? STEP : -STEP;
            pose_bones(angle, p / 6, bump, bones);
            skin(s, bones, kind, sides[side]);
        }
        for (size_t i = 0; i < size; ++i) {
            tangents->basis[(size_t)p * size + i] = s->leak[i / 3] * (sides[1][i] - sides[0][i]) / (2 * STEP);
        }
    }
    sn_subspace_orthonormalise(s->mass, s->mesh.vertex_count, tangents);
    return SN_OK;
}

/* The cosine of the smallest angle between flesh and the rig's tangents: 0 where they are complementary, 1 where the
 * flesh can undo a motion of the rig. */
static sn_result overlap(const sn_subject *s, const sn_subspace *flesh, const sn_subspace *tangents, double *cosine)
{
    const size_t size = 3 * (size_t)s->mesh.vertex_count, t = (size_t)tangents->dimension;
    sn_arena scratch = {0};
    double *weighted = SN_NEW(&scratch, double, size *t), *eigenvalues = SN_NEW(&scratch, double, t);
    double *cross = SN_NEW(&scratch, double, (size_t)flesh->dimension *t), *gram = SN_NEW(&scratch, double, t *t);
    sn_result result = weighted && eigenvalues && cross && gram ? SN_OK : SN_ERROR_MEMORY;
    for (size_t i = 0; i < size * t && result == SN_OK; ++i) {
        weighted[i] = s->mass[i % size / 3] * tangents->basis[i];
    }
    if (result == SN_OK) {
        sn_dense_multiply(&(sn_gemm){.transpose_a = true,
                                     .m = flesh->dimension,
                                     .n = tangents->dimension,
                                     .k = (int)size,
                                     .alpha = 1,
                                     .a = flesh->basis,
                                     .lda = (int)size,
                                     .b = weighted,
                                     .ldb = (int)size,
                                     .c = cross,
                                     .ldc = flesh->dimension});
        sn_dense_multiply(&(sn_gemm){.transpose_a = true,
                                     .m = tangents->dimension,
                                     .n = tangents->dimension,
                                     .k = flesh->dimension,
                                     .alpha = 1,
                                     .a = cross,
                                     .lda = flesh->dimension,
                                     .b = cross,
                                     .ldb = flesh->dimension,
                                     .c = gram,
                                     .ldc = tangents->dimension});
        result = sn_symmetric_eigen(tangents->dimension, gram, eigenvalues);
        *cosine = sqrt(fmax(0, eigenvalues[t - 1]));
    }
    sn_arena_finish(&scratch);
    return result;
}

typedef struct results {
    int angle_count;
    double angles[ANGLE_LIMIT], cosines[SKINNING_COUNT][ANGLE_LIMIT], differences[ANGLE_LIMIT];
    double skin_ms, rows_ms, load_ms, gradient_ms, step_ms; /* a frame */
} results;

static sn_result measure(const sn_subject *s, const sn_subspace *flesh, results *r)
{
    const size_t n = (size_t)s->mesh.vertex_count;
    sn_result result = SN_OK;
    for (int i = 0; i < r->angle_count && result == SN_OK; ++i) {
        sn_arena scratch = {0};
        motion bones[BONES];
        double *places[2] = {SN_NEW(&scratch, double, 3 * n), SN_NEW(&scratch, double, 3 * n)};
        const double angle = (r->angles[i] = 160.0 * i / (r->angle_count - 1)) * PI / 180;
        pose_bones(angle, -1, NULL, bones);
        result = places[0] && places[1] ? SN_OK : SN_ERROR_MEMORY;
        for (int kind = 0; kind < SKINNING_COUNT && result == SN_OK; ++kind) {
            sn_subspace tangents;
            skin(s, bones, (skinning)kind, places[kind]);
            result = take_tangents(s, angle, (skinning)kind, &scratch, &tangents);
            if (result == SN_OK) {
                result = overlap(s, flesh, &tangents, &r->cosines[kind][i]);
            }
        }
        for (size_t v = 0; v < n && result == SN_OK; ++v) {
            r->differences[i] = fmax(r->differences[i], sn_distance3(places[0] + 3 * v, places[1] + 3 * v));
        }
        sn_arena_finish(&scratch);
    }
    return result;
}

/* ---- what a frame would cost ---- */

/* Of all tets; the sum keeps the work from being left out. */
static double sum_gradients(const sn_subject *s, const double *places)
{
    double sum = 0;
    for (int t = 0; t < s->mesh.tet_count; ++t) {
        const int32_t *corners = s->mesh.tets + 4 * (size_t)t;
        const double *g = s->gradients + 12 * (size_t)t;
        for (int e = 0; e < 9; ++e) {
            for (int c = 0; c < 4; ++c) {
                sum += s->volumes[t] * places[3 * (size_t)corners[c] + (size_t)(e / 3)] * g[3 * c + e % 3];
            }
        }
    }
    return sum;
}

static sn_result time_frame(const sn_subject *s, const sn_subspace *flesh, results *r)
{
    const size_t n = (size_t)s->mesh.vertex_count, dimension = (size_t)flesh->dimension;
    sn_arena scratch = {0};
    motion bones[BONES];
    sn_subspace tangents;
    double *places = SN_NEW(&scratch, double, 3 * n), *load = SN_NEW(&scratch, double, dimension);
    double *cross = SN_NEW(&scratch, double, PARAMETERS *dimension), starts[5], sink = 0;
    sn_result result = places && load && cross ? take_tangents(s, 1, DUAL, &scratch, &tangents) : SN_ERROR_MEMORY;
    for (int i = 0; i < REPEATS && result == SN_OK; ++i) {
        pose_bones(1 + 0.01 * i, -1, NULL, bones);
        starts[0] = sn_figure_seconds();
        skin(s, bones, DUAL, places);
        starts[1] = sn_figure_seconds();
        sn_dense_multiply(&(sn_gemm){.transpose_a = true,
                                     .m = flesh->dimension,
                                     .n = tangents.dimension,
                                     .k = 3 * (int)n,
                                     .alpha = 1,
                                     .a = flesh->basis,
                                     .lda = 3 * (int)n,
                                     .b = tangents.basis,
                                     .ldb = 3 * (int)n,
                                     .c = cross,
                                     .ldc = flesh->dimension});
        starts[2] = sn_figure_seconds();
        /* one scalar column in three: a mode's axes share them */
        sn_dense_multiply(&(sn_gemm){.transpose_a = true,
                                     .m = flesh->dimension / 3,
                                     .n = 3,
                                     .k = (int)n,
                                     .alpha = 1,
                                     .a = flesh->basis,
                                     .lda = (int)n,
                                     .b = places,
                                     .ldb = (int)n,
                                     .c = load,
                                     .ldc = flesh->dimension / 3});
        starts[3] = sn_figure_seconds();
        sink += sum_gradients(s, places);
        starts[4] = sn_figure_seconds();
        const double *before = (const double[]){r->skin_ms, r->rows_ms, r->load_ms, r->gradient_ms};
        double least[4];
        for (int k = 0; k < 4; ++k) {
            const double now = 1e3 * (starts[k + 1] - starts[k]);
            least[k] = i == 0 ? now : fmin(before[k], now);
        }
        r->skin_ms = least[0];
        r->rows_ms = least[1];
        r->load_ms = least[2];
        r->gradient_ms = least[3];
    }
    sn_arena_finish(&scratch);
    return result == SN_OK && !isfinite(sink) ? SN_ERROR_NUMERIC : result;
}

static sn_result time_step(const sn_figures *f, const sn_tet_mesh *mesh, results *r)
{
    sn_arena arena = {0};
    sn_run_base base;
    sn_variant variant;
    sn_run run;
    sn_result result = sn_run_cook(mesh, MODES, f->is_quick ? 20 : 100, &base);
    if (result == SN_OK) {
        result = sn_variant_make(&base, MODES, 0, &variant);
        if (result == SN_OK) {
            result = sn_run_reduced(variant.model, &(sn_run_desc){60, 1.0 / 60, 1e-5, 30}, &arena, &run);
            r->step_ms = run.milliseconds;
        }
        sn_variant_finish(&variant);
    }
    sn_cook_context_finish(&base.cooking);
    sn_arena_finish(&arena);
    return result;
}

/* ---- the section ---- */

static sn_result plot(sn_figures *f, const results *r)
{
    sn_plot panels[2] = {{.title = "What flesh can undo of the rig's motion",
                          .x_label = "twist between neighbouring bones (degrees)",
                          .y_label = "cosine to the rig's tangents",
                          .has_zero = true},
                         {.title = "Between the two skinnings",
                          .x_label = "twist between neighbouring bones (degrees)",
                          .y_label = "largest distance (of the diagonal)",
                          .has_zero = true}};
    panels[0].series[0] =
        (sn_plot_series){"linear blend", r->angles, r->cosines[LINEAR], r->angle_count, SN_PLOT_CURVE, 1};
    panels[0].series[1] =
        (sn_plot_series){"dual quaternions", r->angles, r->cosines[DUAL], r->angle_count, SN_PLOT_CURVE, 2};
    panels[0].series_count = 2;
    panels[1].series[0] = (sn_plot_series){NULL, r->angles, r->differences, r->angle_count, SN_PLOT_CURVE, 3};
    panels[1].series_count = 1;
    return sn_figure_plot(f, "dual-quaternions", "Dual quaternions under modes for linear blend skinning", panels, 2);
}

static void say(sn_figures *f, const char *body, const results *r)
{
    const int last = r->angle_count - 1;
    const double sum = r->skin_ms + r->rows_ms + r->load_ms + r->gradient_ms;
    sn_figure_say(f, "**Paper.** The constraint holds for rigs that are linear in their parameters; others, such as\n"
                     "dual quaternions, would need it anew in every frame (future work).");
    sn_figure_say(
        f,
        "**Here.** On %s, with %d bones and %d modes. Tangents of linear blend skinning lie in one space in all\n"
        "poses: modes complementary to it are so forever (cosine %.0e). Those of dual quaternions leave it as\n"
        "joints twist: the cosine between flesh and rig is %.2f at rest, %.2f at %.0f and %.2f at %.0f\n"
        "degrees, where the two skinnings lie %.3f of the diagonal apart.",
        body, BONES, MODES, r->cosines[LINEAR][last], r->cosines[DUAL][0], r->cosines[DUAL][last / 2],
        r->angles[last / 2], r->cosines[DUAL][last], r->angles[last], r->differences[last]);
    sn_figure_say(
        f,
        "The low-rank update of the reduced system is cheap; what it needs is not, since no small set of numbers\n"
        "describes such a rig's places. A frame would skin all vertices in double (%.2f ms), multiply %d tangents\n"
        "with the modes (%.2f ms), the places with them (%.2f ms), and sum every tet's gradient into its cluster\n"
        "(%.2f ms): %.1f ms beside a step of %.3f ms to 1e-5, %.0f times as much. So flesh follows linear blend\n"
        "skinning here, which is also what glTF and VRM define; joints that should twist better get helper bones,\n"
        "whose transforms are linear again.",
        r->skin_ms, PARAMETERS, r->rows_ms, r->load_ms, r->gradient_ms, sum, r->step_ms, sum / r->step_ms);
}

sn_result sn_figure_dual_quaternions(sn_figures *f)
{
    sn_arena arena = {0};
    sn_tet_mesh mesh;
    sn_subject subject;
    sn_modes modes;
    sn_subspace flesh;
    char body[64];
    results r = {.angle_count = f->is_quick ? 3 : ANGLE_LIMIT};
    sn_result result = sn_figure_body(f, &arena, &mesh, body);
    if (result == SN_OK) {
        result = sn_subject_build(&mesh, &arena, &subject);
    }
    if (result == SN_OK) {
        result = sn_subject_add_bones(&subject, BONES, &arena);
    }
    if (result == SN_OK) {
        result = sn_subject_modes(&subject, true, f->is_quick ? 4 : MODES, &arena, &modes);
    }
    if (result == SN_OK) {
        result = sn_weight_subspace(&subject.body, modes.weights, modes.mode_count, true, &arena, &flesh);
    }
    if (result == SN_OK) {
        result = measure(&subject, &flesh, &r);
    }
    sn_figure_timing_begins(f);
    if (result == SN_OK) {
        result = time_frame(&subject, &flesh, &r);
    }
    if (result == SN_OK) {
        result = time_step(f, &mesh, &r);
    }
    if (result == SN_OK) {
        result = plot(f, &r);
    }
    if (result == SN_OK) {
        say(f, body, &r);
        sn_figure_timing_ends(f);
    }
    sn_arena_finish(&arena);
    return result;
}
