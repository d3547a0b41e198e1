/* SPDX-License-Identifier: MIT */
/* Finds the contacts of a step at its prediction: the implementation of host/reduced/touch.c; contacts.h
 * documents the constants. Samples are processed a group at a time, one per invocation. Colliders that none of them
 * can touch are culled; then each invocation counts its contacts and writes them after those of the samples before. */

#define MARGIN 0.02
#define IDLE 1e-4
#define IDLE_LIMIT (SN_REDUCED_CONTACT_LIMIT / 2)
#define YIELD 0.05
#define SOFTNESS 0.3
#define RIGID 1e-8
#define STRENGTH 0.2
#define LEAST_ELASTICITY 1e-3
#define NOWHERE 1e30
#define ROUND_LIMIT 4 /* lists of colliders per group, limited by the loops of software Vulkan */
#define DOUBT 1e-4 /* relative margin of a bounding sphere for rounding */

/* A sample and its extremes: position by the rig, and displacement by the flesh. */
#define CANDIDATES (1 + SN_REDUCED_EXTREMES)
struct candidates {
    uint points[CANDIDATES];
    vec3 rig[CANDIDATES], flesh[CANDIDATES];
    uint count;
};

/* Writes predictions, inertial displacements, and the factors of squared rows of V for the response to a unit force:
 * after settling, and in this step. */
void prepare_touch()
{
    for (uint i = lane; i < padded_coordinates; i += SN_REDUCED_GROUP_SIZE) {
        const float lambda = models[body.model + model.coordinate + i].x;
        const system_weights weights = system_of(lambda);
        const vec3 added = carried(i);
        precise const float final_response = body.step2 / (LEAST_ELASTICITY + weights.elastic * lambda);
        precise const float step_response = body.step2 / weights.system;
        set_pool_vector(place.coordinates, i, predicted_from(i, added));
        set_pool_vector(place.inertia, i, added);
        set_pool_vector(place.image, i, vec3(final_response, step_response, 0));
    }
    barrier();
}

vec2 responses_at(uint point)
{
    const uint fours = padded_coordinates / 4, points = sn_reduced_points(body.sample_count);
    precise vec4 a = vec4(0), b = vec4(0);
    for (uint four = 0; four < fours; ++four) {
        const vec4 row = models[body.model + model.row + points * four + point];
        a += row * row * pool[place.image / 4 + four];
        b += row * row * pool[place.image / 4 + fours + four];
    }
    return vec2(sum_of(a), sum_of(b));
}

vec2 largest_responses()
{
    vec2 most = vec2(0);
    for (uint i = lane; i < body.sample_count; i += SN_REDUCED_GROUP_SIZE) {
        most = max(most, responses_at(i));
    }
    return largest_of_group(vec4(most, 0, 0)).xy;
}

/* Compliance of a sample's contacts; 0: it has none. */
float give_of(uint sample_index, float softest)
{
    const float own = responses_at(sample_index).x;
    precise const float give = SOFTNESS * sqrt(own * softest);
    return own > RIGID * softest ? give : 0;
}

void add_candidate(inout candidates c, uint point)
{
    c.points[c.count] = point;
    c.rig[c.count] = rig_at(point, RIG_NOW);
    c.flesh[c.count] = flesh_at(point, place.coordinates);
    ++c.count;
}

vec2 clearance_of(candidates c, uint k, uint collider)
{
    precise const vec3 at = c.rig[k] + c.flesh[k];
    return vec2(collider_distance(collider, c.rig[k]), collider_distance(collider, at));
}

float reach_of(uint sample_index)
{
    precise const float reach = MARGIN * body.diagonal +
        models[body.model + model.skin + 2 * sample_index + 1].x;
    return reach;
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
    float radius, reach;
};

bool is_finite_place(vec3 v)
{
    return is_finite(v.x) && is_finite(v.y) && is_finite(v.z);
}

/* Only the first candidate of each sample is used. A sample that is not finite makes the sphere infinite. */
sample_ball bound_samples(candidates c, uint sample_index)
{
    precise const vec3 at = c.rig[0] + c.flesh[0];
    const bool is_some = c.count > 0, is_sound = is_finite_place(c.rig[0]) && is_finite_place(at);
    const vec4 sums = sums_over_group(is_some && is_sound ? vec4(c.rig[0], 1) : vec4(0));
    precise const vec3 centre = sums.xyz / max(sums.w, 1);
    const vec3 by_rig = c.rig[0] - centre, with_flesh = at - centre;
    const float radius = is_sound ? sqrt(max(squared(by_rig), squared(with_flesh))) : NOWHERE;
    const vec4 most = largest_of_group(is_some ? vec4(radius, reach_of(sample_index), 0, 0) : vec4(0));
    return sample_ball(centre, most.x, most.y);
}

/* False only if nothing in the sphere is within its range. */
bool may_touch(uint collider, sample_ball ball)
{
    const float slope = is_grid(collider) ? colliders[collider + SN_REDUCED_COLLIDER_HEIGHT].x : 1;
    return !(collider_distance(collider, ball.centre) > slope * (1 + DOUBT) * ball.radius +
        ball.reach);
}

/* Lists the nearby colliders from index `from` on, in order, in shared memory, up to its capacity. Returns the next
 * index. */
uint list_near(sample_ball ball, uint from, out uint count)
{
    uint next = from;
    count = 0;
    barrier(); // the previous list has been read
    while (next < body.collider_count && count + SN_REDUCED_GROUP_SIZE <= SN_REDUCED_NEAR_LIMIT) {
        uint all;
        const uint own = next + lane;
        const bool is_near = own < body.collider_count && may_touch(collider_row(own), ball);
        const uint before = count_before(is_near ? 1 : 0, all);
        if (is_near) {
            set_pool_float(place.forces + count + before, float(own));
        }
        count += all;
        next += SN_REDUCED_GROUP_SIZE;
    }
    barrier();
    return next;
}

uint listed_collider(uint k)
{
    return collider_row(uint(pool_float(place.forces + k)));
}

// ---- contacts ----

/* Minimum distance of a sample from a collider over all poses; a large negative number disables the contact. */
float clearance_at(uint sample_index, uint collider)
{
    const uint number = (collider - collider_row(0)) / SN_REDUCED_COLLIDER_ROWS;
    const uint at = sample_index * body.clearance_count + number;
    return number < body.own_count ? models[body.model + model.clearance + at / 4][at % 4] : 0;
}

/* Distance at which the soft part of a contact begins; the penetration of the pose itself is allowed. */
float outermost_of(float by_rig, float least)
{
    precise const float outermost = min(by_rig + YIELD * body.diagonal, least);
    return outermost;
}

/* x: distance by the rig, which decides alone where it is inside or close to the collider. */
bool is_nearer(vec2 a, vec2 b)
{
    return min(a.x, b.x) < MARGIN * body.diagonal ? a.x < b.x : min(a.x, a.y) < min(b.x, b.y);
}

/* For a body's own collider: displacement of the sample by the contact force of the last step. */
float last_pushed(uint sample_index, uint collider, float give)
{
    const sn_reduced_contacts_layout at = sn_reduced_contacts_layout_of();
    const vec4 origin = origin_of(sample_index, collider);
    const uint held_count = is_of_trend() ? uint(states[state.held]) : 0,
        k = find_held(origin, held_count);
    if (k >= min(held_count, SN_REDUCED_CONTACT_LIMIT) || read_origin(at.last_origin, k) != origin) {
        return 0;
    }
    precise const float moved = give * sqrt(squared(read_vector(at.last_force, k)));
    return moved;
}

/* excess: distance beyond the allowed minimum. */
bool is_idle_at(float over, uint sample_index, uint collider, float give)
{
    const float least = IDLE * body.diagonal;
    return over >= -least && last_pushed(sample_index, collider, give) <= least;
}

/* Finds the candidate nearest to a collider. Extremes are included if the sample is near and the collider is not on the
 * body's own bones. Returns false if there is no contact. Distances are evaluated in two places only, since each is
 * compiled separately. */
bool find_nearest(inout candidates c, uint sample_index, float give, uint collider, out uint nearest,
                  out vec2 clearance, out bool is_idle)
{
    const float least = clearance_at(sample_index, collider);
    nearest = 0;
    is_idle = false;
    clearance = vec2(0);
    if (least <= -NOWHERE) {
        return false;
    }
    clearance = clearance_of(c, 0, collider);
    if (!(min(clearance.x, clearance.y) < reach_of(sample_index))) {
        return false;
    }
    if (is_own(collider)) {
        precise const float over = clearance.y - least;
        const bool is_near = over < MARGIN * body.diagonal;
        is_idle = is_near && is_idle_at(over, sample_index, collider, give);
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
    precise const float over = min(clearance.x, clearance.y) - outermost_of(clearance.x, 0);
    return over < MARGIN * body.diagonal;
}

void write_contact(uint i, uint sample_index, uint point, vec3 at, vec2 clearance, float give, uint collider)
{
    const sn_reduced_contacts_layout to = sn_reduced_contacts_layout_of();
    const float least = clearance_at(sample_index, collider),
        outermost = outermost_of(clearance.x, least);
    precise const float gap = clearance.y - min(clearance.x, least), outer_gap = clearance.y - outermost;
    precise const vec3 moved = rig_at(point, RIG_STEP) + flesh_at(point, place.inertia);
    precise const vec3 slide = moved - collider_movement(collider, at);
    contacts[body.contacts + to.point + i] = float(point);
    contacts[body.contacts + to.gap + i] = gap;
    contacts[body.contacts + to.outer_gap + i] = outer_gap;
    contacts[body.contacts + to.give + i] = give;
    contacts[body.contacts + to.friction + i] = collider_friction(collider);
    write_vector(to.normal, i, collider_normal(collider, at));
    write_vector(to.slide, i, slide);
    write_vector(to.force, i, vec3(0));
    write_origin(to.origin, i, origin_of(sample_index, collider));
}

/* Adds counts of (active, idle) contacts to (all, idle) counts, within the limits. */
uvec2 placed(uvec2 found, uvec2 more)
{
    const uint idle = min(found.y + more.y, IDLE_LIMIT);
    return uvec2(min(found.x + more.x + idle - found.y, SN_REDUCED_CONTACT_LIMIT), idle);
}

/* Counts a sample's (active, idle) contacts with the listed colliders, or writes them after the counts `found` and
 * `before`. */
uvec2 touch(inout candidates c, uint sample_index, float give, uint near_count, bool is_written,
    uvec2 found,
            uvec2 before)
{
    uvec2 count = uvec2(0);
    for (uint k = 0; k < near_count && c.count > 0; ++k) {
        const uint collider = listed_collider(k);
        uint nearest;
        vec2 clearance;
        bool is_idle;
        if (find_nearest(c, sample_index, give, collider, nearest, clearance, is_idle)) {
            precise const vec3 at = c.rig[nearest] + c.flesh[nearest];
            const uvec2 here = placed(found, before + count);
            if (is_written && here.x < SN_REDUCED_CONTACT_LIMIT && !(is_idle && here.y == IDLE_LIMIT)) {
                write_contact(here.x, sample_index, c.points[nearest], at, clearance, give, collider);
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
    precise const vec3 now = rig_at(point, RIG_NOW) + flesh_at(point, place.coordinates);
    precise const vec3 moved = rig_at(point, RIG_STEP) + flesh_at(point, place.inertia);
    precise const vec3 slide = grab.w * (now - impulses[at + 1].xyz) + (1 - grab.w) * moved;
    contacts[body.contacts + to.point + i] = grab.x;
    contacts[body.contacts + to.gap + i] = 0;
    contacts[body.contacts + to.outer_gap + i] = 0;
    contacts[body.contacts + to.give + i] = grab.y;
    contacts[body.contacts + to.friction + i] = 0;
    contacts[body.contacts + to.strongest + i] = grab.z;
    write_vector(to.normal, i, vec3(0));
    write_vector(to.slide, i, slide);
    write_vector(to.force, i, vec3(0));
    write_origin(to.origin, i, vec4(-1, 0, 0, 0));
}

/* Finds the contacts of a group of samples, one per invocation; returns the new (all, idle) counts. Colliders are
 * listed in rounds; more than one is needed only if very many are near. */
uvec2 find_of_group(uint first, uvec2 found, float softest)
{
    const uint own = min(first + lane, body.sample_count - 1);
    const float give = first + lane < body.sample_count ? give_of(own, softest) : 0;
    candidates c;
    c.count = 0;
    if (give > 0 && has_point(own)) {
        add_candidate(c, own);
    }
    const sample_ball ball = bound_samples(c, own);
    uvec2 before = uvec2(0), all = uvec2(0);
    uint near_count = 0, rounds = 0;
    for (uint pass = 0; pass < 2; ++pass) { // counts, then writes
        uvec2 count = uvec2(0);
        uint next = 0;
        uint round = 0;
        while (next < body.collider_count && round < ROUND_LIMIT && (pass == 0 || all.x + all.y > 0)) {
            const bool is_listed = pass == 1 && rounds == 1;
            next = is_listed ? body.collider_count : list_near(ball, next, near_count);
            count += touch(c, own, give, near_count, pass == 1, found, before + count);
            rounds += pass == 0 ? 1 : 0;
            ++round;
        }
        if (pass == 0) {
            before.x = count_before(count.x, all.x);
        }
        if (pass == 0 && body.own_count > 0) {
            before.y = count_before(count.y, all.y);
        }
    }
    return placed(found, all);
}

/* Finds the contacts of the samples of this dispatch. */
uvec2 find_all(uvec2 found, float softest)
{
    const uint end = min(last_sample, body.sample_count);
    for (uint first = first_sample; first < end && found.x < SN_REDUCED_CONTACT_LIMIT;
         first += SN_REDUCED_GROUP_SIZE) {
        found = find_of_group(first, found, softest);
    }
    return found;
}

/* G = b A^-1 b^T, a row at a time; columns are distributed over invocations. */
void couple(uint count, float most)
{
    const sn_reduced_contacts_layout to = sn_reduced_contacts_layout_of();
    const uint fours = padded_coordinates / 4, points = sn_reduced_points(body.sample_count);
    for (uint i = 0; i < count; ++i) {
        const uint row = body.model + model.row + uint(contacts[body.contacts + to.point + i]);
        for (uint j = lane; j < count; j += SN_REDUCED_GROUP_SIZE) {
            const uint column = body.model + model.row + uint(contacts[body.contacts + to.point + j]);
            precise vec4 sums = vec4(0);
            for (uint four = 0; four < fours; ++four) {
                sums += pool[place.image / 4 + fours + four] * models[row + points * four] *
                        models[column + points * four];
            }
            const float response = sum_of(sums);
            contacts[body.contacts + to.coupling + SN_REDUCED_CONTACT_LIMIT * i + j] = response;
            if (i == j) {
                contacts[body.contacts + to.response + i] = response;
            }
            if (i == j && i >= body.grab_count) {
                precise const float strongest = STRENGTH * body.diagonal / sqrt(response * most);
                contacts[body.contacts + to.strongest + i] = strongest;
            }
        }
    }
}

/* Distributes the compliance over contacts that push the same flesh: see contacts.c. */
void share_give(uint count, float softest)
{
    const sn_reduced_contacts_layout to = sn_reduced_contacts_layout_of();
    for (uint i = body.grab_count + lane; i < count; i += SN_REDUCED_GROUP_SIZE) {
        const float own = contacts[body.contacts + to.response + i],
            give = contacts[body.contacts + to.give + i];
        const vec3 normal = read_vector(to.normal, i);
        precise float sharing = 0;
        for (uint j = body.grab_count; j < count && own > 0; ++j) {
            precise const float along = contacts[body.contacts + to.coupling + SN_REDUCED_CONTACT_LIMIT * i + j] *
                                        dot_of(normal, read_vector(to.normal, j));
            sharing += max(along, 0) / own;
        }
        precise const float x = give / (SOFTNESS * softest);
        precise const float shared_give = give * (1 + (sharing - 1) * max(1 - x / SOFTNESS, 0));
        contacts[body.contacts + to.give + i] = sharing > 1 ? shared_give : give;
    }
}

void find_contacts()
{
    const uint stored = body.contacts + sn_reduced_contacts_layout_of().count;
    prepare_touch();
    const vec2 most = largest_responses();
    if (first_sample == 0 && lane < body.grab_count) {
        add_grab(lane);
    }
    uvec2 found = first_sample == 0 ? uvec2(body.grab_count, 0) : uvec2(contacts[stored], contacts[stored + 1]);
    found = body.collider_count > 0 ? find_all(found, most.x) : found;
    const uint count = found.x;
    memoryBarrierBuffer();
    barrier();
    if (last_sample >= body.sample_count) {
        couple(count, most.y);
        memoryBarrierBuffer();
        barrier();
        share_give(count, most.x);
        recall_forces(count);
    }
    if (lane == 0) {
        contacts[stored] = float(found.x);
        contacts[stored + 1] = float(found.y);
    }
}
