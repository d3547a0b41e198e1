/* SPDX-License-Identifier: MIT */
/* Projects the images of an iteration onto what contacts allow: the twin of the second half of
 * host/reduced/contacts.c. Contacts are taken one after the other, as there; each invocation follows two of them in
 * registers, and the one whose turn it is tells the others by how much its force has changed. */

#define COMPLIANCE 0.02
#define SWEEP_COUNT 5
#define SETTLED 1e-6

#define OWN (SN_REDUCED_CONTACT_LIMIT / SN_REDUCED_GROUP_SIZE)
struct touching {
    vec3 normal, slide, force, moved; // moved: from the prediction to where the sweep has come
    float gap, outer_gap, give, friction, response, strongest;
};

uint contact_count; // of this body in this step
uint turn;          // counts the changes of force that have been told
touching own_contacts[OWN];

float contact_number(uint field, uint i)
{
    return contacts[body.contacts + field + i];
}

vec3 contact_vector(uint field, uint i)
{
    const uint at = body.contacts + field + i;
    return vec3(contacts[at], contacts[at + SN_REDUCED_CONTACT_LIMIT], contacts[at + 2 * SN_REDUCED_CONTACT_LIMIT]);
}

uint contact_point(uint i)
{
    return uint(contact_number(sn_reduced_contacts_layout_of().point, i));
}

void load_contacts()
{
    const sn_reduced_contacts_layout from = sn_reduced_contacts_layout_of();
    for (uint k = 0; k < OWN; ++k) {
        const uint i = lane + SN_REDUCED_GROUP_SIZE * k;
        if (i < contact_count) {
            own_contacts[k] = touching(contact_vector(from.normal, i), contact_vector(from.slide, i),
                                       contact_vector(from.force, i), flesh_at(contact_point(i), place.image),
                                       contact_number(from.gap, i), contact_number(from.outer_gap, i),
                                       contact_number(from.give, i), contact_number(from.friction, i),
                                       contact_number(from.response, i), contact_number(from.strongest, i));
            pool[place.forces / 4 + i] = vec4(own_contacts[k].force, 0);
        }
    }
    barrier();
}

/* How far contact i's force moves this invocation's. */
float coupling(uint i, uint k)
{
    return contact_number(sn_reduced_contacts_layout_of().coupling,
                          SN_REDUCED_CONTACT_LIMIT * i + lane + SN_REDUCED_GROUP_SIZE * k);
}

void push_own(uint k, float by, vec3 change)
{
    precise const vec3 moved = own_contacts[k].moved + by * change;
    own_contacts[k].moved = moved;
}

/* Along the normal: rigid where the rig itself would have the sample, soft from there on outwards. */
float solve_press(touching c, float pressed)
{
    precise const float along = dot_of(c.normal, c.moved);
    precise const float gap = c.gap + along + COMPLIANCE * c.response * pressed;
    precise const float outer_gap = c.outer_gap + along + c.give * pressed;
    precise const float rigid = pressed - gap / ((1 + COMPLIANCE) * c.response);
    precise const float soft = pressed - outer_gap / (c.response + c.give);
    return max(max(rigid, soft), 0);
}

/* The force of one contact for what the others do: out of the collider, and against sliding inside Coulomb's cone. */
vec3 solve_contact(touching c)
{
    if (!(c.response > 0)) {
        return vec3(0);
    }
    const float pressed = dot_of(c.normal, c.force), press = min(solve_press(c, pressed), c.strongest);
    precise const vec3 slide = c.slide + c.moved;
    precise const float along = dot_of(c.normal, slide);
    precise const vec3 tangent = c.force - pressed * c.normal - (slide - along * c.normal) / c.response;
    precise const float size = sqrt(dot_of(tangent, tangent)), most = c.friction * press;
    precise const float scale = size > most ? most / size : 1;
    precise const vec3 force = press * c.normal + scale * tangent;
    return force;
}

/* By how much the force of contact i changes, and the square of how far that moves it; all get it. Two places take
 * turns, from sweep to sweep too, so that one barrier is enough. */
vec4 solve_next(uint i)
{
    const uint told = place.forces / 4 + SN_REDUCED_CONTACT_LIMIT + turn % 2, k = i / SN_REDUCED_GROUP_SIZE;
    ++turn;
    if (lane == i % SN_REDUCED_GROUP_SIZE) {
        const touching c = own_contacts[k];
        const vec3 force = solve_contact(c);
        precise const vec3 change = force - c.force;
        precise const float square = c.response * c.response * dot_of(change, change);
        own_contacts[k].force = force;
        pool[told] = vec4(change, square);
    }
    barrier();
    return pool[told];
}

/* Returns how far a contact has moved by its own change of force, at most. */
float sweep()
{
    float largest = 0;
    for (uint i = 0; i < contact_count; ++i) {
        float by[OWN];
        for (uint k = 0; k < OWN; ++k) {
            by[k] = coupling(i, k); // asked for early: it comes while the others wait
        }
        const vec4 change = solve_next(i);
        for (uint k = 0; k < OWN && change.xyz != vec3(0); ++k) {
            push_own(k, by[k], change.xyz);
        }
        largest = max(largest, change.w);
    }
    return sqrt(largest);
}

void store_forces()
{
    const sn_reduced_contacts_layout to = sn_reduced_contacts_layout_of();
    for (uint k = 0; k < OWN; ++k) {
        const uint i = lane + SN_REDUCED_GROUP_SIZE * k;
        if (i < contact_count) {
            pool[place.forces / 4 + i] = vec4(own_contacts[k].force, 0);
            for (uint d = 0; d < 3; ++d) {
                contacts[body.contacts + to.force + SN_REDUCED_CONTACT_LIMIT * d + i] = own_contacts[k].force[d];
            }
        }
    }
    barrier();
}

void apply_forces()
{
    for (uint i = lane; i < padded_coordinates; i += SN_REDUCED_GROUP_SIZE) {
        const system_weights weights = system_of(models[body.model + model.coordinate + i].x);
        precise vec3 sum = vec3(0);
        for (uint c = 0; c < contact_count; ++c) {
            sum += row_entry(contact_point(c), i) * pool[place.forces / 4 + c].xyz;
        }
        precise const vec3 image = pool_vector(place.image, i) + body.step2 / weights.system * sum;
        set_pool_vector(place.image, i, image);
    }
}

/* Of the images in shared memory. The forces of the iteration before are where this one starts. */
void project()
{
    barrier(); // images are there, and the forces of the global pass are read
    load_contacts();
    turn = 0;
    for (uint i = 0; i < contact_count; ++i) {
        for (uint k = 0; k < OWN; ++k) {
            push_own(k, coupling(i, k), pool[place.forces / 4 + i].xyz);
        }
    }
    float moved = body.diagonal;
    for (uint k = 0; k < SWEEP_COUNT && !(moved <= SETTLED * body.diagonal); ++k) {
        moved = sweep();
    }
    store_forces();
    apply_forces();
    barrier(); // forces are read
}
