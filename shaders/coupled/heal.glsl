/* SPDX-License-Identifier: MIT */
/* What a step ends with: flung vertices, elements inside out, handles turned against their flesh, and bodies that are
 * lost. The twin of host/coupled/heal.c, and of what step.c and body.c do there. */

#define FASTEST real(30.0)
#define FARTHEST real(1000.0)
#define MOST_ROUNDS 8
#define LEAST (1 / real(50))
#define LEAST_OF_HANDLES (1 / real(10))
#define SHARE real(0.5)
#define ALIKE real(0.5)
#define CLEAR (1 / real(50))

/* Numbers of at_counts. */
#define HEALED 0
#define TANGLED_ROUNDS 1
#define TURNED_ROUNDS 2
#define IS_TANGLED 3
#define IS_TURNED 4

real3 cross_of(real3 a, real3 b)
{
    precise const real3 cross = a.yzx * b.zxy - a.zxy * b.yzx;
    return cross;
}

// ---- rows ----

real3 place_of_row(uint row)
{
    precise const real3 place = real3(rests[body.rest + row].xyz) + real3(displacement(row).xyz) + origin();
    return place;
}

void put_row(uint row, real3 place)
{
    precise const real3 moved = place - origin() - real3(rests[body.rest + row].xyz);
    set_displacement(row, vec4(vec3(moved), displacement(row).w));
}

/* An affine handle that has been turned inside out counts as its rotation. */
matrix3 sound_linear(uint k)
{
    const matrix3 linear = linear_of(k);
    if (dot_of(linear.x, cross_of(linear.y, linear.z)) < LEAST_OF_HANDLES) {
        return matrix_of(polar(linear, turn_of(k)));
    }
    return linear;
}

real3 skinned_row(uint row)
{
    const uint block = row / SN_XPBD_BLOCK, end = tables[rig.starts + block + 1];
    precise real3 place = real3(0);
    for (uint slot = tables[rig.starts + block]; slot < end; ++slot) {
        const real weight = real(weights[rig.weights + SN_XPBD_BLOCK * slot + row % SN_XPBD_BLOCK]);
        const uint k = tables[rig.slot_handles + slot];
        precise const real3 arm = real3(rests[body.rest + row].xyz) - pivot_of(k);
        place += weight * (place_of_handle(k) + multiply(sound_linear(k), arm));
    }
    return place;
}

void draw_back(uint row, real share)
{
    if (displacement(row).w > 0) {
        const real3 from = place_of_row(row), to = skinned_row(row);
        precise const real3 between = from + share * (to - from);
        put_row(row, between);
    }
}

// ---- speed ----

/* A momentum, or the mass, of all rows. */
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

// ---- elements ----

uint first_corner()
{
    return own.elements + SN_COUPLED_ROUND + 1;
}

/* Area or volume, times 2 or 6, by that at rest. */
real growth_of(uint element)
{
    const uint corner_count = dimension + 1, at = first_corner() + corner_count * element;
    const uint base = tables[at + dimension];
    real3 now[3], rest[3];
    now[2] = rest[2] = real3(0, 0, 1);
    for (uint k = 0; k < dimension; ++k) {
        const uint row = tables[at + k];
        precise const real3 edge = real3(rests[body.rest + row].xyz) - real3(rests[body.rest + base].xyz);
        precise const real3 moved = edge + (real3(displacement(row).xyz) - real3(displacement(base).xyz));
        rest[k] = edge;
        now[k] = moved;
    }
    precise const real growth = dot_of(now[0], cross_of(now[1], now[2])) / dot_of(rest[0], cross_of(rest[1], rest[2]));
    return growth;
}

/* Whether one of the part is inside out; these are few, if any, and go one after the other. */
bool heal_part(uint part)
{
    const uint first = tables[own.elements + part], last = tables[own.elements + part + 1];
    bool is_found = false;
    for (uint element = first + lane; element < last && !is_found; element += SN_XPBD_GROUP_SIZE) {
        is_found = growth_of(element) < LEAST;
    }
    sums[lane].x = is_found ? 1 : 0;
    synchronise();
    bool is_any = false;
    for (uint i = 0; i < SN_XPBD_GROUP_SIZE; ++i) {
        is_any = is_any || sums[i].x > 0;
    }
    synchronise();
    for (uint element = first; element < last && is_any && lane == 0; ++element) {
        const bool is_out = growth_of(element) < LEAST;
        for (uint k = 0; k <= dimension && is_out; ++k) {
            draw_back(tables[first_corner() + (dimension + 1) * element + k], SHARE);
        }
    }
    synchronise();
    return is_any;
}

// ---- handles ----

/* One of the sums over the rows that a handle weighs, or over all: mass; place; place at rest; their product (9); their
 * squares. */
real sum_rows(int k, uint component)
{
    const uint begin = k < 0 ? 0 : tables[rig.handle_starts + k];
    const uint end = k < 0 ? block_count() : tables[rig.handle_starts + k + 1];
    precise real sum = 0;
    for (uint at = begin; at < end; ++at) {
        const uint block = k < 0 ? at : tables[rig.slot_blocks + at];
        for (uint i = 0; i < SN_XPBD_BLOCK; ++i) {
            const uint row = SN_XPBD_BLOCK * block + i;
            const uint slot = k < 0 ? 0 : tables[rig.slots + at];
            const real weight = k < 0 ? 1 : real(weights[rig.weights + SN_XPBD_BLOCK * slot + i]);
            if (row >= body.vertex_count || !(weight > 0)) {
                continue;
            }
            const real3 now = place_of_row(row);
            precise const real3 rest = real3(rests[body.rest + row].xyz) + triple(rig.centre);
            precise const real m = weight * real(rests[body.rest + row].w);
            const uint c = component - 7;
            precise real term = m;
            if (component >= 16) {
                term *= component == 16 ? dot_of(now, now) : dot_of(rest, rest);
            } else if (component >= 7) {
                term *= now[c / 3];
                term *= rest[c % 3];
            } else if (component > 0) {
                term *= component < 4 ? now[component - 1] : rest[component - 4];
            }
            sum += term;
        }
    }
    return sum;
}

real4 nearest_turn(matrix3 moment)
{
    return dimension == 2 ? polar_z(moment) : polar(moment, STILL);
}

real correlation(matrix3 moment, real4 turn)
{
    const matrix3 r = matrix_of(turn);
    precise real sum = 0;
    for (uint d = 0; d < 3; ++d) {
        precise const real3 along = row_of(r, d) * row_of(moment, d);
        sum += along.x;
        sum += along.y;
        sum += along.z;
    }
    return sum;
}

/* Whether a handle is turned against its flesh; the flesh's own rotation. For all invocations alike. */
bool is_turned(uint k, out real4 turn)
{
    turn = STILL;
    if (lane < 18) {
        sums[lane].x = sum_rows(int(k), lane);
    }
    synchronise();
    const real mass = sums[0].x;
    const real3 place = real3(sums[1].x, sums[2].x, sums[3].x), rest = real3(sums[4].x, sums[5].x, sums[6].x);
    precise const real place_square = sums[16].x - dot_of(place, place) / mass;
    precise const real rest_square = sums[17].x - dot_of(rest, rest) / mass;
    precise const real3 x = real3(sums[7].x, sums[8].x, sums[9].x) - place.x * rest / mass;
    precise const real3 y = real3(sums[10].x, sums[11].x, sums[12].x) - place.y * rest / mass;
    precise const real3 z = real3(sums[13].x, sums[14].x, sums[15].x) - place.z * rest / mass;
    precise const real most = sqrt(max(place_square, 0) * max(rest_square, 0));
    synchronise();
    if (!(mass > 0)) {
        return false;
    }
    const matrix3 cross = matrix3(x, y, z);
    turn = nearest_turn(cross);
    const real4 now = turn_of(k);
    const real found = correlation(cross, turn), cosine = dot4(turn, now);
    precise const real less = found - correlation(cross, now), full = 2 * cosine * cosine;
    return full < 1 && found > ALIKE * most && less > CLEAR * most;
}

/* Weight of a handle in a row. */
real weight_of(uint k, uint row)
{
    const uint block = row / SN_XPBD_BLOCK, end = tables[rig.starts + block + 1];
    for (uint slot = tables[rig.starts + block]; slot < end; ++slot) {
        if (tables[rig.slot_handles + slot] == k) {
            return real(weights[rig.weights + SN_XPBD_BLOCK * slot + row % SN_XPBD_BLOCK]);
        }
    }
    return 0;
}

/* Flesh to what is locked: as a whole, where no other handle says how it is turned; else what the handle weighs. */
void put_flesh(uint k, real4 turn)
{
    uint locked_count = 0;
    for (uint i = 0; i < rig.handle_count; ++i) {
        locked_count += (locks_of(i) & 56u) != 0 ? 1 : 0;
    }
    const bool is_whole = locked_count == 1 && body.pin_count == 0;
    const matrix3 r = matrix_of(turned_by(turn_of(k), conjugate(turn)));
    const real3 pivot = place_of_handle(k);
    for (uint row = lane; row < body.vertex_count; row += SN_XPBD_GROUP_SIZE) {
        if (!is_whole) {
            draw_back(row, weight_of(k, row));
        } else if (displacement(row).w > 0) {
            precise const real3 arm = place_of_row(row) - pivot;
            precise const real3 place = pivot + multiply(r, arm);
            put_row(row, place);
        }
    }
    synchronise();
}

/* A part of the handles. Whether one of those that are locked is turned. */
bool turn_back(uint part, bool is_late)
{
    bool is_any = false;
    for (uint k = part; k < rig.handle_count; k += SN_COUPLED_ROUND) {
        const bool is_locked = (locks_of(k) & 56u) != 0;
        real4 turn;
        if (turning_of(k) < 0 || (!is_locked && kind_of(k) == SN_COUPLED_AFFINE) || !is_turned(k, turn)) {
            continue;
        }
        is_any = is_any || is_locked;
        synchronise();
        if (!is_locked) {
            if (lane == 0) {
                set_turn(k, turn);
                compose(k);
            }
            place_joints();
        } else if (is_late) {
            put_flesh(k, turn);
        }
    }
    return is_any;
}

// ---- back to rest ----

/* At rest, moved by a rotation and a shift of the world. */
void place_handle(uint k, real4 turn, real3 shift)
{
    precise const real3 at_rest = pivot_of(k) + triple(rig.centre);
    const matrix3 r = matrix_of(turn);
    precise real3 place = shift;
    for (uint d = 0; d < 3; ++d) {
        for (uint e = 0; e < 3; ++e) {
            place[d] += row_of(r, d)[e] * at_rest[e];
        }
    }
    set_work3(at_handle(k), place);
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

/* Flesh at rest, moved by a rigid transform. */
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
    if (lane == 0) {
        set_origin(place);
    }
    synchronise();
}

/* What the targets are moved by in the mean: a rotation, and where it takes a point. */
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

void reset_body()
{
    const bool is_pinned = body.pin_count > 0;
    real4 turn;
    real3 from, to;
    put_to_rest(is_pinned ? add_mean_pin(real3(0)) : triple(rig.centre), true);
    mean_motion(turn, from, to);
    if (is_pinned) { // there the flesh is already
        turn = STILL;
        from = triple(rig.centre);
        to = origin();
    }
    const matrix3 r = matrix_of(turn);
    precise real3 shift = to;
    for (uint d = 0; d < 3; ++d) {
        for (uint e = 0; e < 3; ++e) {
            shift[d] -= row_of(r, d)[e] * from[e];
        }
    }
    synchronise();
    if (!is_pinned) {
        move_flesh(r, shift);
    }
    for (uint k = lane; k < rig.handle_count; k += SN_XPBD_GROUP_SIZE) {
        place_handle(k, turn, shift);
        keep_pose_before(k);
    }
    synchronise();
}

/* The flesh's rigid motion: its centre's, and its rotation. */
void find_motion_of_flesh(out real4 turn, out real3 shift)
{
    if (lane < 16) {
        sums[lane].x = sum_rows(-1, lane);
    }
    synchronise();
    const real mass = sums[0].x;
    const real3 place = real3(sums[1].x, sums[2].x, sums[3].x), rest = real3(sums[4].x, sums[5].x, sums[6].x);
    const matrix3 moment = matrix3(real3(sums[7].x, sums[8].x, sums[9].x) - place.x * rest / mass,
                             real3(sums[10].x, sums[11].x, sums[12].x) - place.y * rest / mass,
                             real3(sums[13].x, sums[14].x, sums[15].x) - place.z * rest / mass);
    turn = nearest_turn(moment);
    shift = place / mass - multiply(matrix_of(turn), rest / mass);
    synchronise();
}

/* To rest, where the flesh is: nothing holds it. */
void settle_where_it_is()
{
    real4 turn;
    real3 shift;
    find_motion_of_flesh(turn, shift);
    put_to_rest(triple(rig.centre), true);
    move_flesh(matrix_of(turn), shift);
    for (uint k = lane; k < rig.handle_count; k += SN_XPBD_GROUP_SIZE) {
        place_handle(k, turn, shift);
        keep_pose_before(k);
    }
    synchronise();
}

// ---- all of it ----

real count_of(uint which)
{
    return state_at(at_counts() + which);
}

bool is_free_body()
{
    bool is_free = body.pin_count == 0;
    for (uint k = 0; k < rig.handle_count; ++k) {
        is_free = is_free && locks_of(k) == 0;
    }
    return is_free;
}

/* Returns whether all of the body had to come back. */
bool heal()
{
    const uint part = (uint(count_of(HEALED)) + 1) % SN_COUPLED_ROUND;
    const real tangled_rounds = count_of(TANGLED_ROUNDS), turned_rounds = count_of(TURNED_ROUNDS);
    const bool was_tangled = count_of(IS_TANGLED) != 0, was_turned = count_of(IS_TURNED) != 0;
    const bool is_tangled = heal_part(part) || was_tangled;
    const bool has_turned = turn_back(part, turned_rounds >= MOST_ROUNDS) || was_turned;
    const real tangled = part > 0 ? tangled_rounds : is_tangled && is_free_body() ? tangled_rounds + 1 : 0;
    const bool is_lost = tangled >= MOST_ROUNDS;
    synchronise();
    if (lane == 0) {
        const uint at = at_counts();
        set_state(at + HEALED, part);
        set_state(at + TANGLED_ROUNDS, is_lost ? 0 : tangled);
        set_state(at + TURNED_ROUNDS, part > 0 ? turned_rounds : has_turned ? turned_rounds + 1 : 0);
        set_state(at + IS_TANGLED, part > 0 && is_tangled ? 1 : 0);
        set_state(at + IS_TURNED, part > 0 && has_turned ? 1 : 0);
    }
    synchronise();
    if (is_lost) {
        settle_where_it_is();
    }
    return is_lost;
}

/* A number that is not finite, or flesh far from what is held. */
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
