/* SPDX-License-Identifier: MIT */
/* Begin and end of a step, by one workgroup: the implementation of sn_xpbd_recenter_origin, _step_begin, _step_end and
 * _body_reset. */

#define SLEEP_SECONDS real(0.5)

// ---- state ----

void load_masses()
{
    for (uint row = lane; row < body.row_count; row += SN_XPBD_GROUP_SIZE) {
        const float mass = rests[body.rest + row].w;
        precise const float inverse = mass > 0 ? 1 / mass : 0;
        set_displacement(row, vec4(displacement(row).xyz, inverse));
        velocities[body.row + row].w = mass;
    }
    synchronise();
    for (uint i = lane; i < body.pin_count; i += SN_XPBD_GROUP_SIZE) {
        if (is_hard_pin(i)) {
            const uint row = pins[first_pin + body.pin + i].row;
            set_displacement(row, vec4(displacement(row).xyz, 0));
            velocities[body.row + row].w = 0;
        }
    }
    synchronise();
    fix_attached();
}

/* Resets the body to rest around a position; is_after: with the pin targets at the end of the step. */
void reset_to_rest(real3 position, bool is_after)
{
    set_origin(position);
    if (lane == 0) {
        statuses[body.body].still_seconds = to_stored(0);
    }
    for (uint row = lane; row < body.row_count; row += SN_XPBD_GROUP_SIZE) {
        set_displacement(row, vec4(0, 0, 0, displacement(row).w));
        velocities[body.row + row].xyz = vec3(0);
        predicted[body.row + row] = vec4(0);
    }
    synchronise();
    for (uint i = lane; i < body.pin_count; i += SN_XPBD_GROUP_SIZE) {
        const sn_xpbd_pin_record pin = pins[first_pin + body.pin + i];
        if (is_hard_pin(i)) {
            precise const real3 pinned = (is_after ? triple(pin.target) : triple(pin.before)) - position;
            set_displacement(pin.row, vec4(vec3(pinned), displacement(pin.row).w));
        }
    }
    synchronise();
}

void apply_impulses()
{
    for (uint i = 0; i < body.impulse_count && lane == 0; ++i) {
        const sn_xpbd_impulse_record impulse = impulses[first_impulse + body.impulse + i];
        const uint at = body.row + impulse.row;
        const real per_mass = real(displacement(impulse.row).w);
        precise const real3 velocity = real3(velocities[at].xyz) + per_mass * triple(impulse.impulse);
        if (is_finite(velocity.x + velocity.y + velocity.z)) {
            velocities[at].xyz = vec3(velocity);
        }
    }
    synchronise();
}

// ---- begin ----

/* Moves the origin along if the body has moved by more than its diagonal. The mean is summed over blocks, in order. */
void recenter_origin()
{
    for (uint block = lane; block < block_count(); block += SN_XPBD_GROUP_SIZE) {
        precise real3 sum = real3(0);
        const uint end = min((block + 1) * SN_XPBD_BLOCK, body.vertex_count);
        for (uint row = block * SN_XPBD_BLOCK; row < end; ++row) {
            sum += real3(displacement(row).xyz);
        }
        for (uint d = 0; d < 3; ++d) {
            store_real(body.scratch + SN_XPBD_MOMENTS * block + 2 * d, sum[d]);
        }
    }
    synchronise();
    if (lane < 3) {
        precise real mean = 0;
        for (uint block = 0; block < block_count(); ++block) {
            mean += load_real(body.scratch + SN_XPBD_MOMENTS * block + 2 * lane) / real(body.vertex_count);
        }
        sums[lane].x = mean;
    }
    synchronise();
    const real3 shift = real3(sums[0].x, sums[1].x, sums[2].x);
    const real size = sqrt(dot_of(shift, shift));
    if (size > to_real(body.diagonal) && is_finite(size)) {
        for (uint row = lane; row < body.vertex_count; row += SN_XPBD_GROUP_SIZE) {
            const vec4 u = displacement(row);
            precise const real3 moved = real3(u.xyz) - shift;
            set_displacement(row, vec4(vec3(moved), u.w));
        }
        precise const real3 position = origin() + shift;
        set_origin(position);
    }
    synchronise();
}

/* The hook apply_skin_forces applies the external forces of a coupling. */
void start_step()
{
    if (has_flag(SN_XPBD_ADDED) && lane == 0) {
        statuses[body.body].recovery_count = 0;
    }
    if (has_flag(SN_XPBD_WAKE) && lane == 0) {
        statuses[body.body].still_seconds = to_stored(0);
    }
    if (has_flag(SN_XPBD_PINS_CHANGED)) {
        load_masses();
    }
    if (has_flag(SN_XPBD_RESET)) {
        reset_to_rest(triple(body.origin), false);
    }
    apply_impulses();
    apply_skin_forces();
    recenter_origin();
    if (lane == 0) {
        const bool can_sleep = to_real(body.sleep_speed) > 0;
        const bool is_asleep = can_sleep && to_real(statuses[body.body].still_seconds) >= SLEEP_SECONDS;
        statuses[body.body].is_asleep = is_asleep ? 1 : 0;
        statuses[body.body].is_recovered = 0;
        statuses[body.body].contact_count = 0;
    }
    synchronise();
}

// ---- end ----

bool is_constrained()
{
    return body.pin_count > 0 || has_attached();
}

/* Adds the mean pin target at the end of the step, or that of bone-attached vertices. */
real3 add_mean_target(real3 position)
{
    precise real3 sum = position;
    if (has_attached()) {
        sum += mean_attached();
        return sum;
    }
    for (uint i = 0; i < body.pin_count; ++i) {
        sum += triple(pins[first_pin + body.pin + i].target) / real(body.pin_count);
    }
    return sum;
}

/* Maximum squared speed, and maximum squared distance from the pins; REAL_MAX if a vertex is not finite. */
real2 measure_extremes()
{
    const real3 from = add_mean_target(-origin());
    real2 max_squares = real2(0);
    for (uint row = lane; row < body.vertex_count; row += SN_XPBD_GROUP_SIZE) {
        precise const real3 u = real3(displacement(row).xyz) - from, v = real3(velocities[body.row + row].xyz);
        const real2 squares = real2(dot_of(v, v), dot_of(u, u));
        const bool is_valid = is_finite(squares.x + squares.y);
        max_squares = max(max_squares, is_valid ? squares : real2(0, REAL_MAX));
    }
    sums[lane] = max_squares;
    synchronise();
    for (uint i = 0; i < SN_XPBD_GROUP_SIZE; ++i) {
        max_squares = max(max_squares, sums[i]);
    }
    return max_squares;
}

void finish_step()
{
    const real2 squares = measure_extremes();
    const bool is_tethered = is_constrained() && to_real(body.max_distance) > 0;
    const bool is_diverged =
        squares.y >= REAL_MAX || (is_tethered && squares.y > to_real(body.max_distance) * to_real(body.max_distance));
    if (lane == 0) {
        const real still_time = to_real(statuses[body.body].still_seconds);
        precise const real later = still_time + to_real(body.step);
        const real threshold = to_real(body.sleep_speed);
        statuses[body.body].still_seconds = to_stored(squares.x < threshold * threshold ? later : 0);
        statuses[body.body].is_recovered = is_diverged ? 1 : 0;
        statuses[body.body].recovery_count += is_diverged ? 1 : 0;
    }
    synchronise();
    if (is_diverged) {
        reset_to_rest(is_constrained() ? add_mean_target(real3(0)) : triple(body.centre), true);
        pose_flesh();
    }
}
