/* SPDX-License-Identifier: MIT */
/* For each of the model's samples: the colliders on bones that it collides with, and its clearance from each. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "author/cook/colliders/bone_colliders.h"
#include "host/contact/bone_collider.h"
#include "host/math/vec3.h"
#include "host/reduced/contacts.h"

#define MAX_MARGIN (SN_CONTACT_MARGIN / 2) /* fraction of the diagonal */
#define MIN_WEIGHT 0.5F /* weight of bones whose flesh collides with a collider, from which a vertex does */

bool sn_bone_collider_affects_vertex(const sn_cook_context *cook, const sn_model *model, int collider, int32_t vertex)
{
    float affected_weight = 0;
    for (int32_t i = model->influence_starts[vertex]; i < model->influence_starts[vertex + 1]; ++i) {
        bool is_affected = false;
        for (int c = collider < 0 ? 0 : collider; c < (collider < 0 ? cook->bone_collider_count : collider + 1); ++c) {
            is_affected = is_affected ||
                          cook->is_affected[(size_t)c * (size_t)cook->bone_count + (size_t)model->influences[i].bone];
        }
        affected_weight += is_affected ? model->influences[i].weight : 0;
    }
    return affected_weight >= MIN_WEIGHT;
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

static void read_pivot(const sn_model *model, int32_t bone, double *pivot)
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
            read_pivot(model, b, end);
            return;
        }
    }
    if (model->bone_parents[bone] >= 0) {
        double before[3];
        read_pivot(model, model->bone_parents[bone], before);
        for (int d = 0; d < 3; ++d) {
            end[d] = 2 * start[d] - before[d];
        }
    }
}

/* The part of the joint's hit radius that lies outside of the skin at a point. Contacts are found within twice
 * MAX_MARGIN. */
static double margin_of(const sn_cook_context *cook, const sn_model *model, int32_t vertex, const double *point)
{
    const int32_t bone = main_bone(model, vertex);
    const bool is_spring = cook->has_character && !cook->has_rig && cook->character.springs[bone].is_spring;
    const double radius = is_spring ? cook->character.springs[bone].hit_radius * cook->scale : 0;
    double start[3], end[3];
    if (!(radius > 0)) {
        return 0;
    }
    read_pivot(model, bone, start);
    find_end(model, bone, start, end);
    return fmin(fmax(radius - sn_segment_distance(point, start, end), 0), MAX_MARGIN * model->diagonal);
}

/* A collider's samples at rest. */
typedef struct rest_contacts {
    int affected_count; /* samples that collide with it */
    int contact_count;  /* samples with a contact at rest */
} rest_contacts;

/* Fills row (sample_count) with clearances. */
static rest_contacts measure_one(const sn_cook_context *cook, const sn_model *model, int index, float *row)
{
    rest_contacts counts = {0};
    sn_collider bound;
    sn_bone_collider_bind(&cook->bone_colliders[index], &bound);
    for (int s = 0; s < model->counts.sample_count; ++s) {
        const int32_t vertex = model->sample_vertices[s];
        const float *x = model->surface_positions + 3 * (size_t)vertex;
        const double point[3] = {(double)x[0], (double)x[1], (double)x[2]};
        row[s] = -FLT_MAX;
        if (sn_bone_collider_affects_vertex(cook, model, index, vertex)) {
            const double distance = sn_collider_distance(&bound, point, NULL);
            const double clearance = fmin(distance, margin_of(cook, model, vertex, point));
            row[s] = (float)clearance;
            counts.affected_count++;
            counts.contact_count += distance - clearance < SN_CONTACT_MARGIN * model->diagonal;
        }
    }
    return counts;
}

/* Keeps the colliders with which some sample collides and returns their number. clearances is (bone_collider_count x
 * sample_count). */
static int measure(sn_cook_context *cook, const sn_model *model, float *clearances)
{
    int kept_count = 0, contact_count = 0, unaffected_count = 0;
    for (int i = 0; i < cook->bone_collider_count; ++i) {
        const rest_contacts counts =
            measure_one(cook, model, i, clearances + (size_t)kept_count * (size_t)model->counts.sample_count);
        contact_count += counts.contact_count;
        unaffected_count += counts.affected_count == 0 && i >= cook->vrm_collider_count;
        if (counts.affected_count > 0) {
            cook->bone_colliders[kept_count++] = cook->bone_colliders[i];
        }
    }
    if (unaffected_count > 0) {
        sn_log(SN_LOG_WARNING, "%s: colliders: %d skipped, since no sample of the flesh collides with them", cook->path,
               unaffected_count);
    }
    if (contact_count >= SN_CONTACT_LIMIT) {
        sn_log(SN_LOG_WARNING,
               "%s: colliders: %d contacts at rest, and a body has at most %d: other contacts may be missing",
               cook->path, contact_count, SN_CONTACT_LIMIT);
    }
    return kept_count;
}

sn_result sn_bone_colliders_add(sn_cook_context *cook, sn_model *model)
{
    const size_t samples = (size_t)model->counts.sample_count, count = (size_t)cook->bone_collider_count;
    float *measured = SN_NEW(&cook->arena, float, count *samples);
    float *clearances = SN_NEW(&cook->arena, float, count *samples);
    if (!measured || !clearances) {
        return SN_ERROR_MEMORY;
    }
    const size_t kept_count = (size_t)measure(cook, model, measured);
    for (size_t i = 0; i < kept_count * samples; ++i) {
        clearances[i % samples * kept_count + i / samples] = measured[i];
    }
    model->bone_collider_count = (double)kept_count;
    model->bone_colliders = cook->bone_colliders;
    model->sample_clearances = clearances;
    cook->report.bone_collider_count = (int)kept_count;
    return SN_OK;
}
