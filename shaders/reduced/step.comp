/* SPDX-License-Identifier: MIT */
/* Complementary dynamics of all bodies of a world, one workgroup a body, all iterations of a step in one dispatch: the
 * twin of host/reduced (its header has the formulas), in float. shaders/shared/reduced.h says what lies where.
 *
 * The unknown is kept as a difference to the prediction Z_n + k (Z_n - Z_(n-1)), and the state as Z_n, what its rounding
 * left, and Z_n - Z_(n-1): velocities keep float's digits at any time step. All sums have one fixed order. */
#version 460
#extension GL_GOOGLE_include_directive : require
#include "shaders/reduced/polar.glsl"
#include "shaders/shared/reduced.h"

layout(local_size_x = SN_REDUCED_GROUP_SIZE) in;
layout(constant_id = 0) const uint pool_size = 4096;                  // floats
layout(constant_id = 1) const bool has_spilled_rotations = true; // some body's do not fit into shared memory
layout(constant_id = 2) const bool has_spilled_gradients = true;

layout(set = 0, binding = SN_REDUCED_MODELS, std430) readonly buffer sn_model_buffer { vec4 models[]; };
layout(set = 0, binding = SN_REDUCED_RECORDS, std430) readonly buffer sn_record_buffer { sn_reduced_record records[]; };
layout(set = 0, binding = SN_REDUCED_POSES, std430) readonly buffer sn_pose_buffer { vec4 poses[]; };
layout(set = 0, binding = SN_REDUCED_STATES, std430) coherent buffer sn_state_buffer { float states[]; };
layout(set = 0, binding = SN_REDUCED_MATRICES, std430) writeonly buffer sn_matrix_buffer { vec4 matrices[]; };
layout(set = 0, binding = SN_REDUCED_STATUSES, std430) buffer sn_status_buffer { sn_reduced_status statuses[]; };

layout(push_constant) uniform sn_reduced_constants
{
    uint first_record, first_pose;
    uint first_iteration, last_iteration; // of this dispatch; none: what is there is drawn
    float fraction;                       // of the way between the last two steps: what is drawn
};

shared vec4 pool[pool_size / 4];

uint lane;
sn_reduced_record body;
sn_reduced_model_layout model;
sn_reduced_state_layout state;
sn_reduced_pool_layout place;
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

bool is_finite(float x)
{
    return (floatBitsToUint(x) & 0x7f800000u) != 0x7f800000u;
}

/* The sum over all invocations, in their order; they all get it. Shared memory is in order afterwards. */
float sum_over_group(float own)
{
    set_pool_float(place.sums + lane, own);
    barrier();
    precise vec4 sum = vec4(0);
    for (uint i = 0; i < SN_REDUCED_GROUP_SIZE; i += 4) {
        sum += pool[(place.sums + i) / 4];
    }
    return sum_of(sum);
}

// ---- what was asked for since the last step ----

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

// ---- what stays the same in a step ----

/* A^-1 = wi h^2 for a coordinate, and what multiplies the elastic force. */
void system_weights(float lambda, out float inertia_weight, out float elastic_weight)
{
    precise const float inertia = 1 / (1 + body.stiffness * body.step2 * lambda);
    precise const float elastic = body.stiffness * body.step2 * inertia;
    inertia_weight = inertia;
    elastic_weight = elastic;
}

/* The rig's part of the force on a coordinate: M_J (2 P_n - P_(n-1) - P_(n+1)), K_J (P_(n+1) - 1). */
void rig_forces(uint i, out vec3 of_mass, out vec3 of_stiffness)
{
    precise mat3x4 mass = mat3x4(vec4(0), vec4(0), vec4(0)), stiffness = mass;
    for (uint bone = 0; bone < body.bone_count; ++bone) {
        const vec4 m = models[body.model + model.mass_cross + bone * padded_coordinates + i];
        const vec4 k = models[body.model + model.stiffness_cross + bone * padded_coordinates + i];
        const uint pose = first_pose_row(bone);
        const vec4 centre = poses[pose + SN_REDUCED_POSE_CENTRE];
        for (uint d = 0; d < 3; ++d) {
            precise const vec4 motion =
                state_four(state.rig_motion + 12 * bone + 4 * d) - poses[pose + SN_REDUCED_POSE_STEP + d];
            const vec4 rest = vec4(d == 0, d == 1, d == 2, 0);
            precise const vec4 strain = vec4(poses[pose + d].xyz, centre[d]) - rest;
            mass[d] += m * motion;
            stiffness[d] += k * strain;
        }
    }
    of_mass = vec3(sum_of(mass[0]), sum_of(mass[1]), sum_of(mass[2]));
    of_stiffness = vec3(sum_of(stiffness[0]), sum_of(stiffness[1]), sum_of(stiffness[2]));
}

/* Prediction and A^-1 c0 - prediction, in which the prediction's own inertia cancels; where the iteration starts. */
void prepare_coordinate(uint i, bool is_going_on)
{
    const vec4 coordinate = models[body.model + model.coordinate + i]; // lambda, reach, mass
    const vec3 gravity = vec3(body.gravity[0], body.gravity[1], body.gravity[2]);
    float inertia_weight, elastic_weight;
    vec3 of_mass, of_stiffness;
    system_weights(coordinate.x, inertia_weight, elastic_weight);
    rig_forces(i, of_mass, of_stiffness);
    precise const vec3 carried = body.kept * state_vector(state.velocity, i);
    precise const vec3 predicted =
        state_vector(state.coordinates, i) + (state_vector(state.remainder, i) + carried);
    precise const vec3 inertia = inertia_weight * (of_mass + body.step2 * coordinate.z * gravity) -
                                 elastic_weight * (of_stiffness + coordinate.x * predicted);
    const vec3 difference = is_going_on ? state_vector(state.difference, i) : -carried;
    precise const vec3 z = predicted + difference;
    set_pool_vector(place.predicted, i, predicted);
    set_pool_vector(place.inertia, i, inertia);
    set_pool_vector(place.difference, i, difference);
    set_pool_vector(place.coordinates, i, z);
}

// ---- clusters: rows of R - 1, and S_J P, in shared memory or in the state ----

bool is_spilled_rotation()
{
    return has_spilled_rotations && place.gradients > pool_size;
}

bool is_spilled_gradient()
{
    return has_spilled_gradients && place.size > pool_size;
}

void set_rotation(uint c, uint k, vec3 row)
{
    const uint at = 12 * c + 4 * k;
    if (is_spilled_rotation()) {
        set_state_four(state.rotations + at, vec4(row, 0));
    } else {
        pool[(place.rotations + at) / 4] = vec4(row, 0);
    }
}

vec4 rotation(uint c, uint k)
{
    const uint at = 12 * c + 4 * k;
    return is_spilled_rotation() ? state_four(state.rotations + at) : pool[(place.rotations + at) / 4];
}

void set_gradient(uint at, float value)
{
    if (is_spilled_gradient()) {
        states[state.gradients + at] = value;
    } else {
        set_pool_float(place.gradients + at, value);
    }
}

float gradient(uint at)
{
    return is_spilled_gradient() ? states[state.gradients + at] : pool_float(place.gradients + at);
}

void set_gradient_row(uint c, uint k, mat3x4 sums)
{
    const uint at = 3 * k * body.cluster_count + c;
    set_gradient(at, sum_of(sums[0]));
    set_gradient(at + body.cluster_count, sum_of(sums[1]));
    set_gradient(at + 2 * body.cluster_count, sum_of(sums[2]));
}

vec3 gradient_row(uint c, uint k)
{
    const uint at = 3 * k * body.cluster_count + c;
    return vec3(gradient(at), gradient(at + body.cluster_count), gradient(at + 2 * body.cluster_count));
}

/* sums[d] += s values[d], four products each. */
void accumulate(inout mat3x4 sums, vec4 s, mat3x4 values)
{
    precise const vec4 x = sums[0] + s * values[0], y = sums[1] + s * values[1], z = sums[2] + s * values[2];
    sums = mat3x4(x, y, z);
}

void prepare_cluster(uint c)
{
    mat3x4 sums0 = mat3x4(vec4(0), vec4(0), vec4(0)), sums1 = sums0, sums2 = sums0;
    for (uint bone = 0; bone < body.bone_count; ++bone) {
        const uint pose = first_pose_row(bone);
        const vec4 centre = poses[pose + SN_REDUCED_POSE_CENTRE];
        const mat3x4 rig = mat3x4(vec4(poses[pose].xyz, centre[0]), vec4(poses[pose + 1].xyz, centre[1]),
                                  vec4(poses[pose + 2].xyz, centre[2]));
        const uint at = body.model + model.bone + 3 * bone * body.cluster_count + c;
        accumulate(sums0, models[at], rig);
        accumulate(sums1, models[at + body.cluster_count], rig);
        accumulate(sums2, models[at + 2 * body.cluster_count], rig);
    }
    set_gradient_row(c, 0, sums0);
    set_gradient_row(c, 1, sums1);
    set_gradient_row(c, 2, sums2);
}

void prepare(bool is_going_on)
{
    for (uint i = lane; i < padded_coordinates; i += SN_REDUCED_GROUP_SIZE) {
        prepare_coordinate(i, is_going_on);
    }
    for (uint c = lane; c < body.cluster_count; c += SN_REDUCED_GROUP_SIZE) {
        prepare_cluster(c);
    }
    barrier();
}

// ---- the iteration ----

/* F^T = S_B Z + S_J P */
void deform_cluster(uint c, out float f[9])
{
    mat3x4 sums0 = mat3x4(vec4(0), vec4(0), vec4(0)), sums1 = sums0, sums2 = sums0;
    uint at = body.model + model.local + c;
    for (uint i = 0; i < padded_coordinates; i += 4) {
        const uint z = (place.coordinates + i) / 4, axis = padded_coordinates / 4;
        const mat3x4 four = mat3x4(pool[z], pool[z + axis], pool[z + 2 * axis]);
        accumulate(sums0, models[at], four);
        accumulate(sums1, models[at + body.cluster_count], four);
        accumulate(sums2, models[at + 2 * body.cluster_count], four);
        at += 3 * body.cluster_count;
    }
    precise const vec3 x = gradient_row(c, 0) + vec3(sum_of(sums0[0]), sum_of(sums0[1]), sum_of(sums0[2]));
    precise const vec3 y = gradient_row(c, 1) + vec3(sum_of(sums1[0]), sum_of(sums1[1]), sum_of(sums1[2]));
    precise const vec3 z = gradient_row(c, 2) + vec3(sum_of(sums2[0]), sum_of(sums2[1]), sum_of(sums2[2]));
    f = float[9](x[0], x[1], x[2], y[0], y[1], y[2], z[0], z[1], z[2]);
}

/* The rest's own term is taken off, so that rest is a fixed point to rounding. */
void rotate_clusters()
{
    for (uint c = lane; c < body.cluster_count; c += SN_REDUCED_GROUP_SIZE) {
        float f[9], r[9];
        deform_cluster(c, f);
        sn_polar(f, r);
        precise const float xx = r[0] - 1, yy = r[4] - 1, zz = r[8] - 1;
        set_rotation(c, 0, vec3(xx, r[1], r[2]));
        set_rotation(c, 1, vec3(r[3], yy, r[5]));
        set_rotation(c, 2, vec3(r[6], r[7], zz));
    }
    if (has_spilled_rotations) {
        memoryBarrierBuffer();
    }
    barrier();
}

/* A part of the clusters' share of sum_c S_B^T (R_c - 1)^T, for four coordinates. */
void add_forces(uint four, uint part, uint parts)
{
    const uint fours = padded_coordinates / 4;
    precise mat3x4 sums = mat3x4(vec4(0), vec4(0), vec4(0));
    for (uint c = part; c < body.cluster_count; c += parts) {
        const uint at = body.model + model.global + 3 * fours * c + four;
        const vec4 s0 = models[at], s1 = models[at + fours], s2 = models[at + 2 * fours];
        const vec4 r0 = rotation(c, 0), r1 = rotation(c, 1), r2 = rotation(c, 2);
        sums[0] += s0 * r0[0] + s1 * r1[0] + s2 * r2[0];
        sums[1] += s0 * r0[1] + s1 * r1[1] + s2 * r2[1];
        sums[2] += s0 * r0[2] + s1 * r1[2] + s2 * r2[2];
    }
    const uint to = place.forces / 4 + 3 * fours * part + four;
    pool[to] = sums[0];
    pool[to + fours] = sums[1];
    pool[to + 2 * fours] = sums[2];
}

void gather_forces()
{
    const uint fours = padded_coordinates / 4, parts = sn_reduced_parts(body.coordinate_count);
    for (uint k = lane; k < fours * parts; k += SN_REDUCED_GROUP_SIZE) {
        add_forces(k % fours, k / fours, parts);
    }
    barrier();
}

vec3 elastic_force(uint i)
{
    precise vec3 sum = vec3(0);
    for (uint part = 0; part < sn_reduced_parts(body.coordinate_count); ++part) {
        sum += pool_vector(place.forces + 3 * padded_coordinates * part, i);
    }
    return sum;
}

/* Returns the square of how far any vertex can have moved. */
float move_coordinates()
{
    precise float square = 0;
    for (uint i = lane; i < padded_coordinates; i += SN_REDUCED_GROUP_SIZE) {
        const vec4 coordinate = models[body.model + model.coordinate + i];
        float inertia_weight, elastic_weight;
        system_weights(coordinate.x, inertia_weight, elastic_weight);
        precise const vec3 next = pool_vector(place.inertia, i) + elastic_weight * elastic_force(i);
        precise const vec3 change = next - pool_vector(place.difference, i);
        precise const vec3 z = pool_vector(place.predicted, i) + next;
        square += coordinate.y * coordinate.y * squared(change);
        set_pool_vector(place.difference, i, next);
        set_pool_vector(place.coordinates, i, z);
    }
    return square;
}

/* False where the next dispatch has to go on. */
bool iterate()
{
    uint iteration = first_iteration;
    float change = 0;
    bool is_done = false;
    while (!is_done && iteration < last_iteration) {
        rotate_clusters();
        gather_forces();
        change = sqrt(sum_over_group(move_coordinates()));
        ++iteration;
        is_done = change <= body.tolerance || iteration >= body.iteration_limit;
    }
    if (lane == 0) {
        statuses[body.body].iteration_count = iteration;
        statuses[body.body].is_running = is_done ? 0 : 1;
        statuses[body.body].change = change;
    }
    return is_done;
}

void keep_difference()
{
    for (uint i = lane; i < padded_coordinates; i += SN_REDUCED_GROUP_SIZE) {
        set_state_vector(state.difference, i, pool_vector(place.difference, i));
    }
}

// ---- the new state, and what is drawn ----

/* Returns the square of the bound on how far a vertex is from the rig, as far as this coordinate knows. */
float take_coordinate(uint i)
{
    const float reach = models[body.model + model.coordinate + i].y;
    const vec3 before = state_vector(state.coordinates, i);
    precise const vec3 velocity = body.kept * state_vector(state.velocity, i) + pool_vector(place.difference, i);
    precise const vec3 added = velocity + state_vector(state.remainder, i);
    precise const vec3 sum = before + added;
    /* what rounding took from the sum, exactly (Knuth 1969) */
    precise const vec3 seen = sum - before;
    precise const vec3 remainder = (before - (sum - seen)) + (added - seen);
    set_state_vector(state.coordinates, i, sum);
    set_state_vector(state.remainder, i, remainder);
    set_state_vector(state.velocity, i, velocity);
    precise const float square = reach * reach * squared(sum);
    return square;
}

/* Flesh that is not finite, or a hundred diagonals away, goes back to its rig's pose, at rest. */
void take_step()
{
    precise float square = 0;
    for (uint i = lane; i < padded_coordinates; i += SN_REDUCED_GROUP_SIZE) {
        square += take_coordinate(i);
    }
    for (uint k = lane; k < 3 * body.bone_count; k += SN_REDUCED_GROUP_SIZE) {
        set_state_four(state.rig_motion + 4 * k, poses[first_pose_row(k / 3) + SN_REDUCED_POSE_STEP + k % 3]);
    }
    memoryBarrierBuffer();
    barrier(); // the sums of the last iteration are read
    const float distance = sqrt(sum_over_group(square));
    const bool is_sound = is_finite(distance) && distance <= body.farthest && (body.flags & SN_REDUCED_REFUSED) == 0;
    if (!is_sound) {
        put_to_rest();
        if (lane == 0) {
            ++statuses[body.body].recovery_count;
        }
    }
}

/* A row of T_j = amount mode_from_coordinate Z, the four columns at once. */
vec4 mode_row(uint mode, uint d)
{
    precise vec4 sum = vec4(0);
    for (uint i = 0; i < padded_coordinates; ++i) {
        sum += models[body.model + model.mode + i * body.mode_count + mode] *
               pool_float(place.coordinates + d * padded_coordinates + i);
    }
    precise const vec4 row = body.amount * sum;
    return row;
}

void draw()
{
    memoryBarrierBuffer();
    barrier();
    for (uint i = lane; i < padded_coordinates; i += SN_REDUCED_GROUP_SIZE) {
        precise const vec3 drawn =
            state_vector(state.coordinates, i) - (1 - fraction) * state_vector(state.velocity, i);
        set_pool_vector(place.coordinates, i, drawn);
    }
    barrier();
    for (uint k = lane; k < 3 * body.bone_count; k += SN_REDUCED_GROUP_SIZE) {
        matrices[body.matrices + k] = poses[first_pose_row(k / 3) + k % 3];
    }
    for (uint k = lane; k < 3 * body.mode_count; k += SN_REDUCED_GROUP_SIZE) {
        const uint mode = k % body.mode_count, d = k / body.mode_count;
        matrices[body.matrices + 3 * (body.bone_count + mode) + d] = mode_row(mode, d);
    }
}

void main()
{
    lane = gl_LocalInvocationIndex;
    body = records[first_record + gl_WorkGroupID.x];
    model = sn_reduced_model_layout_of(body.coordinate_count, body.cluster_count, body.bone_count, body.mode_count);
    state = sn_reduced_state_layout_of(body.coordinate_count, body.cluster_count, body.bone_count);
    state.coordinates += body.state, state.remainder += body.state, state.velocity += body.state;
    state.rig_motion += body.state, state.difference += body.state;
    state.rotations += body.state, state.gradients += body.state;
    place = sn_reduced_pool_layout_of(body.coordinate_count, body.cluster_count);
    padded_coordinates = 4 * sn_reduced_fours(body.coordinate_count);
    if (first_iteration == 0) {
        apply_flags();
    } else if (statuses[body.body].is_running == 0) {
        return;
    }
    if (last_iteration > 0) {
        prepare(first_iteration > 0);
        if (!iterate()) {
            keep_difference();
            return;
        }
        take_step();
    }
    draw();
}
