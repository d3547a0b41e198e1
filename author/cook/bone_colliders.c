/* SPDX-License-Identifier: MIT */
#include "author/cook/bone_colliders.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "author/cook/loose.h"
#include "host/contact/bone_collider.h"
#include "host/math/vec3.h"
#include "host/reduced/contacts.h"

#define MOST_MARGIN (SN_CONTACT_MARGIN / 2) /* of the diagonal */
#define LEAST_SHARE 0.5F                    /* of a vertex: what feels a collider is moved so much by bones that do */

static int find_bone(const sn_cooking *k, const char *name)
{
    int bone = 0;
    while (bone < k->bone_count && strcmp(k->bone_names[bone], name) != 0) {
        ++bone;
    }
    return bone < k->bone_count ? bone : -1;
}

static bool is_any(const bool *flags, int count)
{
    bool is_any = false;
    for (int i = 0; i < count; ++i) {
        is_any = is_any || flags[i];
    }
    return is_any;
}

/* The next of the list, if flesh of any bone feels it: is_felt has its row. */
static void add(sn_cooking *k, int bone, sn_collider_shape shape, double friction, const sn_placed_collider *placed)
{
    if (bone < 0 || k->bone_collider_count == SN_BONE_COLLIDER_LIMIT ||
        !is_any(k->is_felt + (size_t)k->bone_collider_count * (size_t)k->bone_count, k->bone_count)) {
        return;
    }
    sn_bone_collider *added = &k->bone_colliders[k->bone_collider_count++];
    *added = (sn_bone_collider){.bone = bone,
                                .shape = (int32_t)shape,
                                .radius = (float)(placed->radius * k->scale),
                                .half_height = (float)(placed->half_height * k->scale),
                                .friction = (float)friction};
    for (int i = 0; i < 12; ++i) {
        const double value = placed->transform[i];
        added->transform[i] = (float)(i % 4 == 3 ? (value - k->origin[i / 4]) * k->scale : value);
    }
}

static bool *next_row(sn_cooking *k)
{
    bool *row = k->is_felt + (size_t)k->bone_collider_count * (size_t)k->bone_count;
    memset(row, 0, (size_t)k->bone_count * sizeof *row);
    return row;
}

/* ---- of a VRM ---- */

static bool names(const sn_character *c, int32_t spring, int32_t collider)
{
    const sn_spring_group *s = &c->spring_list[spring];
    bool is_named = false;
    for (int i = s->first_collider; i < s->first_collider + s->collider_count && !is_named; ++i) {
        is_named = c->spring_colliders[i] == collider;
    }
    return is_named;
}

static void add_of_character(sn_cooking *k)
{
    const sn_character *c = &k->character;
    for (int i = 0; i < c->collider_count; ++i) {
        bool *row = next_row(k);
        for (int b = 0; b < k->bone_count; ++b) {
            row[b] = sn_is_loose(k->loose[b]) && c->springs[b].is_spring && names(c, c->springs[b].spring, i);
        }
        add(k, c->colliders[i].bone, c->colliders[i].shape, 0, &c->colliders[i].placed);
    }
}

/* ---- by name ---- */

static bool is_listed(const sn_cook_collider *c, const char *name)
{
    bool is_listed = false;
    for (int i = 0; i < c->flesh_count && !is_listed; ++i) {
        is_listed = strcmp(c->flesh[i], name) == 0;
    }
    return is_listed;
}

/* It, or one that it hangs on. */
static bool is_flesh_of(const sn_cooking *k, const sn_cook_collider *c, int32_t bone)
{
    bool is_named = c->flesh_count == 0;
    for (; bone >= 0 && !is_named; bone = k->bone_parents[bone]) {
        is_named = is_listed(c, k->bone_names[bone]);
    }
    return is_named;
}

static void warn_of_names(const sn_cooking *k, const char *file, const sn_cook_collider *c)
{
    for (int i = 0; i < c->flesh_count; ++i) {
        if (find_bone(k, c->flesh[i]) < 0) {
            sn_log(SN_LOG_WARNING, "%s: colliders: flesh: no bone is called '%s'", file, c->flesh[i]);
        }
    }
}

static void add_named(sn_cooking *k, const char *file, const sn_cook_collider *c)
{
    const int bone = find_bone(k, c->bone);
    sn_placed_collider placed;
    bool *row = next_row(k);
    warn_of_names(k, file, c);
    for (int b = 0; b < k->bone_count; ++b) {
        row[b] = sn_is_loose(k->loose[b]) && is_flesh_of(k, c, b);
    }
    if (bone < 0) {
        sn_log(SN_LOG_WARNING, "%s: colliders: no bone is called '%s'", file, c->bone);
    } else if (!sn_bone_frame_place(k->bone_bind + 12 * (size_t)bone, c, &placed)) {
        sn_log(SN_LOG_WARNING, "%s: colliders: bone '%s' is flat at bind: what is on it is left out", file, c->bone);
    } else {
        add(k, bone, c->shape, c->friction, &placed);
    }
}

sn_result sn_bone_colliders_check(const char *path, const sn_cook_desc *desc)
{
    for (int i = 0; i < desc->collider_count; ++i) {
        const sn_cook_collider *c = &desc->colliders[i];
        const double sum = c->offset[0] + c->offset[1] + c->offset[2] + c->tail[0] + c->tail[1] + c->tail[2] +
                           c->normal[0] + c->normal[1] + c->normal[2];
        const bool is_flat = c->normal[0] == 0 && c->normal[1] == 0 && c->normal[2] == 0;
        if (!c->bone || (unsigned)c->shape > SN_COLLIDER_CAPSULE || !(c->radius >= 0 && c->radius < 1e9) ||
            !(c->friction >= 0 && c->friction < 1e9) || !isfinite(sum) || c->flesh_count < 0 ||
            (c->shape == SN_COLLIDER_PLANE && is_flat)) {
            return sn_fail(SN_ERROR_ARGUMENT, "%s: collider %d of the desc: no bone, or a number out of range", path,
                           i);
        }
    }
    return SN_OK;
}

sn_result sn_bone_colliders_find(sn_cooking *k)
{
    const int given = k->desc->collider_count + k->sidecar.collider_count;
    const bool is_avatar = k->has_character && !k->has_rig && k->character.collider_count > 0;
    k->bone_collider_count = 0;
    if (!k->loose || k->desc->is_coupled || (given == 0 && !is_avatar)) {
        return SN_OK;
    }
    k->bone_colliders = SN_NEW(&k->arena, sn_bone_collider, SN_BONE_COLLIDER_LIMIT);
    k->is_felt = SN_NEW(&k->arena, bool, (SN_BONE_COLLIDER_LIMIT + 1) * (size_t)k->bone_count);
    if (!k->bone_colliders || !k->is_felt) {
        return SN_ERROR_MEMORY;
    }
    if (is_avatar) {
        add_of_character(k);
    }
    for (int i = 0; i < k->sidecar.collider_count; ++i) {
        add_named(k, k->sidecar.path, &k->sidecar.colliders[i]);
    }
    for (int i = 0; i < k->desc->collider_count; ++i) {
        add_named(k, k->path, &k->desc->colliders[i]);
    }
    if (k->bone_collider_count == SN_BONE_COLLIDER_LIMIT) {
        sn_log(SN_LOG_WARNING, "%s: of the colliders on its bones the first %d are kept", k->path,
               SN_BONE_COLLIDER_LIMIT);
    }
    return SN_OK;
}

/* ---- into the model ---- */

bool sn_bone_collider_is_felt(const sn_cooking *k, const sn_model *model, int collider, int32_t vertex)
{
    float share = 0;
    for (int32_t i = model->influence_starts[vertex]; i < model->influence_starts[vertex + 1]; ++i) {
        bool is_felt = false;
        for (int c = collider < 0 ? 0 : collider; c < (collider < 0 ? k->bone_collider_count : collider + 1); ++c) {
            is_felt = is_felt || k->is_felt[(size_t)c * (size_t)k->bone_count + (size_t)model->influences[i].bone];
        }
        share += is_felt ? model->influences[i].weight : 0;
    }
    return share >= LEAST_SHARE;
}

/* The bone that moves most of a vertex. */
static int32_t main_bone(const sn_model *model, int32_t vertex)
{
    int32_t best = model->influence_starts[vertex];
    for (int32_t i = best; i < model->influence_starts[vertex + 1]; ++i) {
        best = model->influences[i].weight > model->influences[best].weight ? i : best;
    }
    return model->influences[best].bone;
}

static void take_pivot(const sn_model *model, int32_t bone, double *pivot)
{
    for (int d = 0; d < 3; ++d) {
        pivot[d] = (double)model->bone_pivots[3 * bone + d];
    }
}

/* Of a bone, to the first that hangs on it; what nothing hangs on goes on as it came. */
static void find_end(const sn_model *model, int32_t bone, const double *start, double *end)
{
    memcpy(end, start, 3 * sizeof *end);
    for (int32_t b = 0; b < model->counts.bone_count; ++b) {
        if (model->bone_parents[b] == bone) {
            take_pivot(model, b, end);
            return;
        }
    }
    if (model->bone_parents[bone] >= 0) {
        double before[3];
        take_pivot(model, model->bone_parents[bone], before);
        for (int d = 0; d < 3; ++d) {
            end[d] = 2 * start[d] - before[d];
        }
    }
}

/* What is left of the joint's hit radius at a place on its skin; contacts see no farther than twice the most. */
static double margin_of(const sn_cooking *k, const sn_model *model, int32_t vertex, const double *place)
{
    const int32_t bone = main_bone(model, vertex);
    const bool is_spring = k->has_character && !k->has_rig && k->character.springs[bone].is_spring;
    const double radius = is_spring ? k->character.springs[bone].hit_radius * k->scale : 0;
    double start[3], end[3], nearest[3];
    if (!(radius > 0)) {
        return 0;
    }
    take_pivot(model, bone, start);
    find_end(model, bone, start, end);
    const double share = sn_segment_nearest(place, start, end);
    for (int d = 0; d < 3; ++d) {
        nearest[d] = start[d] + share * (end[d] - start[d]);
    }
    return fmin(fmax(radius - sn_distance3(place, nearest), 0), MOST_MARGIN * model->diagonal);
}

static float clearance_of(const sn_cooking *k, const sn_model *model, const sn_collider *collider, int32_t vertex)
{
    const float *x = model->surface_positions + 3 * (size_t)vertex;
    const double place[3] = {(double)x[0], (double)x[1], (double)x[2]};
    return (float)fmin(sn_collider_distance(collider, place, NULL), margin_of(k, model, vertex, place));
}

/* Those that some sample feels, first; returns how many. clearances is (bone_collider_count x sample_count). */
static int measure(sn_cooking *k, const sn_model *model, float *clearances)
{
    const int samples = model->counts.sample_count;
    int kept = 0;
    for (int i = 0; i < k->bone_collider_count; ++i) {
        float *row = clearances + (size_t)kept * (size_t)samples;
        bool is_any_felt = false;
        sn_collider bound;
        sn_bone_collider_bind(&k->bone_colliders[i], &bound);
        for (int s = 0; s < samples; ++s) {
            const int32_t vertex = model->sample_vertices[s];
            const bool is_felt = sn_bone_collider_is_felt(k, model, i, vertex);
            row[s] = is_felt ? clearance_of(k, model, &bound, vertex) : -FLT_MAX;
            is_any_felt = is_any_felt || is_felt;
        }
        if (is_any_felt) {
            k->bone_colliders[kept++] = k->bone_colliders[i];
        }
    }
    return kept;
}

sn_result sn_bone_colliders_add(sn_cooking *k, sn_model *model)
{
    const size_t samples = (size_t)model->counts.sample_count, count = (size_t)k->bone_collider_count;
    float *measured = SN_NEW(&k->arena, float, count *samples);
    float *clearances = SN_NEW(&k->arena, float, count *samples);
    if (!measured || !clearances) {
        return SN_ERROR_MEMORY;
    }
    const size_t kept = (size_t)measure(k, model, measured);
    for (size_t i = 0; i < kept * samples; ++i) {
        clearances[i % samples * kept + i / samples] = measured[i];
    }
    model->bone_collider_count = (double)kept;
    model->bone_colliders = k->bone_colliders;
    model->sample_clearances = clearances;
    k->report.bone_collider_count = (int)kept;
    return SN_OK;
}
