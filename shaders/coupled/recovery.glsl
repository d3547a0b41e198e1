/* SPDX-License-Identifier: MIT */
/* Speed limit, and recovery of bodies: the implementation of the end of a step in host/coupled/step.c and body.c. */

#define MAX_SPEED real(30.0)
#define MAX_DISTANCE real(1000.0)

// ---- speed limit ----

/* A component of the momentum, or the mass (3), of all rows. */
real sum_momentum(uint component)
{
    precise real sum = 0;
    for (uint row = 0; row < body.vertex_count; ++row) {
        const vec4 v = velocities[body.row + row];
        const real mass = real(v.w), factor = component == 3 ? 1 : real(v[component]);
        sum += mass * factor;
    }
    return sum;
}

void limit_speeds(real limit)
{
    if (lane < 4) {
        sums[lane].x = sum_momentum(lane);
    }
    synchronise();
    precise const real3 momentum = real3(sums[0].x, sums[1].x, sums[2].x);
    const real mass = sums[3].x;
    precise const real3 mean = momentum / mass;
    for (uint row = lane; row < body.vertex_count; row += SN_XPBD_GROUP_SIZE) {
        precise const real3 v = real3(velocities[body.row + row].xyz) - (mass > 0 ? mean : real3(0));
        const real speed = sqrt(dot_of(v, v));
        if (speed > limit) {
            precise const real3 limited = (mass > 0 ? mean : real3(0)) + v * limit / speed;
            velocities[body.row + row].xyz = vec3(limited);
        }
    }
    synchronise();
}

void check_speeds()
{
    precise const real limit = MAX_SPEED * to_real(rig.size);
    real max_speed2 = 0;
    for (uint row = lane; row < body.vertex_count; row += SN_XPBD_GROUP_SIZE) {
        const real3 v = real3(velocities[body.row + row].xyz);
        const real speed2 = dot_of(v, v);
        max_speed2 = speed2 > max_speed2 ? speed2 : max_speed2;
    }
    sums[lane].x = max_speed2;
    synchronise();
    for (uint i = 0; i < SN_XPBD_GROUP_SIZE; ++i) {
        max_speed2 = max(max_speed2, sums[i].x);
    }
    synchronise();
    if (max_speed2 > limit * limit) {
        limit_speeds(limit);
    }
}

// ---- reset ----

real3 moved_position(uint k, real4 rotation, real3 shift)
{
    precise const real3 at_rest = pivot_of(k) + triple(rig.centre);
    const matrix3 r = matrix_of(rotation);
    precise real3 position = shift;
    for (uint d = 0; d < 3; ++d) {
        for (uint e = 0; e < 3; ++e) {
            position[d] += row_of(r, d)[e] * at_rest[e];
        }
    }
    return position;
}

/* Resets a handle to rest, moved by a rotation and a translation in world space. */
void reset_handle(uint k, real4 rotation, real3 shift)
{
    set_work3(at_handle(k), moved_position(k, rotation, shift));
    set_rotation(k, rotation_column_of(k) >= 0 ? rotation : IDENTITY_ROTATION);
    set_work_matrix(at_stretch(k), matrix_of(IDENTITY_ROTATION));
    compose(k);
}

void store_previous_pose(uint k)
{
    const uint to = at_previous_pose() + SN_COUPLED_POSE_NUMBERS * k;
    for (uint i = 0; i < SN_COUPLED_POSE_NUMBERS; ++i) {
        set_state(to + i, work(at_handle(k) + (i < 3 ? i : i + 9)));
    }
}

/* Moves flesh at rest by a rigid transform. */
void move_flesh(matrix3 r, real3 shift)
{
    const real3 from = origin();
    precise const real3 position = multiply(r, from) + shift;
    for (uint row = lane; row < body.vertex_count; row += SN_XPBD_GROUP_SIZE) {
        const vec3 rest = rests[body.rest + row].xyz, u = displacement(row).xyz;
        precise const real3 now = real3(rest) + real3(u) + from;
        precise const real3 to = multiply(r, now) + shift;
        precise const real3 moved = to - position - real3(rest);
        set_displacement(row, vec4(vec3(moved), displacement(row).w));
    }
    synchronise();
    set_origin(position);
    synchronise();
}

/* Mean motion of the targets: a rotation, and a point before and after it. */
void mean_motion(out real4 rotation, out real3 from, out real3 to)
{
    precise real4 sum = real4(0);
    precise real3 rest_sum = real3(0), position_sum = real3(0);
    uint count = 0;
    for (uint k = 0; k < rig.handle_count; ++k) {
        const uint at = own.target + SN_COUPLED_POSE_NUMBERS * k, locks = locks_of(k);
        const real4 q = real4(target3(at + 3), target_at(at + 6));
        if ((locks & 56u) != 0) {
            sum += dot4(q, sum) < 0 ? -q : q;
        }
        if ((locks & 7u) != 0) {
            ++count;
            rest_sum += pivot_of(k) + triple(rig.centre);
            position_sum += target3(at);
        }
    }
    precise const real3 mean_rest = rest_sum / real(max(count, 1)), mean_position = position_sum / real(max(count, 1));
    from = count > 0 ? mean_rest : triple(rig.centre);
    to = count > 0 ? mean_position : from;
    rotation = normalized(sum);
}

/* The rigid motion of the flesh: its rotation and translation. */
void find_motion_of_flesh(out real4 rotation, out real3 shift)
{
    if (lane < 16) {
        sums[lane].x = sum_rows(-1, lane);
    }
    synchronise();
    const real mass = sums[0].x;
    const real3 position = real3(sums[1].x, sums[2].x, sums[3].x), rest = real3(sums[4].x, sums[5].x, sums[6].x);
    precise const real3 x = real3(sums[7].x, sums[8].x, sums[9].x) - position.x * rest / mass;
    precise const real3 y = real3(sums[10].x, sums[11].x, sums[12].x) - position.y * rest / mass;
    precise const real3 z = real3(sums[13].x, sums[14].x, sums[15].x) - position.z * rest / mass;
    rotation = nearest_rotation(matrix3(x, y, z));
    precise const real3 moved = position / mass - multiply(matrix_of(rotation), rest / mass);
    shift = moved;
    synchronise();
}

bool is_unconstrained()
{
    bool is_free = body.pin_count == 0;
    for (uint k = 0; k < rig.handle_count; ++k) {
        is_free = is_free && locks_of(k) == 0;
    }
    return is_free;
}

/* Rigid motion from rest to the mean of the targets, or of the pins. */
void mean_shift(out real4 rotation, out real3 shift)
{
    real3 from, to;
    mean_motion(rotation, from, to);
    if (body.pin_count > 0) { // the flesh is reset to the pins already
        rotation = IDENTITY_ROTATION;
        from = triple(rig.centre);
        to = origin();
    }
    const matrix3 r = matrix_of(rotation);
    precise real3 moved = to;
    for (uint d = 0; d < 3; ++d) {
        for (uint e = 0; e < 3; ++e) {
            moved[d] -= row_of(r, d)[e] * from[e];
        }
    }
    shift = moved;
}

/* Resets the body to rest: at the flesh's position if it is valid and unconstrained, else at the targets or pins. */
void reset_body(bool is_invalid)
{
    const bool is_pinned = body.pin_count > 0, stays_in_place = !is_invalid && is_unconstrained();
    real4 rotation;
    real3 shift;
    if (stays_in_place) {
        find_motion_of_flesh(rotation, shift);
    }
    reset_to_rest(is_pinned ? add_mean_target(real3(0)) : triple(rig.centre), true);
    if (!stays_in_place) {
        mean_shift(rotation, shift);
    }
    synchronise();
    if (!is_pinned) {
        move_flesh(matrix_of(rotation), shift);
    }
    for (uint k = lane; k < rig.handle_count; k += SN_XPBD_GROUP_SIZE) {
        reset_handle(k, rotation, shift);
        store_previous_pose(k);
    }
    synchronise();
}

// ---- divergence ----

/* Whether a number is not finite, or the flesh is far from the locked targets. */
bool is_invalid()
{
    precise real3 locked_sum = real3(0);
    bool is_valid = true;
    uint count = 0;
    for (uint k = 0; k < rig.handle_count; ++k) {
        for (uint i = 0; i < 12; ++i) {
            is_valid = is_valid && is_finite(work(at_handle(k) + i));
        }
        if ((locks_of(k) & 7u) != 0) {
            locked_sum += target3(own.target + SN_COUPLED_POSE_NUMBERS * k);
            ++count;
        }
    }
    precise const real3 offset = locked_sum / real(max(count, 1)) - row_position(body.vertex_count / 2);
    const real distance = sqrt(dot_of(offset, offset));
    return !is_valid || (count > 0 && !(is_finite(distance) && distance < MAX_DISTANCE * to_real(rig.size)));
}
