/* SPDX-License-Identifier: MIT */
/* Bounding boxes of the parts of a character. Private to rigid_parts.c and alternatives.c. */
#ifndef SN_AUTHOR_IMPORT_PART_BOX_H
#define SN_AUTHOR_IMPORT_PART_BOX_H

#include <math.h>

#include "author/import/rigid_parts.h"
#include "host/math/vec3.h"

typedef struct sn_box {
    double low[3], high[3];
} sn_box;

static const sn_box sn_empty_box = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};

static inline void sn_box_grow(sn_box *b, const double *point)
{
    for (int d = 0; d < 3; ++d) {
        b->low[d] = fmin(b->low[d], point[d]);
        b->high[d] = fmax(b->high[d], point[d]);
    }
}

static inline bool sn_box_has(const sn_box *b, const double *point)
{
    bool is_in = true;
    for (int d = 0; d < 3; ++d) {
        is_in &= b->low[d] <= point[d] && point[d] <= b->high[d];
    }
    return is_in;
}

/* 0 if the box is empty. */
static inline double sn_box_diagonal(const sn_box *b)
{
    return b->low[0] <= b->high[0] ? sn_distance3(b->low, b->high) : 0;
}

static inline sn_box sn_part_box(const sn_character *c, const sn_character_part *part)
{
    sn_box b = sn_empty_box;
    for (int v = part->first_vertex; v < part->first_vertex + part->vertex_count; ++v) {
        sn_box_grow(&b, c->positions + 3 * (size_t)v);
    }
    return b;
}

/* In alternatives.c: fills is_hidden of the parts; the sidecar takes precedence. */
sn_result sn_hide_alternatives(sn_character *c, bool has_skin, const sn_sidecar *sidecar, sn_arena *scratch);

#endif
