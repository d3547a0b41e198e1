/* SPDX-License-Identifier: MIT */
/* Smooths all weights with a few passes. Where a rig's weights change from one bone to another within a cell or two, as
 * between a quadruped's forelegs, the lattice would still be stretched a lot. Extra passes smooth only these vertices
 * until test poses find no such edge. More passes everywhere would also blur all other joints. */
#include "author/mesher/smooth.h"

#include <math.h>
#include <string.h>

#include "host/base/jobs.h"
#include "host/math/vec3.h"

#define PASSES 4
#define EXTRA_PASSES 48
#define EXTRA_WORK 8    /* max. vertices smoothed by all extra passes, as a multiple of the vertex count */
#define MAX_STRETCH 2.0 /* times the rest length; animations stretch some edges more than the test poses */
#define POSE_COUNT 24
#define SEED UINT64_C(0x57e7c4)
#define MIN_WEIGHT 1e-4
#define GRAIN 256 /* vertices at a time of a thread */

typedef struct smoother {
    const sn_smoothing *in;
    size_t bone_count;
    double *smoothed;       /* (vertex_count x bone_count) */
    double *poses;          /* (POSE_COUNT x bone_count x 12) */
    float *moved;           /* (vertex_count x POSE_COUNT x 3) */
    bool *is_active;        /* (vertex_count) smoothed by the last pass or to be smoothed by the next */
    bool *is_long_edge_end; /* (vertex_count) is an end of a long edge */
    sn_jobs *jobs;
} smoother;

static bool start_smoother(smoother *s, sn_arena *scratch)
{
    const size_t n = (size_t)s->in->mesh->vertex_count, b = s->bone_count;
    s->smoothed = SN_NEW(scratch, double, n *b);
    s->poses = SN_NEW(scratch, double, 12 * POSE_COUNT * b);
    s->moved = SN_NEW(scratch, float, 3 * POSE_COUNT * n);
    s->is_active = SN_NEW(scratch, bool, n);
    s->is_long_edge_end = SN_NEW(scratch, bool, n);
    return s->smoothed && s->poses && s->moved && s->is_active && s->is_long_edge_end;
}

/* Moves a vertex's weights halfway to the mean of its neighbours. */
static void smooth_vertex(const smoother *s, int v)
{
    const sn_node_graph *graph = s->in->graph;
    const double fraction = 0.5 / (graph->starts[v + 1] - graph->starts[v]);
    const double *own = s->in->weights + (size_t)v * s->bone_count;
    double *row = s->smoothed + (size_t)v * s->bone_count;
    for (size_t b = 0; b < s->bone_count; ++b) {
        row[b] = 0.5 * own[b];
    }
    for (int32_t i = graph->starts[v]; i < graph->starts[v + 1]; ++i) {
        const double *other = s->in->weights + (size_t)graph->others[i] * s->bone_count;
        for (size_t b = 0; b < s->bone_count; ++b) {
            row[b] += fraction * other[b];
        }
    }
}

static bool is_smoothed(const smoother *s, int v)
{
    return s->is_active[v] && s->in->graph->starts[v + 1] > s->in->graph->starts[v];
}

static void smooth_range(int first, int last, int worker, void *user)
{
    const smoother *s = user;
    (void)worker;
    for (int v = first; v < last; ++v) {
        if (is_smoothed(s, v)) {
            smooth_vertex(s, v);
        }
    }
}

static void copy_range(int first, int last, int worker, void *user)
{
    const smoother *s = user;
    (void)worker;
    for (int v = first; v < last; ++v) {
        if (is_smoothed(s, v)) {
            const size_t at = (size_t)v * s->bone_count;
            memcpy(s->in->weights + at, s->smoothed + at, s->bone_count * sizeof(double));
        }
    }
}

static void smooth_active(smoother *s)
{
    sn_parallel_for(s->jobs, s->in->mesh->vertex_count, GRAIN, smooth_range, s);
    sn_parallel_for(s->jobs, s->in->mesh->vertex_count, GRAIN, copy_range, s);
}

static void pose_vertex(const smoother *s, int v)
{
    const double *weights = s->in->weights + (size_t)v * s->bone_count;
    const double *at = s->in->mesh->positions + 3 * (size_t)v;
    float *moved = s->moved + 3 * POSE_COUNT * (size_t)v;
    double total = 0, sums[3 * POSE_COUNT] = {0};
    for (size_t b = 0; b < s->bone_count; ++b) {
        total += weights[b] > MIN_WEIGHT ? weights[b] : 0;
    }
    for (size_t b = 0; b < s->bone_count; ++b) {
        const double fraction = weights[b] / total;
        for (size_t p = 0; p < POSE_COUNT && weights[b] > MIN_WEIGHT; ++p) {
            const double *m = s->poses + 12 * (p * s->bone_count + b);
            for (size_t d = 0; d < 3; ++d) {
                const double *row = m + 4 * d;
                sums[3 * p + d] += fraction * (row[0] * at[0] + row[1] * at[1] + row[2] * at[2] + row[3]);
            }
        }
    }
    for (size_t i = 0; i < 3 * POSE_COUNT; ++i) {
        moved[i] = (float)(total > 0 ? sums[i] : at[i % 3]);
    }
}

static bool is_long(const smoother *s, int a, int b)
{
    const double *x = s->in->mesh->positions;
    const double max_length = MAX_STRETCH * sn_distance3(x + 3 * (size_t)a, x + 3 * (size_t)b);
    const float *p = s->moved + 3 * POSE_COUNT * (size_t)a, *q = s->moved + 3 * POSE_COUNT * (size_t)b;
    float max_square = 0;
    for (int i = 0; i < POSE_COUNT; ++i) {
        const float dx = p[3 * i] - q[3 * i], dy = p[3 * i + 1] - q[3 * i + 1], dz = p[3 * i + 2] - q[3 * i + 2];
        const float square = dx * dx + dy * dy + dz * dz;
        max_square = square > max_square ? square : max_square;
    }
    return (double)max_square > max_length * max_length;
}

/* Finds the long edges and flags their ends. Edges between vertices that the last pass did not change are skipped. */
static bool find_ends(smoother *s)
{
    const sn_node_graph *graph = s->in->graph;
    bool has_long = false;
    memset(s->is_long_edge_end, 0, (size_t)graph->node_count * sizeof *s->is_long_edge_end);
    for (int v = 0; v < graph->node_count; ++v) {
        for (int32_t i = graph->starts[v]; i < graph->starts[v + 1]; ++i) {
            const int32_t other = graph->others[i];
            if (other > v && (s->is_active[v] || s->is_active[other]) && is_long(s, v, other)) {
                s->is_long_edge_end[v] = s->is_long_edge_end[other] = has_long = true;
            }
        }
    }
    return has_long;
}

/* Activates the ends of long edges and their neighbours. Smoothing only the ends would just move the jump in weights.
 */
static bool activate_long_edges(smoother *s)
{
    const sn_node_graph *graph = s->in->graph;
    const bool has_long = find_ends(s);
    for (int v = 0; v < graph->node_count; ++v) {
        s->is_active[v] = s->is_long_edge_end[v];
        for (int32_t i = graph->starts[v]; i < graph->starts[v + 1]; ++i) {
            s->is_active[v] |= s->is_long_edge_end[graph->others[i]];
        }
    }
    return has_long;
}

static void pose_range(int first, int last, int worker, void *user)
{
    const smoother *s = user;
    (void)worker;
    for (int v = first; v < last; ++v) {
        if (s->is_active[v]) {
            pose_vertex(s, v);
        }
    }
}

static void pose_active(smoother *s)
{
    sn_parallel_for(s->jobs, s->in->mesh->vertex_count, GRAIN, pose_range, s);
}

static int64_t count_active(const smoother *s)
{
    int64_t count = 0;
    for (int v = 0; v < s->in->mesh->vertex_count; ++v) {
        count += s->is_active[v];
    }
    return count;
}

static void smooth_all(smoother *s)
{
    memset(s->is_active, true, (size_t)s->in->mesh->vertex_count * sizeof *s->is_active);
    for (int pass = 0; pass < PASSES; ++pass) {
        smooth_active(s);
    }
    pose_active(s);
}

static void smooth_long(smoother *s)
{
    int64_t left = EXTRA_WORK * (int64_t)s->in->mesh->vertex_count;
    for (int pass = 0; pass < EXTRA_PASSES && left > 0 && activate_long_edges(s); ++pass) {
        smooth_active(s);
        pose_active(s);
        left -= count_active(s);
    }
}

sn_result sn_weights_smooth(const sn_smoothing *smoothing)
{
    sn_arena scratch = {0};
    smoother s = {.in = smoothing, .bone_count = (size_t)smoothing->skeleton.bone_count};
    sn_result result = sn_jobs_create(smoothing->worker_count, &s.jobs);
    if (result == SN_OK) {
        result = start_smoother(&s, &scratch) ? sn_test_poses(&smoothing->skeleton, SEED, POSE_COUNT, s.poses)
                                              : SN_ERROR_MEMORY;
    }
    if (result == SN_OK) {
        smooth_all(&s);
        smooth_long(&s);
    }
    sn_jobs_destroy(&s.jobs);
    sn_arena_finish(&scratch);
    return result;
}
