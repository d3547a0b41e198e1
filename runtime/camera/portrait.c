/* SPDX-License-Identifier: MIT */
#include "runtime/camera/portrait.h"

#include <math.h>
#include <stdbool.h>
#include <strings.h>

#define HEAD_NAME "head"
/* relative to the distance from the head's joint to the top of the head */
#define SHOULDER_RADIUS 0.9 /* horizontally around the joint: without arms that are stretched out */
#define SHOULDER_DEPTH 0.45 /* below the joint */

static bool is_named_head(const char *name)
{
    const size_t length = sizeof HEAD_NAME - 1;
    for (const char *at = name; *at; ++at) {
        if (strncasecmp(at, HEAD_NAME, length) == 0) {
            return at - name < 4 || strncasecmp(at - 4, "fore", 4) != 0;
        }
    }
    return false;
}

/* Returns -1 if no bone is the head. */
static int find_head(const sn_model *m)
{
    for (int b = 0; m->has_roles == 1 && b < m->counts.bone_count; ++b) {
        if (m->bone_roles[b] == SN_HUMANOID_HEAD) {
            return b;
        }
    }
    for (int b = 0; b < m->counts.bone_count; ++b) {
        if (is_named_head(sn_model_bone_name(m, b))) {
            return b;
        }
    }
    return -1;
}

static bool is_below(const sn_model *m, int bone, int ancestor)
{
    while (bone >= 0 && bone != ancestor) {
        bone = m->bone_parents[bone];
    }
    return bone >= 0;
}

/* Returns true if more than half of a vertex's weight is the head's: its bone's and those of its descendants. */
static bool is_of_head(const sn_model *m, int vertex, int head)
{
    const bool is_surface = m->counts.surface_vertex_count > 0;
    const int first = is_surface ? m->influence_starts[vertex] : 0;
    const int last = is_surface ? m->influence_starts[vertex + 1] : m->counts.bone_count;
    double sum = 0;
    for (int i = first; head >= 0 && i < last; ++i) {
        const int bone = is_surface ? m->influences[i].bone : i;
        const double weight =
            (double)(is_surface ? m->influences[i].weight
                                : m->rig_weights[(size_t)vertex * (size_t)m->counts.bone_count + (size_t)i]);
        sum += weight > 0 && is_below(m, bone, head) ? weight : 0;
    }
    return sum > 0.5;
}

/* Finds the head's joint and the distance from there to the top of the head. */
static double measure_head(const sn_model *m, int head, const float *rest, const int *vertices, int count,
                           double joint[3])
{
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY}, top = -INFINITY;
    for (int i = 0; i < count; ++i) {
        const float *x = rest + 3 * (size_t)vertices[i];
        for (int d = 0; d < 3; ++d) {
            low[d] = fmin(low[d], (double)x[d]);
            high[d] = fmax(high[d], (double)x[d]);
        }
        top = is_of_head(m, vertices[i], head) ? fmax(top, (double)x[1]) : top;
    }
    for (int d = 0; d < 3; ++d) {
        joint[d] = d == 1 ? low[d] + 0.75 * (high[d] - low[d]) : 0.5 * (low[d] + high[d]);
    }
    if (head >= 0) {
        sn_model_bone_pivot(m, head, joint);
    }
    return (top > joint[1] ? top : high[1]) - joint[1];
}

int sn_portrait_choose(const sn_model *model, const float *rest, int *vertices, int count)
{
    const int head = find_head(model);
    double joint[3];
    const double height = measure_head(model, head, rest, vertices, count, joint);
    int chosen_count = 0;
    for (int i = 0; i < count; ++i) {
        const float *x = rest + 3 * (size_t)vertices[i];
        const double radius = hypot((double)x[0] - joint[0], (double)x[2] - joint[2]);
        if ((double)x[1] >= joint[1] - SHOULDER_DEPTH * height &&
            (radius <= SHOULDER_RADIUS * height || is_of_head(model, vertices[i], head))) {
            const int kept = vertices[i];
            vertices[i] = vertices[chosen_count];
            vertices[chosen_count++] = kept;
        }
    }
    return chosen_count > 0 ? chosen_count : count;
}
