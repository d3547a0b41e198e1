/* SPDX-License-Identifier: MIT */
#include "host/xpbd/skin.h"

#include <math.h>
#include <string.h>

#include "host/math/affine.h"
#include "host/math/vec3.h"
#include "host/model/model.h"
#include "host/xpbd/solver.h"

#define AIR_DENSITY 1.2 /* kg/m^3 */
#define DRAG_COEFFICIENT 1.0
#define MIN_WEIGHT 1e-3 /* minimal weight of a corner that is pinned */

static bool is_finite3(const double *a)
{
    return 0 * (a[0] + a[1] + a[2]) == 0;
}

double sn_xpbd_reference_stiffness(const sn_model *m)
{
    const double volume = m->total_mass / m->density;
    return m->young * (sn_model_is_flat(m) ? 1 : cbrt(volume));
}

void sn_xpbd_measure_motion(const sn_xpbd_body *flesh, double mass, sn_body_motion *motion)
{
    const sn_xpbd_energy energy = sn_xpbd_body_energy(flesh);
    motion->kinetic = mass * energy.kinetic;
    motion->elastic = mass * energy.elastic;
    for (int d = 0; d < 3; ++d) {
        motion->momentum[d] = mass * energy.momentum[d];
        motion->angular_momentum[d] = mass * energy.angular_momentum[d];
    }
}

/* ---- a sample ---- */

/* Applies the blended bone matrices to a direction (`at` 0) or a position (`at` 1). */
static void apply_bones(const sn_xpbd_skin *s, int32_t vertex, const float *from, double at, double *result)
{
    const sn_model *m = s->model;
    result[0] = result[1] = result[2] = 0;
    for (int32_t i = m->influence_starts[vertex]; i < m->influence_starts[vertex + 1]; ++i) {
        const double *p = s->bones + 12 * (size_t)m->influences[i].bone, weight = (double)m->influences[i].weight;
        for (int d = 0; d < 3; ++d) {
            result[d] += weight * (p[4 * d] * (double)from[0] + p[4 * d + 1] * (double)from[1] +
                                   p[4 * d + 2] * (double)from[2] + at * p[4 * d + 3]);
        }
    }
}

/* Corners and weights of the sample's tet; returns their number, 0 for a sample on bones only. */
static int sample_corners(const sn_xpbd_skin *s, int sample, int32_t *corners, double *weights)
{
    const sn_model *m = s->model;
    const size_t vertex = (size_t)m->sample_vertices[sample];
    const int32_t tet = m->surface_tets[vertex];
    const int count = tet < 0 ? 0 : sn_model_is_flat(m) ? 3 : 4;
    for (int i = 0; i < count; ++i) {
        corners[i] = m->tets[4 * (size_t)tet + (size_t)i];
        weights[i] = (double)m->surface_barycentric[4 * vertex + (size_t)i];
    }
    return count;
}

static void blend_corners(const sn_xpbd_skin *s, const int32_t *corners, const double *weights, int count,
                          double *current)
{
    current[0] = current[1] = current[2] = 0;
    for (int i = 0; i < count; ++i) {
        double corner[3];
        sn_xpbd_get_position(s->flesh, s->flesh->model->rows[corners[i]], corner);
        for (int d = 0; d < 3; ++d) {
            current[d] += weights[i] * corner[d];
        }
    }
}

static void sample_position(const sn_xpbd_skin *s, int sample, double *current)
{
    const int32_t vertex = s->model->sample_vertices[sample];
    double weights[4];
    int32_t corners[4];
    const int count = s->follows_tets ? sample_corners(s, sample, corners, weights) : 0;
    if (count > 0) {
        blend_corners(s, corners, weights, count, current);
    } else {
        apply_bones(s, vertex, s->model->surface_positions + 3 * (size_t)vertex, 1, current);
    }
}

/* Rest normal of a sample, deformed with its tet: n' = cof F n, F from the corners. */
static void tet_normal(const sn_xpbd_skin *s, const int32_t *corners, const float *rest, double *normal)
{
    double now[3][3], then[3][3], along[3];
    for (int k = 0; k < 3; ++k) {
        double a[3], b[3];
        sn_xpbd_get_position(s->flesh, s->flesh->model->rows[corners[k + 1]], a);
        sn_xpbd_get_position(s->flesh, s->flesh->model->rows[corners[0]], b);
        sn_subtract3(a, b, now[k]);
        for (size_t d = 0; d < 3; ++d) {
            then[k][d] = (double)s->model->rest_positions[3 * (size_t)corners[k + 1] + d] -
                         (double)s->model->rest_positions[3 * (size_t)corners[0] + d];
        }
    }
    normal[0] = normal[1] = normal[2] = 0;
    for (int k = 0; k < 3; ++k) { /* sum of (n . e_k) e'_(k+1) x e'_(k+2), up to a positive factor */
        const double n[3] = {(double)rest[0], (double)rest[1], (double)rest[2]};
        sn_cross3(now[(k + 1) % 3], now[(k + 2) % 3], along);
        for (int d = 0; d < 3; ++d) {
            normal[d] += sn_dot3(n, then[k]) * along[d];
        }
    }
}

static void sample_normal(const sn_xpbd_skin *s, int sample, const int32_t *corners, int count, double *normal)
{
    static const double zero[3] = {0, 0, 0};
    const float *rest = s->model->sample_normals + 3 * (size_t)sample;
    if (s->follows_tets && count == 4) {
        tet_normal(s, corners, rest, normal);
    } else {
        apply_bones(s, s->model->sample_vertices[sample], rest, 0, normal);
    }
    sn_normalize3(normal, zero);
}

/* Blended velocity at the corners; returns its change by a unit impulse there. */
static double sample_velocity(const sn_xpbd_skin *s, const int32_t *corners, const double *weights, int count,
                              double *velocity)
{
    const sn_xpbd_body *flesh = s->flesh;
    double inverse_mass = 0;
    velocity[0] = velocity[1] = velocity[2] = 0;
    for (int i = 0; i < count; ++i) {
        const size_t at = 4 * (size_t)flesh->model->rows[corners[i]];
        inverse_mass += weights[i] * weights[i] * sn_xpbd_get_real(flesh, flesh->state.displacements, at + 3);
        for (size_t d = 0; d < 3; ++d) {
            velocity[d] += weights[i] * sn_xpbd_get_real(flesh, flesh->state.velocities, at + d);
        }
    }
    return inverse_mass;
}

/* Distributes an impulse to the corners. The flesh has `mass` times the model's mass. */
static void distribute_impulse(const sn_xpbd_skin *s, const int32_t *corners, const double *weights, int count,
                               const double *impulse)
{
    for (int i = 0; i < count; ++i) {
        const double fraction = weights[i] / s->mass;
        const double part[3] = {fraction * impulse[0], fraction * impulse[1], fraction * impulse[2]};
        if (weights[i] > 0) {
            sn_xpbd_body_apply_impulse(s->flesh, corners[i], part);
        }
    }
}

/* Nearest sample that lies in a tet; -1: none. */
static int nearest_sample(const sn_xpbd_skin *s, const double *point, double *position)
{
    const sn_model *m = s->model;
    double nearest = INFINITY;
    int best = -1;
    for (int sample = 0; sample < m->counts.sample_count; ++sample) {
        double current[3];
        sample_position(s, sample, current);
        const double distance = sn_distance3(current, point);
        if (m->surface_tets[m->sample_vertices[sample]] >= 0 && distance < nearest) {
            best = sample;
            nearest = distance;
            memcpy(position, current, sizeof current);
        }
    }
    return best;
}

/* ---- impulses ---- */

void sn_xpbd_skin_impulse(const sn_xpbd_skin *s, const double *point, const double *impulse)
{
    double position[3], weights[4];
    int32_t corners[4];
    const int sample = is_finite3(point) && is_finite3(impulse) ? nearest_sample(s, point, position) : -1;
    if (sample >= 0) {
        distribute_impulse(s, corners, weights, sample_corners(s, sample, corners, weights), impulse);
    }
}

void sn_xpbd_skin_bone_impulse(const sn_xpbd_skin *s, int bone, const double *impulse)
{
    const sn_model *m = s->model;
    double area = 0, weights[4];
    int32_t corners[4];
    for (int sample = 0; sample < m->counts.sample_count; ++sample) {
        area += sn_model_bone_area(m, sample, bone);
    }
    for (int sample = 0; sample < m->counts.sample_count && area > 0 && is_finite3(impulse); ++sample) {
        const double fraction = sn_model_bone_area(m, sample, bone) / area;
        const double part[3] = {fraction * impulse[0], fraction * impulse[1], fraction * impulse[2]};
        if (fraction > 0) {
            distribute_impulse(s, corners, weights, sample_corners(s, sample, corners, weights), part);
        }
    }
}

/* ---- wind ---- */

/* Pressure 1/2 rho C v_n |v_n|, half on the windward and half on the lee side, as for reduced bodies. Samples are
 * processed in sequence, and each impulse is limited so that the skin does not get faster than the air; otherwise very
 * light flesh would diverge. */
void sn_xpbd_skin_wind(const sn_xpbd_skin *s, const double *wind)
{
    const sn_model *m = s->model;
    const double max_speed = SN_XPBD_MAX_WIND_SPEED * m->diagonal, seconds = s->time_step;
    for (int sample = 0; sample < m->counts.sample_count; ++sample) {
        double normal[3], velocity[3], weights[4], impulse[3];
        int32_t corners[4];
        const int count = sample_corners(s, sample, corners, weights);
        sample_normal(s, sample, corners, count, normal);
        const double inverse_mass = sample_velocity(s, corners, weights, count, velocity);
        const double relative_speed = sn_dot3(wind, normal) - sn_dot3(velocity, normal);
        const double speed = fmin(fmax(relative_speed, -max_speed), max_speed);
        const double area = (double)m->sample_areas[sample];
        const double impulse_size = 0.25 * AIR_DENSITY * DRAG_COEFFICIENT * speed * fabs(speed) * area * seconds;
        const double max_impulse = inverse_mass > 0 ? fabs(speed) * s->mass / inverse_mass : 0;
        for (int d = 0; d < 3; ++d) {
            impulse[d] = fmin(fmax(impulse_size, -max_impulse), max_impulse) * normal[d];
        }
        distribute_impulse(s, corners, weights, count, impulse);
    }
}

/* ---- grabs ---- */

static void grabbed_position(const sn_xpbd_skin *s, const sn_xpbd_grab *grab, double *current)
{
    blend_corners(s, grab->corners, grab->weights, grab->corner_count, current);
}

static bool is_pinned(const sn_xpbd_skin *s, int32_t vertex)
{
    const sn_xpbd_body *flesh = s->flesh;
    return flesh->pin_of_row[flesh->model->rows[vertex]] >= 0;
}

/* Selects the corners that a grab pins. Corners pinned by another grab stay with it. */
static bool select_corners(const sn_xpbd_skin *s, int sample, sn_xpbd_grab *grab)
{
    double weights[4], sum = 0;
    int32_t corners[4];
    const int count = sample_corners(s, sample, corners, weights);
    for (int i = 0; i < count; ++i) {
        if (weights[i] > MIN_WEIGHT && !is_pinned(s, corners[i])) {
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

/* Returns false if memory runs out; no corner is pinned then. */
static bool pin_corners(const sn_xpbd_skin *s, const sn_xpbd_grab *grab)
{
    const double stiffness = s->stiffness / (grab->softness * s->mass);
    sn_xpbd_body *flesh = s->flesh;
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

int sn_xpbd_skin_grab(const sn_xpbd_skin *s, const double *point, const sn_grab_desc *desc)
{
    int slot = 0;
    while (slot < SN_GRAB_LIMIT && s->grabs[slot].is_active) {
        ++slot;
    }
    double position[3] = {0}, current[3];
    const int sample = is_finite3(point) ? nearest_sample(s, point, position) : -1;
    sn_xpbd_grab grab = {.is_active = true, .softness = desc->softness};
    if (slot == SN_GRAB_LIMIT || sample < 0 || sn_distance3(position, point) > desc->max_distance ||
        !select_corners(s, sample, &grab) || !pin_corners(s, &grab)) {
        return -1;
    }
    grab.max_extension = desc->strength * desc->softness * s->model->diagonal;
    grabbed_position(s, &grab, current);
    for (int d = 0; d < 3; ++d) {
        grab.target[d] = point[d];
        grab.offset[d] = current[d] - point[d];
    }
    s->grabs[slot] = grab;
    return slot;
}

void sn_xpbd_grabs_drag(sn_xpbd_grab *grabs, int grab, const double *target)
{
    SN_ASSERT(grab >= 0 && grab < SN_GRAB_LIMIT);
    if (is_finite3(target)) {
        memcpy(grabs[grab].target, target, sizeof grabs[grab].target);
    }
}

void sn_xpbd_skin_release(const sn_xpbd_skin *s, int grab)
{
    SN_ASSERT(grab >= 0 && grab < SN_GRAB_LIMIT);
    for (int i = 0; i < s->grabs[grab].corner_count && s->grabs[grab].is_active; ++i) {
        sn_xpbd_body_unpin(s->flesh, s->grabs[grab].corners[i]);
    }
    s->grabs[grab] = (sn_xpbd_grab){0};
}

void sn_xpbd_skin_update_pins(const sn_xpbd_skin *s)
{
    for (int g = 0; g < SN_GRAB_LIMIT; ++g) {
        if (s->grabs[g].is_active && !pin_corners(s, &s->grabs[g])) {
            s->grabs[g] = (sn_xpbd_grab){0};
        }
    }
}

/* All corners are moved by the same displacement from their current positions, so that the tet can rotate. */
void sn_xpbd_skin_move_pins(const sn_xpbd_skin *s)
{
    sn_xpbd_body *flesh = s->flesh;
    for (int g = 0; g < SN_GRAB_LIMIT; ++g) {
        const sn_xpbd_grab *grab = &s->grabs[g];
        double current[3], displacement[3];
        if (!grab->is_active) {
            continue;
        }
        grabbed_position(s, grab, current);
        for (int d = 0; d < 3; ++d) {
            displacement[d] = grab->target[d] + grab->offset[d] - current[d];
        }
        const double length = sn_length3(displacement),
                     fraction = length > grab->max_extension ? grab->max_extension / length : 1;
        for (int i = 0; i < grab->corner_count; ++i) {
            double to[3];
            sn_xpbd_get_position(flesh, flesh->model->rows[grab->corners[i]], to);
            for (int d = 0; d < 3; ++d) {
                to[d] += fraction * displacement[d];
            }
            sn_xpbd_body_move_pin(flesh, grab->corners[i], to);
        }
    }
}

void sn_xpbd_grabs_transform(sn_xpbd_grab *grabs, const double *transform)
{
    for (int g = 0; g < SN_GRAB_LIMIT; ++g) {
        sn_xpbd_grab *grab = &grabs[g];
        double current[3], transformed[3];
        for (int d = 0; d < 3; ++d) { /* the end point of the offset moves, too */
            current[d] = grab->target[d] + grab->offset[d];
        }
        sn_affine_apply(transform, grab->target, transformed);
        memcpy(grab->target, transformed, sizeof transformed);
        sn_affine_apply(transform, current, transformed);
        for (int d = 0; d < 3; ++d) {
            grab->offset[d] = transformed[d] - grab->target[d];
        }
    }
}
