/* SPDX-License-Identifier: MIT */
/* The local pass (a rotation per cluster) and the cluster sums of the global pass: the implementation of host/reduced's
 * cluster_pass.inc. The rows of R - 1 (including the volumetric correction; T - 1 for Neo-Hookean flesh) and S_J P are
 * in shared memory or, where they do not fit, in the state. */
#include "shaders/reduced/neo_hookean.glsl"
#include "shaders/reduced/polar.glsl"
#include "shaders/reduced/strain_limit.glsl"

bool is_spilled_rotation()
{
    return has_spilled_rotations && pool_layout.gradients > pool_size;
}

bool is_spilled_gradient()
{
    return has_spilled_gradients && pool_layout.size > pool_size;
}

void set_rotation(uint c, uint k, vec3 row)
{
    const uint at = 12 * c + 4 * k;
    if (is_spilled_rotation()) {
        set_state_four(state.rotations + at, vec4(row, 0));
    } else {
        pool[(pool_layout.rotations + at) / 4] = vec4(row, 0);
    }
}

vec4 rotation(uint c, uint k)
{
    const uint at = 12 * c + 4 * k;
    return is_spilled_rotation() ? state_four(state.rotations + at) : pool[(pool_layout.rotations + at) / 4];
}

void set_gradient(uint at, float value)
{
    if (is_spilled_gradient()) {
        states[state.gradients + at] = value;
    } else {
        set_pool_float(pool_layout.gradients + at, value);
    }
}

float gradient(uint at)
{
    return is_spilled_gradient() ? states[state.gradients + at] : pool_float(pool_layout.gradients + at);
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

/* sums[d] += s values[d], component-wise. */
void accumulate(inout mat3x4 sums, vec4 s, mat3x4 values)
{
    precise const vec4 x = sums[0] + s * values[0], y = sums[1] + s * values[1], z = sums[2] + s * values[2];
    sums = mat3x4(x, y, z);
}

/* For flesh whose rest shape is the rig's pose: the cluster's rest gradient, rotated as the rig rotates it. */
void rotate_rest(uint c)
{
    const vec4 volume = models[body.model + model.volume + c];
    const float rest[3] = float[3](volume.w, volume.w, volume.y - 2 * volume.w);
    const vec3 x = gradient_row(c, 0), y = gradient_row(c, 1), z = gradient_row(c, 2);
    float rotation_delta[9];
    sn_polar(float[9](x[0], x[1], x[2], y[0], y[1], y[2], z[0], z[1], z[2]), rotation_delta);
    for (uint i = 0; i < 9; ++i) {
        precise const float rotated = rest[i / 3] * rotation_delta[i] + (i % 4 == 0 ? rest[i / 3] : 0);
        set_gradient(i * body.cluster_count + c, rotated);
    }
}

/* Removes the rounding of the rig's gradient, so that it is exactly m 1 at rest, and finds the range of strain. */
void prepare_limit(uint c)
{
    float f[9];
    for (uint k = 0; k < 3; ++k) {
        precise const vec3 row = gradient_row(c, k) - models[body.model + model.limit + 3 * c + k].xyz;
        for (uint d = 0; d < 3; ++d) {
            f[3 * k + d] = row[d];
            set_gradient((3 * k + d) * body.cluster_count + c, row[d]);
        }
    }
    prepare_range(c, f);
}

void prepare_cluster(uint c)
{
    mat3x4 sums0 = mat3x4(vec4(0), vec4(0), vec4(0)), sums1 = sums0, sums2 = sums0;
    for (uint bone = 0; bone < body.bone_count; ++bone) {
        const uint pose = first_pose_row(bone);
        const vec4 centre = poses[pose + SN_REDUCED_POSE_CENTER];
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
    if (has_strain_limits()) {
        prepare_limit(c);
    }
    if (is_posed()) {
        rotate_rest(c);
    }
}

/* F^T = S_B Z + S_J P */
void deform_cluster(uint c, out float f[9])
{
    mat3x4 sums0 = mat3x4(vec4(0), vec4(0), vec4(0)), sums1 = sums0, sums2 = sums0;
    uint at = body.model + model.local + c;
    for (uint i = 0; i < padded_coordinates; i += 4) {
        const uint z = (pool_layout.coordinates + i) / 4, axis = padded_coordinates / 4;
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

/* Volumetric correction: rotation <- rotation - p (rotation + 1), aligned = tr rotation^T F. Returns 1/2 p e. */
float add_volume_pressure(uint c, float f[9], float aligned, inout float rotation_delta[9])
{
    const vec4 volume = models[body.model + model.volume + c];
    precise const float e = aligned + (f[0] + f[4] + f[8]) - volume.y, p = volume.x * e;
    for (int i = 0; i < 9; ++i) {
        precise const float corrected = rotation_delta[i] -
            (i % 4 == 0 ? p * rotation_delta[i] + p : p * rotation_delta[i]);
        rotation_delta[i] = corrected;
    }
    precise const float energy = 0.5 * p * e;
    return energy;
}

/* Adds the volumetric correction to R - 1; returns tr (R - 1)^T F - 1/2 p e. */
float align(uint c, float f[9], inout float rotation_delta[9])
{
    precise float aligned = 0;
    for (int i = 0; i < 9; ++i) {
        aligned += rotation_delta[i] * f[i];
    }
    if (body.volume > 0) {
        aligned -= add_volume_pressure(c, f, aligned, rotation_delta);
    }
    return aligned;
}

/* Computes a cluster's rotation without the rest shape's own term, so that rest is a fixed point up to rounding.
 * Returns its energy, as the global step counts it. */
float project_cluster(uint c)
{
    float f[9], rotation_delta[9], target[9];
    precise float limited = 0;
    deform_cluster(c, f);
    if (!is_neo_hookean() || has_strain_limits()) {
        sn_polar(f, rotation_delta);
    }
    if (has_strain_limits()) {
        limited = limit_strain(c, f, rotation_delta, target);
    }
    precise float aligned =
        is_neo_hookean() ? sn_neo_hookean_response(models[body.model + model.volume + c], f, rotation_delta) :
            align(c, f, rotation_delta);
    if (has_strain_limits()) {
        aligned += limited;
        for (int i = 0; i < 9; ++i) {
            precise const float sum = rotation_delta[i] + target[i];
            rotation_delta[i] = sum;
        }
    }
    set_rotation(c, 0, vec3(rotation_delta[0], rotation_delta[1], rotation_delta[2]));
    set_rotation(c, 1, vec3(rotation_delta[3], rotation_delta[4], rotation_delta[5]));
    set_rotation(c, 2, vec3(rotation_delta[6], rotation_delta[7], rotation_delta[8]));
    return aligned;
}

/* Returns the energy of this invocation's clusters. */
float project_clusters()
{
    precise float trace = 0;
    for (uint c = lane; c < body.cluster_count; c += SN_REDUCED_GROUP_SIZE) {
        trace += project_cluster(c);
    }
    if (has_spilled_rotations) {
        memoryBarrierBuffer();
    }
    barrier();
    return trace;
}

/* Adds the clusters of one part to sum_c S_B^T (R_c - 1)^T, for four coordinates. */
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
    const uint to = pool_layout.forces / 4 + 3 * fours * part + four;
    pool[to] = sums[0];
    pool[to + fours] = sums[1];
    pool[to + 2 * fours] = sums[2];
}

void gather_forces()
{
    const uint fours = padded_coordinates / 4, parts = sn_reduced_part_count(body.coordinate_count);
    for (uint k = lane; k < fours * parts; k += SN_REDUCED_GROUP_SIZE) {
        add_forces(k % fours, k / fours, parts);
    }
    barrier();
}
