/* SPDX-License-Identifier: MIT */
/* Energy of the contacts of a step: the implementation of the same functions in host/reduced/kernels/contacts_f32.inc,
 * which has the formulas. Multiplied by h^2. */

float press_energy(touching c, float along, out float press)
{
    precise const float rigid_give = COMPLIANCE * c.response,
        softer = c.give - rigid_give;
    precise const float rigid = -(c.gap + along) / rigid_give, soft = -(c.outer_gap + along) / c.give;
    press = min(max(rigid, soft), c.strongest);
    precise const float turns = (c.gap - c.outer_gap) / softer;
    const float press_soft = min(softer > 0 ? turns : press, press);
    precise const float energy = (c.gap - c.outer_gap) * press_soft -
        0.5 * softer * (press_soft * press_soft) -
                                 (c.gap + along + 0.5 * rigid_give * press) * press;
    return energy;
}

/* Energy of a grab's spring with bounded force. */
float grab_energy(touching c)
{
    precise const vec3 from = c.slide + c.moved;
    const float way = sqrt(dot_of(from, from));
    precise const float force = min(way / c.give, c.strongest),
        energy = force * (way - 0.5 * c.give * force);
    return energy;
}

float slid_length(touching c)
{
    precise const vec3 slide = c.slide + c.moved;
    const float along = dot_of(c.normal, slide);
    precise const float square = dot_of(slide, slide) - along * along;
    return square > 0 ? sqrt(square) : 0;
}

/* A contact's energy at c.moved, and the magnitude of its terms. */
vec2 energy_of_contact(touching c, bool is_grab, float friction)
{
    const float along = dot_of(c.normal, c.moved);
    precise float energy = 0, size = 0;
    if (is_grab) {
        energy = grab_energy(c);
    } else if (c.response > 0 && (c.gap + along < 0 || c.outer_gap + along < 0)) {
        float press;
        energy = press_energy(c, along, press);
        size = press * (abs(along) + abs(c.gap));
    }
    if (friction > 0) {
        energy += friction * slid_length(c);
        size += friction * (sqrt(dot_of(c.slide, c.slide)) + sqrt(dot_of(c.moved, c.moved)));
    }
    precise const vec2 sum = body.step2 * vec2(energy, size + energy);
    return sum;
}

/* Friction bound for the normal force of the last projection. */
float friction_of(touching c)
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
                                     own_friction_kept[k]);
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
            touching c = load_contact(i, own_force[k], own_point[k]);
            const bool is_grab = i < body.grab_count;
            const float friction = friction_of(c);
            const vec2 here = energy_of_contact(c, is_grab, friction);
            c.moved = own_moved[k];
            const vec2 there = energy_of_contact(c, is_grab, friction);
            precise const vec3 way = own_moved[k] - own_point[k];
            precise const float work = body.step2 * dot_of(c.force, way);
            sum += vec2(there.x - here.x + work, there.y + here.y);
        }
    }
    return sum;
}

/* Stores the forces of the accepted point; returns the energy change by new friction bounds. */
float keep_forces()
{
    precise float sum = 0;
    [[unroll]] for (uint k = 0; k < OWN; ++k) {
        const uint i = own_contact(k);
        if (i < contact_count) {
            const touching c = load_contact(i, own_force[k], own_point[k]);
            const float friction = friction_of(c);
            sum += body.step2 * ((friction - own_friction_kept[k]) * slid_length(c));
            own_friction_kept[k] = friction;
            own_force_kept[k] = own_force[k];
        }
    }
    return sum;
}
