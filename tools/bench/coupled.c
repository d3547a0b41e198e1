/* SPDX-License-Identifier: MIT */
#include "tools/bench/coupled.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "host/base/hash.h"
#include "host/coupled/solver.h"
#include "host/platform/platform.h"
#include "tools/bench/peak.h"
#include "tools/bench/skeleton.h"
#include "tools/bench/xpbd.h"
#include "tools/command/median.h"

#define FRAME_COUNT 200
#define SUBSTEP_COUNT 15
#define CROWD_COUNT 100
#define TRIANGLE_FLOPS 147.0 /* flops per pair, as in bench xpbd */
/* Flops per vertex and handle: six moments and six corrections, each one multiplication and one addition. */
#define WEIGHT_FLOPS 24.0

typedef struct subject {
    const char *name, *peer;
    int vertex_count, element_count, handle_count;
    bool is_cage;
} subject;

/* Table 1 of the paper: milliseconds per frame of 15 substeps, for position-based dynamics and for the rig. */
static const subject subjects[] = {
    {"ghost", "paper: 1.8 + 5.2 ms", 430, 748, 10, true},
    {"starfish", "paper: 1.9 + 5.9 ms", 273, 445, 6, false},
    {"worm", "paper: 2.4 + 6.4 ms", 839, 1536, 5, false},
    {"ellipse", "paper: 3.2 + 6.6 ms", 1934, 3727, 12, true},
    {"mushroom", "paper: 3.2 + 8.1 ms", 1905, 3653, 5, false},
    {"octopus", "paper: 2.0 + 9.4 ms", 392, 640, 12, false},
    {"fish", "paper: 3.2 + 13.0 ms", 1040, 1932, 4, false},
    {"bunny-head", "paper: 3.1 + 14.4 ms", 2241, 4269, 8, false},
};
#define SUBJECT_COUNT (int)(sizeof subjects / sizeof subjects[0])
#define FISH 6

/* ---- meshes ---- */

/* Rows of vertices, joined by strips: N vertices in R rows have 2 N - p_first - p_last - 2 (R - 1) triangles. R is that
 * of a rectangle if one has this boundary; otherwise the shape bulges. */
typedef struct rows {
    int count, ends, inner; /* number of rows; vertices of the first and last row, of the others */
} rows;

static rows arrange(const subject *s)
{
    const double half =
        (2 * s->vertex_count - s->element_count + 2) / 2.0; /* from the numbers of boundary vertices and 4 */
    const double square = half * half - 4 * s->vertex_count;
    rows r = {.count = (int)round(square > 0 ? (half - sqrt(square)) / 2 : 0.62 * half)};
    r.ends = 2 * s->vertex_count - s->element_count + 2 - 2 * r.count;
    r.inner = s->vertex_count - r.ends;
    return r;
}

static int row_size(const rows *r, int row)
{
    if (row == 0 || row == r->count - 1) {
        return row == 0 ? (r->ends + 1) / 2 : r->ends / 2;
    }
    const int others = r->count - 2, at = row - 1;
    return (int)((long)r->inner * (at + 1) / others - (long)r->inner * at / others);
}

/* Fills positions (vertex_count x 3), about 1 wide, and triangles (element_count x 3). Returns the number of triangles.
 */
static int make_mesh(const subject *s, double *positions, int32_t *triangles)
{
    const rows r = arrange(s);
    const double size = fmax(s->vertex_count / (double)r.count, 0.87 * r.count);
    int vertex = 0, count = 0, first_below = 0;
    for (int row = 0; row < r.count; ++row) {
        const int here = row_size(&r, row), below = row > 0 ? row_size(&r, row - 1) : 0, first = vertex;
        for (int i = 0; i < here; ++i, ++vertex) {
            positions[3 * vertex] = (i - (here - 1) / 2.0) / size;
            positions[3 * vertex + 1] = 0.87 * row / size;
        }
        for (int a = 0, b = 0; row > 0 && (a < below - 1 || b < here - 1);
             ++count) { /* triangulates a strip along the shorter diagonal */
            const int32_t left = first_below + a, above = first + b;
            const bool is_lower =
                b == here - 1 || (a < below - 1 && positions[3 * (left + 1)] <= positions[3 * (above + 1)]);
            triangles[3 * count] = left;
            triangles[3 * count + 1] = is_lower ? left + 1 : above + 1;
            triangles[3 * count + 2] = above;
            a += is_lower;
            b += !is_lower;
        }
        first_below = first;
    }
    return count;
}

/* ---- rigs ---- */

/* Handles in a sunflower pattern inside the body, or around it for a cage. */
static void place_handles(const subject *s, const double *positions, sn_coupled_handle *handles)
{
    const double *last = positions + 3 * (size_t)(s->vertex_count - 1);
    double width = 0;
    for (int v = 0; v < s->vertex_count; ++v) {
        width = fmax(width, positions[3 * v]);
    }
    for (int k = 0; k < s->handle_count; ++k) {
        const double angle = s->is_cage ? 6.283185307 * k / s->handle_count : 2.399963 * k;
        const double out = s->is_cage ? 1.05 : sqrt((k + 0.5) / s->handle_count);
        handles[k] = (sn_coupled_handle){.type = s->is_cage ? SN_HANDLE_TRANSLATION : SN_HANDLE_RIGID,
                                         .parent = -1,
                                         .pivot = {out * width * cos(angle), last[1] / 2 * (1 + out * sin(angle)), 0}};
    }
}

/* Compact bell-shaped weights as wide as the handle distance; most vertices have several. */
static void compute_weights(const subject *s, const double *positions, const sn_coupled_handle *handles,
                            double *weights)
{
    const double *last = positions + 3 * (size_t)(s->vertex_count - 1);
    const double width = 0.8 * sqrt(last[1] / s->handle_count);
    for (int v = 0; v < s->vertex_count; ++v) {
        double *own = weights + (size_t)v * (size_t)s->handle_count, sum = 0;
        for (int k = 0; k < s->handle_count; ++k) {
            const double x = (positions[3 * v] - handles[k].pivot[0]) / width;
            const double y = (positions[3 * v + 1] - handles[k].pivot[1]) / width;
            const double inside = fmax(0, 1 - (x * x + y * y) / 9);
            own[k] = exp(-x * x - y * y) * inside * inside + 1e-12;
            sum += own[k];
        }
        for (int k = 0; k < s->handle_count; ++k) {
            own[k] /= sum;
        }
    }
}

typedef sn_bench_fixture fixture;

/* Parameters of the authors' fish. */
static sn_result make(const subject *s, bool is_coloured, fixture *fixture_result)
{
    const size_t n = (size_t)s->vertex_count, t = (size_t)s->element_count;
    sn_arena arena = {0};
    double *positions = SN_NEW(&arena, double, 3 * n), *material = SN_NEW(&arena, double, 3 * t);
    double *weights = SN_NEW(&arena, double, n *(size_t)s->handle_count);
    int32_t *triangles = SN_NEW(&arena, int32_t, 3 * t);
    sn_coupled_handle *handles = SN_NEW(&arena, sn_coupled_handle, s->handle_count);
    sn_result result = positions && material && weights && triangles && handles ? SN_OK : SN_ERROR_MEMORY;
    if (result == SN_OK) {
        const int count = make_mesh(s, positions, triangles);
        SN_ASSERT(count == s->element_count);
        place_handles(s, positions, handles);
        compute_weights(s, positions, handles, weights);
        for (size_t i = 0; i < t; ++i) {
            material[i] = 900;
            material[t + i] = 100;
            material[2 * t + i] = 1;
        }
        const sn_xpbd_desc desc = {.vertex_count = s->vertex_count,
                                   .positions = positions,
                                   .element_count = s->element_count,
                                   .element_corners = 3,
                                   .elements = triangles,
                                   .lambda = material,
                                   .mu = material + t,
                                   .density = material + 2 * t,
                                   .is_coloured = is_coloured};
        result = sn_xpbd_model_create(&desc, &fixture_result->model);
    }
    if (result == SN_OK) {
        const sn_coupled_rig_desc desc = {fixture_result->model, s->handle_count, handles, weights};
        result = sn_coupled_rig_create(&desc, &fixture_result->rig);
        for (int d = 0; d < 3; ++d) {
            fixture_result->pivot[d] = handles[0].pivot[d];
        }
    }
    sn_arena_finish(&arena);
    return result;
}

void sn_bench_fixture_finish(sn_bench_fixture *fixture_result)
{
    sn_coupled_rig_destroy(&fixture_result->rig);
    sn_xpbd_model_destroy(&fixture_result->model);
}

sn_coupled_settings sn_bench_coupled_settings(void)
{
    sn_coupled_settings settings = sn_default_coupled_settings();
    settings.xpbd.substep_count = SUBSTEP_COUNT;
    settings.xpbd.damping = 2.5;
    settings.compliance = 1e-5;
    return settings;
}

static sn_result create_body(const fixture *fixture_result, sn_coupled_body **body)
{
    const sn_coupled_settings settings = sn_bench_coupled_settings();
    SN_TRY(sn_coupled_body_create(fixture_result->rig, &settings, body));
    sn_coupled_body_set_locks(*body, 0, SN_LOCK_ALL);
    return SN_OK;
}

/* The root's angle in the fish script; a vertex of a cage oscillates. */
void sn_bench_coupled_target(const fixture *fixture_result, int frame, double *target)
{
    const double angle = 0.4 * sin(9 * frame / 60.0), c = cos(angle), s = sin(angle), *p = fixture_result->pivot;
    const double transform[12] = {
        c, -s, 0, p[0] - c * p[0] + s * p[1] + 0.1 * angle, s, c, 0, p[1] - s * p[0] - c * p[1], 0, 0, 1, 0};
    memcpy(target, transform, sizeof transform);
}

static void drive(const fixture *fixture_result, sn_coupled_body *body, int frame)
{
    double target[12];
    sn_bench_coupled_target(fixture_result, frame, target);
    sn_coupled_body_set_target(body, 0, target);
}

sn_result sn_bench_fish_create(sn_bench_fixture *fixture_result)
{
    return make(&subjects[FISH], true, fixture_result);
}

/* ---- rows of the table ---- */

static void time_parts(const fixture *fixture_result, sn_coupled_body *body, double *strain, double *rig)
{
    double strain_ms[FRAME_COUNT] = {0}, rig_ms[FRAME_COUNT] = {0};
    sn_coupled_prepare(body);
    for (int frame = 0; frame < FRAME_COUNT; ++frame) {
        drive(fixture_result, body, frame);
        for (int substep = 0; substep < SUBSTEP_COUNT; ++substep) {
            sn_xpbd_substep_begin(body->flesh, NULL, substep);
            const double begun = sn_now();
            sn_xpbd_substep_sweep(body->flesh, substep);
            const double swept = sn_now();
            sn_coupled_couple(body, substep);
            rig_ms[frame] += 1e3 * (sn_now() - swept);
            strain_ms[frame] += 1e3 * (swept - begun);
            sn_xpbd_substep_end(body->flesh, NULL, substep);
        }
        body->handles[0].target_before = body->handles[0].target;
    }
    *strain = sn_median(strain_ms, FRAME_COUNT);
    *rig = sn_median(rig_ms, FRAME_COUNT);
}

static double time_steps(const fixture *fixture_result, sn_coupled_body *body)
{
    double ms[FRAME_COUNT];
    for (int frame = 0; frame < FRAME_COUNT; ++frame) {
        drive(fixture_result, body, frame);
        const double start = sn_now();
        sn_coupled_body_step(body, NULL);
        ms[frame] = 1e3 * (sn_now() - start);
    }
    return sn_median(ms, FRAME_COUNT);
}

static uint64_t hash_of(const sn_coupled_body *body)
{
    const sn_xpbd_state *state = &body->flesh->state;
    return sn_hash(SN_HASH_SEED, state->displacements, 4 * body->flesh->real_size * (size_t)state->row_count);
}

static void add_row(const subject *s, const char *what, double ms, double flops, uint64_t hash, sn_bench_table *table)
{
    char label[96];
    const bool is_solid = !s->peer; /* the paper has no figure */
    snprintf(label, sizeof label, "%s of a frame, %d vertices, %d %s, %d %s", what, s->vertex_count, s->element_count,
             is_solid ? "tets" : "triangles", s->handle_count,
             s->is_cage ? "cage points"
             : is_solid ? "joints"
                        : "handles");
    sn_bench_case *row = sn_bench_add(table, label, s->name);
    row->median_ms = ms;
    row->throughput = 1e3 / ms;
    row->throughput_unit = "frames/s";
    row->limit_ms = 1e3 * flops / sn_bench_peak_flops();
    row->hash = hash;
}

/* Flops per substep: its pairs, and the passes over handles and vertices. */
static double count_flops(const fixture *fixture_result, bool has_strain, bool has_rig)
{
    const bool is_flat = fixture_result->model->dimension == 2;
    const double pairs = (is_flat ? TRIANGLE_FLOPS : SN_BENCH_TET_FLOPS) * fixture_result->model->element_count;
    const double influence_flops =
        (is_flat ? WEIGHT_FLOPS : 2 * WEIGHT_FLOPS) * SN_BATCH * fixture_result->rig->blocks.slot_count;
    return (has_strain ? pairs : 0) + (has_rig ? influence_flops : 0);
}

double sn_bench_coupled_flops(const sn_bench_fixture *fixture_result)
{
    return SUBSTEP_COUNT * count_flops(fixture_result, true, true);
}

static sn_result bench_fixture(const subject *s, const fixture *fixture_result, sn_bench_table *table)
{
    sn_coupled_body *body = NULL;
    const sn_result result = create_body(fixture_result, &body);
    if (result == SN_OK) {
        double strain, rig;
        const double total = time_steps(fixture_result, body);
        const uint64_t hash = hash_of(body);
        time_parts(fixture_result, body, &strain, &rig);
        add_row(s, "strain", strain, SUBSTEP_COUNT * count_flops(fixture_result, true, false), hash, table);
        add_row(s, "rig", rig, SUBSTEP_COUNT * count_flops(fixture_result, false, true), hash, table);
        add_row(s, "all", total, SUBSTEP_COUNT * count_flops(fixture_result, true, true), hash, table);
        table->cases[table->count - 1].peer = s->peer;
    }
    sn_coupled_body_destroy(&body);
    return result;
}

static sn_result bench_subject(const subject *s, sn_bench_table *table)
{
    fixture fixture_result = {0};
    sn_result result = make(s, false, &fixture_result);
    if (result == SN_OK) {
        result = bench_fixture(s, &fixture_result, table);
    }
    sn_bench_fixture_finish(&fixture_result);
    return result;
}

static sn_result bench_skeleton(sn_bench_table *table)
{
    fixture fixture_result = {0};
    sn_result result = sn_bench_skeleton_create(&fixture_result.model, &fixture_result.rig, fixture_result.pivot);
    if (result == SN_OK) {
        const subject s = {.name = "skeleton",
                           .vertex_count = fixture_result.model->vertex_count,
                           .element_count = fixture_result.model->element_count,
                           .handle_count = fixture_result.rig->handle_count};
        result = bench_fixture(&s, &fixture_result, table);
    }
    sn_bench_fixture_finish(&fixture_result);
    return result;
}

static sn_result bench_crowd(const subject *s, int threads, sn_bench_table *table)
{
    static sn_coupled_body *bodies[CROWD_COUNT];
    double ms[FRAME_COUNT];
    fixture fixture_result = {0};
    sn_jobs *jobs = NULL;
    sn_result result = make(s, false, &fixture_result);
    if (result == SN_OK) {
        result = sn_jobs_create(threads, &jobs);
    }
    for (int i = 0; i < CROWD_COUNT && result == SN_OK; ++i) {
        result = create_body(&fixture_result, &bodies[i]);
    }
    for (int frame = 0; frame < FRAME_COUNT && result == SN_OK; ++frame) {
        for (int i = 0; i < CROWD_COUNT; ++i) {
            drive(&fixture_result, bodies[i], frame + 7 * i);
        }
        const double start = sn_now();
        sn_coupled_bodies_step(jobs, bodies, CROWD_COUNT, NULL, NULL);
        ms[frame] = 1e3 * (sn_now() - start);
    }
    if (result == SN_OK) {
        char label[64];
        snprintf(label, sizeof label, "a frame, %d thread%s", threads, threads == 1 ? "" : "s");
        sn_bench_case *row = sn_bench_add(table, label, "100 fish");
        const double flops = SUBSTEP_COUNT * count_flops(&fixture_result, true, true);
        row->median_ms = sn_median(ms, FRAME_COUNT);
        row->throughput = CROWD_COUNT / (1e-3 * row->median_ms) / 60;
        row->throughput_unit = "bodies at 60 Hz";
        row->limit_ms = 1e3 * CROWD_COUNT * flops / sn_bench_peak_flops() / threads;
        row->frame_fraction = row->median_ms * 60 / 1000;
        row->hash = hash_of(bodies[CROWD_COUNT - 1]);
    }
    for (int i = 0; i < CROWD_COUNT; ++i) {
        sn_coupled_body_destroy(&bodies[i]);
    }
    sn_jobs_destroy(&jobs);
    sn_bench_fixture_finish(&fixture_result);
    return result;
}

sn_result sn_bench_coupled(int threads, sn_bench_table *table)
{
    for (int i = 0; i < SUBJECT_COUNT; ++i) {
        SN_TRY(bench_subject(&subjects[i], table));
    }
    SN_TRY(bench_skeleton(table));
    for (int count = 1; count <= threads; count += threads > 1 ? threads - 1 : 1) {
        SN_TRY(bench_crowd(&subjects[FISH], count, table));
    }
    return SN_OK;
}
