/* SPDX-License-Identifier: MIT */
/* Where a step's iteration starts: the twin of what host/reduced/kernels/iterate_f32.inc has of pulls. A pull is how far flesh
 * and contacts took a step from where inertia alone would have ended. */

#define STEADY 4 // how often the square of what the parabola missed goes into that of how far the step moved

uint pull_of(uint age)
{
    return state.pulls + 3 * padded_coordinates * age;
}

/* The parabola through the last steps' pulls, a step further. */
vec3 foretell(uint i)
{
    const vec3 last = state_vector(pull_of(0), i), before = state_vector(pull_of(1), i);
    precise const vec3 foretold = 3 * (last - before) + state_vector(pull_of(2), i);
    return foretold;
}

/* What pulls depend on besides the motion: stiffness times the square of the step's length; clusters and material. */
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

/* A coordinate's pull in this step, in place of the oldest. Returns the squares of what the parabola missed and of how
 * far the step moved. */
vec2 remember_pull(uint i)
{
    const float weight = system_of(models[body.model + model.coordinate + i].x).quadratic;
    const vec3 moved = pool_vector(place.image, i);
    precise const vec3 pull = moved - pool_vector(place.inertia, i), missed = pull - foretell(i);
    precise const vec2 squares = weight * vec2(squared(missed), squared(moved));
    set_state_vector(pull_of(2), i, state_vector(pull_of(1), i));
    set_state_vector(pull_of(1), i, state_vector(pull_of(0), i));
    set_state_vector(pull_of(0), i, pull);
    return squares;
}

/* By one invocation, of the sums over coordinates. What has not converged says nothing. */
void remember_trend(vec2 squares, bool is_converged)
{
    const float known = is_converged && is_of_trend() ? states[state.trend] : 0;
    const vec2 kind = kind_of_pulls();
    precise const float missed = STEADY * squares.x;
    states[state.trend] = is_converged ? min(known + 1, SN_REDUCED_PULL_COUNT) : 0;
    states[state.trend + 1] = known == SN_REDUCED_PULL_COUNT && missed < squares.y ? 1 : 0;
    states[state.trend + 2] = kind.x;
    states[state.trend + 3] = kind.y;
}
