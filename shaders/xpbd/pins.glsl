/* SPDX-License-Identifier: MIT */
/* Pinned vertices: the implementation of the pins of host/xpbd/step.c, in double. */

/* Target displacement of a pin at a fraction of the step. */
real3 pin_target(sn_xpbd_pin_record pin, real fraction)
{
    const real3 before = triple(pin.before), target = triple(pin.target);
    precise const real3 position = before - origin() + fraction * (target - before);
    return position;
}

real fraction_of(uint substep)
{
    precise const real fraction = (real(substep) + real(1.0)) / real(body.substep_count);
    return fraction;
}

void move_pins(uint substep)
{
    for (uint i = lane; i < body.pin_count; i += SN_XPBD_GROUP_SIZE) {
        const sn_xpbd_pin_record pin = pins[first_pin + body.pin + i];
        if (is_hard_pin(i)) {
            const vec4 u = displacement(pin.row);
            const real3 position = pin_target(pin, fraction_of(substep));
            precise const real3 velocity = (position - real3(u.xyz)) / to_real(body.substep);
            velocities[body.row + pin.row].xyz = vec3(velocity);
            set_displacement(pin.row, vec4(vec3(position), u.w));
        }
    }
    synchronise();
}

/* C = x - target, three components at once. */
void solve_soft_pins(uint substep, bool is_first)
{
    for (uint i = lane; i < body.pin_count; i += SN_XPBD_GROUP_SIZE) {
        const sn_xpbd_pin_record pin = pins[first_pin + body.pin + i];
        if (is_hard_pin(i)) {
            continue;
        }
        const vec4 u = displacement(pin.row);
        const real3 position = pin_target(pin, fraction_of(substep)), x = real3(u.xyz);
        const real w = real(u.w);
        const real h = to_real(body.substep);
        precise const real compliance = real(1.0) / (to_real(pin.stiffness) * h * h);
        real3 multiplier = real3(0);
        for (uint d = 0; d < 3 && !is_first; ++d) {
            multiplier[d] = load_real(first_pin_word(i) + 2 * d);
        }
        precise const real3 change = -(x - position + compliance * multiplier) / (compliance + w);
        precise const real3 total = multiplier + change, moved = x + w * change;
        for (uint d = 0; d < 3 && body.sweep_count > 1; ++d) {
            store_real(first_pin_word(i) + 2 * d, total[d]);
        }
        set_displacement(pin.row, vec4(vec3(moved), u.w));
    }
    synchronise();
}
