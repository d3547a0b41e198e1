/* SPDX-License-Identifier: MIT */
/* End of a step: inverted elements, and bodies that stay tangled. The implementation of host/coupled/heal.c. */

#define MOST_ROUNDS 8
#define LEAST (1 / real(50))
#define SHARE real(0.5)

// ---- elements ----

uint first_corner()
{
    return own.elements + SN_COUPLED_ROUND + 1;
}

/* Position of a row at rest, moved by a rotation and a translation, except that locked handles are at their targets. */
real3 held_row(uint row, real4 turn, real3 shift)
{
    const uint block = row / SN_XPBD_BLOCK, end = tables[rig.starts + block + 1];
    precise real3 place = real3(0);
    for (uint slot = tables[rig.starts + block]; slot < end; ++slot) {
        const real weight = real(weights[rig.weights + SN_XPBD_BLOCK * slot + row % SN_XPBD_BLOCK]);
        const uint k = tables[rig.slot_handles + slot], at = own.target + SN_COUPLED_POSE_NUMBERS * k;
        const bool is_placed = (locks_of(k) & 7u) != 0, is_turned = (locks_of(k) & 56u) != 0;
        const real3 there = is_placed ? target3(at) : place_moved(k, turn, shift);
        const matrix3 linear = matrix_of(is_turned ? real4(target3(at + 3), target_at(at + 6)) : turn);
        precise const real3 arm = real3(rests[body.rest + row].xyz) - pivot_of(k);
        place += weight * (there + multiply(linear, arm));
    }
    return place;
}

#define AS_IT_IS 0
#define AS_SKINNED 1
#define AS_HELD 2

/* Area times 2 or volume times 6, relative to rest. rotation, shift: motion for AS_HELD. */
real growth_of(uint element, uint how, real4 turn, real3 shift)
{
    const uint corner_count = dimension + 1, at = first_corner() + corner_count * element;
    const uint base = tables[at + dimension];
    real3 now[3], rest[3];
    now[2] = rest[2] = real3(0, 0, 1);
    for (uint k = 0; k < dimension; ++k) {
        const uint row = tables[at + k];
        precise const real3 edge = real3(rests[body.rest + row].xyz) - real3(rests[body.rest + base].xyz);
        precise real3 moved = edge + (real3(displacement(row).xyz) - real3(displacement(base).xyz));
        if (how == AS_SKINNED) {
            moved = skinned_row(row) - skinned_row(base);
        } else if (how == AS_HELD) {
            moved = held_row(row, turn, shift) - held_row(base, turn, shift);
        }
        rest[k] = edge;
        now[k] = moved;
    }
    precise const real growth = dot_of(now[0], cross_of(now[1], now[2])) / dot_of(rest[0], cross_of(rest[1], rest[2]));
    return growth;
}

bool is_out(uint element)
{
    return growth_of(element, AS_IT_IS, STILL, real3(0)) < LEAST;
}

/* Whether an inverted element cannot recover: the body is unconstrained, or the element is also inverted in the rig's
 * pose although the locked handles do not require it. */
bool is_stuck(uint element)
{
    real4 turn;
    real3 shift;
    if (is_free_body()) {
        return true;
    }
    mean_shift(turn, shift);
    return growth_of(element, AS_SKINNED, turn, shift) < LEAST && growth_of(element, AS_HELD,
        turn, shift) > LEAST;
}

/* Moves the vertices of inverted elements of the batch towards the skinned positions. They are rare, so one invocation
 * processes them sequentially. Returns whether one is stuck. */
bool heal_part(uint part)
{
    const uint first = tables[own.elements + part], last = tables[own.elements + part + 1];
    bool is_found = false;
    for (uint element = first + lane; element < last && !is_found; element += SN_XPBD_GROUP_SIZE) {
        is_found = is_out(element);
    }
    sums[lane].x = is_found ? 1 : 0;
    synchronise();
    bool is_any = false, has_stuck = false;
    for (uint i = 0; i < SN_XPBD_GROUP_SIZE; ++i) {
        is_any = is_any || sums[i].x > 0;
    }
    synchronise();
    for (uint element = first; element < last && is_any && lane == 0; ++element) {
        const bool is_here = is_out(element);
        has_stuck = has_stuck || (is_here && is_stuck(element));
        for (uint k = 0; k <= dimension && is_here; ++k) {
            draw_back(tables[first_corner() + (dimension + 1) * element + k], SHARE);
        }
    }
    if (lane == 0) {
        sums[0].x = has_stuck ? 1 : 0;
    }
    synchronise();
    has_stuck = sums[0].x > 0;
    synchronise();
    return has_stuck;
}

// ---- the end of a step ----

/* After MOST_ROUNDS rounds, and then at each doubling. */
bool is_due(uint rounds)
{
    return rounds >= MOST_ROUNDS && (rounds & (rounds - 1)) == 0;
}

/* Returns whether the body has to be reset. */
bool heal()
{
    const uint part = (uint(count_of(HEALED)) + 1) % SN_COUPLED_ROUND;
    const real tangled_rounds = count_of(TANGLED_ROUNDS), turned_rounds = count_of(TURNED_ROUNDS);
    const bool was_tangled = count_of(IS_TANGLED) != 0, was_turned = count_of(IS_TURNED) != 0;
    const bool is_tangled = heal_part(part) || was_tangled;
    const bool has_turned = turn_back(part, turned_rounds >= MOST_ROUNDS) || was_turned;
    const real tangled = part > 0 ? tangled_rounds : is_tangled && body.pin_count == 0 ? tangled_rounds + 1 : 0;
    const bool is_lost = part == 0 && is_due(uint(tangled));
    synchronise();
    if (lane == 0) {
        const uint at = at_counts();
        set_state(at + HEALED, part);
        set_state(at + TANGLED_ROUNDS, tangled);
        set_state(at + TURNED_ROUNDS, part > 0 ? turned_rounds : has_turned ? turned_rounds + 1 : 0);
        set_state(at + IS_TANGLED, part > 0 && is_tangled ? 1 : 0);
        set_state(at + IS_TURNED, part > 0 && has_turned ? 1 : 0);
    }
    synchronise();
    return is_lost;
}
