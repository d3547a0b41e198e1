/* SPDX-License-Identifier: MIT */
#include "host/reduced/contacts.h"

#include <math.h>
#include <string.h>

#include "host/math/affine.h"
#include "host/math/vec3.h"
#include "host/reduced/solver.h"

#define MARGIN 0.02 /* of the diagonal: nearer samples may touch during the iterations */
/* A pose may put the skin of a body anywhere; flesh that cannot follow must not be torn by trying. So a contact is
 * rigid only against going deeper than the pose itself, which flesh can always obey; outwards it pushes softly: */
#define YIELD 0.05       /* of the diagonal: how far at most */
#define SOFTNESS 0.3     /* of the flesh's give at rest: the give of that contact */
#define RIGID 1e-8       /* of the largest give: a sample with less feels no contact */
#define STRENGTH 0.2F    /* of the diagonal: no contact presses harder than what could move any sample by this */
#define COMPLIANCE 0.02F /* of a sample's own response: contacts that contradict each other share */
#define SWEEP_COUNT 5
#define NEAR_LIMIT 256 /* colliders that a body may touch are listed, so many of them */
#define LEAST_LISTED 4 /* fewer colliders are not worth a list */
#define SETTLED 1e-6F  /* of the diagonal: a sweep that moves no contact by more is the last */

/* Three numbers a contact. */
typedef struct contact_vectors {
    sn_f32x8 axes[3][SN_CONTACT_BLOCKS];
} contact_vectors;

sn_result sn_contacts_allocate(sn_arena *arena, const sn_model *model, sn_contact_set *set)
{
    const int coordinate_count = model->counts.coordinate_count;
    set->modes = SN_NEW(arena, double, 12 * model->counts.mode_count);
    set->contacts = SN_NEW(arena, sn_contact, SN_CONTACT_LIMIT);
    set->rows = SN_NEW(arena, sn_f32x8, coordinate_count * SN_CONTACT_BLOCKS);
    set->coupling = SN_NEW(arena, sn_f32x8, SN_CONTACT_LIMIT * SN_CONTACT_BLOCKS);
    return set->modes && set->contacts && set->rows && set->coupling ? SN_OK : SN_ERROR_MEMORY;
}

static float dot(const float *a, const float *b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* How far a force of 1 moves a sample in the end; flesh without stiffness has a thousandth of its inertia in place. */
static double static_response(const sn_model *model, double time_step, double stiffness, int sample)
{
    const size_t count = (size_t)model->counts.coordinate_count;
    const float *row = model->sample_coordinate + (size_t)sample * count;
    const double least = 1e-3 / (time_step * time_step);
    double sum = 0;
    for (size_t k = 0; k < count; ++k) {
        sum += (double)row[k] * (double)row[k] / (least + stiffness * model->coordinate_stiffness[k]);
    }
    return sum;
}

static double dynamic_response(const sn_reduced_solver *solver, int sample)
{
    const float *row = solver->model->sample_coordinate + (size_t)sample * (size_t)solver->coordinate_count;
    double sum = 0;
    for (int k = 0; k < solver->coordinate_count; ++k) {
        sum += solver->inverse_system[k] * (double)row[k] * (double)row[k];
    }
    return sum;
}

float sn_sample_extent(const sn_model *model, int sample)
{
    const float *centre = model->surface_positions + 3 * (size_t)model->sample_vertices[sample];
    float largest = 0;
    for (int i = 0; i < SN_SAMPLE_EXTREMES; ++i) {
        const float *x = model->surface_positions + 3 * (size_t)model->sample_extremes[SN_SAMPLE_EXTREMES * sample + i];
        const float offset[3] = {x[0] - centre[0], x[1] - centre[1], x[2] - centre[2]};
        largest = fmaxf(largest, sqrtf(dot(offset, offset)));
    }
    return 1.5F * largest;
}

void sn_contacts_soften(const sn_model *model, double time_step, double stiffness, float *give)
{
    const int count = model->counts.sample_count;
    const double unit = sn_reduced_unit(model);
    double softest = 0;
    for (int sample = 0; sample < count; ++sample) {
        give[sample] = (float)(unit * unit * static_response(model, time_step, stiffness, sample));
        softest = fmax(softest, (double)give[sample]);
    }
    /* the mean with the softest sample's: where flesh hardly moves, a push must not throw about what is far from there
     */
    for (int sample = 0; sample < count; ++sample) {
        const double own = (double)give[sample];
        give[sample] = own > RIGID * softest ? (float)(SOFTNESS * sqrt(own * softest)) : 0;
    }
}

sn_result sn_contacts_prepare(sn_reduced_solver *solver)
{
    const int count = solver->model->counts.sample_count;
    const double square = solver->unit * solver->unit;
    sn_contact_response *r = &solver->response;
    double most = 0;
    r->give = SN_NEW(&solver->arena, float, count);
    r->reach = SN_NEW(&solver->arena, float, count);
    if (!r->give || !r->reach) {
        return SN_ERROR_MEMORY;
    }
    for (int sample = 0; sample < count; ++sample) {
        r->reach[sample] = sn_sample_extent(solver->model, sample);
        most = fmax(most, dynamic_response(solver, sample));
    }
    r->most = (float)(square * most);
    r->softest = (float)(square * sn_grabs_softest(solver->model, solver->desc.stiffness));
    sn_contacts_soften(solver->model, solver->desc.time_step, solver->desc.stiffness, r->give);
    r->most_give = 0;
    for (int sample = 0; sample < count; ++sample) {
        r->most_give = fmaxf(r->most_give, r->give[sample]);
    }
    return SN_OK;
}

/* ---- finding ---- */

/* A vertex of the surface at the prediction: by the rig, and what the flesh adds. */
static void place_vertex(const sn_reduced_body *body, size_t v, double *rig, double *flesh)
{
    const sn_model *model = body->solver->model;
    const size_t modes = (size_t)model->counts.mode_count;
    const float *x = model->surface_positions + 3 * v;
    const double rest[3] = {(double)x[0], (double)x[1], (double)x[2]};
    sn_sample_rig(model, v, body->rig_next, body->weights, rig);
    flesh[0] = flesh[1] = flesh[2] = 0;
    for (size_t j = 0; j < modes; ++j) {
        double moved[3];
        sn_affine_apply(body->contacts.modes + 12 * j, rest, moved);
        for (int d = 0; d < 3; ++d) {
            flesh[d] += (double)model->surface_modes[v * modes + j].weight * moved[d];
        }
    }
}

/* Distances from a collider. */
typedef struct clearance {
    double by_rig, with_flesh;
} clearance;

static clearance measure(const sn_collider *collider, const double *rig, const double *flesh)
{
    const double position[3] = {rig[0] + flesh[0], rig[1] + flesh[1], rig[2] + flesh[2]};
    const double by_rig = sn_collider_distance(collider, rig, NULL);
    return (clearance){by_rig, sn_collider_distance(collider, position, NULL)};
}

/* Where the rig itself is inside, or all but, flesh has no say: what it lifts out would hand over to its neighbour in
 * every step, and the skin between them would shiver. */
static bool is_nearer(clearance a, clearance b, double close)
{
    const bool is_close = fmin(a.by_rig, b.by_rig) < close;
    return is_close ? a.by_rig < b.by_rig : fmin(a.by_rig, a.with_flesh) < fmin(b.by_rig, b.with_flesh);
}

/* A vertex that may touch: its clearance, and its row of V. */
typedef struct candidate {
    size_t vertex;
    const float *row;
    clearance clearance;
} candidate;

/* Of the sample and of what it stands for, what is nearest at the prediction, with the least that any has by the rig.
 */
static candidate find_nearest(const sn_reduced_body *body, int sample, clearance own, const sn_collider *collider)
{
    const sn_model *model = body->solver->model;
    const size_t count = (size_t)model->counts.coordinate_count, first = SN_SAMPLE_EXTREMES * (size_t)sample;
    candidate nearest = {(size_t)model->sample_vertices[sample], model->sample_coordinate + (size_t)sample * count,
                         own};
    for (size_t i = first; i < first + SN_SAMPLE_EXTREMES; ++i) {
        double rig[3], flesh[3];
        if (model->sample_extremes[i] != model->sample_vertices[sample]) {
            place_vertex(body, (size_t)model->sample_extremes[i], rig, flesh);
            const clearance there = measure(collider, rig, flesh);
            if (is_nearer(there, nearest.clearance, MARGIN * model->diagonal)) {
                nearest = (candidate){(size_t)model->sample_extremes[i], model->extreme_coordinate + i * count, there};
            }
        }
    }
    return nearest;
}

/* A contact of the sample, or of what it stands for, where either is near. own: the sample's clearance. */
static void add_contact(sn_reduced_body *body, int sample, clearance own, const sn_collider *collider)
{
    const sn_model *model = body->solver->model;
    const int count = model->counts.coordinate_count;
    double rig[3], flesh[3], normal[3], before[3], flesh_before[3], movement[3];
    const candidate nearest = find_nearest(body, sample, own, collider);
    const double distance = nearest.clearance.with_flesh, rig_distance = nearest.clearance.by_rig;
    const double outermost = fmin(rig_distance + YIELD * model->diagonal, 0);
    /* stiff flesh may be far out in the prediction alone: it returns to its rig */
    if (fmin(distance, rig_distance) - outermost >= MARGIN * model->diagonal) {
        return;
    }
    sn_sample_rig(model, nearest.vertex, body->rig_next, body->weights, rig);
    sn_row_flesh(count, nearest.row, body->predicted64, flesh);
    const double position[3] = {rig[0] + flesh[0], rig[1] + flesh[1], rig[2] + flesh[2]};
    sn_collider_distance(collider, position, normal);
    sn_sample_rig(model, nearest.vertex, body->rig, body->weights_before, before);
    sn_row_flesh(count, nearest.row, body->coordinates, flesh_before);
    sn_collider_movement(collider, position, movement);
    sn_contact *contact = &body->contacts.contacts[body->contacts.count++];
    *contact = (sn_contact){.sample = sample,
                            .row = nearest.row,
                            .gap = (float)(distance - fmin(rig_distance, 0)),
                            .outer_gap = (float)(distance - outermost),
                            .give = body->solver->response.give[sample],
                            .friction = (float)collider->friction};
    for (int d = 0; d < 3; ++d) {
        contact->normal[d] = (float)normal[d];
        contact->slide[d] = (float)(position[d] - before[d] - flesh_before[d] - movement[d]);
    }
}

/* Rows of V of eight contacts a vector; absent ones are zero. */
static void gather_rows(const sn_reduced_solver *solver, sn_contact_set *set)
{
    const size_t count = (size_t)solver->coordinate_count;
    memset(set->rows, 0, count * SN_CONTACT_BLOCKS * sizeof *set->rows);
    for (int c = 0; c < set->count; ++c) {
        const float *row = set->contacts[c].row;
        for (size_t k = 0; k < count; ++k) {
            const double entry = solver->unit * (double)row[k];
            set->rows[k * SN_CONTACT_BLOCKS + (size_t)(c / SN_LANES)][c % SN_LANES] = (float)entry;
        }
    }
}

static void couple(const sn_reduced_solver *solver, sn_contact_set *set)
{
    const int blocks = (set->count + SN_LANES - 1) / SN_LANES;
    memset(set->coupling, 0, (size_t)set->count * SN_CONTACT_BLOCKS * sizeof *set->coupling);
    for (int k = 0; k < solver->coordinate_count; ++k) {
        const sn_f32x8 *row = set->rows + k * SN_CONTACT_BLOCKS;
        for (int c = 0; c < set->count; ++c) {
            const float scale = (float)solver->inverse_system[k] * row[c / SN_LANES][c % SN_LANES];
            for (int b = 0; b < blocks; ++b) {
                set->coupling[c * SN_CONTACT_BLOCKS + b] += scale * row[b];
            }
        }
    }
}

/* Contacts that push the same flesh share its give, or feet that hardly move press the harder the more samples they
 * have, and throw about what is far from there. With r and r_s how far a force moves the sample and the softest one in
 * the end, and x = sqrt(r / r_s), n contacts of give g that are d too deep press by f = d / (n r + g) each, and throw
 * the softest one by no more than n sqrt(r r_s) f = n d / (n x + g / sqrt(r r_s)). One contact, of g = S sqrt(r r_s),
 * throws it by less than d / S, S the softness. So do n, if g is the larger by 1 + (n - 1) (1 - x / S), or, where flesh
 * is soft enough to give way by itself, x > S, as it is. */
static void share_give(const sn_reduced_solver *solver, sn_contact_set *set)
{
    for (int i = 0; i < set->count; ++i) {
        sn_contact *c = &set->contacts[i];
        const sn_f32x8 *row = set->coupling + i * SN_CONTACT_BLOCKS;
        const float own = row[i / SN_LANES][i % SN_LANES];
        float sharing = 0;                                               /* how many they are */
        for (int j = 0; j < set->count && own > 0 && !c->is_grab; ++j) { /* the normal of grabs is 0 */
            const float along = row[j / SN_LANES][j % SN_LANES] * dot(c->normal, set->contacts[j].normal);
            sharing += fmaxf(along, 0) / own;
        }
        const float x = c->give / solver->response.most_give;
        c->give *= sharing > 1 ? 1 + (sharing - 1) * fmaxf(1 - x / (float)SOFTNESS, 0) : 1;
    }
}

/* The samples at the prediction, by the rig (not of those that feel no contact), and what flesh adds. */
static void place_samples(sn_reduced_body *body)
{
    const sn_reduced_solver *solver = body->solver;
    const sn_model *model = solver->model;
    float *predicted = body->f32.coordinates; /* not needed before the iterations */
    for (int i = 0; i < 3 * solver->coordinate_count; ++i) {
        predicted[i] = (float)body->predicted64[i];
    }
    sn_samples_flesh(&solver->sample_rows, solver->coordinate_count, predicted, body->samples.flesh);
    for (int sample = 0; sample < model->counts.sample_count; ++sample) {
        if (solver->response.give[sample] > 0) {
            sn_sample_rig(model, (size_t)model->sample_vertices[sample], body->rig_next, body->weights,
                          body->samples.places + 3 * sample);
        }
    }
}

/* The samples by the rig, and with flesh: a ball, and how far what they stand for may be from there. */
typedef struct sample_ball {
    double centre[3], radius, reach;
} sample_ball;

static sample_ball bound_samples(const sn_reduced_body *body)
{
    const sn_model *model = body->solver->model;
    const sn_contact_response *response = &body->solver->response;
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    sample_ball ball = {.reach = 0};
    for (int sample = 0; sample < model->counts.sample_count; ++sample) {
        const double *rig = body->samples.places + 3 * sample;
        double flesh[3];
        if (response->give[sample] > 0) {
            sn_sample_take(body->samples.flesh, sample, flesh);
            for (int d = 0; d < 3; ++d) {
                low[d] = fmin(low[d], fmin(rig[d], rig[d] + flesh[d]));
                high[d] = fmax(high[d], fmax(rig[d], rig[d] + flesh[d]));
            }
            ball.reach = fmax(ball.reach, (double)response->reach[sample]);
        }
    }
    for (int d = 0; d < 3; ++d) {
        ball.centre[d] = (low[d] + high[d]) / 2;
    }
    ball.radius = sn_distance3(low, high) / 2;
    return ball;
}

/* Colliders in their order: those that are listed, then all from `rest` on. */
typedef struct near_list {
    int count, rest;
    int indices[NEAR_LIMIT];
} near_list;

static void list_near(const sn_reduced_body *body, const sn_surroundings *surroundings, near_list *list)
{
    list->count = list->rest = 0;
    if (surroundings->collider_count < LEAST_LISTED) {
        return;
    }
    const sample_ball ball = bound_samples(body);
    const double reach = ball.reach + MARGIN * body->solver->model->diagonal;
    for (; list->rest < surroundings->collider_count && list->count < NEAR_LIMIT; ++list->rest) {
        if (sn_collider_is_near(&surroundings->colliders[list->rest], ball.centre, ball.radius, reach)) {
            list->indices[list->count++] = list->rest;
        }
    }
}

static void find_touching(sn_reduced_body *body, const sn_surroundings *surroundings)
{
    const sn_model *model = body->solver->model;
    sn_contact_set *set = &body->contacts;
    sn_reduced_transforms(&body->solver->view, body->predicted64, 1, set->modes);
    place_samples(body);
    near_list list;
    list_near(body, surroundings, &list);
    const int near_count = list.count + surroundings->collider_count - list.rest;
    for (int sample = 0; sample < model->counts.sample_count && set->count < SN_CONTACT_LIMIT; ++sample) {
        const double *rig = body->samples.places + 3 * sample;
        double flesh[3];
        if (body->solver->response.give[sample] == 0) {
            continue;
        }
        sn_sample_take(body->samples.flesh, sample, flesh);
        for (int i = 0; i < near_count && set->count < SN_CONTACT_LIMIT; ++i) {
            const int index = i < list.count ? list.indices[i] : list.rest + i - list.count;
            const sn_collider *collider = &surroundings->colliders[index];
            const clearance own = measure(collider, rig, flesh);
            if (fmin(own.by_rig, own.with_flesh) <
                MARGIN * model->diagonal + (double)body->solver->response.reach[sample]) {
                add_contact(body, sample, own, collider);
            }
        }
    }
}

void sn_contacts_find(sn_reduced_body *body, const sn_surroundings *surroundings)
{
    sn_contact_set *set = &body->contacts;
    set->count = 0;
    sn_grabs_add(body);
    if (surroundings && surroundings->collider_count > 0) {
        find_touching(body, surroundings);
    }
    if (set->count > 0) {
        gather_rows(body->solver, set);
        couple(body->solver, set);
        share_give(body->solver, set);
    }
}

/* ---- projecting ---- */

/* Along the normal: rigid where the rig itself would have the sample, soft from there on outwards. */
static float solve_press(const sn_contact *c, float response, float along, float pressed)
{
    const float gap = c->gap + along + COMPLIANCE * response * pressed;
    const float outer_gap = c->outer_gap + along + c->give * pressed;
    const float rigid = pressed - gap / ((1 + COMPLIANCE) * response);
    const float soft = pressed - outer_gap / (response + c->give);
    return fmaxf(fmaxf(rigid, soft), 0);
}

/* The force of one contact for what the others do: out of the collider, and against sliding inside Coulomb's cone.
 * moved: from the prediction to where the sweep has come. */
static void solve_contact(const sn_contact *c, float response, float strongest, const float *moved, float *force)
{
    const float pressed = dot(c->normal, c->force);
    const float press = fminf(solve_press(c, response, dot(c->normal, moved), pressed), strongest);
    float slide[3], tangent[3];
    for (int d = 0; d < 3; ++d) {
        slide[d] = c->slide[d] + moved[d];
    }
    const float along = dot(c->normal, slide);
    for (int d = 0; d < 3; ++d) {
        tangent[d] = c->force[d] - pressed * c->normal[d] - (slide[d] - along * c->normal[d]) / response;
    }
    const float length = sqrtf(dot(tangent, tangent)), most = c->friction * press;
    const float scale = length > most ? most / length : 1;
    for (int d = 0; d < 3; ++d) {
        force[d] = press * c->normal[d] + scale * tangent[d];
    }
}

/* The force of a grab for what the others do: that of its spring, up to its strength. */
static void solve_grab(const sn_contact *c, float response, const float *moved, float *force)
{
    for (int d = 0; d < 3; ++d) {
        force[d] = c->force[d] - (c->slide[d] + moved[d] + c->give * c->force[d]) / (response + c->give);
    }
    const float length = sqrtf(dot(force, force));
    for (int d = 0; d < 3 && length > c->strongest; ++d) {
        force[d] *= c->strongest / length;
    }
}

static void push(const sn_contact_set *set, int from, const float *change, contact_vectors *moved)
{
    const sn_f32x8 *row = set->coupling + from * SN_CONTACT_BLOCKS;
    const int blocks = (set->count + SN_LANES - 1) / SN_LANES;
    for (int d = 0; d < 3 && (change[0] != 0 || change[1] != 0 || change[2] != 0); ++d) {
        for (int b = 0; b < blocks; ++b) {
            moved->axes[d][b] += row[b] * change[d];
        }
    }
}

/* Returns how far a contact has moved by its own change of force, at most. */
static float sweep(sn_contact_set *set, float strongest, float most_response, contact_vectors *moved)
{
    float largest = 0;
    for (int i = 0; i < set->count; ++i) {
        sn_contact *c = &set->contacts[i];
        const int block = i / SN_LANES, lane = i % SN_LANES;
        const float response = set->coupling[i * SN_CONTACT_BLOCKS + block][lane];
        const float own[3] = {moved->axes[0][block][lane], moved->axes[1][block][lane], moved->axes[2][block][lane]};
        float force[3] = {0}, change[3];
        if (c->is_grab) {
            solve_grab(c, response, own, force);
        } else if (response > 0) {
            /* |G_ij| is at most the root of G_ii G_jj */
            solve_contact(c, response, strongest / sqrtf(response * most_response), own, force);
        }
        for (int d = 0; d < 3; ++d) {
            change[d] = force[d] - c->force[d];
            c->force[d] = force[d];
        }
        push(set, i, change, moved);
        largest = fmaxf(largest, response * response * dot(change, change));
    }
    return sqrtf(largest);
}

static float sum_lanes(sn_f32x8 v)
{
    return ((v[0] + v[4]) + (v[2] + v[6])) + ((v[1] + v[5]) + (v[3] + v[7]));
}

static void apply_forces(const sn_reduced_solver *solver, const sn_contact_set *set, double *difference)
{
    const int blocks = (set->count + SN_LANES - 1) / SN_LANES;
    contact_vectors forces = {{{{0}}}};
    for (int c = 0; c < set->count; ++c) {
        for (int d = 0; d < 3; ++d) {
            forces.axes[d][c / SN_LANES][c % SN_LANES] = set->contacts[c].force[d];
        }
    }
    for (int k = 0; k < solver->coordinate_count; ++k) {
        const sn_f32x8 *row = set->rows + k * SN_CONTACT_BLOCKS;
        for (int d = 0; d < 3; ++d) {
            sn_f32x8 sum = {0};
            for (int b = 0; b < blocks; ++b) {
                sum += row[b] * forces.axes[d][b];
            }
            difference[3 * k + d] += solver->unit * solver->inverse_system[k] * (double)sum_lanes(sum);
        }
    }
}

void sn_contacts_project(sn_reduced_body *body, double *difference)
{
    const sn_reduced_solver *solver = body->solver;
    sn_contact_set *set = &body->contacts;
    const int blocks = (set->count + SN_LANES - 1) / SN_LANES;
    const float diagonal = (float)solver->model->diagonal;
    contact_vectors moved = {{{{0}}}};
    if (set->count == 0) {
        return;
    }
    for (int k = 0; k < solver->coordinate_count; ++k) {
        const sn_f32x8 *row = set->rows + k * SN_CONTACT_BLOCKS;
        for (int d = 0; d < 3; ++d) {
            const float value = (float)(difference[3 * k + d] / solver->unit);
            for (int b = 0; b < blocks; ++b) {
                moved.axes[d][b] += row[b] * value;
            }
        }
    }
    for (int i = 0; i < set->count; ++i) { /* the forces of the iteration before are where this one starts */
        push(set, i, set->contacts[i].force, &moved);
    }
    for (int k = 0; k < SWEEP_COUNT; ++k) {
        if (sweep(set, STRENGTH * diagonal, solver->response.most, &moved) <= SETTLED * diagonal) {
            break;
        }
    }
    apply_forces(solver, set, difference);
}
