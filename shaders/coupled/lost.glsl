/* SPDX-License-Identifier: MIT */
/* Speed limit, and recovery of bodies: the implementation of the end of a step in host/coupled/step.c and body.c. */

#define FASTEST real(30.0)
#define FARTHEST real(1000.0)

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

void calm()
{
    precise const real limit = FASTEST * loaded(rig.size);
    real fastest2 = 0;
    for (uint row = lane; row < body.vertex_count; row += SN_XPBD_GROUP_SIZE) {
        const real3 v = real3(velocities[body.row + row].xyz);
        const real speed2 = dot_of(v, v);
        fastest2 = speed2 > fastest2 ? speed2 : fastest2;
    }
    sums[lane].x = fastest2;
    synchronise();
    for (uint i = 0; i < SN_XPBD_GROUP_SIZE; ++i) {
        fastest2 = max(fastest2, sums[i].x);
    }
    synchronise();
    if (fastest2 > limit * limit) {
        limit_speeds(limit);
    }
}

// ---- reset ----

real3 place_moved(uint k, real4 turn, real3 shift)
{
    precise const real3 at_rest = pivot_of(k) + triple(rig.centre);
    const matrix3 r = matrix_of(turn);
    precise real3 place = shift;
    for (uint d = 0; d < 3; ++d) {
        for (uint e = 0; e < 3; ++e) {
            place[d] += row_of(r, d)[e] * at_rest[e];
        }
    }
    return place;
}

/* Resets a handle to rest, moved by a rotation and a translation in world space. */
void place_handle(uint k, real4 turn, real3 shift)
{
    set_work3(at_handle(k), place_moved(k, turn, shift));
    set_turn(k, turning_of(k) >= 0 ? turn : STILL);
    set_work_matrix(at_stretch(k), matrix_of(STILL));
    compose(k);
}

void keep_pose_before(uint k)
{
    const uint to = at_before() + SN_COUPLED_POSE_NUMBERS * k;
    for (uint i = 0; i < SN_COUPLED_POSE_NUMBERS; ++i) {
        set_state(to + i, work(at_handle(k) + (i < 3 ? i : i + 9)));
    }
}

/* Moves flesh at rest by a rigid transform. */
void move_flesh(matrix3 r, real3 shift)
{
    const real3 from = origin();
    precise const real3 place = multiply(r, from) + shift;
    for (uint row = lane; row < body.vertex_count; row += SN_XPBD_GROUP_SIZE) {
        const vec3 rest = rests[body.rest + row].xyz, u = displacement(row).xyz;
        precise const real3 now = real3(rest) + real3(u) + from;
        precise const real3 to = multiply(r, now) + shift;
        precise const real3 moved = to - place - real3(rest);
        set_displacement(row, vec4(vec3(moved), displacement(row).w));
    }
    synchronise();
    set_origin(place);
    synchronise();
}

/* Mean motion of the targets: a rotation, and a point before and after it. */
void mean_motion(out real4 turn, out real3 from, out real3 to)
{
    precise real4 sum = real4(0);
    precise real3 rests_of = real3(0), places = real3(0);
    uint count = 0;
    for (uint k = 0; k < rig.handle_count; ++k) {
        const uint at = own.target + SN_COUPLED_POSE_NUMBERS * k, locks = locks_of(k);
        const real4 q = real4(target3(at + 3), target_at(at + 6));
        if ((locks & 56u) != 0) {
            sum += dot4(q, sum) < 0 ? -q : q;
        }
        if ((locks & 7u) != 0) {
            ++count;
            rests_of += pivot_of(k) + triple(rig.centre);
            places += target3(at);
        }
    }
    precise const real3 mean_rest = rests_of / real(max(count, 1)), mean_place = places / real(max(count, 1));
    from = count > 0 ? mean_rest : triple(rig.centre);
    to = count > 0 ? mean_place : from;
    turn = normalized(sum);
}

/* The rigid motion of the flesh: its rotation and translation. */
void find_motion_of_flesh(out real4 turn, out real3 shift)
{
    if (lane < 16) {
        sums[lane].x = sum_rows(-1, lane);
    }
    synchronise();
    const real mass = sums[0].x;
    const real3 place = real3(sums[1].x, sums[2].x, sums[3].x), rest = real3(sums[4].x, sums[5].x, sums[6].x);
    precise const real3 x = real3(sums[7].x, sums[8].x, sums[9].x) - place.x * rest / mass;
    precise const real3 y = real3(sums[10].x, sums[11].x, sums[12].x) - place.y * rest / mass;
    precise const real3 z = real3(sums[13].x, sums[14].x, sums[15].x) - place.z * rest / mass;
    turn = nearest_turn(matrix3(x, y, z));
    precise const real3 moved = place / mass - multiply(matrix_of(turn), rest / mass);
    shift = moved;
    synchronise();
}

bool is_free_body()
{
    bool is_free = body.pin_count == 0;
    for (uint k = 0; k < rig.handle_count; ++k) {
        is_free = is_free && locks_of(k) == 0;
    }
    return is_free;
}

/* Rigid motion from rest to the mean of the targets, or of the pins. */
void mean_shift(out real4 turn, out real3 shift)
{
    real3 from, to;
    mean_motion(turn, from, to);
    if (body.pin_count > 0) { // the flesh is reset to the pins already
        turn = STILL;
        from = triple(rig.centre);
        to = origin();
    }
    const matrix3 r = matrix_of(turn);
    precise real3 moved = to;
    for (uint d = 0; d < 3; ++d) {
        for (uint e = 0; e < 3; ++e) {
            moved[d] -= row_of(r, d)[e] * from[e];
        }
    }
    shift = moved;
}

/* Resets the body to rest: at the flesh's position if it is valid and unconstrained, else at the targets or pins. */
void come_back(bool is_torn)
{
    const bool is_pinned = body.pin_count > 0, is_left = !is_torn && is_free_body();
    real4 turn;
    real3 shift;
    if (is_left) {
        find_motion_of_flesh(turn, shift);
    }
    put_to_rest(is_pinned ? add_mean_pin(real3(0)) : triple(rig.centre), true);
    if (!is_left) {
        mean_shift(turn, shift);
    }
    synchronise();
    if (!is_pinned) {
        move_flesh(matrix_of(turn), shift);
    }
    for (uint k = lane; k < rig.handle_count; k += SN_XPBD_GROUP_SIZE) {
        place_handle(k, turn, shift);
        keep_pose_before(k);
    }
    synchronise();
}

// ---- divergence ----

/* Whether a number is not finite, or the flesh is far from the locked targets. */
bool is_torn()
{
    precise real3 held = real3(0);
    bool is_sound = true;
    uint count = 0;
    for (uint k = 0; k < rig.handle_count; ++k) {
        for (uint i = 0; i < 12; ++i) {
            is_sound = is_sound && is_finite(work(at_handle(k) + i));
        }
        if ((locks_of(k) & 7u) != 0) {
            held += target3(own.target + SN_COUPLED_POSE_NUMBERS * k);
            ++count;
        }
    }
    precise const real3 away = held / real(max(count, 1)) - place_of_row(body.vertex_count / 2);
    const real distance = sqrt(dot_of(away, away));
    return !is_sound || (count > 0 && !(distance < FARTHEST * loaded(rig.size)));
}
