/* SPDX-License-Identifier: MIT */
/* Warm start of contacts: a step starts from the contact forces of the last one, as on the CPU
 * (host/reduced/contact_detection.c). Forces are stored with the body's contacts, their number in its state. */

/* Identifies a contact. */
vec4 origin_of(uint sample_index, uint collider)
{
    const uint number = (collider - collider_row(0)) / SN_REDUCED_COLLIDER_ROWS;
    return vec4(sample_index, number, colliders[collider + SN_REDUCED_COLLIDER_KEY].xy);
}

vec4 read_origin(uint field, uint i)
{
    const uint at = body.contacts + field + 4 * i;
    return vec4(contacts[at], contacts[at + 1], contacts[at + 2], contacts[at + 3]);
}

void write_origin(uint field, uint i, vec4 origin)
{
    for (uint d = 0; d < 4; ++d) {
        contacts[body.contacts + field + 4 * i + d] = origin[d];
    }
}

vec3 read_vector(uint field, uint i)
{
    const uint at = body.contacts + field + i;
    return vec3(contacts[at], contacts[at + SN_REDUCED_CONTACT_LIMIT], contacts[at + 2 * SN_REDUCED_CONTACT_LIMIT]);
}

void write_vector(uint field, uint i, vec3 v)
{
    for (uint d = 0; d < 3; ++d) {
        contacts[body.contacts + field + SN_REDUCED_CONTACT_LIMIT * d + i] = v[d];
    }
}

/* Binary search in the last step's contacts, ordered by sample and collider: the first that does not precede `origin`.
 */
uint find_previous_contact(vec4 origin, uint count)
{
    const uint last = sn_reduced_contacts_layout_of().previous_origin;
    uint low = 0, high = count;
    while (low < high) {
        const uint mid = (low + high) / 2;
        const vec4 there = read_origin(last, mid);
        const bool is_before = there.x < origin.x || (there.x == origin.x && there.y < origin.y);
        low = is_before ? mid + 1 : low;
        high = is_before ? high : mid;
    }
    return low;
}

/* Sets the forces of contacts that the last step also had, except those without response. */
void restore_forces(uint count)
{
    const sn_reduced_contacts_layout at = sn_reduced_contacts_layout_of();
    const uint previous_count = has_valid_corrections() ? uint(states[state.previous_contact_count]) : 0;
    for (uint i = body.grab_count + lane; i < count; i += SN_REDUCED_GROUP_SIZE) {
        const vec4 origin = read_origin(at.origin, i);
        const uint k = find_previous_contact(origin, previous_count);
        const bool is_same =
            k < previous_count && read_origin(at.previous_origin, min(k, SN_REDUCED_CONTACT_LIMIT - 1)) == origin;
        if (is_same && contacts[body.contacts + at.response + i] > 0) {
            write_vector(at.force, i, read_vector(at.previous_force, k));
        }
    }
}

/* Stores the force of a contact at the end of the step; each invocation stores its own. */
void store_force(uint i, vec3 force)
{
    const sn_reduced_contacts_layout at = sn_reduced_contacts_layout_of();
    write_vector(at.previous_force, i, force);
    write_origin(at.previous_origin, i, read_origin(at.origin, i));
}
