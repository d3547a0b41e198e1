/* SPDX-License-Identifier: MIT */
/* Distance and bending constraints: the implementation of host/xpbd/recipe_line.inc. */

#define MIN_LENGTH 1e-15
#define MIN_LENGTH_SQUARE 1.0000000031710769e-30 /* square of the float nearest to 1e-15 */
#define MIN_COSINE 1e-6

vec3 edge_between(vec3 rest, vec4 from, vec4 to)
{
    precise const vec3 edge = rest + (to.xyz - from.xyz);
    return edge;
}

void solve_distance(uint first, uint count, inout vec4 v0, inout vec4 v1, inout float multiplier)
{
    const vec3 rest = vec3(values[first], values[first + count], values[first + 2 * count]);
    const vec3 edge = edge_between(rest, v0, v1);
    precise const float length = sqrt(dot3(edge, edge)), inverse = 1 / (length > MIN_LENGTH ? length : 1);
    precise const vec3 gradient = inverse * edge;
    precise const float c = length - values[first + 3 * count];
    precise const float compliance = body.inverse_h2 * values[first + 4 * count];
    const float system = add_weighted(add_weighted(compliance, v0, -gradient), v1, gradient);
    const float change = change_of(c, compliance, system, multiplier);
    move_along(change, -gradient, v0);
    move_along(change, gradient, v1);
}

struct bend {
    float cosine, sine;
    vec3 g0, g1, g2, g3;
};

bend bend_of(vec3 rest_e, vec3 rest_a, vec3 rest_b, vec4 v0, vec4 v1, vec4 v2, vec4 v3)
{
    const vec3 e = edge_between(rest_e, v0, v1), a = edge_between(rest_a, v0, v2), b = edge_between(rest_b, v0, v3);
    const vec3 n1 = cross3(e, a), n2 = cross3(b, e), across = cross3(n1, n2);
    const float ee = dot3(e, e), s1 = dot3(n1, n1), s2 = dot3(n2, n2);
    const bool is_valid = ee > MIN_LENGTH_SQUARE && s1 > 0 && s2 > 0;
    precise const float length = sqrt(ee), inverse = 1 / (is_valid ? ee : 1);
    precise const float norm = 1 / (is_valid ? sqrt(s1) * sqrt(s2) : 1);
    precise const float cosine = dot3(n1, n2) * norm, sine = dot3(across, e) * norm / (is_valid ? length : 1);
    precise const float over1 = length / (is_valid ? s1 : 1), over2 = length / (is_valid ? s2 : 1);
    precise const float foot_a = dot3(a, e) * inverse, foot_b = dot3(b, e) * inverse;
    precise const vec3 g2 = -((is_valid ? over1 : 0) * n1), g3 = -((is_valid ? over2 : 0) * n2);
    precise const vec3 g1 = -(foot_a * g2 + foot_b * g3), g0 = -((1 - foot_a) * g2 + (1 - foot_b) * g3);
    return bend(is_valid ? cosine : 1, is_valid ? sine : 0, g0, g1, g2, g3);
}

vec3 value_vector(uint first, uint count, uint i)
{
    return vec3(values[first + i * count], values[first + (i + 1) * count], values[first + (i + 2) * count]);
}

void solve_bending(uint first, uint count, inout vec4 v0, inout vec4 v1, inout vec4 v2, inout vec4 v3,
                   inout float multiplier)
{
    const bend at = bend_of(value_vector(first, count, 0), value_vector(first, count, 3), value_vector(first, count, 6),
                            v0, v1, v2, v3);
    const float rest_cosine = values[first + 9 * count], rest_sine = values[first + 10 * count];
    precise const float cosine = at.cosine * rest_cosine + at.sine * rest_sine;
    precise const float sine = at.sine * rest_cosine - at.cosine * rest_sine;
    precise const float above = 1 + cosine, sum = above > MIN_COSINE ? above : MIN_COSINE;
    precise const float half_cosine = sqrt(0.5 * sum), c = sine / half_cosine;
    precise const vec3 g0 = half_cosine * at.g0, g1 = half_cosine * at.g1, g2 = half_cosine * at.g2,
                       g3 = half_cosine * at.g3;
    precise const float compliance = body.inverse_h2 * values[first + 11 * count];
    float system = add_weighted(add_weighted(compliance, v0, g0), v1, g1);
    system = add_weighted(add_weighted(system, v2, g2), v3, g3);
    const float change = change_of(c, compliance, system, multiplier);
    move_along(change, g0, v0);
    move_along(change, g1, v1);
    move_along(change, g2, v2);
    move_along(change, g3, v3);
}
