/* SPDX-License-Identifier: MIT */
/* Limit on the displacement by a projection: the implementation of host/coupled/push.c. */

#define HARDEST real(900.0)
#define OF_TARGETS 2

/* Distance of a locked handle's targets from their previous values, as a length. */
real reach_of(uint k, uint locks)
{
    const uint to = own.target + SN_COUPLED_POSE_NUMBERS * k, from = at_before() + SN_COUPLED_POSE_NUMBERS * k;
    precise real place2 = 0, nearer2 = 0, farther2 = 0, stretch2 = 0;
    for (uint d = 0; d < 3; ++d) {
        const real moved = target_at(to + d) - state_at(from + d);
        place2 += (locks >> d & 1) != 0 ? moved * moved : 0;
    }
    for (uint i = 3; i < 7 && (locks & 56u) != 0; ++i) {
        const real nearer = target_at(to + i) - state_at(from + i),
            farther = target_at(to + i) + state_at(from + i);
        nearer2 += nearer * nearer;
        farther2 += farther * farther;
    }
    for (uint i = 7; i < 16 && (locks & 64u) != 0; ++i) {
        const real stretched = target_at(to + i) - state_at(from + i);
        stretch2 += stretched * stretched;
    }
    precise const real reach =
        sqrt(place2) +
            loaded(rig.size) * (2 * sqrt(nearer2 < farther2 ? nearer2 : farther2) + sqrt(stretch2));
    return reach;
}

/* Reduction over all invocations: the sum of own_square, and the maximum target movement. */
real2 survey_push(real own_square)
{
    real reach = 0;
    for (uint k = lane; k < rig.handle_count; k += SN_XPBD_GROUP_SIZE) {
        const real own_reach = reach_of(k, locks_of(k));
        reach = own_reach > reach ? own_reach : reach;
    }
    sums[lane] = real2(own_square, reach);
    synchronise();
    precise real square = 0;
    for (uint i = 0; i < SN_XPBD_GROUP_SIZE; ++i) {
        square += sums[i].x;
        reach = sums[i].y > reach ? sums[i].y : reach;
    }
    synchronise();
    return real2(square, reach);
}

void bound_push()
{
    const uint axes = dimension * basis;
    precise real own_square = 0;
    for (uint i = lane; i < axes; i += SN_XPBD_GROUP_SIZE) {
        own_square += work(at_change + i) * work(at_residual + i);
    }
    precise const real2 found = survey_push(own_square) / real2(loaded(equations.yielding), 1);
    const real h = loaded(body.substep), before = count_of(REACH), mass = loaded(rig.flesh_mass);
    precise const real targets = OF_TARGETS * (found.y > before ? found.y : before) / real(body.substep_count);
    precise const real bound = HARDEST * loaded(rig.size) * h * h + targets;
    precise const real largest = mass * bound * bound;
    if (found.x > largest) {
        precise const real share = sqrt(mass / found.x) * bound;
        for (uint i = lane; i < axes; i += SN_XPBD_GROUP_SIZE) {
            precise const real bounded = work(at_change + i) * share;
            set_work(at_change + i, bounded);
        }
    }
    synchronise();
}

/* Stores the target movement; call before the previous targets are overwritten. */
void keep_reach()
{
    const real reach = survey_push(0).y;
    if (lane == 0) {
        set_state(at_counts() + REACH, reach);
    }
}
