/* SPDX-License-Identifier: MIT */
/* Pinned vertices: the twin of what host/xpbd/step.c does with pins, in double. */

/* The displacement that a pin asks for at a fraction of the step. */
dvec3 pin_place(sn_xpbd_pin_record pin, double fraction)
{
    const dvec3 before = triple(pin.before), target = triple(pin.target);
    precise const dvec3 place = before - origin() + fraction * (target - before);
    return place;
}

double fraction_of(uint substep)
{
    precise const double fraction = (double(substep) + 1.0LF) / double(body.substep_count);
    return fraction;
}

void move_pins(uint substep)
{
    for (uint i = lane; i < body.pin_count; i += SN_XPBD_GROUP_SIZE) {
        const sn_xpbd_pin_record pin = pins[first_pin + body.pin + i];
        if (is_exact(i)) {
            const vec4 u = displacement(pin.row);
            const dvec3 place = pin_place(pin, fraction_of(substep));
            precise const dvec3 velocity = (place - dvec3(u.xyz)) / body.substep;
            velocities[body.row + pin.row].xyz = vec3(velocity);
            set_displacement(pin.row, vec4(vec3(place), u.w));
        }
    }
    synchronise();
}

/* C = x - place, three at once. */
void pull_to_pins(uint substep, bool is_first)
{
    for (uint i = lane; i < body.pin_count; i += SN_XPBD_GROUP_SIZE) {
        const sn_xpbd_pin_record pin = pins[first_pin + body.pin + i];
        if (is_exact(i)) {
            continue;
        }
        const vec4 u = displacement(pin.row);
        const dvec3 place = pin_place(pin, fraction_of(substep)), x = dvec3(u.xyz);
        const double w = double(u.w);
        precise const double compliance = 1.0LF / (pin.stiffness * body.substep * body.substep);
        dvec3 multiplier = dvec3(0);
        for (uint d = 0; d < 3 && !is_first; ++d) {
            multiplier[d] = kept_double(first_pin_word(i) + 2 * d);
        }
        precise const dvec3 change = -(x - place + compliance * multiplier) / (compliance + w);
        precise const dvec3 total = multiplier + change, moved = x + w * change;
        for (uint d = 0; d < 3 && body.sweep_count > 1; ++d) {
            keep_double(first_pin_word(i) + 2 * d, total[d]);
        }
        set_displacement(pin.row, vec4(vec3(moved), u.w));
    }
    synchronise();
}
