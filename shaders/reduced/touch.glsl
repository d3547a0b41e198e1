/* SPDX-License-Identifier: MIT */
/* Finds the contacts of a step at its prediction: the twin of the first half of host/reduced/contacts.c, which says what
 * the numbers are for. Samples are taken a group at a time, one an invocation; each counts its contacts, and writes
 * them behind those of the samples before. */

#define MARGIN 0.02
#define YIELD 0.05
#define SOFTNESS 0.3
#define RIGID 1e-8
#define STRENGTH 0.2
#define LEAST_ELASTICITY 1e-3

/* A sample, and the vertices that stick out of what it stands for: by the rig, and what the flesh adds. */
#define CANDIDATES (1 + SN_REDUCED_EXTREMES)
struct candidates {
    uint points[CANDIDATES];
    vec3 rig[CANDIDATES], flesh[CANDIDATES];
    uint count;
};

/* Predictions, what is carried, and what multiplies squared rows of V, for a force of 1: the final and the step's
 * response. */
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

/* How a contact of a sample gives way; 0: it feels none. */
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

bool is_near(candidates c, float reach)
{
    bool is_any = false;
    for (uint k = 0; k < body.collider_count; ++k) {
        const vec2 clearance = clearance_of(c, 0, first_collider + body.collider + SN_REDUCED_COLLIDER_ROWS * k);
        is_any = is_any || min(clearance.x, clearance.y) < MARGIN * body.diagonal + reach;
    }
    return is_any;
}

/* The sample's, and where it is near a collider the others'. */
candidates candidates_of(uint sample_index, out bool is_any)
{
    candidates c;
    c.count = 0;
    is_any = true;
    for (uint i = 0; i < CANDIDATES && is_any; ++i) {
        const uint point = i == 0 ? sample_index : extreme_of(sample_index, i - 1);
        if (has_point(point)) {
            add_candidate(c, point);
        }
        is_any = i > 0 || is_near(c, models[body.model + model.skin + 2 * sample_index + 1].x);
    }
    return c;
}

/* What a contact leaves out where it is not deeper than the pose itself, and softly. */
float outermost_of(float by_rig)
{
    precise const float outermost = min(by_rig + YIELD * body.diagonal, 0);
    return outermost;
}

/* x: by the rig, which alone has a say where it is inside, or all but. */
bool is_nearer(vec2 a, vec2 b)
{
    return min(a.x, b.x) < MARGIN * body.diagonal ? a.x < b.x : min(a.x, a.y) < min(b.x, b.y);
}

/* The candidate that is nearest to a collider; false where none is near. */
bool find_nearest(candidates c, uint sample_index, uint collider, out uint nearest, out vec2 clearance)
{
    const float reach = models[body.model + model.skin + 2 * sample_index + 1].x;
    nearest = 0;
    clearance = clearance_of(c, 0, collider);
    if (min(clearance.x, clearance.y) >= MARGIN * body.diagonal + reach) {
        return false;
    }
    for (uint k = 1; k < c.count; ++k) {
        const vec2 there = clearance_of(c, k, collider);
        if (is_nearer(there, clearance)) {
            nearest = k;
            clearance = there;
        }
    }
    precise const float over = min(clearance.x, clearance.y) - outermost_of(clearance.x);
    return over < MARGIN * body.diagonal;
}

void write_vector(uint field, uint i, vec3 v)
{
    for (uint d = 0; d < 3; ++d) {
        contacts[body.contacts + field + SN_REDUCED_CONTACT_LIMIT * d + i] = v[d];
    }
}

void write_contact(uint i, uint point, vec3 at, vec2 clearance, float give, uint collider)
{
    const sn_reduced_contacts_layout to = sn_reduced_contacts_layout_of();
    precise const float gap = clearance.y - min(clearance.x, 0), outer_gap = clearance.y - outermost_of(clearance.x);
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
}

/* The contacts of a sample: counts them, or writes them from the first on. */
uint touch(candidates c, uint sample_index, float give, bool is_written, uint first)
{
    uint count = 0;
    for (uint k = 0; k < body.collider_count; ++k) {
        const uint collider = first_collider + body.collider + SN_REDUCED_COLLIDER_ROWS * k;
        uint nearest;
        vec2 clearance;
        if (find_nearest(c, sample_index, collider, nearest, clearance)) {
            precise const vec3 at = c.rig[nearest] + c.flesh[nearest];
            if (is_written && first + count < SN_REDUCED_CONTACT_LIMIT) {
                write_contact(first + count, c.points[nearest], at, clearance, give, collider);
            }
            ++count;
        }
    }
    return count;
}

/* What the user holds: the first contacts. */
void add_grab(uint i)
{
    const uint at = first_impulse + body.grab + SN_REDUCED_GRAB_ROWS * i;
    const sn_reduced_contacts_layout to = sn_reduced_contacts_layout_of();
    const vec4 grab = impulses[at]; // sample, give, largest force, share of the spring
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
}

/* Behind the grabs; returns how many there are. */
uint find_all(float softest)
{
    uint found = body.grab_count;
    for (uint first = 0; first < body.sample_count && found < SN_REDUCED_CONTACT_LIMIT;
         first += SN_REDUCED_GROUP_SIZE) {
        const uint own = min(first + lane, body.sample_count - 1);
        const float give = first + lane < body.sample_count ? give_of(own, softest) : 0;
        bool is_any;
        const candidates c = candidates_of(own, is_any);
        uint before = 0, all = 0;
        for (uint pass = 0; pass < 2; ++pass) { // counts, then writes
            const uint count = is_any && give > 0 ? touch(c, own, give, pass == 1, found + before) : 0;
            if (pass == 0) {
                before = count_before(count, all);
            }
        }
        found = min(found + all, SN_REDUCED_CONTACT_LIMIT);
    }
    return found;
}

/* G = b A^-1 b^T, a row at a time; every invocation has its columns. */
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

void find_contacts()
{
    prepare_touch();
    const vec2 most = largest_responses();
    if (lane < body.grab_count) {
        add_grab(lane);
    }
    const uint count = body.collider_count > 0 ? find_all(most.x) : body.grab_count;
    memoryBarrierBuffer();
    barrier();
    couple(count, most.y);
    if (lane == 0) {
        contacts[body.contacts + sn_reduced_contacts_layout_of().count] = float(count);
    }
}
