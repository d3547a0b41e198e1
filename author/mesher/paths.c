/* SPDX-License-Identifier: MIT */
/* Shortest paths along edges by label correction within a bound; paths along the skeleton by walking up to the common
 * ancestor. */
#include "author/mesher/paths.h"

#include <math.h>
#include <string.h>

#include "host/math/vec3.h"

#define MIN_WEIGHT 0.01

static bool list_edges(sn_paths *p, sn_arena *arena)
{
    const sn_surface *s = p->surface;
    p->starts = SN_NEW(arena, int32_t, s->point_count + 2);
    p->others = SN_NEW(arena, int32_t, 2 * (size_t)s->edge_count);
    p->lengths = SN_NEW(arena, float, 2 * (size_t)s->edge_count);
    sn_arena scratch = {0};
    uint8_t *is_done = SN_NEW(&scratch, uint8_t, s->edge_count);
    const bool is_ok = p->starts && p->others && p->lengths && is_done;
    for (int pass = 0; pass < 2 && is_ok; ++pass) {
        memset(is_done, 0, (size_t)s->edge_count);
        for (int side = 0; side < 3 * s->triangle_count; ++side) {
            const int32_t edge = s->edges[side], v = s->triangles[side];
            const int32_t w = s->triangles[side % 3 == 2 ? side - 2 : side + 1];
            const int32_t ends[2] = {s->points[v], s->points[w]};
            if (edge < 0 || is_done[edge]) {
                continue;
            }
            is_done[edge] = 1;
            for (int end = 0; end < 2; ++end) {
                if (pass == 0) {
                    ++p->starts[ends[end] + 2];
                    continue;
                }
                const int32_t at = p->starts[ends[end] + 1]++;
                p->others[at] = ends[1 - end];
                p->lengths[at] = (float)sn_distance3(s->positions + 3 * (size_t)v, s->positions + 3 * (size_t)w);
            }
        }
        for (int i = 0; i < s->point_count && pass == 0; ++i) {
            p->starts[i + 2] += p->starts[i + 1];
        }
    }
    sn_arena_finish(&scratch);
    return is_ok;
}

sn_result sn_paths_start(const sn_surface *surface, sn_arena *arena, sn_paths *paths)
{
    const sn_mesher_input *input = surface->input;
    *paths = (sn_paths){.surface = surface};
    paths->distances = SN_NEW(arena, float, surface->point_count);
    paths->stamps = SN_NEW(arena, int32_t, surface->point_count);
    paths->queue = SN_NEW(arena, int32_t, surface->point_count);
    paths->is_queued = SN_NEW(arena, uint8_t, surface->point_count);
    paths->joints = SN_NEW(arena, double, 3 * (size_t)input->bone_count);
    if (!paths->distances || !paths->stamps || !paths->queue || !paths->is_queued || !paths->joints ||
        !list_edges(paths, arena)) {
        return SN_ERROR_MEMORY;
    }
    for (size_t i = 0; i < 3 * (size_t)input->bone_count; ++i) {
        paths->joints[i] = (input->bone_origins[i] - surface->origin[i % 3]) / surface->scale;
    }
    return SN_OK;
}

/* Returns the weight of a bone at a surface point. */
static double bone_weight(const sn_paths *paths, const sn_surface_sample *sample, int32_t bone)
{
    const sn_mesher_input *input = paths->surface->input;
    double sum = 0;
    for (int k = 0; k < 3; ++k) {
        const int32_t v = paths->surface->triangles[3 * (size_t)sample->triangle + (size_t)k];
        for (int32_t i = input->influence_starts[v]; i < input->influence_starts[v + 1]; ++i) {
            sum += input->influence_bones[i] == bone ? sample->barycentric[k] * input->influence_weights[i] : 0;
        }
    }
    return sum;
}

void sn_paths_locate(const sn_paths *paths, sn_surface_sample *sample)
{
    const sn_mesher_input *input = paths->surface->input;
    double max_weight = 0;
    sample->bone = -1;
    memset(sample->position, 0, sizeof sample->position);
    for (int k = 0; k < 3; ++k) {
        const int32_t v = paths->surface->triangles[3 * (size_t)sample->triangle + (size_t)k];
        for (int d = 0; d < 3; ++d) {
            sample->position[d] += sample->barycentric[k] * paths->surface->positions[3 * (size_t)v + (size_t)d];
        }
        for (int32_t i = input->influence_starts[v]; i < input->influence_starts[v + 1]; ++i) {
            const double weight = bone_weight(paths, sample, input->influence_bones[i]);
            if (weight > max_weight) {
                max_weight = weight;
                sample->bone = input->influence_bones[i];
            }
        }
    }
}

bool sn_paths_bones_disjoint(const sn_paths *paths, const sn_surface_sample *a, const sn_surface_sample *b)
{
    const sn_mesher_input *input = paths->surface->input;
    for (int k = 0; k < 3; ++k) {
        const int32_t v = paths->surface->triangles[3 * (size_t)a->triangle + (size_t)k];
        for (int32_t i = input->influence_starts[v]; i < input->influence_starts[v + 1]; ++i) {
            const int32_t bone = input->influence_bones[i];
            if (bone_weight(paths, a, bone) > MIN_WEIGHT && bone_weight(paths, b, bone) > MIN_WEIGHT) {
                return false;
            }
        }
    }
    return true;
}

/* Updates a point's distance and queues the point if this path is the shortest so far. */
static void relax_point(sn_paths *p, int32_t point, double distance, double bound, int *tail, int *queued_count)
{
    if (distance > bound || (p->stamps[point] == p->stamp && (double)p->distances[point] <= distance)) {
        return;
    }
    if (p->stamps[point] != p->stamp) {
        p->stamps[point] = p->stamp;
        p->is_queued[point] = 0;
    }
    p->distances[point] = (float)distance;
    if (!p->is_queued[point]) {
        p->is_queued[point] = 1;
        p->queue[*tail] = point;
        *tail = *tail + 1 < p->surface->point_count ? *tail + 1 : 0;
        ++*queued_count;
    }
}

bool sn_paths_near_on_surface(sn_paths *paths, const sn_surface_sample *a, const sn_surface_sample *b, double bound)
{
    const sn_surface *s = paths->surface;
    int head = 0, tail = 0, queued_count = 0;
    ++paths->stamp;
    for (int k = 0; k < 3; ++k) {
        const double distance = sn_distance3(a->position, sn_surface_corner(s, a->triangle, k));
        relax_point(paths, s->points[s->triangles[3 * (size_t)a->triangle + (size_t)k]], distance, bound, &tail,
                    &queued_count);
    }
    for (; queued_count > 0; --queued_count) {
        const int32_t point = paths->queue[head];
        head = head + 1 < s->point_count ? head + 1 : 0;
        paths->is_queued[point] = 0;
        for (int32_t i = paths->starts[point]; i < paths->starts[point + 1]; ++i) {
            relax_point(paths, paths->others[i], (double)(paths->distances[point] + paths->lengths[i]), bound, &tail,
                        &queued_count);
        }
    }
    for (int k = 0; k < 3; ++k) {
        const int32_t point = s->points[s->triangles[3 * (size_t)b->triangle + (size_t)k]];
        const double remaining = sn_distance3(b->position, sn_surface_corner(s, b->triangle, k));
        if (a->triangle == b->triangle ||
            (paths->stamps[point] == paths->stamp && (double)paths->distances[point] + remaining <= bound)) {
            return true;
        }
    }
    return false;
}

/* Computes the point of the bone nearest to a surface point: on the segments from the bone's joint to its children's
 * joints. */
static void project_to_bone(const sn_paths *paths, const sn_surface_sample *sample, double *point)
{
    const sn_mesher_input *input = paths->surface->input;
    const double *joint = paths->joints + 3 * (size_t)sample->bone;
    double min_distance = sn_distance3(sample->position, joint);
    memcpy(point, joint, 3 * sizeof *point);
    for (int child = 0; child < input->bone_count; ++child) {
        const double *end = paths->joints + 3 * (size_t)child;
        double candidate[3];
        if (input->bone_parents[child] != sample->bone) {
            continue;
        }
        const double at = sn_segment_nearest(sample->position, joint, end);
        for (int d = 0; d < 3; ++d) {
            candidate[d] = joint[d] + at * (end[d] - joint[d]);
        }
        if (sn_distance3(sample->position, candidate) < min_distance) {
            min_distance = sn_distance3(sample->position, candidate);
            memcpy(point, candidate, sizeof candidate);
        }
    }
}

static int depth_of(const sn_mesher_input *input, int32_t bone)
{
    int depth = 0;
    for (; input->bone_parents[bone] >= 0 && depth < input->bone_count; bone = input->bone_parents[bone]) {
        ++depth;
    }
    return depth;
}

/* Both ends walk up to their common bone. A bone is rigid and contains its own and its children's joints, so the path
 * through it is straight. This keeps a neck and a shoulder near each other even if their common chest joint is far
 * away. */
double sn_paths_along_rig(const sn_paths *paths, const sn_surface_sample *a, const sn_surface_sample *b)
{
    const sn_mesher_input *input = paths->surface->input;
    if (a->bone < 0 || b->bone < 0) {
        return INFINITY;
    }
    int32_t bones[2] = {a->bone, b->bone};
    int depths[2] = {depth_of(input, a->bone), depth_of(input, b->bone)};
    double points[2][3], length = 0;
    project_to_bone(paths, a, points[0]);
    project_to_bone(paths, b, points[1]);
    while (bones[0] != bones[1]) {
        const int deeper = depths[0] >= depths[1] ? 0 : 1;
        const double *joint = paths->joints + 3 * (size_t)bones[deeper];
        if (input->bone_parents[bones[deeper]] < 0 || depths[deeper] == 0) {
            return INFINITY;
        }
        length += sn_distance3(points[deeper], joint);
        memcpy(points[deeper], joint, sizeof points[deeper]);
        bones[deeper] = input->bone_parents[bones[deeper]];
        --depths[deeper];
    }
    return length + sn_distance3(points[0], points[1]);
}
