/* SPDX-License-Identifier: MIT */
/* What was asked of a body since its last step, before anything else: rest, turns. */

vec3 turned(vec3 v)
{
    precise vec3 result;
    for (int d = 0; d < 3; ++d) {
        result[d] = body.turn[3 * d] * v[0] + body.turn[3 * d + 1] * v[1] + body.turn[3 * d + 2] * v[2];
    }
    return result;
}

void turn_rig_motion(uint bone)
{
    const uint first = state.rig_motion + 12 * bone;
    vec4 rows[3];
    for (uint d = 0; d < 3; ++d) {
        rows[d] = state_four(first + 4 * d);
    }
    for (uint d = 0; d < 3; ++d) {
        precise const vec4 row =
            body.turn[3 * d] * rows[0] + body.turn[3 * d + 1] * rows[1] + body.turn[3 * d + 2] * rows[2];
        set_state_four(first + 4 * d, row);
    }
}

void put_to_rest()
{
    for (uint i = lane; i < padded_coordinates; i += SN_REDUCED_GROUP_SIZE) {
        set_state_vector(state.coordinates, i, vec3(0));
        set_state_vector(state.remainder, i, vec3(0));
        set_state_vector(state.velocity, i, vec3(0));
    }
    for (uint k = lane; k < 12 * body.bone_count; k += SN_REDUCED_GROUP_SIZE) {
        states[state.rig_motion + k] = 0;
    }
}

void turn_state()
{
    for (uint i = lane; i < padded_coordinates; i += SN_REDUCED_GROUP_SIZE) {
        set_state_vector(state.coordinates, i, turned(state_vector(state.coordinates, i)));
        set_state_vector(state.remainder, i, turned(state_vector(state.remainder, i)));
        set_state_vector(state.velocity, i, turned(state_vector(state.velocity, i)));
    }
    for (uint bone = lane; bone < body.bone_count; bone += SN_REDUCED_GROUP_SIZE) {
        turn_rig_motion(bone);
    }
}

void apply_flags()
{
    if ((body.flags & SN_REDUCED_FRESH) != 0 && lane == 0) {
        statuses[body.body] = sn_reduced_status(0, 0, 0, 0);
    }
    if ((body.flags & SN_REDUCED_RESET) != 0) {
        put_to_rest();
    } else if ((body.flags & SN_REDUCED_TURNED) != 0) {
        turn_state();
    }
    memoryBarrierBuffer();
    barrier();
}
