/* SPDX-License-Identifier: MIT */
/* Limit on the displacement by a projection: the implementation of host/coupled/limit_change.c. */

#define MAX_ACCELERATION real(900.0)
#define TARGET_FACTOR 2

/* Distance of a locked handle's targets from their previous values, as a length. */
real target_movement_of(uint k, uint locks)
{
    const uint to = own.target + SN_COUPLED_POSE_NUMBERS * k, from = at_previous_pose() + SN_COUPLED_POSE_NUMBERS * k;
    precise real position2 = 0, same_sign2 = 0, opposite_sign2 = 0, stretch2 = 0;
    for (uint d = 0; d < 3; ++d) {
        const real moved = target_at(to + d) - state_at(from + d);
        position2 += (locks >> d & 1) != 0 ? moved * moved : 0;
    }
    for (uint i = 3; i < 7 && (locks & 56u) != 0; ++i) {
        const real same_sign = target_at(to + i) - state_at(from + i),
            opposite_sign = target_at(to + i) + state_at(from + i);
        same_sign2 += same_sign * same_sign;
        opposite_sign2 += opposite_sign * opposite_sign;
    }
    for (uint i = 7; i < 16 && (locks & 64u) != 0; ++i) {
        const real stretched = target_at(to + i) - state_at(from + i);
        stretch2 += stretched * stretched;
    }
    precise const real movement =
        sqrt(position2) +
            to_real(rig.size) * (2 * sqrt(same_sign2 < opposite_sign2 ? same_sign2 : opposite_sign2) + sqrt(stretch2));
    return movement;
}

/* Reduction over all invocations: the sum of own_square, and the maximum target movement. */
real2 reduce_projection(real own_square)
{
    real movement = 0;
    for (uint k = lane; k < rig.handle_count; k += SN_XPBD_GROUP_SIZE) {
        const real own_movement = target_movement_of(k, locks_of(k));
        movement = own_movement > movement ? own_movement : movement;
    }
    sums[lane] = real2(own_square, movement);
    synchronise();
    precise real square = 0;
    for (uint i = 0; i < SN_XPBD_GROUP_SIZE; ++i) {
        square += sums[i].x;
        movement = sums[i].y > movement ? sums[i].y : movement;
    }
    synchronise();
    return real2(square, movement);
}

void limit_projection()
{
    const uint axes = dimension * basis;
    precise real own_square = 0;
    for (uint i = lane; i < axes; i += SN_XPBD_GROUP_SIZE) {
        own_square += work(at_change + i) * work(at_residual + i);
    }
    precise const real2 found = reduce_projection(own_square) / real2(to_real(equations.min_compliance_factor), 1);
    const real h = to_real(body.substep), before = counter(TARGET_MOVEMENT), mass = to_real(rig.flesh_mass);
    precise const real targets = TARGET_FACTOR * (found.y > before ? found.y : before) / real(body.substep_count);
    precise const real bound = MAX_ACCELERATION * to_real(rig.size) * h * h + targets;
    precise const real max_energy = mass * bound * bound;
    if (found.x > max_energy) {
        precise const real scale = sqrt(mass / found.x) * bound;
        for (uint i = lane; i < axes; i += SN_XPBD_GROUP_SIZE) {
            precise const real bounded = work(at_change + i) * scale;
            set_work(at_change + i, bounded);
        }
    }
    synchronise();
}

/* Stores the target movement; call before the previous targets are overwritten. */
void store_target_movement()
{
    const real movement = reduce_projection(0).y;
    if (lane == 0) {
        set_state(at_counters() + TARGET_MOVEMENT, movement);
    }
}
