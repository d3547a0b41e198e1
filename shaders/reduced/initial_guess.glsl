/* SPDX-License-Identifier: MIT */
/* Initial guess of a step's iteration: the implementation of the same part of host/reduced/kernels/iterate_f32.inc. A
 * correction is the difference between the end of a step and the prediction by inertia alone, caused by flesh and
 * contacts. */

#define EXTRAPOLATION_FACTOR 4 // weight of the squared error against the squared movement

uint correction_at(uint age)
{
    return state.corrections + 3 * padded_coordinates * age;
}

/* Extrapolates the parabola through the last three corrections by one step. */
vec3 extrapolate_correction(uint i)
{
    const vec3 last = state_vector(correction_at(0), i), before = state_vector(correction_at(1), i);
    precise const vec3 extrapolated = 3 * (last - before) + state_vector(correction_at(2), i);
    return extrapolated;
}

/* Parameters for which corrections are valid: stiffness times the squared time step; clusters and material. */
vec2 correction_key()
{
    precise const float elastic = body.stiffness * body.step2;
    return vec2(elastic, float(2 * body.cluster_count + (is_neo_hookean() ? 1 : 0)));
}

bool has_valid_corrections()
{
    const vec2 key = correction_key();
    return states[state.correction_info + 2] == key.x && states[state.correction_info + 3] == key.y;
}

bool is_extrapolable()
{
    return states[state.correction_info + 1] != 0 && has_valid_corrections();
}

/* Stores a coordinate's correction in place of the oldest. Returns the squares of the extrapolation error and of the
 * movement in the step. */
vec2 store_correction(uint i)
{
    const float weight = system_of(models[body.model + model.coordinate + i].x).quadratic;
    const vec3 moved = pool_vector(pool_layout.image, i);
    precise const vec3 correction = moved - pool_vector(pool_layout.inertia, i),
        extrapolation_error = correction - extrapolate_correction(i);
    precise const vec2 squares = weight * vec2(squared(extrapolation_error), squared(moved));
    set_state_vector(correction_at(2), i, state_vector(correction_at(1), i));
    set_state_vector(correction_at(1), i, state_vector(correction_at(0), i));
    set_state_vector(correction_at(0), i, correction);
    return squares;
}

/* Updates the validity of the corrections from the sums over coordinates. Called by one invocation. A step that has not
 * converged invalidates them. */
void store_correction_info(vec2 squares, bool is_converged)
{
    const float correction_count = is_converged && has_valid_corrections() ? states[state.correction_info] : 0;
    const vec2 key = correction_key();
    precise const float extrapolation_error = EXTRAPOLATION_FACTOR * squares.x;
    states[state.correction_info] = is_converged ? min(correction_count + 1, SN_REDUCED_CORRECTION_COUNT) : 0;
    states[state.correction_info + 1] =
        correction_count == SN_REDUCED_CORRECTION_COUNT && extrapolation_error < squares.y ? 1 : 0;
    states[state.correction_info + 2] = key.x;
    states[state.correction_info + 3] = key.y;
}
