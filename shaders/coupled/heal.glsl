/* SPDX-License-Identifier: MIT */
/* What a step ends with: elements that are inside out, and bodies that stay tangled. The twin of host/coupled/heal.c. */

#define MOST_ROUNDS 8
#define LEAST (1 / real(50))
#define SHARE real(0.5)

/* Numbers of at_counts. */
#define HEALED 0
#define TANGLED_ROUNDS 1
#define TURNED_ROUNDS 2
#define IS_TANGLED 3
#define IS_TURNED 4

// ---- elements ----

uint first_corner()
{
    return own.elements + SN_COUPLED_ROUND + 1;
}

/* Area or volume, times 2 or 6, by that at rest; as it lies, or as it is skinned. */
real growth_of(uint element, bool is_skinned)
{
    const uint corner_count = dimension + 1, at = first_corner() + corner_count * element;
    const uint base = tables[at + dimension];
    real3 now[3], rest[3];
    now[2] = rest[2] = real3(0, 0, 1);
    for (uint k = 0; k < dimension; ++k) {
        const uint row = tables[at + k];
        precise const real3 edge = real3(rests[body.rest + row].xyz) - real3(rests[body.rest + base].xyz);
        rest[k] = edge;
        if (is_skinned) {
            precise const real3 skinned = skinned_row(row) - skinned_row(base);
            now[k] = skinned;
        } else {
            precise const real3 moved = edge + (real3(displacement(row).xyz) - real3(displacement(base).xyz));
            now[k] = moved;
        }
    }
    precise const real growth = dot_of(now[0], cross_of(now[1], now[2])) / dot_of(rest[0], cross_of(rest[1], rest[2]));
    return growth;
}

/* Whether one of the part is stuck; those that are inside out are few, if any, and go one after the other. */
bool heal_part(uint part)
{
    const uint first = tables[own.elements + part], last = tables[own.elements + part + 1];
    bool is_found = false;
    for (uint element = first + lane; element < last && !is_found; element += SN_XPBD_GROUP_SIZE) {
        is_found = growth_of(element, false) < LEAST;
    }
    sums[lane].x = is_found ? 1 : 0;
    synchronise();
    bool is_any = false, is_stuck = false;
    for (uint i = 0; i < SN_XPBD_GROUP_SIZE; ++i) {
        is_any = is_any || sums[i].x > 0;
    }
    synchronise();
    for (uint element = first; element < last && is_any && lane == 0; ++element) {
        const bool is_out = growth_of(element, false) < LEAST;
        is_stuck = is_stuck || (is_out && (is_free_body() || growth_of(element, true) < LEAST));
        for (uint k = 0; k <= dimension && is_out; ++k) {
            draw_back(tables[first_corner() + (dimension + 1) * element + k], SHARE);
        }
    }
    if (lane == 0) {
        sums[0].x = is_stuck ? 1 : 0;
    }
    synchronise();
    is_stuck = sums[0].x > 0;
    synchronise();
    return is_stuck;
}

// ---- all of it ----

real count_of(uint which)
{
    return state_at(at_counts() + which);
}

/* After some rounds, and should that not have helped, after twice, four times as many. */
bool is_due(uint rounds)
{
    return rounds >= MOST_ROUNDS && (rounds & (rounds - 1)) == 0;
}

/* Returns whether all of the body has to come back. */
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
