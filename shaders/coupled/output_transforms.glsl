/* SPDX-License-Identifier: MIT */
/* World transforms of handles relative to rest, after the last two steps. */

/* Three rows of four numbers. */
void store_transform(uint k, uint at)
{
    const matrix3 linear = linear_of(k);
    precise const real3 at_rest = pivot_of(k) + triple(rig.centre);
    for (uint d = 0; d < 3; ++d) {
        const real3 row = row_of(linear, d);
        precise real position = work(at_handle(k) + d);
        for (uint e = 0; e < 3; ++e) {
            set_state(at + 4 * d + e, row[e]);
            position -= row[e] * at_rest[e];
        }
        set_state(at + 4 * d + 3, position);
    }
}

/* is_broken: the two states must not be interpolated. */
void store_output(bool is_broken)
{
    for (uint k = lane; k < rig.handle_count; k += SN_XPBD_GROUP_SIZE) {
        const uint before = at_output() + 24 * k, now = before + 12;
        for (uint i = 0; i < 12; ++i) {
            set_state(before + i, state_at(now + i));
        }
        store_transform(k, now);
        for (uint i = 0; i < 12 && is_broken; ++i) {
            set_state(before + i, state_at(now + i));
        }
    }
    synchronise();
}
