/* SPDX-License-Identifier: MIT */
/* Initial guess of a step's iteration: the implementation of the same part of host/reduced/kernels/iterate_f32.inc. A
 * correction is the difference between the end of a step and the prediction by inertia alone, caused by flesh and
 * contacts. */

#define STEADY 4 // weight of the squared error against the squared movement

uint pull_of(uint age)
{
    return state.pulls + 3 * padded_coordinates * age;
}

/* Extrapolates the parabola through the last three corrections by one step. */
vec3 foretell(uint i)
{
    const vec3 last = state_vector(pull_of(0), i), before = state_vector(pull_of(1), i);
    precise const vec3 foretold = 3 * (last - before) + state_vector(pull_of(2), i);
    return foretold;
}

/* Parameters for which corrections are valid: stiffness times the squared time step; clusters and material. */
vec2 kind_of_pulls()
{
    precise const float elastic = body.stiffness * body.step2;
    return vec2(elastic, float(2 * body.cluster_count + (is_hookean() ? 1 : 0)));
}

bool is_of_trend()
{
    const vec2 kind = kind_of_pulls();
    return states[state.trend + 2] == kind.x && states[state.trend + 3] == kind.y;
}

bool is_steady()
{
    return states[state.trend + 1] != 0 && is_of_trend();
}

/* Stores a coordinate's correction in place of the oldest. Returns the squares of the extrapolation error and of the
 * movement in the step. */
vec2 remember_pull(uint i)
{
    const float weight = system_of(models[body.model + model.coordinate + i].x).quadratic;
    const vec3 moved = pool_vector(place.image, i);
    precise const vec3 pull = moved - pool_vector(place.inertia, i),
        missed = pull - foretell(i);
    precise const vec2 squares = weight * vec2(squared(missed), squared(moved));
    set_state_vector(pull_of(2), i, state_vector(pull_of(1), i));
    set_state_vector(pull_of(1), i, state_vector(pull_of(0), i));
    set_state_vector(pull_of(0), i, pull);
    return squares;
}

/* Updates the validity of the corrections from the sums over coordinates. Called by one invocation. A step that has not
 * converged invalidates them. */
void remember_trend(vec2 squares, bool is_converged)
{
    const float known = is_converged && is_of_trend() ? states[state.trend] : 0;
    const vec2 kind = kind_of_pulls();
    precise const float missed = STEADY * squares.x;
    states[state.trend] = is_converged ? min(known + 1, SN_REDUCED_PULL_COUNT) : 0;
    states[state.trend + 1] =
        known == SN_REDUCED_PULL_COUNT && missed < squares.y ? 1 : 0;
    states[state.trend + 2] = kind.x;
    states[state.trend + 3] = kind.y;
}
