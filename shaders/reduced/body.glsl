/* SPDX-License-Identifier: MIT */
/* Common to all kernels of the reduced solver: buffers, shared memory, the body of this workgroup, and sums over its
 * invocations in a fixed order. The layouts are in shaders/shared/reduced.h. */
#include "shaders/lane.glsl"
#include "shaders/shared/reduced.h"

layout(local_size_x = SN_REDUCED_GROUP_SIZE) in;
layout(constant_id = 0) const uint pool_size = 4096;             // in floats
layout(constant_id = 1) const bool has_spilled_rotations = true; // for some body they do not fit into shared memory
layout(constant_id = 2) const bool has_spilled_gradients = true;
layout(constant_id = 3) const bool has_morphs = true; // morph targets move surface points of some body
layout(constant_id = 4) const bool prevents_unrolling = false; // for loops with many loads: see opaque_count

layout(set = 0, binding = SN_REDUCED_MODELS, std430) readonly buffer sn_model_buffer { vec4 models[]; };
layout(set = 0, binding = SN_REDUCED_RECORDS, std430) readonly buffer sn_record_buffer { sn_reduced_record records[]; };
layout(set = 0, binding = SN_REDUCED_POSES, std430) readonly buffer sn_pose_buffer { vec4 poses[]; };
layout(set = 0, binding = SN_REDUCED_STATES, std430) coherent buffer sn_state_buffer { float states[]; };
layout(set = 0, binding = SN_REDUCED_MATRICES, std430) writeonly buffer sn_matrix_buffer { vec4 matrices[]; };
layout(set = 0, binding = SN_REDUCED_STATUSES, std430) buffer sn_status_buffer { sn_reduced_status statuses[]; };
layout(set = 0, binding = SN_REDUCED_IMPULSES, std430) readonly buffer sn_impulse_buffer { vec4 impulses[]; };
layout(set = 0, binding = SN_REDUCED_COLLIDERS, std430) readonly buffer sn_collider_buffer { vec4 colliders[]; };

layout(push_constant) uniform sn_reduced_constants
{
    uint first_record, first_pose, first_impulse, first_collider;
    uint external_pass; // 0: there is no external force pass
    /* Iterations of this dispatch; none: output only. In the external force kernel: impulses; none: wind and contacts.
     */
    uint first_iteration, last_iteration;
    float fraction;                 // output time between the last two steps
    uint first_sample, last_sample; // samples whose contacts the external force kernel finds
};

shared vec4 pool[pool_size / 4];

uint lane;
sn_reduced_record body;
sn_reduced_model_layout model;
sn_reduced_state_layout state;
sn_reduced_pool_layout pool_layout;
uint padded_coordinates;

// ---- vectors of coordinates, rows of rigs ----

float pool_float(uint at)
{
    return pool[at / 4][at % 4];
}

void set_pool_float(uint at, float value)
{
    pool[at / 4][at % 4] = value;
}

vec3 pool_vector(uint first, uint i)
{
    const uint at = first + i;
    return vec3(pool_float(at), pool_float(at + padded_coordinates), pool_float(at + 2 * padded_coordinates));
}

void set_pool_vector(uint first, uint i, vec3 value)
{
    const uint at = first + i;
    set_pool_float(at, value.x);
    set_pool_float(at + padded_coordinates, value.y);
    set_pool_float(at + 2 * padded_coordinates, value.z);
}

vec3 state_vector(uint first, uint i)
{
    return vec3(states[first + i], states[first + padded_coordinates + i], states[first + 2 * padded_coordinates + i]);
}

void set_state_vector(uint first, uint i, vec3 value)
{
    states[first + i] = value.x;
    states[first + padded_coordinates + i] = value.y;
    states[first + 2 * padded_coordinates + i] = value.z;
}

vec4 state_four(uint first)
{
    return vec4(states[first], states[first + 1], states[first + 2], states[first + 3]);
}

void set_state_four(uint first, vec4 value)
{
    states[first] = value[0];
    states[first + 1] = value[1];
    states[first + 2] = value[2];
    states[first + 3] = value[3];
}

uint first_pose_row(uint bone)
{
    return first_pose + body.pose + SN_REDUCED_POSE_ROWS * bone;
}

/* Row of the rig's change since the last step: bones, then morph pairs. */
uint first_step_row(uint column)
{
    const uint pairs = first_pose_row(body.bone_count);
    return column < body.bone_count ? first_pose_row(column) + SN_REDUCED_POSE_STEP
                                    : pairs + SN_REDUCED_PAIR_ROWS * (column - body.bone_count);
}

uint collider_row(uint k)
{
    return first_collider + body.collider + SN_REDUCED_COLLIDER_ROWS * k;
}

/* Whether the collider is on a bone of the body. */
bool is_on_own_bone(uint collider)
{
    return collider < collider_row(body.own_collider_count);
}

bool is_neo_hookean()
{
    return (body.flags & SN_REDUCED_NEO_HOOKEAN) != 0;
}

bool is_posed()
{
    return (body.flags & SN_REDUCED_POSED) != 0;
}

float sum_of(vec4 v)
{
    precise const float sum = (v[0] + v[2]) + (v[1] + v[3]);
    return sum;
}

float squared(vec3 v)
{
    precise const float square = v[0] * v[0] + v[1] * v[1] + v[2] * v[2];
    return square;
}

float dot_of(vec3 a, vec3 b)
{
    precise const float dot = a.x * b.x + a.y * b.y + a.z * b.z;
    return dot;
}

bool is_finite(float x)
{
    return (floatBitsToUint(x) & 0x7f800000u) != 0x7f800000u;
}

/* Returns `count` in a form that the compiler of software Vulkan cannot evaluate. It compiles each load as a loop over
 * invocations, in time quadratic in the number of loads, so loops must not be unrolled. */
uint opaque_count(uint count)
{
    return prevents_unrolling ? count + (body.flags >> 31) : count;
}

/* Sum over all invocations, in order, returned to all of them. Shared memory is synchronised afterwards. */
vec4 sums_over_group(vec4 own)
{
    const uint first = pool_layout.sums / 4, parts = SN_REDUCED_GROUP_SIZE / 4;
    pool[first + lane] = own;
    barrier();
    if (lane < parts) {
        precise const vec4 a = pool[first + 4 * lane] + pool[first + 4 * lane + 1];
        precise const vec4 b = pool[first + 4 * lane + 2] + pool[first + 4 * lane + 3];
        precise const vec4 part = a + b;
        pool[first + SN_REDUCED_GROUP_SIZE + lane] = part;
    }
    barrier();
    precise vec4 sum = vec4(0);
    for (uint i = 0; i < opaque_count(parts); ++i) {
        sum += pool[first + SN_REDUCED_GROUP_SIZE + i];
    }
    return sum;
}

vec4 max_over_group(vec4 own)
{
    vec4 max_values = vec4(0);
    pool[pool_layout.sums / 4 + lane] = own;
    barrier();
    for (uint i = 0; i < SN_REDUCED_GROUP_SIZE; ++i) {
        max_values = max(max_values, pool[pool_layout.sums / 4 + i]);
    }
    barrier();
    return max_values;
}

/* Prefix sum over the invocations before this one; `all` is the total. */
uint prefix_count(uint own, out uint all)
{
    uint prefix = 0;
    set_pool_float(pool_layout.sums + lane, float(own));
    barrier();
    all = 0;
    for (uint i = 0; i < SN_REDUCED_GROUP_SIZE; ++i) {
        prefix = i == lane ? all : prefix;
        all += uint(pool_float(pool_layout.sums + i));
    }
    barrier();
    return prefix;
}

/* Fraction of a coordinate's velocity that is left after a step: host/reduced/solver.c, sn_reduced_retention. */
float retained_by(uint i)
{
    if ((body.flags & SN_REDUCED_HAS_DECAY) == 0) {
        return body.retained;
    }
    const vec2 response = models[body.model + model.response + i].xy; // tangent stiffness, decay rate
    precise const float square = body.stiffness * response.x * body.step2, critical = sqrt(1 + square) - sqrt(square);
    precise const float exact = min(1, (1 + square) * exp(-2 * response.y * body.step));
    precise const float own = response.y > 0 ? max(exact, critical * critical) : 1;
    precise const float retained = own * body.retained;
    return retained;
}

/* Displacement of a coordinate in a step by its damped velocity and by impulses. */
vec3 inertial_displacement(uint i)
{
    const vec3 impulse_velocity = (body.flags & SN_REDUCED_HAS_IMPULSES) != 0 ?
        state_vector(state.impulse_velocity, i) : vec3(0);
    precise const vec3 sum = retained_by(i) * state_vector(state.velocity, i) + body.step * impulse_velocity;
    return sum;
}

vec3 predicted_from(uint i, vec3 inertial_displacement)
{
    precise const vec3 predicted = state_vector(state.coordinates, i) +
        (state_vector(state.remainder, i) + inertial_displacement);
    return predicted;
}

/* Diagonals of the step's quadratic part, A = 1/h^2 + s (1 + kappa) lambda, and of the system N that the global pass divides by,
 * which is larger with a volumetric term; both times h^2. elastic: s h^2. */
struct system_weights {
    float elastic, quadratic, system;
};

system_weights system_of(float lambda)
{
    precise const float elastic = body.stiffness * body.step2;
    precise const float quadratic = 1 + (1 + body.limit_stiffness) * (elastic * lambda), system = quadratic + body.volume * (elastic * lambda);
    return system_weights(elastic, quadratic, system);
}

/* The iterate relative to the prediction, and the residual from it to its image. */
vec3 point_of(uint i)
{
    precise const vec3 d = pool_vector(pool_layout.coordinates, i) - pool_vector(pool_layout.predicted, i);
    return d;
}

vec3 residual_of(uint i)
{
    precise const vec3 residual = pool_vector(pool_layout.image, i) - point_of(i);
    return residual;
}

/* Loads the body of this workgroup and its layouts. */
void find_body()
{
    lane = lane_of(SN_REDUCED_GROUP_SIZE);
    body = records[first_record + gl_WorkGroupID.x];
    model = sn_reduced_model_layout_of(sn_reduced_model_counts(body.coordinate_count, body.cluster_count,
                                                               body.bone_count, body.mode_count, body.sample_count,
                                                               body.influence_count, 0, body.pair_count,
                                                               body.delta_count, body.clearance_count));
    state = sn_reduced_state_layout_of(body.source_count, body.cluster_count, body.bone_count, body.pair_count);
    state.coordinates += body.state, state.remainder += body.state, state.velocity += body.state;
    state.rig_motion += body.state, state.point += body.state;
    state.impulse_velocity += body.state, state.wind_force += body.state;
    state.corrections += body.state, state.correction_info += body.state, state.previous_contact_count += body.state;
    state.rotations += body.state, state.gradients += body.state;
    state.ranges += body.state;
    pool_layout = sn_reduced_pool_layout_of(body.coordinate_count, body.cluster_count);
    padded_coordinates = 4 * sn_reduced_vec4_count(body.coordinate_count);
}
