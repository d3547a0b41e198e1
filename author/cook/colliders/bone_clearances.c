/* SPDX-License-Identifier: MIT */
/* For each of the model's samples: the colliders on bones that it collides with, and its clearance from each. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "author/cook/colliders/bone_colliders.h"
#include "host/contact/bone_collider.h"
#include "host/math/vec3.h"
#include "host/reduced/contacts.h"

#define MOST_MARGIN (SN_CONTACT_MARGIN / 2) /* fraction of the diagonal */
#define LEAST_SHARE 0.5F /* weight of bones whose flesh collides with a collider, from which a vertex does */

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

/* The bone with the largest weight at a vertex. */
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

/* The pivot of the bone's first child; for a bone without children, the continuation of its parent. */
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

/* The part of the joint's hit radius that lies outside of the skin at a point. Contacts are found within twice
 * MOST_MARGIN. */
static double margin_of(const sn_cooking *k, const sn_model *model, int32_t vertex, const double *place)
{
    const int32_t bone = main_bone(model, vertex);
    const bool is_spring = k->has_character && !k->has_rig && k->character.springs[bone].is_spring;
    const double radius = is_spring ? k->character.springs[bone].hit_radius * k->scale : 0;
    double start[3], end[3];
    if (!(radius > 0)) {
        return 0;
    }
    take_pivot(model, bone, start);
    find_end(model, bone, start, end);
    return fmin(fmax(radius - sn_segment_distance(place, start, end), 0), MOST_MARGIN * model->diagonal);
}

/* A collider's samples at rest. */
typedef struct rest_contacts {
    int felt;    /* samples that collide with it */
    int touched; /* samples with a contact at rest */
} rest_contacts;

/* Fills row (sample_count) with clearances. */
static rest_contacts measure_one(const sn_cooking *k, const sn_model *model, int index, float *row)
{
    rest_contacts counts = {0};
    sn_collider bound;
    sn_bone_collider_bind(&k->bone_colliders[index], &bound);
    for (int s = 0; s < model->counts.sample_count; ++s) {
        const int32_t vertex = model->sample_vertices[s];
        const float *x = model->surface_positions + 3 * (size_t)vertex;
        const double place[3] = {(double)x[0], (double)x[1], (double)x[2]};
        row[s] = -FLT_MAX;
        if (sn_bone_collider_is_felt(k, model, index, vertex)) {
            const double distance = sn_collider_distance(&bound, place, NULL);
            const double clearance = fmin(distance, margin_of(k, model, vertex, place));
            row[s] = (float)clearance;
            counts.felt++;
            counts.touched += distance - clearance < SN_CONTACT_MARGIN * model->diagonal;
        }
    }
    return counts;
}

/* Keeps the colliders with which some sample collides and returns their number. clearances is (bone_collider_count x
 * sample_count). */
static int measure(sn_cooking *k, const sn_model *model, float *clearances)
{
    int kept = 0, touched = 0, unfelt = 0;
    for (int i = 0; i < k->bone_collider_count; ++i) {
        const rest_contacts counts =
            measure_one(k, model, i, clearances + (size_t)kept * (size_t)model->counts.sample_count);
        touched += counts.touched;
        unfelt += counts.felt == 0 && i >= k->vrm_collider_count;
        if (counts.felt > 0) {
            k->bone_colliders[kept++] = k->bone_colliders[i];
        }
    }
    if (unfelt > 0) {
        sn_log(SN_LOG_WARNING, "%s: colliders: %d skipped, since no sample of the flesh collides with them", k->path,
               unfelt);
    }
    if (touched >= SN_CONTACT_LIMIT) {
        sn_log(SN_LOG_WARNING,
               "%s: colliders: %d contacts at rest, and a body has at most %d: other contacts may be missing", k->path,
               touched, SN_CONTACT_LIMIT);
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
