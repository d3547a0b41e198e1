/* SPDX-License-Identifier: MIT */
/* What pushes and holds the skin of a coupled body: impulses, wind, grabs, at the model's samples of the surface. A
 * sample lies in a tet, whose corners take what it takes, by its barycentric weights; where it is drawn, bones say. */
#include <math.h>
#include <string.h>

#include "host/coupled/table.h"
#include "host/math/vec3.h"
#include "host/model/model.h"
#include "host/xpbd/solver.h"

#define AIR_DENSITY 1.2 /* kg/m^3 */
#define DRAG_COEFFICIENT 1.0
#define LEAST_WEIGHT 1e-3 /* of a corner that is pinned */

static const sn_model *model_of(const sn_table_body *b)
{
    return b->shared->bones->model;
}

static bool is_finite3(const double *a)
{
    return 0 * (a[0] + a[1] + a[2]) == 0;
}

/* ---- a sample ---- */

/* Bones' matrices, blended, applied to a direction or, with `at` 1, to a place. */
static void apply_bones(const sn_table_body *b, int32_t vertex, const float *from, double at, double *result)
{
    const sn_model *m = model_of(b);
    result[0] = result[1] = result[2] = 0;
    for (int32_t i = m->influence_starts[vertex]; i < m->influence_starts[vertex + 1]; ++i) {
        const double *p = b->now + 12 * (size_t)m->influences[i].bone, weight = (double)m->influences[i].weight;
        for (int d = 0; d < 3; ++d) {
            result[d] += weight * (p[4 * d] * (double)from[0] + p[4 * d + 1] * (double)from[1] +
                                   p[4 * d + 2] * (double)from[2] + at * p[4 * d + 3]);
        }
    }
}

static void sample_place(const sn_table_body *b, int sample, double *place)
{
    const int32_t vertex = model_of(b)->sample_vertices[sample];
    apply_bones(b, vertex, model_of(b)->surface_positions + 3 * (size_t)vertex, 1, place);
}

/* The corners of its tet, and its weights there, or none: what hangs on bones alone. */
static int sample_corners(const sn_table_body *b, int sample, int32_t *corners, double *weights)
{
    const sn_model *m = model_of(b);
    const size_t vertex = (size_t)m->sample_vertices[sample];
    const int32_t tet = m->surface_tets[vertex];
    const int count = tet < 0 ? 0 : sn_model_is_flat(m) ? 3 : 4;
    for (int i = 0; i < count; ++i) {
        corners[i] = m->tets[4 * (size_t)tet + (size_t)i];
        weights[i] = (double)m->surface_barycentric[4 * vertex + (size_t)i];
    }
    return count;
}

/* At rows of the body: blended velocity, and what a unit of impulse there changes of it. */
static double sample_velocity(const sn_table_body *b, const int32_t *corners, const double *weights, int count,
                              double *velocity)
{
    const sn_xpbd_body *flesh = sn_coupled_body_flesh(b->body);
    double give = 0;
    velocity[0] = velocity[1] = velocity[2] = 0;
    for (int i = 0; i < count; ++i) {
        const size_t at = 4 * (size_t)flesh->model->rows[corners[i]];
        give += weights[i] * weights[i] * sn_xpbd_get(flesh, flesh->state.displacements, at + 3);
        for (size_t d = 0; d < 3; ++d) {
            velocity[d] += weights[i] * sn_xpbd_get(flesh, flesh->state.velocities, at + d);
        }
    }
    return give;
}

/* Flesh of a mass takes up so much less of an impulse. */
static void push(sn_table_body *b, const int32_t *corners, const double *weights, int count, const double *impulse)
{
    for (int i = 0; i < count; ++i) {
        const double share = weights[i] / b->shared->desc.mass;
        const double part[3] = {share * impulse[0], share * impulse[1], share * impulse[2]};
        if (weights[i] > 0) {
            sn_xpbd_body_apply_impulse(sn_coupled_body_flesh(b->body), corners[i], part);
        }
    }
}

/* Of those that lie in flesh; -1: there is none. */
static int nearest_sample(const sn_table_body *b, const double *point, double *position)
{
    const sn_model *m = model_of(b);
    double nearest = INFINITY;
    int best = -1;
    for (int sample = 0; sample < m->counts.sample_count; ++sample) {
        double place[3];
        sample_place(b, sample, place);
        const double distance = sn_distance3(place, point);
        if (m->surface_tets[m->sample_vertices[sample]] >= 0 && distance < nearest) {
            best = sample;
            nearest = distance;
            memcpy(position, place, sizeof place);
        }
    }
    return best;
}

/* ---- impulses ---- */

void sn_coupled_impulse(sn_table_body *b, const double *point, const double *impulse)
{
    double position[3], weights[4];
    int32_t corners[4];
    const int sample = is_finite3(point) && is_finite3(impulse) ? nearest_sample(b, point, position) : -1;
    if (sample >= 0) {
        push(b, corners, weights, sample_corners(b, sample, corners, weights), impulse);
    }
}

void sn_coupled_bone_impulse(sn_table_body *b, int bone, const double *impulse)
{
    const sn_model *m = model_of(b);
    double area = 0, weights[4];
    int32_t corners[4];
    for (int sample = 0; sample < m->counts.sample_count; ++sample) {
        area += sn_model_bone_area(m, sample, bone);
    }
    for (int sample = 0; sample < m->counts.sample_count && area > 0 && is_finite3(impulse); ++sample) {
        const double share = sn_model_bone_area(m, sample, bone) / area;
        const double part[3] = {share * impulse[0], share * impulse[1], share * impulse[2]};
        if (share > 0) {
            push(b, corners, weights, sample_corners(b, sample, corners, weights), part);
        }
    }
}

/* ---- wind ---- */

/* Pressure 1/2 rho C v_n |v_n|, half of it in front and half behind, as of reduced bodies. Samples go one after the
 * other, and none makes its skin faster than the air: flesh that weighs next to nothing would be thrown. */
void sn_coupled_wind(sn_table_body *b, const double *wind)
{
    const sn_model *m = model_of(b);
    const double fastest = SN_COUPLED_FASTEST_WIND * m->diagonal, seconds = b->shared->desc.time_step;
    for (int sample = 0; sample < m->counts.sample_count; ++sample) {
        static const double none[3] = {0, 0, 0};
        double normal[3], velocity[3], weights[4], impulse[3];
        int32_t corners[4];
        const int count = sample_corners(b, sample, corners, weights);
        apply_bones(b, m->sample_vertices[sample], m->sample_normals + 3 * (size_t)sample, 0, normal);
        sn_normalize3(normal, none);
        const double give = sample_velocity(b, corners, weights, count, velocity);
        const double against = sn_dot3(wind, normal) - sn_dot3(velocity, normal);
        const double speed = fmin(fmax(against, -fastest), fastest);
        const double area = (double)m->sample_areas[sample];
        const double pressed = 0.25 * AIR_DENSITY * DRAG_COEFFICIENT * speed * fabs(speed) * area * seconds;
        const double most = give > 0 ? fabs(speed) * b->shared->desc.mass / give : 0;
        for (int d = 0; d < 3; ++d) {
            impulse[d] = fmin(fmax(pressed, -most), most) * normal[d];
        }
        push(b, corners, weights, count, impulse);
    }
}

/* ---- grabs ---- */

static void grabbed_place(const sn_table_body *b, const sn_coupled_grab *grab, double *place)
{
    const sn_xpbd_body *flesh = sn_coupled_body_flesh(b->body);
    place[0] = place[1] = place[2] = 0;
    for (int i = 0; i < grab->corner_count; ++i) {
        double corner[3];
        sn_xpbd_get_place(flesh, flesh->model->rows[grab->corners[i]], corner);
        for (int d = 0; d < 3; ++d) {
            place[d] += grab->weights[i] * corner[d];
        }
    }
}

static bool is_pinned(const sn_table_body *b, int32_t vertex)
{
    const sn_xpbd_body *flesh = sn_coupled_body_flesh(b->body);
    return flesh->pin_of_row[flesh->model->rows[vertex]] >= 0;
}

/* Corners that another grab has stay its. */
static bool take_corners(const sn_table_body *b, int sample, sn_coupled_grab *grab)
{
    double weights[4], sum = 0;
    int32_t corners[4];
    const int count = sample_corners(b, sample, corners, weights);
    for (int i = 0; i < count; ++i) {
        if (weights[i] > LEAST_WEIGHT && !is_pinned(b, corners[i])) {
            grab->corners[grab->corner_count] = corners[i];
            grab->weights[grab->corner_count++] = weights[i];
            sum += weights[i];
        }
    }
    for (int i = 0; i < grab->corner_count; ++i) {
        grab->weights[i] /= sum;
    }
    return grab->corner_count > 0;
}

/* False without memory: no corner is pinned then. */
static bool pin_corners(const sn_table_body *b, const sn_coupled_grab *grab)
{
    const sn_solver_desc *d = &b->shared->desc;
    const double whole = fmax(d->stiffness, 1e-3) * b->shared->bones->flesh->stiffness;
    const double stiffness = whole / (grab->softness * d->mass);
    sn_xpbd_body *flesh = sn_coupled_body_flesh(b->body);
    for (int i = 0; i < grab->corner_count; ++i) {
        if (sn_xpbd_body_pin(flesh, grab->corners[i], stiffness * grab->weights[i]) != SN_OK) {
            while (i-- > 0) {
                sn_xpbd_body_unpin(flesh, grab->corners[i]);
            }
            return false;
        }
    }
    return true;
}

int sn_coupled_grab_at(sn_table_body *b, const double *point, const sn_grab_desc *desc)
{
    int free_place = 0;
    while (free_place < SN_GRAB_LIMIT && b->grabs[free_place].is_held) {
        ++free_place;
    }
    double position[3] = {0}, place[3];
    const int sample = is_finite3(point) ? nearest_sample(b, point, position) : -1;
    sn_coupled_grab grab = {.is_held = true, .softness = desc->softness};
    if (free_place == SN_GRAB_LIMIT || sample < 0 || sn_distance3(position, point) > desc->reach ||
        !take_corners(b, sample, &grab) || !pin_corners(b, &grab)) {
        return -1;
    }
    grab.farthest = desc->strength * desc->softness * b->shared->bones->flesh->diagonal;
    grabbed_place(b, &grab, place);
    for (int d = 0; d < 3; ++d) {
        grab.target[d] = point[d];
        grab.offset[d] = place[d] - point[d];
    }
    b->grabs[free_place] = grab;
    return free_place;
}

void sn_coupled_drag(sn_table_body *b, int grab, const double *target)
{
    SN_ASSERT(grab >= 0 && grab < SN_GRAB_LIMIT);
    if (is_finite3(target)) {
        memcpy(b->grabs[grab].target, target, sizeof b->grabs[grab].target);
    }
}

void sn_coupled_let_go(sn_table_body *b, int grab)
{
    SN_ASSERT(grab >= 0 && grab < SN_GRAB_LIMIT);
    for (int i = 0; i < b->grabs[grab].corner_count && b->grabs[grab].is_held; ++i) {
        sn_xpbd_body_unpin(sn_coupled_body_flesh(b->body), b->grabs[grab].corners[i]);
    }
    b->grabs[grab] = (sn_coupled_grab){0};
}

void sn_coupled_keep_hold(sn_table_body *b)
{
    for (int g = 0; g < SN_GRAB_LIMIT; ++g) {
        if (b->grabs[g].is_held && !pin_corners(b, &b->grabs[g])) {
            b->grabs[g] = (sn_coupled_grab){0};
        }
    }
}

/* Each corner is pulled from where it is, by as much as all: so that the tet may turn. */
void sn_coupled_pull(sn_table_body *b)
{
    sn_xpbd_body *flesh = sn_coupled_body_flesh(b->body);
    for (int g = 0; g < SN_GRAB_LIMIT; ++g) {
        const sn_coupled_grab *grab = &b->grabs[g];
        double place[3], way[3];
        if (!grab->is_held) {
            continue;
        }
        grabbed_place(b, grab, place);
        for (int d = 0; d < 3; ++d) {
            way[d] = grab->target[d] + grab->offset[d] - place[d];
        }
        const double length = sn_length3(way), share = length > grab->farthest ? grab->farthest / length : 1;
        for (int i = 0; i < grab->corner_count; ++i) {
            double to[3];
            sn_xpbd_get_place(flesh, flesh->model->rows[grab->corners[i]], to);
            for (int d = 0; d < 3; ++d) {
                to[d] += share * way[d];
            }
            sn_xpbd_body_move_pin(flesh, grab->corners[i], to);
        }
    }
}
