/* SPDX-License-Identifier: MIT */
/* Complementary dynamics of all bodies of a world, one workgroup per body, all iterations of a step in one dispatch:
 * the implementation of host/reduced (its header has the formulas), in float.
 *
 * The unknown is stored relative to the prediction Z_n + k (Z_n - Z_(n-1)), and the state as Z_n, its rounding error,
 * and Z_n - Z_(n-1), so that velocities keep float precision at any time step. The system is multiplied by h^2. */
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#include "shaders/reduced/body.glsl"
#include "shaders/reduced/clusters.glsl"
#include "shaders/reduced/samples.glsl"
#include "shaders/reduced/state.glsl"

layout(set = 0, binding = SN_REDUCED_CONTACTS, std430) buffer sn_contact_buffer { float contacts[]; };

#include "shaders/reduced/acceleration.glsl"
#include "shaders/reduced/initial_guess.glsl"
#include "shaders/reduced/contact_warm_start.glsl"
#include "shaders/reduced/contacts.glsl"
#include "shaders/reduced/contact_energy.glsl"

// ---- constants of a step ----

/* A row of 2 P_n - P_(n-1) - P_(n+1) of a bone or a morph pair. */
vec4 rig_acceleration(uint column, uint d)
{
    precise const vec4 motion =
        state_four(state.rig_motion + 12 * column + 4 * d) - poses[first_step_row(column) + d];
    return motion;
}

/* The rig's forces on a coordinate: M_J (2 P_n - P_(n-1) - P_(n+1)) and K_J (P_(n+1) - 1). Morph targets act through
 * inertia only. */
void rig_forces(uint i, out vec3 of_mass, out vec3 of_stiffness)
{
    precise mat3x4 mass = mat3x4(vec4(0), vec4(0), vec4(0)), stiffness = mass;
    for (uint bone = 0; bone < body.bone_count; ++bone) {
        const vec4 m = models[body.model + model.mass_cross + bone * padded_coordinates + i];
        const vec4 k = models[body.model + model.stiffness_cross + bone * padded_coordinates + i];
        const uint pose = first_pose_row(bone);
        const vec4 centre = poses[pose + SN_REDUCED_POSE_CENTER];
        for (uint d = 0; d < 3; ++d) {
            const vec4 rest = vec4(d == 0, d == 1, d == 2, 0);
            precise const vec4 strain = vec4(poses[pose + d].xyz, centre[d]) - rest;
            precise const vec4 acceleration =
                rig_acceleration(bone, d) + vec4(0, 0, 0, body.step2 * poses[pose + SN_REDUCED_POSE_GRAVITY][d]);
            mass[d] += m * acceleration;
            stiffness[d] += k * strain;
        }
    }
    for (uint pair = 0; pair < body.pair_count; ++pair) {
        const vec4 m = models[body.model + model.morph_cross + pair * padded_coordinates + i];
        for (uint d = 0; d < 3; ++d) {
            mass[d] += m * rig_acceleration(body.bone_count + pair, d);
        }
    }
    of_mass = vec3(sum_of(mass[0]), sum_of(mass[1]), sum_of(mass[2]));
    of_stiffness = vec3(sum_of(stiffness[0]), sum_of(stiffness[1]), sum_of(stiffness[2]));
}

vec3 elastic_force(uint i)
{
    precise vec3 sum = vec3(0);
    for (uint part = 0; part < sn_reduced_part_count(body.coordinate_count); ++part) {
        sum += pool_vector(pool_layout.forces + 3 * padded_coordinates * part, i);
    }
    return sum;
}

/* Computes the prediction, A^-1 c0 - prediction (in which the prediction's own inertia cancels) and the initial
 * iterate. */
void prepare_coordinate(uint i, bool is_resumed)
{
    const vec4 coordinate = models[body.model + model.coordinate + i]; // lambda, movement bound, mass
    const vec3 gravity = vec3(body.gravity[0], body.gravity[1], body.gravity[2]);
    const system_weights weights = system_of(coordinate.x);
    vec3 of_mass, of_stiffness;
    rig_forces(i, of_mass, of_stiffness);
    const float factor = 1 + body.limit_stiffness;
    of_stiffness = is_posed() ? elastic_force(i) : factor * of_stiffness;
    const vec3 added = inertial_displacement(i), predicted = predicted_from(i, added);
    const vec3 wind = (body.flags & SN_REDUCED_HAS_WIND) != 0 ? state_vector(state.wind_force, i) : vec3(0);
    precise const vec3 external_force = of_mass + body.step2 * (coordinate.z * gravity + wind);
    precise const vec3 elastic_force_part = weights.elastic * (of_stiffness + factor * coordinate.x * predicted);
    precise const vec3 inertia = (external_force - elastic_force_part) / weights.quadratic, before = predicted - added;
    precise const vec3 start = is_unaccelerated ? before : is_extrapolable() ? predicted +
        (inertia + extrapolate_correction(i)) : predicted;
    set_pool_vector(pool_layout.predicted, i, predicted);
    set_pool_vector(pool_layout.inertia, i, inertia);
    set_pool_vector(pool_layout.coordinates, i, is_resumed ? state_vector(state.point, i) : start);
}

/* Forces of the clusters at Z = 0. Subtracting them makes the rig's pose force-free, where it is the rest shape. */
void compute_rest_force()
{
    for (uint i = lane; i < padded_coordinates; i += SN_REDUCED_GROUP_SIZE) {
        set_pool_vector(pool_layout.coordinates, i, vec3(0));
    }
    barrier();
    project_clusters();
    gather_forces();
}

void prepare(bool is_resumed)
{
    for (uint c = lane; c < body.cluster_count; c += SN_REDUCED_GROUP_SIZE) {
        prepare_cluster(c);
    }
    if (is_posed()) {
        compute_rest_force();
    }
    for (uint i = lane; i < padded_coordinates; i += SN_REDUCED_GROUP_SIZE) {
        prepare_coordinate(i, is_resumed);
    }
    barrier();
}

// ---- the iteration ----

/* Result of the global step for the iterate d; both relative to the prediction. */
vec3 image_of(uint i, system_weights weights, vec3 d)
{
    const vec3 inertia = pool_vector(pool_layout.inertia, i);
    precise const float previous_weight = (weights.system - weights.quadratic) / weights.system;
    precise const vec3 correction = weights.elastic / weights.system * elastic_force(i) +
        previous_weight * (d - inertia);
    precise const vec3 image = inertia + correction;
    return image;
}

/* Squared bound on the movement of any vertex by this residual, scaled up where the system shortens steps. */
float movement(system_weights weights, float bound, vec3 residual)
{
    precise const float scaled_bound = bound * (weights.system / weights.quadratic);
    precise const float square = scaled_bound * scaled_bound * squared(residual);
    return square;
}

/* Displacement from the last state to the image. */
vec3 displacement_of(uint i)
{
    precise const vec3 displacement = pool_vector(pool_layout.image, i) + inertial_displacement(i);
    return displacement;
}

/* Evaluates the energy and, without contacts, the movement bounds of residual and step. */
evaluation measure(float trace)
{
    precise const float elastic = body.stiffness * body.step2 * trace;
    precise vec4 sums = vec4(0, -elastic, abs(elastic), 0);
    precise float moved = 0;
    for (uint i = lane; i < padded_coordinates; i += SN_REDUCED_GROUP_SIZE) {
        const vec4 coordinate = models[body.model + model.coordinate + i];
        const system_weights weights = system_of(coordinate.x);
        const vec3 d = point_of(i), residual = residual_of(i);
        const float square = movement(weights, coordinate.y, residual);
        sums += vec4(square, is_unaccelerated ? vec3(0) : energy_of(i, weights, d, residual));
        moved += movement(weights, coordinate.y, displacement_of(i));
    }
    if (is_in_contact) {
        const vec2 contact_terms = own_energy();
        sums = vec4(0, sums.y, sums.z + contact_terms.y, contact_terms.x);
    }
    const vec4 sum = sums_over_group(sums);
    precise const float noise = ENERGY_NOISE * sum.z + (is_in_contact ? CONTACT_ENERGY_TOLERANCE * energy_decrease : 0);
    precise const float energy = is_in_contact ? sum.y + sum.w : sum.y;
    const float square_moved = sums_over_group(vec4(moved, 0, 0, 0)).x;
    return evaluation(sqrt(sum.x), sqrt(square_moved), energy, noise, sum.w, 0, false);
}

/* With contacts: evaluates the movement bounds, the squared residual, and whether the image has a lower energy. For
 * fixed rotations, E(g) - E(d) = -1/2 |f|_N^2 + sum_i force_i . (x_i(g) - x_i(d)), plus the contact terms. */
void compare_image(inout evaluation point)
{
    precise vec4 sums = vec4(0, 0, own_rise());
    precise float moved = 0;
    for (uint i = lane; i < padded_coordinates; i += SN_REDUCED_GROUP_SIZE) {
        const vec4 coordinate = models[body.model + model.coordinate + i];
        const system_weights weights = system_of(coordinate.x);
        const vec3 residual = residual_of(i);
        sums.x += movement(weights, coordinate.y, residual);
        sums.y += weights.system * squared(residual);
        moved += movement(weights, coordinate.y, displacement_of(i));
    }
    const vec4 sum = sums_over_group(sums);
    precise const float rise = sum.z - 0.5 * sum.y;
    point.change = sqrt(sum.x);
    point.moved = sqrt(sums_over_group(vec4(moved, 0, 0, 0)).x);
    point.residual_square = sum.y;
    point.is_image_lower = rise <= point.noise + ENERGY_NOISE * sum.w;
}

/* Computes and evaluates the images of all coordinates. Contacts are projected until the image is lower, which takes
 * several rounds of sweeps in impacts. */
evaluation evaluate()
{
    const float trace = project_clusters();
    gather_forces();
    for (uint i = lane; i < padded_coordinates; i += SN_REDUCED_GROUP_SIZE) {
        const system_weights weights = system_of(models[body.model + model.coordinate + i].x);
        set_pool_vector(pool_layout.image, i, image_of(i, weights, point_of(i)));
    }
    if (contact_count > 0) {
        start_contacts();
    }
    evaluation point = measure(trace);
    const uint rounds = contact_count == 0 ? 0 : is_unaccelerated ? 1 : SN_REDUCED_ROUND_LIMIT;
    sweep_tolerance = sweep_tolerance_of(last_change);
    for (uint round = 0; round < rounds && !point.is_image_lower && loops_left >= loops_of_sweep(); ++round) {
        continue_sweeps();
        compare_image(point);
    }
    return point;
}

/* Energy of the point just evaluated, with the friction bounds at this point. */
float accepted_energy_of(evaluation point)
{
    if (!is_in_contact) {
        return point.energy;
    }
    precise const float energy = point.energy + sums_over_group(vec4(store_accepted_forces(), 0, 0, 0)).x;
    return energy;
}

void advance()
{
    for (uint i = lane; i < padded_coordinates; i += SN_REDUCED_GROUP_SIZE) {
        precise const vec3 z = pool_vector(pool_layout.predicted, i) + pool_vector(pool_layout.image, i);
        set_pool_vector(pool_layout.coordinates, i, z);
    }
    barrier();
}

/* Writes the status. Called by one invocation. */
void write_status(uint iteration, float change, bool is_done)
{
    const bool is_converged = change <= body.tolerance;
    const bool is_budget_exhausted = (body.flags & SN_REDUCED_BUDGET_LIMITED) != 0 && iteration >= body.iteration_limit;
    statuses[body.body].iteration_count = iteration;
    statuses[body.body].is_running = is_done ? 0 : 1;
    statuses[body.body].is_converged = is_converged ? 1 : 0;
    statuses[body.body].is_over_budget = !is_converged && is_budget_exhausted ? 1 : 0;
    statuses[body.body].change = change;
}

/* Returns false if the next dispatch has to continue. */
bool iterate()
{
    uint iteration = first_iteration;
    float change = first_iteration > 0 ? statuses[body.body].change : 0;
    bool is_done = false, is_rejected = false;
    last_change = is_unaccelerated ? change : last_change;
    while (!is_done && iteration < last_iteration) {
        const evaluation point = evaluate();
        is_rejected = (is_accelerated || (is_guarded && has_accepted)) && has_risen(point);
        change = is_rejected ? change : point.change;
        step_tolerance = is_rejected ? step_tolerance : tolerance_of(point);
        last_change = point.change;
        ++iteration;
        can_stop =
            can_stop || change <= step_tolerance || (has_accepted && !is_rejected) ||
            (!has_volume && point.is_image_lower);
        is_done = can_stop && (change <= step_tolerance || iteration >= body.iteration_limit);
        if (is_rejected) {
            step_back();
            is_done = is_done || step_fraction < MIN_STEP_FRACTION;
        } else if (is_unaccelerated) {
            advance();
        } else {
            accelerate(is_done);
            accept(point, accepted_energy_of(point));
        }
    }
    if (is_done && !is_unaccelerated) {
        finish(change);
    }
    if (is_done && is_rejected) {
        own_force = own_accepted_force;
    }
    if (lane == 0) {
        write_status(iteration, change, is_done);
    }
    return is_done;
}

void store_point()
{
    for (uint i = lane; i < padded_coordinates; i += SN_REDUCED_GROUP_SIZE) {
        set_state_vector(state.point, i, pool_vector(pool_layout.coordinates, i));
    }
    if (!is_unaccelerated) {
        store_history();
    }
    store_forces();
}

// ---- the new state, and the output ----

/* Updates a coordinate. Returns its squared contribution to the bound on the distance of vertices from the rig. */
float update_coordinate(uint i)
{
    const float bound = models[body.model + model.coordinate + i].y;
    const vec3 before = state_vector(state.coordinates, i);
    precise const vec3 velocity = inertial_displacement(i) + pool_vector(pool_layout.image, i);
    precise const vec3 added = velocity + state_vector(state.remainder, i);
    precise const vec3 sum = before + added;
    /* The exact rounding error of the sum (Knuth 1969). */
    precise const vec3 applied = sum - before;
    precise const vec3 remainder = (before - (sum - applied)) + (added - applied);
    set_state_vector(state.coordinates, i, sum);
    set_state_vector(state.remainder, i, remainder);
    set_state_vector(state.velocity, i, velocity);
    precise const float square = bound * bound * squared(sum);
    return square;
}

/* Number of invocations with a sample whose flesh is more than 100 diagonals from the rig. */
float count_diverged()
{
    const uint points = sn_reduced_point_count(body.sample_count), fours = padded_coordinates / 4;
    precise float max_values = 0;
    for (uint sample_index = lane; sample_index < body.sample_count; sample_index += SN_REDUCED_GROUP_SIZE) {
        precise mat3x4 flesh = mat3x4(vec4(0), vec4(0), vec4(0));
        for (uint four = 0; four < fours; ++four) {
            const vec4 row = models[body.model + model.row + points * four + sample_index];
            for (uint d = 0; d < 3; ++d) {
                flesh[d] += row * state_four(state.coordinates + padded_coordinates * d + 4 * four);
            }
        }
        max_values = max(max_values, squared(vec3(sum_of(flesh[0]), sum_of(flesh[1]), sum_of(flesh[2]))));
    }
    return sums_over_group(vec4(sqrt(max_values) > body.max_distance ? 1 : 0, 0, 0, 0)).x;
}

/* Completes the step. Flesh that is not finite, or more than 100 diagonals away, is reset to rest in the rig's pose. */
void finish_step()
{
    precise vec4 squares = vec4(0); // of distance, extrapolation error and movement
    for (uint i = lane; i < padded_coordinates; i += SN_REDUCED_GROUP_SIZE) {
        squares += vec4(update_coordinate(i), is_unaccelerated ? vec2(0) : store_correction(i), 0);
    }
    for (uint k = lane; k < 3 * (body.bone_count + body.pair_count); k += SN_REDUCED_GROUP_SIZE) {
        set_state_four(state.rig_motion + 4 * k, poses[first_step_row(k / 3) + k % 3]);
    }
    memoryBarrierBuffer();
    barrier();
    const vec4 sums = sums_over_group(squares);
    const float distance = sqrt(sums.x);
    if (lane == 0) {
        store_correction_info(sums.yz, !is_unaccelerated && statuses[body.body].is_converged != 0);
    }
    store_previous_forces();
    barrier();
    bool is_valid = is_finite(distance) && (body.flags & SN_REDUCED_REJECTED) == 0;
    if (is_valid && distance > body.max_distance) { /* the bound may be far too large, so samples are checked */
        is_valid = body.sample_count > 0 && count_diverged() == 0;
    }
    if (!is_valid) {
        reset_to_rest();
        if (lane == 0) {
            ++statuses[body.body].recovery_count;
        }
    }
}

/* A row of T_j = amount mode_from_coordinate Z, all four columns. */
vec4 mode_row(uint mode, uint d)
{
    precise vec4 sum = vec4(0);
    for (uint i = 0; i < padded_coordinates; ++i) {
        sum += models[body.model + model.mode + i * body.mode_count + mode] *
               pool_float(pool_layout.coordinates + d * padded_coordinates + i);
    }
    precise const vec4 row = body.amount * sum;
    return row;
}

void write_matrices()
{
    memoryBarrierBuffer();
    barrier();
    for (uint i = lane; i < padded_coordinates; i += SN_REDUCED_GROUP_SIZE) {
        precise const vec3 interpolated =
            state_vector(state.coordinates, i) - (1 - fraction) * state_vector(state.velocity, i);
        set_pool_vector(pool_layout.coordinates, i, interpolated);
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
    find_body();
    if (first_iteration == 0 && external_pass == 0) {
        apply_flags();
    } else if (first_iteration > 0 && statuses[body.body].is_running == 0) {
        return;
    }
    if (last_iteration > 0) {
        const bool has_contact_candidates = body.collider_count + body.grab_count > 0;
        contact_count = has_contact_candidates ? uint(contact_number(sn_reduced_contacts_layout_of().count, 0)) : 0;
        start_guard(contact_count > 0);
        load_forces(first_iteration > 0);
        is_first_sweep = first_iteration == 0;
        if (first_iteration == 0 || is_unaccelerated) {
            start_history();
        } else {
            load_history();
        }
        prepare(first_iteration > 0);
        if (!iterate()) {
            store_point();
            return;
        }
        finish_step();
    }
    write_matrices();
}
