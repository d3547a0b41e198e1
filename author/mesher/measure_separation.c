/* SPDX-License-Identifier: MIT */
/* Counts tets that connect parts which should move independently. Glued: two patches in one tet are ten times further
 * apart along the surface and along the skeleton than in space, and no bone moves both. Torn: two patches in one tet
 * are far apart on the surface, and test poses that the mesher has not seen move them apart by more than three cells.
 * Distances below half a cell count as half a cell, which is the lattice's resolution. */
#include <math.h>
#include <string.h>

#include "author/mesher/measures.h"
#include "author/mesher/motion.h"
#include "author/mesher/paths.h"
#include "host/math/vec3.h"

#define GLUED_RATIO 10.0
#define TORN_CELLS 3.0
#define FAR_CELLS 4.0 /* along the surface */
#define MIN_DISTANCE_CELLS 0.5
#define SEED UINT64_C(0x5eed7e57)
#define PATCH_LIMIT 8 /* max. patches checked per tet */
#define PIECE_LIMIT 256

typedef struct separation_counter {
    const sn_measured *measured;
    sn_paths paths;
    sn_motion poses;
    int32_t *starts, *members; /* pieces by tet */
    float *moved[2];           /* (3 x pose_count) */
} separation_counter;

static bool list_pieces(separation_counter *f, sn_arena *scratch)
{
    const int tet_count = f->measured->output->mesh.tet_count, piece_count = f->measured->pieces->count;
    f->starts = SN_NEW(scratch, int32_t, tet_count + 2);
    f->members = SN_NEW(scratch, int32_t, piece_count);
    if (!f->starts || !f->members) {
        return false;
    }
    for (int i = 0; i < piece_count; ++i) {
        ++f->starts[f->measured->piece_tets[i] + 2];
    }
    for (int t = 0; t < tet_count; ++t) {
        f->starts[t + 2] += f->starts[t + 1];
    }
    for (int32_t i = 0; i < piece_count; ++i) {
        f->members[f->starts[f->measured->piece_tets[i] + 1]++] = i;
    }
    return true;
}

/* Returns whether two pieces share an edge or a point inside their tet. */
static bool pieces_touch(const sn_surface *s, const sn_piece *a, const sn_piece *b)
{
    for (size_t i = 0; i < 3; ++i) {
        for (size_t j = 0; j < 3; ++j) {
            const size_t x = 3 * (size_t)a->triangle + i, y = 3 * (size_t)b->triangle + j;
            const bool have_edge = a->edge_bits >> i & 1 && b->edge_bits >> j & 1 && s->edges[x] >= 0;
            const bool have_point = a->point_bits >> i & 1 && b->point_bits >> j & 1;
            if ((have_edge && s->edges[x] == s->edges[y]) ||
                (have_point && s->points[s->triangles[x]] == s->points[s->triangles[y]])) {
                return true;
            }
        }
    }
    return false;
}

/* Lists one piece of each patch in a tet, by walking over touching pieces. */
static int list_patches(const separation_counter *f, int tet, int32_t *patches)
{
    const sn_piece_list *pieces = f->measured->pieces;
    const int32_t *members = f->members + f->starts[tet];
    const int all = f->starts[tet + 1] - f->starts[tet], count = all < PIECE_LIMIT ? all : PIECE_LIMIT;
    bool is_visited[PIECE_LIMIT] = {false};
    int queue[PIECE_LIMIT], patch_count = 0;
    for (int seed = 0; seed < count && patch_count < PATCH_LIMIT; ++seed) {
        int length = 0;
        if (is_visited[seed]) {
            continue;
        }
        patches[patch_count++] = members[seed];
        is_visited[seed] = true;
        queue[length++] = seed;
        for (int next = 0; next < length; ++next) {
            for (int i = 0; i < count; ++i) {
                if (!is_visited[i] && pieces_touch(f->measured->surface, &pieces->pieces[members[queue[next]]],
                                                   &pieces->pieces[members[i]])) {
                    is_visited[i] = true;
                    queue[length++] = i;
                }
            }
        }
    }
    return patch_count;
}

static sn_surface_sample piece_sample(const separation_counter *f, int32_t index)
{
    const sn_piece *piece = &f->measured->pieces->pieces[index];
    sn_surface_sample sample = {.triangle = piece->triangle};
    for (int d = 0; d < 3; ++d) {
        sample.barycentric[d] = (double)piece->centre[d];
    }
    sn_paths_locate(&f->paths, &sample);
    return sample;
}

static bool are_glued(separation_counter *f, const sn_surface_sample *a, const sn_surface_sample *b)
{
    if (a->bone == b->bone || !sn_paths_bones_disjoint(&f->paths, a, b)) {
        return false;
    }
    const double min_distance = MIN_DISTANCE_CELLS * f->measured->cell_size;
    const double bound = GLUED_RATIO * fmax(sn_distance3(a->position, b->position), min_distance);
    return sn_paths_along_rig(&f->paths, a, b) > bound && !sn_paths_near_on_surface(&f->paths, a, b, bound);
}

static bool are_torn(separation_counter *f, const sn_surface_sample *a, const sn_surface_sample *b)
{
    const sn_surface_sample *samples[2] = {a, b};
    for (int i = 0; i < 2; ++i) {
        const float barycentric[3] = {(float)samples[i]->barycentric[0], (float)samples[i]->barycentric[1],
                                      (float)samples[i]->barycentric[2]};
        memset(f->moved[i], 0, 3 * (size_t)f->poses.pose_count * sizeof *f->moved[i]);
        sn_motion_add(&f->poses, f->measured->surface, samples[i]->triangle, barycentric, 1, f->moved[i]);
    }
    const double distance = sn_distance3(a->position, b->position), cell = f->measured->cell_size;
    return sn_motion_growth(&f->poses, distance, f->moved[0], f->moved[1]) > TORN_CELLS * cell &&
           !sn_paths_near_on_surface(&f->paths, a, b, FAR_CELLS * cell);
}

static void check_tet(separation_counter *f, int tet, sn_mesher_report *report)
{
    int32_t patches[PATCH_LIMIT];
    sn_surface_sample samples[PATCH_LIMIT];
    const int patch_count = list_patches(f, tet, patches);
    bool is_glued = false, is_torn = false;
    for (int i = 0; i < patch_count; ++i) {
        samples[i] = piece_sample(f, patches[i]);
    }
    for (int a = 0; a < patch_count; ++a) {
        for (int b = a + 1; b < patch_count; ++b) {
            is_glued = is_glued || are_glued(f, &samples[a], &samples[b]);
            is_torn = is_torn || are_torn(f, &samples[a], &samples[b]);
        }
    }
    report->glued_count += is_glued;
    report->torn_count += is_torn;
}

sn_result sn_measure_separation(const sn_measured *measured, sn_mesher_report *report)
{
    sn_arena scratch = {0};
    separation_counter f = {.measured = measured};
    report->glued_count = report->torn_count = 0;
    if (measured->surface->input->bone_count == 0) {
        return SN_OK;
    }
    bool is_ok = list_pieces(&f, &scratch) && sn_paths_start(measured->surface, &scratch, &f.paths) == SN_OK &&
                 sn_motion_random(measured->surface, SEED, &scratch, &f.poses) == SN_OK;
    for (int i = 0; i < 2 && is_ok; ++i) {
        f.moved[i] = SN_NEW(&scratch, float, 3 * (size_t)f.poses.pose_count);
        is_ok = f.moved[i] != NULL;
    }
    for (int t = 0; t < measured->output->mesh.tet_count && is_ok; ++t) {
        check_tet(&f, t, report);
    }
    sn_arena_finish(&scratch);
    return is_ok ? SN_OK : SN_ERROR_MEMORY;
}
