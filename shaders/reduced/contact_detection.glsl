/* SPDX-License-Identifier: MIT */
/* Finds the contacts of a step at its prediction: the implementation of host/reduced/contact_detection.c; contacts.h
 * documents the constants. Samples are processed a group at a time, one per invocation. Colliders that none of them
 * can touch are culled; then each invocation counts its contacts and writes them after those of the samples before. */

#define MARGIN 0.02
#define IDLE_DISTANCE 1e-4
#define IDLE_LIMIT (SN_REDUCED_CONTACT_LIMIT / 2)
#define SOFT_DISTANCE 0.05
#define SOFTNESS 0.3
#define MIN_RESPONSE 1e-8
#define MAX_PUSH 0.2
#define MIN_ELASTICITY 1e-3
#define HUGE_DISTANCE 1e30
#define ROUND_LIMIT 4 /* lists of colliders per group, limited by the loops of software Vulkan */
#define ROUNDING_MARGIN 1e-4 /* relative margin of a bounding sphere for rounding */

/* A sample and its extremes: position by the rig, and displacement by the flesh. */
#define CANDIDATES (1 + SN_REDUCED_EXTREMES)
struct candidates {
    uint points[CANDIDATES];
    vec3 rig[CANDIDATES], flesh[CANDIDATES];
    uint count;
};

/* Writes predictions, inertial displacements, and the factors of squared rows of V for the response to a unit force:
 * after settling, and in this step. */
void prepare_detection()
{
    for (uint i = lane; i < padded_coordinates; i += SN_REDUCED_GROUP_SIZE) {
        const float lambda = models[body.model + model.coordinate + i].x;
        const system_weights weights = system_of(lambda);
        const vec3 added = inertial_displacement(i);
        precise const float final_response = body.step2 / (MIN_ELASTICITY + weights.elastic * lambda);
        precise const float step_response = body.step2 / weights.system;
        set_pool_vector(pool_layout.coordinates, i, predicted_from(i, added));
        set_pool_vector(pool_layout.inertia, i, added);
        set_pool_vector(pool_layout.image, i, vec3(final_response, step_response, 0));
    }
    barrier();
}

vec2 responses_at(uint point)
{
    const uint fours = padded_coordinates / 4, points = sn_reduced_point_count(body.sample_count);
    precise vec4 a = vec4(0), b = vec4(0);
    for (uint four = 0; four < fours; ++four) {
        const vec4 row = models[body.model + model.row + points * four + point];
        a += row * row * pool[pool_layout.image / 4 + four];
        b += row * row * pool[pool_layout.image / 4 + fours + four];
    }
    return vec2(sum_of(a), sum_of(b));
}

vec2 max_responses()
{
    vec2 max_values = vec2(0);
    for (uint i = lane; i < body.sample_count; i += SN_REDUCED_GROUP_SIZE) {
        max_values = max(max_values, responses_at(i));
    }
    return max_over_group(vec4(max_values, 0, 0)).xy;
}

/* Compliance of a sample's contacts; 0: it has none. */
float compliance_of(uint sample_index, float max_static_response)
{
    const float own = responses_at(sample_index).x;
    precise const float compliance = SOFTNESS * sqrt(own * max_static_response);
    return own > MIN_RESPONSE * max_static_response ? compliance : 0;
}

void add_candidate(inout candidates c, uint point)
{
    c.points[c.count] = point;
    c.rig[c.count] = rig_position(point, RIG_NOW);
    c.flesh[c.count] = flesh_offset(point, pool_layout.coordinates);
    ++c.count;
}

vec2 clearance_of(candidates c, uint k, uint collider)
{
    precise const vec3 at = c.rig[k] + c.flesh[k];
    return vec2(collider_distance(collider, c.rig[k]), collider_distance(collider, at));
}

float contact_range_of(uint sample_index)
{
    precise const float contact_range = MARGIN * body.diagonal +
        models[body.model + model.skin + 2 * sample_index + 1].x;
    return contact_range;
}

void add_extremes(inout candidates c, uint sample_index)
{
    for (uint i = 0; i < SN_REDUCED_EXTREMES; ++i) {
        const uint point = extreme_of(sample_index, i);
        if (has_point(point)) {
            add_candidate(c, point);
        }
    }
}

// ---- nearby colliders ----

/* Bounding sphere of a group's samples, by the rig and with flesh, and the maximum contact range of their patches. */
struct sample_ball {
    vec3 centre;
    float radius, contact_range;
};

bool is_finite_position(vec3 v)
{
    return is_finite(v.x) && is_finite(v.y) && is_finite(v.z);
}

/* Only the first candidate of each sample is used. A sample that is not finite makes the sphere infinite. */
sample_ball bound_samples(candidates c, uint sample_index)
{
    precise const vec3 at = c.rig[0] + c.flesh[0];
    const bool has_sample = c.count > 0, is_valid = is_finite_position(c.rig[0]) && is_finite_position(at);
    const vec4 sums = sums_over_group(has_sample && is_valid ? vec4(c.rig[0], 1) : vec4(0));
    precise const vec3 centre = sums.xyz / max(sums.w, 1);
    const vec3 by_rig = c.rig[0] - centre, with_flesh = at - centre;
    const float radius = is_valid ? sqrt(max(squared(by_rig), squared(with_flesh))) : HUGE_DISTANCE;
    const vec4 max_values = max_over_group(has_sample ? vec4(radius, contact_range_of(sample_index), 0, 0) : vec4(0));
    return sample_ball(centre, max_values.x, max_values.y);
}

/* False only if nothing in the sphere is within its range. */
bool can_touch(uint collider, sample_ball ball)
{
    const float slope = is_grid(collider) ? colliders[collider + SN_REDUCED_COLLIDER_HEIGHT].x : 1;
    return !(collider_distance(collider, ball.centre) > slope * (1 + ROUNDING_MARGIN) * ball.radius +
        ball.contact_range);
}

/* Lists the nearby colliders from index `from` on, in order, in shared memory, up to its capacity. Returns the next
 * index. */
uint list_nearby(sample_ball ball, uint from, out uint count)
{
    uint next = from;
    count = 0;
    barrier(); // the previous list has been read
    while (next < body.collider_count && count + SN_REDUCED_GROUP_SIZE <= SN_REDUCED_NEARBY_LIMIT) {
        uint all;
        const uint own = next + lane;
        const bool is_near = own < body.collider_count && can_touch(collider_row(own), ball);
        const uint before = prefix_count(is_near ? 1 : 0, all);
        if (is_near) {
            set_pool_float(pool_layout.forces + count + before, float(own));
        }
        count += all;
        next += SN_REDUCED_GROUP_SIZE;
    }
    barrier();
    return next;
}

uint listed_collider(uint k)
{
    return collider_row(uint(pool_float(pool_layout.forces + k)));
}

// ---- contacts ----

/* Minimum distance of a sample from a collider over all poses; a large negative number disables the contact. */
float clearance_at(uint sample_index, uint collider)
{
    const uint number = (collider - collider_row(0)) / SN_REDUCED_COLLIDER_ROWS;
    const uint at = sample_index * body.clearance_count + number;
    return number < body.own_collider_count ? models[body.model + model.clearance + at / 4][at % 4] : 0;
}

/* Distance at which the soft part of a contact begins; the penetration of the pose itself is allowed. */
float soft_start_of(float by_rig, float min_clearance)
{
    precise const float soft_start = min(by_rig + SOFT_DISTANCE * body.diagonal, min_clearance);
    return soft_start;
}

/* x: distance by the rig, which decides alone where it is inside or close to the collider. */
bool is_nearer(vec2 a, vec2 b)
{
    return min(a.x, b.x) < MARGIN * body.diagonal ? a.x < b.x : min(a.x, a.y) < min(b.x, b.y);
}

/* For a body's own collider: displacement of the sample by the contact force of the last step. */
float previous_displacement(uint sample_index, uint collider, float compliance)
{
    const sn_reduced_contacts_layout at = sn_reduced_contacts_layout_of();
    const vec4 origin = origin_of(sample_index, collider);
    const uint previous_count = has_valid_corrections() ? uint(states[state.previous_contact_count]) : 0,
        k = find_previous_contact(origin, previous_count);
    if (k >= min(previous_count, SN_REDUCED_CONTACT_LIMIT) || read_origin(at.previous_origin, k) != origin) {
        return 0;
    }
    precise const float moved = compliance * sqrt(squared(read_vector(at.previous_force, k)));
    return moved;
}

/* excess: distance beyond the allowed minimum. */
bool is_idle_at(float excess, uint sample_index, uint collider, float compliance)
{
    const float min_clearance = IDLE_DISTANCE * body.diagonal;
    return excess >= -min_clearance && previous_displacement(sample_index, collider, compliance) <= min_clearance;
}

/* Finds the candidate nearest to a collider. Extremes are included if the sample is near and the collider is not on the
 * body's own bones. Returns false if there is no contact. Distances are evaluated in two places only, since each is
 * compiled separately. */
bool find_nearest(inout candidates c, uint sample_index, float compliance, uint collider, out uint nearest,
                  out vec2 clearance, out bool is_idle)
{
    const float min_clearance = clearance_at(sample_index, collider);
    nearest = 0;
    is_idle = false;
    clearance = vec2(0);
    if (min_clearance <= -HUGE_DISTANCE) {
        return false;
    }
    clearance = clearance_of(c, 0, collider);
    if (!(min(clearance.x, clearance.y) < contact_range_of(sample_index))) {
        return false;
    }
    if (is_on_own_bone(collider)) {
        precise const float excess = clearance.y - min_clearance;
        const bool is_near = excess < MARGIN * body.diagonal;
        is_idle = is_near && is_idle_at(excess, sample_index, collider, compliance);
        return is_near;
    }
    if (c.count == 1) {
        add_extremes(c, sample_index);
    }
    for (uint k = 1; k < c.count; ++k) {
        const vec2 there = clearance_of(c, k, collider);
        if (is_nearer(there, clearance)) {
            nearest = k;
            clearance = there;
        }
    }
    precise const float excess = min(clearance.x, clearance.y) - soft_start_of(clearance.x, 0);
    return excess < MARGIN * body.diagonal;
}

void write_contact(uint i, uint sample_index, uint point, vec3 at, vec2 clearance, float compliance, uint collider)
{
    const sn_reduced_contacts_layout to = sn_reduced_contacts_layout_of();
    const float min_clearance = clearance_at(sample_index, collider),
        soft_start = soft_start_of(clearance.x, min_clearance);
    precise const float gap = clearance.y - min(clearance.x, min_clearance), soft_gap = clearance.y - soft_start;
    precise const vec3 moved = rig_position(point, RIG_STEP) + flesh_offset(point, pool_layout.inertia);
    precise const vec3 slip = moved - collider_movement(collider, at);
    contacts[body.contacts + to.point + i] = float(point);
    contacts[body.contacts + to.gap + i] = gap;
    contacts[body.contacts + to.soft_gap + i] = soft_gap;
    contacts[body.contacts + to.compliance + i] = compliance;
    contacts[body.contacts + to.friction + i] = collider_friction(collider);
    write_vector(to.normal, i, collider_normal(collider, at));
    write_vector(to.slip, i, slip);
    write_vector(to.force, i, vec3(0));
    write_origin(to.origin, i, origin_of(sample_index, collider));
}

/* Adds counts of (active, idle) contacts to (all, idle) counts, within the limits. */
uvec2 add_counts(uvec2 found, uvec2 more)
{
    const uint idle = min(found.y + more.y, IDLE_LIMIT);
    return uvec2(min(found.x + more.x + idle - found.y, SN_REDUCED_CONTACT_LIMIT), idle);
}

/* Counts a sample's (active, idle) contacts with the listed colliders, or writes them after the counts `found` and
 * `before`. */
uvec2 find_sample_contacts(inout candidates c, uint sample_index, float compliance, uint nearby_count, bool is_written,
    uvec2 found,
            uvec2 before)
{
    uvec2 count = uvec2(0);
    for (uint k = 0; k < nearby_count && c.count > 0; ++k) {
        const uint collider = listed_collider(k);
        uint nearest;
        vec2 clearance;
        bool is_idle;
        if (find_nearest(c, sample_index, compliance, collider, nearest, clearance, is_idle)) {
            precise const vec3 at = c.rig[nearest] + c.flesh[nearest];
            const uvec2 here = add_counts(found, before + count);
            if (is_written && here.x < SN_REDUCED_CONTACT_LIMIT && !(is_idle && here.y == IDLE_LIMIT)) {
                write_contact(here.x, sample_index, c.points[nearest], at, clearance, compliance, collider);
            }
            count += is_idle ? uvec2(0, 1) : uvec2(1, 0);
        }
    }
    return count;
}

/* Grabs are the first contacts. */
void add_grab(uint i)
{
    const uint at = first_impulse + body.grab + SN_REDUCED_GRAB_ROWS * i;
    const sn_reduced_contacts_layout to = sn_reduced_contacts_layout_of();
    const vec4 grab = impulses[at]; // sample, compliance, maximum force, fraction of the spring
    const uint point = uint(grab.x);
    precise const vec3 now = rig_position(point, RIG_NOW) + flesh_offset(point, pool_layout.coordinates);
    precise const vec3 moved = rig_position(point, RIG_STEP) + flesh_offset(point, pool_layout.inertia);
    precise const vec3 slip = grab.w * (now - impulses[at + 1].xyz) + (1 - grab.w) * moved;
    contacts[body.contacts + to.point + i] = grab.x;
    contacts[body.contacts + to.gap + i] = 0;
    contacts[body.contacts + to.soft_gap + i] = 0;
    contacts[body.contacts + to.compliance + i] = grab.y;
    contacts[body.contacts + to.friction + i] = 0;
    contacts[body.contacts + to.max_force + i] = grab.z;
    write_vector(to.normal, i, vec3(0));
    write_vector(to.slip, i, slip);
    write_vector(to.force, i, vec3(0));
    write_origin(to.origin, i, vec4(-1, 0, 0, 0));
}

/* Finds the contacts of a group of samples, one per invocation; returns the new (all, idle) counts. Colliders are
 * listed in rounds; more than one is needed only if very many are near. */
uvec2 find_group_contacts(uint first, uvec2 found, float max_static_response)
{
    const uint own = min(first + lane, body.sample_count - 1);
    const float compliance = first + lane < body.sample_count ? compliance_of(own, max_static_response) : 0;
    candidates c;
    c.count = 0;
    if (compliance > 0 && has_point(own)) {
        add_candidate(c, own);
    }
    const sample_ball ball = bound_samples(c, own);
    uvec2 before = uvec2(0), all = uvec2(0);
    uint nearby_count = 0, rounds = 0;
    for (uint pass = 0; pass < 2; ++pass) { // counts, then writes
        uvec2 count = uvec2(0);
        uint next = 0;
        uint round = 0;
        while (next < body.collider_count && round < ROUND_LIMIT && (pass == 0 || all.x + all.y > 0)) {
            const bool is_listed = pass == 1 && rounds == 1;
            next = is_listed ? body.collider_count : list_nearby(ball, next, nearby_count);
            count += find_sample_contacts(c, own, compliance, nearby_count, pass == 1, found, before + count);
            rounds += pass == 0 ? 1 : 0;
            ++round;
        }
        if (pass == 0) {
            before.x = prefix_count(count.x, all.x);
        }
        if (pass == 0 && body.own_collider_count > 0) {
            before.y = prefix_count(count.y, all.y);
        }
    }
    return add_counts(found, all);
}

/* Finds the contacts of the samples of this dispatch. */
uvec2 find_sample_contacts_in_range(uvec2 found, float max_static_response)
{
    const uint end = min(last_sample, body.sample_count);
    for (uint first = first_sample; first < end && found.x < SN_REDUCED_CONTACT_LIMIT;
         first += SN_REDUCED_GROUP_SIZE) {
        found = find_group_contacts(first, found, max_static_response);
    }
    return found;
}

/* G = b A^-1 b^T, a row at a time; columns are distributed over invocations. */
void compute_coupling(uint count, float max_values)
{
    const sn_reduced_contacts_layout to = sn_reduced_contacts_layout_of();
    const uint fours = padded_coordinates / 4, points = sn_reduced_point_count(body.sample_count);
    for (uint i = 0; i < count; ++i) {
        const uint row = body.model + model.row + uint(contacts[body.contacts + to.point + i]);
        for (uint j = lane; j < count; j += SN_REDUCED_GROUP_SIZE) {
            const uint column = body.model + model.row + uint(contacts[body.contacts + to.point + j]);
            precise vec4 sums = vec4(0);
            for (uint four = 0; four < fours; ++four) {
                sums += pool[pool_layout.image / 4 + fours + four] * models[row + points * four] *
                        models[column + points * four];
            }
            const float response = sum_of(sums);
            contacts[body.contacts + to.coupling + SN_REDUCED_CONTACT_LIMIT * i + j] = response;
            if (i == j) {
                contacts[body.contacts + to.response + i] = response;
            }
            if (i == j && i >= body.grab_count) {
                precise const float max_force = MAX_PUSH * body.diagonal / sqrt(response * max_values);
                contacts[body.contacts + to.max_force + i] = max_force;
            }
        }
    }
}

/* Distributes the compliance over contacts that push the same flesh: see contacts.c. */
void distribute_compliance(uint count, float max_static_response)
{
    const sn_reduced_contacts_layout to = sn_reduced_contacts_layout_of();
    for (uint i = body.grab_count + lane; i < count; i += SN_REDUCED_GROUP_SIZE) {
        const float own = contacts[body.contacts + to.response + i],
            compliance = contacts[body.contacts + to.compliance + i];
        const vec3 normal = read_vector(to.normal, i);
        precise float sharing = 0;
        for (uint j = body.grab_count; j < count && own > 0; ++j) {
            precise const float along = contacts[body.contacts + to.coupling + SN_REDUCED_CONTACT_LIMIT * i + j] *
                                        dot_of(normal, read_vector(to.normal, j));
            sharing += max(along, 0) / own;
        }
        precise const float x = compliance / (SOFTNESS * max_static_response);
        precise const float shared_compliance = compliance * (1 + (sharing - 1) * max(1 - x / SOFTNESS, 0));
        contacts[body.contacts + to.compliance + i] = sharing > 1 ? shared_compliance : compliance;
    }
}

/* Called once per dispatch over the samples. A body with fewer samples than others is finished after fewer dispatches;
 * the compliance must be distributed once only. */
void find_contacts()
{
    if (first_sample > 0 && first_sample >= body.sample_count) {
        return;
    }
    const uint stored = body.contacts + sn_reduced_contacts_layout_of().count;
    prepare_detection();
    const vec2 max_values = max_responses();
    if (first_sample == 0 && lane < body.grab_count) {
        add_grab(lane);
    }
    uvec2 found = first_sample == 0 ? uvec2(body.grab_count, 0) : uvec2(contacts[stored], contacts[stored + 1]);
    found = body.collider_count > 0 ? find_sample_contacts_in_range(found, max_values.x) : found;
    const uint count = found.x;
    memoryBarrierBuffer();
    barrier();
    if (last_sample >= body.sample_count) {
        compute_coupling(count, max_values.y);
        memoryBarrierBuffer();
        barrier();
        distribute_compliance(count, max_values.x);
        restore_forces(count);
    }
    if (lane == 0) {
        contacts[stored] = float(found.x);
        contacts[stored + 1] = float(found.y);
    }
}
