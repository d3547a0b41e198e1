/* SPDX-License-Identifier: MIT */
/* Applies the requests since the last step, before anything else: reset, change of the level of detail, rotation. */

vec3 rotated(vec3 v)
{
    precise vec3 result;
    for (int d = 0; d < 3; ++d) {
        result[d] = body.rotation[3 * d] * v[0] + body.rotation[3 * d + 1] * v[1] + body.rotation[3 * d + 2] * v[2];
    }
    return result;
}

void rotate_rig_motion(uint column)
{
    const uint first = state.rig_motion + 12 * column;
    vec4 rows[3];
    for (uint d = 0; d < 3; ++d) {
        rows[d] = state_four(first + 4 * d);
    }
    for (uint d = 0; d < 3; ++d) {
        precise const vec4 row =
            body.rotation[3 * d] * rows[0] + body.rotation[3 * d + 1] * rows[1] + body.rotation[3 * d + 2] * rows[2];
        set_state_four(first + 4 * d, row);
    }
}

/* Clears the initial guess and the contact warm start of the next step: see initial_guess.glsl,
 * contact_warm_start.glsl. Called by one invocation. */
void clear_warm_start()
{
    states[state.correction_info] = states[state.correction_info + 1] = states[state.previous_contact_count] = 0;
}

void reset_to_rest()
{
    for (uint i = lane; i < padded_coordinates; i += SN_REDUCED_GROUP_SIZE) {
        set_state_vector(state.coordinates, i, vec3(0));
        set_state_vector(state.remainder, i, vec3(0));
        set_state_vector(state.velocity, i, vec3(0));
    }
    for (uint k = lane; k < 12 * (body.bone_count + body.pair_count); k += SN_REDUCED_GROUP_SIZE) {
        states[state.rig_motion + k] = 0;
    }
    if (lane == 0) {
        clear_warm_start();
    }
}

void rotate_state()
{
    for (uint i = lane; i < padded_coordinates; i += SN_REDUCED_GROUP_SIZE) {
        set_state_vector(state.coordinates, i, rotated(state_vector(state.coordinates, i)));
        set_state_vector(state.remainder, i, rotated(state_vector(state.remainder, i)));
        set_state_vector(state.velocity, i, rotated(state_vector(state.velocity, i)));
    }
    for (uint k = lane; k < body.bone_count + body.pair_count; k += SN_REDUCED_GROUP_SIZE) {
        rotate_rig_motion(k);
    }
}

/* Converts a vector from the previous level to the coordinates of the finest level, in shared memory. */
void expand_vector(uint first, uint padded_source)
{
    const uint fours = sn_reduced_vec4_count(body.previous_coordinate_count), stride = 4 * fours;
    for (uint i = lane; i < padded_source; i += SN_REDUCED_GROUP_SIZE) {
        precise vec3 sum = vec3(0);
        if (body.previous_basis == SN_REDUCED_NO_BASIS) {
            sum = vec3(states[first + i], states[first + stride + i], states[first + 2 * stride + i]);
        }
        const bool is_sum = body.previous_basis != SN_REDUCED_NO_BASIS && i < body.source_count;
        for (uint k = 0; k < (is_sum ? body.previous_coordinate_count : 0); ++k) {
            const float weight = models[body.previous_basis + fours * i + k / 4][k % 4];
            sum += weight * vec3(states[first + k], states[first + stride + k], states[first + 2 * stride + k]);
        }
        for (uint d = 0; d < 3; ++d) {
            set_pool_float(d * padded_source + i, sum[d]);
        }
    }
    barrier();
}

/* Converts it from there to the current level. */
void restrict_vector(uint first, uint padded_source)
{
    const uint fours = padded_coordinates / 4, rows = body.basis == SN_REDUCED_NO_BASIS ? 0 : body.source_count;
    for (uint k = lane; k < padded_coordinates; k += SN_REDUCED_GROUP_SIZE) {
        precise vec3 sum = vec3(0);
        if (body.basis == SN_REDUCED_NO_BASIS) {
            sum = vec3(pool_float(k), pool_float(padded_source + k), pool_float(2 * padded_source + k));
        }
        for (uint i = 0; i < rows; ++i) {
            const vec3 expanded = vec3(pool_float(i), pool_float(padded_source + i), pool_float(2 * padded_source + i));
            sum += models[body.basis + fours * i + k / 4][k % 4] * expanded;
        }
        set_state_vector(first, k, sum);
    }
    barrier();
}

/* Projects the state in the norm of the mass: see host/reduced/body.c. */
void resize_state()
{
    const uint offsets[3] = uint[3](state.coordinates, state.remainder, state.velocity);
    for (int v = 0; v < 3; ++v) {
        expand_vector(offsets[v], 4 * sn_reduced_vec4_count(body.source_count));
        restrict_vector(offsets[v], 4 * sn_reduced_vec4_count(body.source_count));
    }
    memoryBarrierBuffer();
    barrier();
}

void apply_flags()
{
    if ((body.flags & (SN_REDUCED_LEVEL_CHANGED | SN_REDUCED_ROTATED)) != 0 && lane == 0) {
        clear_warm_start();
    }
    if ((body.flags & SN_REDUCED_ADDED) != 0 && lane == 0) {
        statuses[body.body] = sn_reduced_status(0, 0, 0, 0, 0, 0);
    }
    if ((body.flags & SN_REDUCED_RESET) != 0) {
        reset_to_rest();
    } else {
        if ((body.flags & SN_REDUCED_LEVEL_CHANGED) != 0) {
            resize_state();
        }
        if ((body.flags & SN_REDUCED_ROTATED) != 0) {
            rotate_state();
        }
    }
    memoryBarrierBuffer();
    barrier();
}
