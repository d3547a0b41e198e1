/* SPDX-License-Identifier: MIT */
/* Packs the morph targets' effect on the rendered surface for the vertex shader: for each vertex, the targets that move
 * it or bend the surface there. */
#include <math.h>
#include <string.h>

#include "author/cook/surface/surface.h"
#include "author/import/character_morphs.h"
#include "host/math/half.h"
#include "host/math/vec3.h"

/* Fraction of the diagonal; smaller offsets have no visible effect. */
#define MIN_OFFSET 1e-6
/* Derivatives of offsets below this have no visible effect. */
#define MIN_SLOPE 1e-3
/* Targets whose derivatives are computed at a time. */
#define TARGET_BLOCK 4
#define FIELD_COUNT (3 * TARGET_BLOCK)

/* Deltas ordered by target, then vertex; sorted by vertex later. */
typedef struct packed_list {
    sn_morph_delta *items;
    int32_t *vertices;
    size_t count, capacity;
    sn_arena *arena;
} packed_list;

static sn_result reserve(packed_list *list)
{
    if (list->count < list->capacity) {
        return SN_OK;
    }
    const size_t capacity = 2 * list->capacity + 1024;
    sn_morph_delta *items = SN_NEW(list->arena, sn_morph_delta, capacity);
    int32_t *vertices = SN_NEW(list->arena, int32_t, capacity);
    if (!items || !vertices) {
        return SN_ERROR_MEMORY;
    }
    if (list->count > 0) {
        memcpy(items, list->items, list->count * sizeof *items);
        memcpy(vertices, list->vertices, list->count * sizeof *vertices);
    }
    list->items = items;
    list->vertices = vertices;
    list->capacity = capacity;
    return SN_OK;
}

/* offset (3), derivatives (3 x 2). */
static bool is_significant(const double *offset, const double *derivatives, double diagonal)
{
    double slope = 0;
    for (int i = 0; i < 6; ++i) {
        slope = fmax(slope, fabs(derivatives[i]));
    }
    return sn_length3(offset) > MIN_OFFSET * diagonal || slope > MIN_SLOPE;
}

static sn_morph_delta pack(int morph, const double *offset, const double *derivatives)
{
    sn_morph_delta delta = {.morph = morph};
    for (int d = 0; d < 3; ++d) {
        delta.offset[d] = (float)offset[d];
        delta.derivatives[d][0] = sn_half_from_float((float)derivatives[2 * d]);
        delta.derivatives[d][1] = sn_half_from_float((float)derivatives[2 * d + 1]);
    }
    return delta;
}

/* fields (vertex_count x FIELD_COUNT), derivatives (vertex_count x FIELD_COUNT x 2) of the targets from `first` on. */
static sn_result list_block(const sn_render_surface *s, int first, const double *fields, const double *derivatives,
                            packed_list *list)
{
    const int count = s->morph_count - first < TARGET_BLOCK ? s->morph_count - first : TARGET_BLOCK;
    sn_result result = SN_OK;
    for (int32_t v = 0; v < s->mesh.vertex_count; ++v) {
        for (int m = 0; m < count && result == SN_OK; ++m) {
            const size_t at = (size_t)v * FIELD_COUNT + 3 * (size_t)m;
            if (is_significant(fields + at, derivatives + 2 * at, s->diagonal)) {
                result = reserve(list);
                if (result == SN_OK) {
                    list->items[list->count] = pack(first + m, fields + at, derivatives + 2 * at);
                    list->vertices[list->count++] = v;
                }
            }
        }
    }
    return result;
}

static sn_result add_block(sn_arena *scratch, const sn_render_surface *s, int first, packed_list *list)
{
    const size_t size = (size_t)s->mesh.vertex_count * FIELD_COUNT;
    const int last = first + TARGET_BLOCK < s->morph_count ? first + TARGET_BLOCK : s->morph_count;
    if (s->delta_starts[first] == s->delta_starts[last]) {
        return SN_OK;
    }
    double *fields = SN_NEW(scratch, double, size), *derivatives = SN_NEW(scratch, double, 2 * size);
    if (!fields || !derivatives) {
        return SN_ERROR_MEMORY;
    }
    for (int m = first; m < last; ++m) {
        for (int32_t i = s->delta_starts[m]; i < s->delta_starts[m + 1]; ++i) {
            memcpy(fields + (size_t)s->deltas[i].vertex * FIELD_COUNT + 3 * (size_t)(m - first), s->deltas[i].offset,
                   sizeof s->deltas[i].offset);
        }
    }
    SN_TRY(sn_tri_derivatives(&s->mesh, s->groups, s->group_count, s->normals, s->tangents, fields, FIELD_COUNT,
                              derivatives));
    return list_block(s, first, fields, derivatives, list);
}

/* Sorts by vertex, then target. */
static sn_result sort_deltas(sn_arena *arena, const packed_list *list, size_t n, sn_model *model)
{
    int32_t *starts = SN_NEW(arena, int32_t, n + 2);
    sn_morph_delta *sorted = SN_NEW(arena, sn_morph_delta, list->count);
    if (!starts || !sorted) {
        return SN_ERROR_MEMORY;
    }
    for (size_t i = 0; i < list->count; ++i) {
        ++starts[list->vertices[i] + 2];
    }
    for (size_t v = 0; v < n; ++v) {
        starts[v + 2] += starts[v + 1];
    }
    for (size_t i = 0; i < list->count; ++i) {
        sorted[starts[list->vertices[i] + 1]++] = list->items[i];
    }
    model->counts.morph_delta_count = (int32_t)list->count;
    model->morph_starts = starts;
    model->morph_deltas = sorted;
    return SN_OK;
}

/* Checks the range of float and the number of deltas. */
static sn_result check_deltas(const sn_cook_context *cook, const packed_list *list)
{
    bool is_finite = true;
    for (size_t i = 0; i < list->count; ++i) {
        const float *offset = list->items[i].offset;
        is_finite &= isfinite(offset[0]) && isfinite(offset[1]) && isfinite(offset[2]);
    }
    if (!is_finite) {
        return sn_fail(SN_ERROR_NUMERIC, "%s: meshes: morph targets are beyond the range of float", cook->path);
    }
    if (list->count > SN_MORPH_DELTA_LIMIT) {
        return sn_fail(SN_ERROR_UNSUPPORTED, "%s: meshes: morph targets have too many deltas (%zu)", cook->path,
                       list->count);
    }
    return SN_OK;
}

sn_result sn_surface_add_morphs(sn_cook_context *cook, const sn_render_surface *s, sn_model *model)
{
    packed_list list = {.arena = &cook->arena};
    sn_result result = SN_OK;
    for (int first = 0; first < s->morph_count && result == SN_OK; first += TARGET_BLOCK) {
        sn_arena scratch = {0};
        result = add_block(&scratch, s, first, &list);
        sn_arena_finish(&scratch);
    }
    if (result == SN_OK) {
        result = check_deltas(cook, &list);
    }
    return result == SN_OK && s->morph_count > 0 ? sort_deltas(&cook->arena, &list, (size_t)s->mesh.vertex_count, model)
                                                 : result;
}
