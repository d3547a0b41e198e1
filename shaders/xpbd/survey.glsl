/* SPDX-License-Identifier: MIT */
/* Begin and end of a step, by one workgroup: the implementation of sn_xpbd_follow, _step_begin, _step_end and
 * _body_reset. */

#define SLEEP_SECONDS real(0.5)

// ---- state ----

void take_masses()
{
    for (uint row = lane; row < body.row_count; row += SN_XPBD_GROUP_SIZE) {
        const float mass = rests[body.rest + row].w;
        precise const float inverse = mass > 0 ? 1 / mass : 0;
        set_displacement(row, vec4(displacement(row).xyz, inverse));
        velocities[body.row + row].w = mass;
    }
    synchronise();
    for (uint i = lane; i < body.pin_count; i += SN_XPBD_GROUP_SIZE) {
        if (is_exact(i)) {
            const uint row = pins[first_pin + body.pin + i].row;
            set_displacement(row, vec4(displacement(row).xyz, 0));
            velocities[body.row + row].w = 0;
        }
    }
    synchronise();
    hold_carried();
}

/* Resets the body to rest around a position; is_after: with the pin targets at the end of the step. */
void put_to_rest(real3 place, bool is_after)
{
    set_origin(place);
    if (lane == 0) {
        statuses[body.body].still_seconds = kept_as(0);
    }
    for (uint row = lane; row < body.row_count; row += SN_XPBD_GROUP_SIZE) {
        set_displacement(row, vec4(0, 0, 0, displacement(row).w));
        velocities[body.row + row].xyz = vec3(0);
        predicted[body.row + row] = vec4(0);
    }
    synchronise();
    for (uint i = lane; i < body.pin_count; i += SN_XPBD_GROUP_SIZE) {
        const sn_xpbd_pin_record pin = pins[first_pin + body.pin + i];
        if (is_exact(i)) {
            precise const real3 held = (is_after ? triple(pin.target) : triple(pin.before)) - place;
            set_displacement(pin.row, vec4(vec3(held), displacement(pin.row).w));
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
void follow()
{
    for (uint block = lane; block < block_count(); block += SN_XPBD_GROUP_SIZE) {
        precise real3 sum = real3(0);
        const uint end = min((block + 1) * SN_XPBD_BLOCK, body.vertex_count);
        for (uint row = block * SN_XPBD_BLOCK; row < end; ++row) {
            sum += real3(displacement(row).xyz);
        }
        for (uint d = 0; d < 3; ++d) {
            keep_real(body.kept + SN_XPBD_MOMENTS * block + 2 * d, sum[d]);
        }
    }
    synchronise();
    if (lane < 3) {
        precise real mean = 0;
        for (uint block = 0; block < block_count(); ++block) {
            mean += kept_real(body.kept + SN_XPBD_MOMENTS * block + 2 * lane) / real(body.vertex_count);
        }
        sums[lane].x = mean;
    }
    synchronise();
    const real3 shift = real3(sums[0].x, sums[1].x, sums[2].x);
    const real size = sqrt(dot_of(shift, shift));
    if (size > loaded(body.diagonal) && is_finite(size)) {
        for (uint row = lane; row < body.vertex_count; row += SN_XPBD_GROUP_SIZE) {
            const vec4 u = displacement(row);
            precise const real3 moved = real3(u.xyz) - shift;
            set_displacement(row, vec4(vec3(moved), u.w));
        }
        precise const real3 place = origin() + shift;
        set_origin(place);
    }
    synchronise();
}

/* The hook push_skin applies the external forces of a coupling. */
void start_step()
{
    if (has_flag(SN_XPBD_FRESH) && lane == 0) {
        statuses[body.body].recovery_count = 0;
    }
    if (has_flag(SN_XPBD_WOKEN) && lane == 0) {
        statuses[body.body].still_seconds = kept_as(0);
    }
    if (has_flag(SN_XPBD_MASSES)) {
        take_masses();
    }
    if (has_flag(SN_XPBD_RESET)) {
        put_to_rest(triple(body.origin), false);
    }
    apply_impulses();
    push_skin();
    follow();
    if (lane == 0) {
        const bool may_sleep = loaded(body.sleep_speed) > 0;
        const bool is_asleep = may_sleep && loaded(statuses[body.body].still_seconds) >= SLEEP_SECONDS;
        statuses[body.body].is_asleep = is_asleep ? 1 : 0;
        statuses[body.body].is_recovered = 0;
        statuses[body.body].contact_count = 0;
    }
    synchronise();
}

// ---- end ----

bool is_held()
{
    return body.pin_count > 0 || is_carried();
}

/* Adds the mean pin target at the end of the step, or that of bone-attached vertices. */
real3 add_mean_pin(real3 place)
{
    precise real3 sum = place;
    if (is_carried()) {
        sum += carried_middle();
        return sum;
    }
    for (uint i = 0; i < body.pin_count; ++i) {
        sum += triple(pins[first_pin + body.pin + i].target) / real(body.pin_count);
    }
    return sum;
}

/* Maximum squared speed, and maximum squared distance from the pins; infinite if a vertex is not finite. */
real2 look()
{
    const real3 from = add_mean_pin(-origin());
    real2 most = real2(0);
    for (uint row = lane; row < body.vertex_count; row += SN_XPBD_GROUP_SIZE) {
        precise const real3 u = real3(displacement(row).xyz) - from, v = real3(velocities[body.row + row].xyz);
        const real2 squares = real2(dot_of(v, v), dot_of(u, u));
        const bool is_sound = is_finite(squares.x + squares.y);
        most = max(most, is_sound ? squares : real2(0, INFINITE));
    }
    sums[lane] = most;
    synchronise();
    for (uint i = 0; i < SN_XPBD_GROUP_SIZE; ++i) {
        most = max(most, sums[i]);
    }
    return most;
}

void finish_step()
{
    const real2 squares = look();
    const bool is_tethered = is_held() && loaded(body.farthest) > 0;
    const bool is_lost =
        !is_finite(squares.y) || (is_tethered && squares.y > loaded(body.farthest) * loaded(body.farthest));
    if (lane == 0) {
        const real still = loaded(statuses[body.body].still_seconds);
        precise const real later = still + loaded(body.step);
        const real sleepy = loaded(body.sleep_speed);
        statuses[body.body].still_seconds = kept_as(squares.x < sleepy * sleepy ? later : 0);
        statuses[body.body].is_recovered = is_lost ? 1 : 0;
        statuses[body.body].recovery_count += is_lost ? 1 : 0;
    }
    synchronise();
    if (is_lost) {
        put_to_rest(is_held() ? add_mean_pin(real3(0)) : triple(body.centre), true);
        pose_flesh();
    }
}
