/* SPDX-License-Identifier: MIT */
/* End of a step: inverted elements, and bodies that stay tangled. The implementation of host/coupled/repair.c. */

#define ROUNDS_BEFORE_RESET 8
#define MIN_VOLUME_RATIO (1 / real(50))
#define REPAIR_FRACTION real(0.5)

// ---- elements ----

uint first_corner()
{
    return own.elements + SN_COUPLED_CHECK_BATCHES + 1;
}

/* Position of a row at rest, moved by a rotation and a translation, except that locked handles are at their targets. */
real3 target_row(uint row, real4 rotation, real3 shift)
{
    const uint block = row / SN_XPBD_BLOCK, end = tables[rig.starts + block + 1];
    precise real3 position = real3(0);
    for (uint slot = tables[rig.starts + block]; slot < end; ++slot) {
        const real weight = real(weights[rig.weights + SN_XPBD_BLOCK * slot + row % SN_XPBD_BLOCK]);
        const uint k = tables[rig.slot_handles + slot], at = own.target + SN_COUPLED_POSE_NUMBERS * k;
        const bool has_position_lock = (locks_of(k) & 7u) != 0, has_rotation_lock = (locks_of(k) & 56u) != 0;
        const real3 target_position = has_position_lock ? target3(at) : moved_position(k, rotation, shift);
        const matrix3 linear = matrix_of(has_rotation_lock ? real4(target3(at + 3), target_at(at + 6)) : rotation);
        precise const real3 arm = real3(rests[body.rest + row].xyz) - pivot_of(k);
        position += weight * (target_position + multiply(linear, arm));
    }
    return position;
}

#define CURRENT 0
#define SKINNED 1
#define AT_TARGETS 2

/* Area times 2 or volume times 6, relative to rest. rotation, shift: motion for AT_TARGETS. */
real volume_ratio(uint element, uint configuration, real4 rotation, real3 shift)
{
    const uint corner_count = dimension + 1, at = first_corner() + corner_count * element;
    const uint base = tables[at + dimension];
    real3 now[3], rest[3];
    now[2] = rest[2] = real3(0, 0, 1);
    for (uint k = 0; k < dimension; ++k) {
        const uint row = tables[at + k];
        precise const real3 edge = real3(rests[body.rest + row].xyz) - real3(rests[body.rest + base].xyz);
        precise real3 moved = edge + (real3(displacement(row).xyz) - real3(displacement(base).xyz));
        if (configuration == SKINNED) {
            moved = skinned_row_position(row) - skinned_row_position(base);
        } else if (configuration == AT_TARGETS) {
            moved = target_row(row, rotation, shift) - target_row(base, rotation, shift);
        }
        rest[k] = edge;
        now[k] = moved;
    }
    precise const real ratio = dot_of(now[0], cross_of(now[1], now[2])) / dot_of(rest[0], cross_of(rest[1], rest[2]));
    return ratio;
}

bool is_inverted(uint element)
{
    return volume_ratio(element, CURRENT, IDENTITY_ROTATION, real3(0)) < MIN_VOLUME_RATIO;
}

/* Whether an inverted element cannot recover: the body is unconstrained, or the element is also inverted in the rig's
 * pose although the locked handles do not require it. */
bool is_stuck(uint element)
{
    real4 rotation;
    real3 shift;
    if (is_unconstrained()) {
        return true;
    }
    mean_shift(rotation, shift);
    return volume_ratio(element, SKINNED, rotation, shift) < MIN_VOLUME_RATIO && volume_ratio(element, AT_TARGETS,
        rotation, shift) > MIN_VOLUME_RATIO;
}

/* Moves the vertices of inverted elements of the batch towards the skinned positions. They are rare, so one invocation
 * processes them sequentially. Returns whether one is stuck. */
bool repair_part(uint part)
{
    const uint first = tables[own.elements + part], last = tables[own.elements + part + 1];
    bool is_found = false;
    for (uint element = first + lane; element < last && !is_found; element += SN_XPBD_GROUP_SIZE) {
        is_found = is_inverted(element);
    }
    sums[lane].x = is_found ? 1 : 0;
    synchronise();
    bool is_any = false, has_stuck = false;
    for (uint i = 0; i < SN_XPBD_GROUP_SIZE; ++i) {
        is_any = is_any || sums[i].x > 0;
    }
    synchronise();
    for (uint element = first; element < last && is_any && lane == 0; ++element) {
        const bool is_element_inverted = is_inverted(element);
        has_stuck = has_stuck || (is_element_inverted && is_stuck(element));
        for (uint k = 0; k <= dimension && is_element_inverted; ++k) {
            move_to_skinned(tables[first_corner() + (dimension + 1) * element + k], REPAIR_FRACTION);
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

/* After ROUNDS_BEFORE_RESET rounds, and then at each doubling. */
bool is_due(uint rounds)
{
    return rounds >= ROUNDS_BEFORE_RESET && (rounds & (rounds - 1)) == 0;
}

/* Returns whether the body has to be reset. */
bool repair_step()
{
    const uint part = (uint(counter(CHECKED_PART)) + 1) % SN_COUPLED_CHECK_BATCHES;
    const real tangled_rounds = counter(TANGLED_ROUNDS), flipped_rounds = counter(FLIPPED_ROUNDS);
    const bool was_tangled = counter(IS_TANGLED) != 0, was_flipped = counter(IS_FLIPPED) != 0;
    const bool is_tangled = repair_part(part) || was_tangled;
    const bool has_flipped = correct_flipped_handles(part, flipped_rounds >= ROUNDS_BEFORE_RESET) || was_flipped;
    const real tangled = part > 0 ? tangled_rounds : is_tangled && body.pin_count == 0 ? tangled_rounds + 1 : 0;
    const bool needs_reset = part == 0 && is_due(uint(tangled));
    synchronise();
    if (lane == 0) {
        const uint at = at_counters();
        set_state(at + CHECKED_PART, part);
        set_state(at + TANGLED_ROUNDS, tangled);
        set_state(at + FLIPPED_ROUNDS, part > 0 ? flipped_rounds : has_flipped ? flipped_rounds + 1 : 0);
        set_state(at + IS_TANGLED, part > 0 && is_tangled ? 1 : 0);
        set_state(at + IS_FLIPPED, part > 0 && has_flipped ? 1 : 0);
    }
    synchronise();
    return needs_reset;
}
