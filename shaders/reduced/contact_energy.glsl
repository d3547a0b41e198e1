/* SPDX-License-Identifier: MIT */
/* Energy of the contacts of a step: the implementation of the same functions in host/reduced/kernels/contacts_f32.inc,
 * which has the formulas. Multiplied by h^2. */

float normal_energy(contact_state c, float along, out float normal_force)
{
    precise const float rigid_compliance = RIGID_COMPLIANCE * c.response,
        compliance_excess = c.compliance - rigid_compliance;
    precise const float rigid = -(c.gap + along) / rigid_compliance, soft = -(c.soft_gap + along) / c.compliance;
    normal_force = min(max(rigid, soft), c.max_force);
    precise const float switch_force = (c.gap - c.soft_gap) / compliance_excess;
    const float soft_normal_force = min(compliance_excess > 0 ? switch_force : normal_force, normal_force);
    precise const float energy = (c.gap - c.soft_gap) * soft_normal_force -
        0.5 * compliance_excess * (soft_normal_force * soft_normal_force) -
                                 (c.gap + along + 0.5 * rigid_compliance * normal_force) * normal_force;
    return energy;
}

/* Energy of a grab's spring with bounded force. */
float grab_energy(contact_state c)
{
    precise const vec3 from = c.slip + c.moved;
    const float displacement = sqrt(dot_of(from, from));
    precise const float force = min(displacement / c.compliance, c.max_force),
        energy = force * (displacement - 0.5 * c.compliance * force);
    return energy;
}

float slip_length(contact_state c)
{
    precise const vec3 slip = c.slip + c.moved;
    const float along = dot_of(c.normal, slip);
    precise const float square = dot_of(slip, slip) - along * along;
    return square > 0 ? sqrt(square) : 0;
}

/* A contact's energy at c.moved, and the magnitude of its terms. */
vec2 energy_of_contact(contact_state c, bool is_grab, float friction)
{
    const float along = dot_of(c.normal, c.moved);
    precise float energy = 0, size = 0;
    if (is_grab) {
        energy = grab_energy(c);
    } else if (c.response > 0 && (c.gap + along < 0 || c.soft_gap + along < 0)) {
        float normal_force;
        energy = normal_energy(c, along, normal_force);
        size = normal_force * (abs(along) + abs(c.gap));
    }
    if (friction > 0) {
        energy += friction * slip_length(c);
        size += friction * (sqrt(dot_of(c.slip, c.slip)) + sqrt(dot_of(c.moved, c.moved)));
    }
    precise const vec2 sum = body.step2 * vec2(energy, size + energy);
    return sum;
}

/* Friction bound for the normal force of the last projection. */
float friction_of(contact_state c)
{
    precise const float friction = c.friction * dot_of(c.normal, c.force);
    return friction;
}

/* Energy of this invocation's contacts at the iterate, and magnitude. Friction bounds are those of the accepted point.
 */
vec2 own_energy()
{
    precise vec2 sum = vec2(0);
    [[unroll]] for (uint k = 0; k < OWN; ++k) {
        const uint i = own_contact(k);
        if (i < contact_count) {
            sum += energy_of_contact(load_contact(i, own_force[k], own_point[k]), i < body.grab_count,
                                     own_accepted_friction[k]);
        }
    }
    return sum;
}

/* Energy difference between image and iterate, less the work of the contact forces; and magnitude. */
vec2 own_rise()
{
    precise vec2 sum = vec2(0);
    [[unroll]] for (uint k = 0; k < OWN; ++k) {
        const uint i = own_contact(k);
        if (i < contact_count) {
            contact_state c = load_contact(i, own_force[k], own_point[k]);
            const bool is_grab = i < body.grab_count;
            const float friction = friction_of(c);
            const vec2 here = energy_of_contact(c, is_grab, friction);
            c.moved = own_moved[k];
            const vec2 there = energy_of_contact(c, is_grab, friction);
            precise const vec3 displacement = own_moved[k] - own_point[k];
            precise const float work = body.step2 * dot_of(c.force, displacement);
            sum += vec2(there.x - here.x + work, there.y + here.y);
        }
    }
    return sum;
}

/* Stores the forces of the accepted point; returns the energy change by new friction bounds. */
float store_accepted_forces()
{
    precise float sum = 0;
    [[unroll]] for (uint k = 0; k < OWN; ++k) {
        const uint i = own_contact(k);
        if (i < contact_count) {
            const contact_state c = load_contact(i, own_force[k], own_point[k]);
            const float friction = friction_of(c);
            sum += body.step2 * ((friction - own_accepted_friction[k]) * slip_length(c));
            own_accepted_friction[k] = friction;
            own_accepted_force[k] = own_force[k];
        }
    }
    return sum;
}
