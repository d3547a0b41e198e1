/* SPDX-License-Identifier: MIT */
#include "runtime/camera/scenery.h"

#include <math.h>

#define FAR_DIAGONALS 2 /* maximum distance from the flesh's box, in diagonals of that box */

typedef struct box {
    double low[3], high[3];
} box;

static bool is_flesh(const sn_model *m, int vertex)
{
    return m->counts.surface_vertex_count == 0 || !m->surface_tets || m->surface_tets[vertex] >= 0;
}

static box flesh_box(const sn_model *m, const float *rest, int vertex_count)
{
    box b = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    for (int v = 0; v < vertex_count; ++v) {
        for (int d = 0; d < 3 && is_flesh(m, v); ++d) {
            b.low[d] = fmin(b.low[d], (double)rest[3 * v + d]);
            b.high[d] = fmax(b.high[d], (double)rest[3 * v + d]);
        }
    }
    return b;
}

static bool is_within(const box *b, double margin, const float *x)
{
    bool is_in = true;
    for (int d = 0; d < 3; ++d) {
        is_in &= (double)x[d] >= b->low[d] - margin && (double)x[d] <= b->high[d] + margin;
    }
    return is_in;
}

int sn_scenery_exclude(const sn_model *model, const float *rest, int vertex_count, int *included)
{
    const box b = flesh_box(model, rest, vertex_count);
    const bool has_flesh = b.low[0] <= b.high[0];
    double square = 0;
    for (int d = 0; d < 3 && has_flesh; ++d) {
        square += (b.high[d] - b.low[d]) * (b.high[d] - b.low[d]);
    }
    int count = 0;
    for (int v = 0; v < vertex_count; ++v) {
        if (!has_flesh || is_flesh(model, v) || is_within(&b, FAR_DIAGONALS * sqrt(square), rest + 3 * (size_t)v)) {
            included[count++] = v;
        }
    }
    return count;
}
