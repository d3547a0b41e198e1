/* SPDX-License-Identifier: MIT */
/* Finds the contacts of a step at its prediction (see contacts.h). Samples are first positioned by the rig alone, eight
 * in the lanes of a vector. The flesh's displacement is added only if a collider is near the body, and a sample is
 * tested individually only if a collider can touch its patch. All culling is conservative. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "host/contact/bone_collider.h"
#include "host/contact/grid.h"
#include "host/math/vec3.h"
#include "host/reduced/solver.h"

/* A pose can put the skin inside a body, and flesh that cannot follow must not be torn. So a contact is rigid only
 * against going deeper than the pose itself, which is always feasible, and pushes softly outwards beyond that. */
#define SOFT_DISTANCE 0.05 /* of the diagonal: maximal distance of the soft push */
/* Contacts with the body's own bone colliders are idle if they are not deeper than this and were not pushed farther
 * than this in the last step. With half this margin, fast flesh penetrates deeper. */
#define IDLE_DISTANCE 1e-4 /* of the diagonal */
#define IDLE_LIMIT (SN_CONTACT_LIMIT / 2)
#define NEAR_LIMIT (64 * SN_SAMPLE_FLAG_WORDS) /* colliders that are listed individually for a body */
#define ROUNDING_MARGIN 1e-5                   /* of the lengths that enter a distance: exceeds float rounding */

/* Colliders in order, the bones' own before those of the surroundings: the listed ones, then all from `rest` on. */
typedef struct near_list {
    int count, rest;
    int indices[NEAR_LIMIT];
} near_list;

typedef struct search {
    sn_reduced_body *body;
    const sn_reduced_solver *solver;
    const sn_surroundings *surroundings; /* may be null */
    int collider_count;                  /* bones' own and those of the surroundings */
    const double *root;                  /* origin of float positions */
    double margin,
        flesh_offset; /* distance at which contacts are created; sn_reduced_displacement_bound of the prediction */
    near_list list;
    int idle_count; /* number of idle contacts so far */
    /* the current sample */
    int sample;
    double own[3], flesh_offset_length;
    bool has_extremes;
    sn_f32x8 extremes[3];
} search;

/* ---- nearby colliders and samples ---- */

static const sn_collider *collider_at(const sn_reduced_body *body, const sn_surroundings *surroundings, int index)
{
    const int own_count = body->solver->own_count;
    return index < own_count ? &body->own[index] : &surroundings->colliders[index - own_count];
}

/* Minimal allowed distance of a sample from a collider, in any pose; -FLT_MAX if there is no contact between them. */
static double min_clearance(const sn_reduced_solver *solver, int sample, int index)
{
    const size_t at = (size_t)sample * (size_t)solver->own_count + (size_t)index;
    return index < solver->own_count ? (double)solver->model->sample_clearances[at] : 0;
}

/* Reads a bone's transform (row-major) from a rig (4 bone_count x 3). */
static void get_bone(const double *rig, int bone, double *transform)
{
    for (int i = 0; i < 12; ++i) {
        transform[i] = rig[12 * (size_t)bone + (size_t)(3 * (i % 4) + i / 4)];
    }
}

static void pose_own_colliders(sn_reduced_body *body)
{
    for (int i = 0; i < body->solver->own_count; ++i) {
        const sn_bone_collider *shape = &body->solver->model->bone_colliders[i];
        double before[12], now[12];
        get_bone(body->rig, shape->bone, before);
        get_bone(body->rig_next, shape->bone, now);
        sn_bone_collider_pose(shape, before, now, &body->own[i]);
    }
}

/* Bounding ball of the samples by the rig, relative to the root; returns its radius. */
static double bound_samples(const sn_reduced_body *body, double *centre)
{
    float low[3], high[3];
    double lengths[3];
    body->solver->kernels->bound(body->samples.positions, body->solver->sample_rows.block_count, low, high);
    for (int d = 0; d < 3; ++d) {
        centre[d] = 0.5 * ((double)low[d] + (double)high[d]);
        lengths[d] = (double)high[d] - (double)low[d];
    }
    return 0.5 * sn_length3(lengths);
}

static void list_near(search *s)
{
    double centre[3];
    const double radius =
                     bound_samples(s->body, centre) + s->solver->response.max_displacement_factor * s->flesh_offset,
                 extent = radius + sn_length3(centre);
    const double influence_radius =
        s->margin + (double)s->solver->response.max_influence_radius + ROUNDING_MARGIN * extent;
    near_list *list = &s->list;
    for (int d = 0; d < 3; ++d) {
        centre[d] += s->root[d];
    }
    list->count = 0;
    for (list->rest = 0; list->rest < s->collider_count && list->count < NEAR_LIMIT; ++list->rest) {
        if (sn_collider_is_near(collider_at(s->body, s->surroundings, list->rest), centre, radius, influence_radius)) {
            list->indices[list->count++] = list->rest;
        }
    }
}

/* A collider's bounding shape. The radius includes float rounding. */
static sn_bounding_shape bounding_shape(const sn_collider *c, const double *root)
{
    const double *m = c->transform, up[3] = {m[1], m[5], m[9]};
    const double offset[3] = {m[3] - root[0], m[7] - root[1], m[11] - root[2]};
    sn_bounding_shape shape = {.is_plane = c->shape == SN_COLLIDER_PLANE};
    double centre[3], half_extents[3];
    if (shape.is_plane) {
        for (int d = 0; d < 3; ++d) {
            shape.centre[d] = (float)up[d];
        }
        shape.radius = (float)(sn_dot3(up, offset) + ROUNDING_MARGIN * sn_length3(offset));
        return shape;
    }
    const double radius = sn_collider_box(c, centre, half_extents);
    for (int d = 0; d < 3; ++d) {
        shape.centre[d] = (float)(offset[d] + sn_dot3(m + 4 * d, centre));
        shape.half_extents[d] = (float)half_extents[d];
        for (int k = 0; k < 3; ++k) {
            shape.axes[k][d] = (float)m[4 * d + k];
        }
    }
    const double size = sn_length3(offset) + sn_length3(centre) + sn_length3(half_extents) + radius;
    shape.grid = c->shape == SN_COLLIDER_GRID ? c->grid : NULL;
    shape.radius = (float)(radius + ROUNDING_MARGIN * size * (shape.grid ? shape.grid->slope : 1));
    return shape;
}

/* Flags the samples that collider k of the list can touch. NaN counts as touching. */
static void flag_samples(const search *s, int k)
{
    const sn_bounding_shape shape = bounding_shape(collider_at(s->body, s->surroundings, s->list.indices[k]), s->root);
    s->solver->kernels->flag_near(&s->body->samples, s->solver->sample_rows.block_count, &shape, k);
}

/* ---- one sample ---- */

/* Distances from a collider: by the rig alone, and with the flesh's displacement. */
typedef struct clearance {
    double by_rig, with_flesh_offset;
} clearance;

/* If the rig itself is inside or nearly so, flesh is ignored. Otherwise the contact would alternate between
 * neighbouring vertices in every step, and the skin between them would jitter. */
static bool is_nearer(clearance a, clearance b, double threshold)
{
    const bool is_close = fmin(a.by_rig, b.by_rig) < threshold;
    return is_close ? a.by_rig < b.by_rig : fmin(a.by_rig, a.with_flesh_offset) < fmin(b.by_rig, b.with_flesh_offset);
}

static double distance_from(const search *s, const sn_collider *collider, const double *at, const double *flesh_offset)
{
    double position[3];
    for (int d = 0; d < 3; ++d) {
        position[d] = s->root[d] + at[d] + (flesh_offset ? flesh_offset[d] : 0);
    }
    return sn_collider_distance(collider, position, NULL);
}

static void transform_extremes(search *s)
{
    const sn_model *model = s->solver->model;
    const sn_sample_skin *skin = &s->solver->sample_skin;
    sn_f32x8 rest[3];
    memcpy(rest, skin->extreme_rest + 3 * s->sample, sizeof rest);
    for (int i = 0; i < SN_SAMPLE_EXTREMES && model->counts.morph_count > 0; ++i) {
        const sn_surface mesh = sn_model_surface(model);
        double displacement[3];
        sn_skin_morph(&mesh, model->sample_extremes[SN_SAMPLE_EXTREMES * s->sample + i], s->body->weights,
                      displacement);
        for (int d = 0; d < 3; ++d) {
            rest[d][i] = (float)displacement[d];
        }
    }
    s->solver->kernels->transform_extremes(skin, s->sample, rest, s->body->samples.rig, s->extremes);
    s->has_extremes = true;
}

static void flesh_offset_of_extreme(const search *s, int extreme, double *flesh_offset)
{
    const size_t count = (size_t)s->solver->coordinate_count;
    const size_t row = SN_SAMPLE_EXTREMES * (size_t)s->sample + (size_t)extreme;
    float sums[3];
    s->solver->kernels->flesh_offset_of_row(s->solver->model->extreme_coordinate + row * count, (int)count,
                                            s->body->samples.columns, sums);
    flesh_offset[0] = (double)sums[0], flesh_offset[1] = (double)sums[1], flesh_offset[2] = (double)sums[2];
}

/* Nearest point of the sample and its patch at the prediction, preferring the lowest rig-only distance: index of an
 * extreme, -1 for the sample itself, -2 if none is near enough for a contact. */
static int find_nearest(search *s, const sn_collider *collider, clearance own)
{
    const double threshold = s->margin,
                 max_offset = s->flesh_offset_length + (double)s->solver->response.spread[s->sample] * s->flesh_offset;
    const double slope = collider->shape == SN_COLLIDER_GRID ? collider->grid->slope : 1;
    clearance nearest = own;
    double by_rig[SN_SAMPLE_EXTREMES], min_distance = own.by_rig;
    int best = -1;
    for (int i = 0; i < SN_SAMPLE_EXTREMES; ++i) {
        const double at[3] = {(double)s->extremes[0][i], (double)s->extremes[1][i], (double)s->extremes[2][i]};
        by_rig[i] = distance_from(s, collider, at, NULL);
        if (by_rig[i] < min_distance) {
            min_distance = by_rig[i];
            best = i;
        }
    }
    if (min_distance < threshold) {
        return best;
    }
    best = -1;
    for (int i = 0; i < SN_SAMPLE_EXTREMES; ++i) { /* only flesh can bring it near */
        if (!(by_rig[i] - slope * max_offset >= threshold)) {
            const double at[3] = {(double)s->extremes[0][i], (double)s->extremes[1][i], (double)s->extremes[2][i]};
            double flesh_offset[3];
            flesh_offset_of_extreme(s, i, flesh_offset);
            const clearance candidate = {by_rig[i], distance_from(s, collider, at, flesh_offset)};
            if (is_nearer(candidate, nearest, threshold)) {
                nearest = candidate;
                best = i;
            }
        }
    }
    return fmin(nearest.by_rig, nearest.with_flesh_offset) < threshold ? best : -2;
}

/* First part of a contact. Its normal, gaps and slide follow when all rows are gathered. */
static void add_contact(const search *s, int extreme, int index)
{
    const sn_reduced_body *body = s->body;
    const sn_model *model = s->solver->model;
    const size_t count = (size_t)s->solver->coordinate_count, sample = (size_t)s->sample;
    const size_t at = SN_SAMPLE_EXTREMES * sample + (size_t)(extreme < 0 ? 0 : extreme);
    const float *row = extreme < 0 ? model->sample_coordinate + sample * count : model->extreme_coordinate + at * count;
    sn_contact_set *set = &s->body->contacts;
    set->contacts[set->count++] =
        (sn_contact){.sample = s->sample,
                     .row = row,
                     .vertex = (size_t)(extreme < 0 ? model->sample_vertices[sample] : model->sample_extremes[at]),
                     .collider = index,
                     .key = collider_at(body, s->surroundings, index)->key,
                     .compliance = body->solver->response.compliance[sample],
                     .friction = (float)collider_at(body, s->surroundings, index)->friction};
}

/* Force of the body's own collider on the sample in the last step; null: none. */
static const float *last_force(const sn_stored_forces *stored, int sample, int index)
{
    int low = 0, high = stored->count;
    while (low < high) {
        const int mid = (low + high) / 2;
        const sn_stored_force *candidate = &stored->all[mid];
        const bool is_before =
            candidate->sample < sample || (candidate->sample == sample && candidate->collider < index);
        low = is_before ? mid + 1 : low;
        high = is_before ? high : mid;
    }
    const sn_stored_force *candidate = &stored->all[low];
    const bool is_match =
        low < stored->count && candidate->sample == sample && candidate->collider == index && candidate->key == 0;
    return is_match ? candidate->force : NULL;
}

/* Whether a force would move the sample noticeably. */
static bool is_noticeable(const search *s, const float *force)
{
    const double previous[3] = {(double)force[0], (double)force[1], (double)force[2]};
    return (double)s->solver->response.compliance[s->sample] * sn_length3(previous) >
           IDLE_DISTANCE * s->solver->model->diagonal;
}

/* excess: distance above the minimal allowed one. At rest, all samples inside a collider are exactly there, most
 * without a force. The number of such idle contacts is limited, so that capacity remains for later ones. */
static void test_own_collider(search *s, int index, double excess)
{
    if (!(excess < s->margin)) {
        return;
    }
    const float *previous = last_force(&s->body->stored_forces, s->sample, index);
    const bool is_idle =
        excess >= -IDLE_DISTANCE * s->solver->model->diagonal && !(previous && is_noticeable(s, previous));
    if (!is_idle || s->idle_count < IDLE_LIMIT) {
        s->idle_count += is_idle;
        add_contact(s, -1, index);
    }
}

/* Adds the contacts of a sample or its patch with collider `index`, if near. Bones' own colliders use the sample only,
 * since its patch may contain flesh that ignores the collider. */
static void test_collider(search *s, int index)
{
    const sn_collider *collider = collider_at(s->body, s->surroundings, index);
    const bool is_own = index < s->solver->own_count;
    const double min_distance = min_clearance(s->solver, s->sample, index);
    double flesh_offset[3];
    if (min_distance <= -(double)FLT_MAX) {
        return;
    }
    sn_sample_get(s->body->samples.flesh_offset, s->sample, flesh_offset);
    const clearance own = {distance_from(s, collider, s->own, NULL), distance_from(s, collider, s->own, flesh_offset)};
    if (!(fmin(own.by_rig, own.with_flesh_offset) <
          s->margin + (double)s->solver->response.influence_radius[s->sample])) {
        return;
    }
    if (is_own) {
        test_own_collider(s, index, own.with_flesh_offset - min_distance);
        return;
    }
    if (!s->has_extremes) {
        transform_extremes(s);
    }
    const int nearest = find_nearest(s, collider, own);
    if (nearest > -2) {
        add_contact(s, nearest, index);
    }
}

static void test_colliders(search *s, int sample)
{
    const uint64_t *near_flags = s->body->samples.near_flags + SN_SAMPLE_FLAG_WORDS * sample;
    const sn_contact_set *set = &s->body->contacts;
    double flesh_offset[3];
    s->sample = sample;
    s->has_extremes = false;
    sn_sample_get(s->body->samples.positions, sample, s->own);
    sn_sample_get(s->body->samples.flesh_offset, sample, flesh_offset);
    s->flesh_offset_length = sn_length3(flesh_offset);
    for (int k = 0; k < s->list.count && set->count < SN_CONTACT_LIMIT; ++k) {
        if (near_flags[k / 64] >> k % 64 & 1) {
            test_collider(s, s->list.indices[k]);
        }
    }
    for (int k = s->list.rest; k < s->collider_count && set->count < SN_CONTACT_LIMIT; ++k) {
        test_collider(s, k);
    }
}

static bool is_flagged(const search *s, int sample)
{
    const uint64_t *near_flags = s->body->samples.near_flags + SN_SAMPLE_FLAG_WORDS * sample;
    uint64_t any = 0;
    for (int i = 0; i < SN_SAMPLE_FLAG_WORDS; ++i) {
        any |= near_flags[i];
    }
    return s->solver->response.compliance[sample] > 0 && (any != 0 || s->list.rest < s->collider_count);
}

static void find_collider_contacts(sn_reduced_body *body, const sn_surroundings *surroundings)
{
    const sn_reduced_solver *solver = body->solver;
    const sn_sample_skin *skin = &solver->sample_skin;
    const int count = skin->sample_count;
    sn_sample_scratch *scratch = &body->samples;
    search s = {.body = body, .solver = solver, .surroundings = surroundings, .root = body->rig_next + 9};
    s.collider_count = solver->own_count + (surroundings ? surroundings->collider_count : 0);
    float *predicted = body->f32.coordinates; /* unused before the iterations */
    s.margin = SN_CONTACT_MARGIN * solver->model->diagonal;
    s.flesh_offset = sn_reduced_displacement_bound(solver->model, body->predicted64);
    sn_samples_rig_to_float(body->rig_next, solver->model->counts.bone_count, s.root, scratch->rig);
    solver->kernels->transform_points(skin,
                                      sn_samples_rest_positions(solver->model, skin, body->weights, scratch->rest),
                                      scratch->rig, scratch->positions);
    list_near(&s);
    if (s.list.count == 0) {
        return;
    }
    for (int i = 0; i < 3 * solver->coordinate_count; ++i) {
        predicted[i] = scratch->columns[i % 3 * solver->padded_count + i / 3] = (float)body->predicted64[i];
    }
    solver->kernels->flesh_offset(&solver->sample_rows, solver->coordinate_count, predicted, scratch->flesh_offset);
    solver->kernels->limit(scratch, solver->sample_rows.block_count, solver->response.limits);
    memset(scratch->near_flags, 0,
           SN_SAMPLE_FLAG_WORDS * SN_LANES * (size_t)solver->sample_rows.block_count * sizeof(uint64_t));
    for (int k = 0; k < s.list.count; ++k) {
        flag_samples(&s, k);
    }
    for (int sample = 0; sample < count && body->contacts.count < SN_CONTACT_LIMIT; ++sample) {
        if (is_flagged(&s, sample)) {
            test_colliders(&s, sample);
        }
    }
}

/* ---- all contacts ---- */

/* Rows of V of eight contacts per vector; unused lanes are zero. */
static void gather_rows(const sn_reduced_solver *solver, sn_contact_set *set)
{
    const size_t count = (size_t)solver->coordinate_count;
    set->rows.block_count = (set->count + SN_LANES - 1) / SN_LANES;
    const size_t last = (size_t)set->rows.block_count - 1;
    memset(set->rows.rows + last * count, 0, count * sizeof *set->rows.rows);
    memset(set->forces, 0, 3 * (size_t)set->rows.block_count * sizeof *set->forces);
    memset(set->normals, 0, 3 * (size_t)set->rows.block_count * sizeof *set->normals);
    for (int c = 0; c < set->count; ++c) {
        const float *row = set->contacts[c].row, unit = (float)solver->unit;
        float *to = (float *)(set->rows.rows + (size_t)(c / SN_LANES) * count) + c % SN_LANES;
        for (size_t k = 0; k < count; ++k) {
            to[SN_LANES * k] = unit * row[k];
        }
    }
}

/* Second part of a contact, from its position with flesh and the collider's motion. */
static void complete_contact(const sn_reduced_body *body, const sn_collider *collider, sn_contact *c,
                             const double *flesh_offset, const double *displacement)
{
    const sn_model *model = body->solver->model;
    const double min_distance = min_clearance(body->solver, c->sample, c->collider);
    double rig[3], before[3], position[3], normal[3], movement[3];
    sn_sample_rig_position(model, c->vertex, body->rig_next, body->weights, rig);
    sn_sample_rig_position(model, c->vertex, body->rig, body->weights_before, before);
    for (int d = 0; d < 3; ++d) {
        position[d] = rig[d] + flesh_offset[d];
    }
    const double by_rig = sn_collider_distance(collider, rig, NULL);
    const double distance = sn_collider_distance(collider, position, normal);
    sn_collider_movement(collider, position, movement);
    c->gap = (float)(distance - fmin(by_rig, min_distance));
    c->soft_gap = (float)(distance - fmin(by_rig + SOFT_DISTANCE * model->diagonal, min_distance));
    for (int d = 0; d < 3; ++d) {
        c->normal[d] = (float)normal[d];
        c->slide[d] = (float)(rig[d] - before[d] + displacement[d] - movement[d]);
    }
}

/* Completes the contacts with the flesh's displacement at the prediction and its change in the step. */
static void complete_contacts(sn_reduced_body *body, const sn_surroundings *surroundings)
{
    const sn_reduced_solver *solver = body->solver;
    sn_contact_set *set = &body->contacts;
    float *predicted = body->f32.coordinates, *step = body->f32.local; /* unused before the iterations */
    for (int i = 0; i < 3 * solver->coordinate_count; ++i) {
        predicted[i] = (float)(body->predicted64[i] / solver->unit);
        step[i] = (float)((body->predicted64[i] - body->coordinates[i]) / solver->unit);
    }
    solver->kernels->flesh_offset(&set->rows, solver->coordinate_count, predicted, set->displacement);
    solver->kernels->flesh_offset(&set->rows, solver->coordinate_count, step, set->forces);
    for (int i = 0; i < set->count; ++i) {
        sn_contact *c = &set->contacts[i];
        if (!c->is_grab) {
            double flesh_offset[3], displacement[3];
            sn_sample_get(set->displacement, i, flesh_offset);
            sn_sample_get(set->forces, i, displacement);
            complete_contact(body, collider_at(body, surroundings, c->collider), c, flesh_offset, displacement);
            sn_sample_set(set->normals, i, c->normal);
        }
    }
}

/* Restores the last step's forces. Samples and their colliders are in the same order in every step, unless colliders
 * were added or removed. */
static void restore_forces(sn_contact_set *set, const sn_stored_forces *stored)
{
    const sn_stored_force *next = stored->all, *end = stored->all + stored->count;
    for (int i = 0; i < set->count; ++i) {
        sn_contact *c = &set->contacts[i];
        if (c->is_grab) {
            continue;
        }
        while (next < end &&
               (next->sample < c->sample || (next->sample == c->sample && next->collider < c->collider))) {
            ++next;
        }
        const bool is_same =
            next < end && next->sample == c->sample && next->collider == c->collider && next->key == c->key;
        if (is_same && c->response > 0) {
            memcpy(c->force, next->force, sizeof c->force);
        }
    }
}

void sn_contacts_find(sn_reduced_body *body, const sn_surroundings *surroundings)
{
    sn_contact_set *set = &body->contacts;
    set->count = 0;
    set->is_first_sweep = true;
    sn_grabs_add_contacts(body);
    pose_own_colliders(body);
    if (body->solver->own_count > 0 || (surroundings && surroundings->collider_count > 0)) {
        find_collider_contacts(body, surroundings);
    }
    if (set->count > 0) {
        gather_rows(body->solver, set);
        complete_contacts(body, surroundings);
        body->solver->kernels->compute_responses(body->solver, set);
        restore_forces(set, &body->stored_forces);
    }
}
