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
#include "shaders/reduced/pulls.glsl"
#include "shaders/reduced/held.glsl"
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
        const vec4 centre = poses[pose + SN_REDUCED_POSE_CENTRE];
        for (uint d = 0; d < 3; ++d) {
            const vec4 rest = vec4(d == 0, d == 1, d == 2, 0);
            precise const vec4 strain = vec4(poses[pose + d].xyz, centre[d]) - rest;
            mass[d] += m * rig_acceleration(bone, d);
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
    for (uint part = 0; part < sn_reduced_parts(body.coordinate_count); ++part) {
        sum += pool_vector(place.forces + 3 * padded_coordinates * part, i);
    }
    return sum;
}

/* Computes the prediction, A^-1 c0 - prediction (in which the prediction's own inertia cancels) and the initial
 * iterate. */
void prepare_coordinate(uint i, bool is_going_on)
{
    const vec4 coordinate = models[body.model + model.coordinate + i]; // lambda, movement bound, mass
    const vec3 gravity = vec3(body.gravity[0], body.gravity[1], body.gravity[2]);
    const system_weights weights = system_of(coordinate.x);
    vec3 of_mass, of_stiffness;
    rig_forces(i, of_mass, of_stiffness);
    of_stiffness = is_posed() ? elastic_force(i) : of_stiffness;
    const vec3 added = carried(i), predicted = predicted_from(i, added);
    const vec3 wind = (body.flags & SN_REDUCED_WINDY) != 0 ? state_vector(state.load, i) : vec3(0);
    precise const vec3 free = of_mass + body.step2 * (coordinate.z * gravity + wind);
    precise const vec3 held = weights.elastic * (of_stiffness + coordinate.x * predicted);
    precise const vec3 inertia = (free - held) / weights.quadratic, before = predicted - added;
    precise const vec3 start = is_plain ? before : is_steady() ? predicted +
        (inertia + foretell(i)) : predicted;
    set_pool_vector(place.predicted, i, predicted);
    set_pool_vector(place.inertia, i, inertia);
    set_pool_vector(place.coordinates, i, is_going_on ? state_vector(state.point, i) : start);
}

/* Forces of the clusters at Z = 0. Subtracting them makes the rig's pose force-free, where it is the rest shape. */
void pull_at_rest()
{
    for (uint i = lane; i < padded_coordinates; i += SN_REDUCED_GROUP_SIZE) {
        set_pool_vector(place.coordinates, i, vec3(0));
    }
    barrier();
    rotate_clusters();
    gather_forces();
}

void prepare(bool is_going_on)
{
    for (uint c = lane; c < body.cluster_count; c += SN_REDUCED_GROUP_SIZE) {
        prepare_cluster(c);
    }
    if (is_posed()) {
        pull_at_rest();
    }
    for (uint i = lane; i < padded_coordinates; i += SN_REDUCED_GROUP_SIZE) {
        prepare_coordinate(i, is_going_on);
    }
    barrier();
}

// ---- the iteration ----

/* Result of the global step for the iterate d; both relative to the prediction. */
vec3 image_of(uint i, system_weights weights, vec3 d)
{
    const vec3 inertia = pool_vector(place.inertia, i);
    precise const float stay = (weights.system - weights.quadratic) / weights.system;
    precise const vec3 pulled = weights.elastic / weights.system * elastic_force(i) +
        stay * (d - inertia);
    precise const vec3 image = inertia + pulled;
    return image;
}

/* Squared bound on the movement of any vertex by this residual, scaled up where the system shortens steps. */
float movement(system_weights weights, float reach, vec3 residual)
{
    precise const float caution = reach * (weights.system / weights.quadratic);
    precise const float square = caution * caution * squared(residual);
    return square;
}

/* Displacement from the last state to the image. */
vec3 way_of(uint i)
{
    precise const vec3 way = pool_vector(place.image, i) + carried(i);
    return way;
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
        sums += vec4(square, is_plain ? vec3(0) : energy_of(i, weights, d, residual));
        moved += movement(weights, coordinate.y, way_of(i));
    }
    if (is_touching) {
        const vec2 touch = own_energy();
        sums = vec4(0, sums.y, sums.z + touch.y, touch.x);
    }
    const vec4 sum = sums_over_group(sums);
    precise const float noise = ENERGY_NOISE * sum.z + (is_touching ? LENIENCE * fallen : 0);
    precise const float energy = is_touching ? sum.y + sum.w : sum.y;
    const float square_moved = sums_over_group(vec4(moved, 0, 0, 0)).x;
    return evaluation(sqrt(sum.x), sqrt(square_moved), energy, noise, sum.w, 0, false);
}

/* With contacts: evaluates the movement bounds, the squared residual, and whether the image has a lower energy. For
 * fixed rotations, E(g) - E(d) = -1/2 |f|_N^2 + sum_i force_i . (x_i(g) - x_i(d)), plus the contact terms. */
void weigh_image(inout evaluation point)
{
    precise vec4 sums = vec4(0, 0, own_rise());
    precise float moved = 0;
    for (uint i = lane; i < padded_coordinates; i += SN_REDUCED_GROUP_SIZE) {
        const vec4 coordinate = models[body.model + model.coordinate + i];
        const system_weights weights = system_of(coordinate.x);
        const vec3 residual = residual_of(i);
        sums.x += movement(weights, coordinate.y, residual);
        sums.y += weights.system * squared(residual);
        moved += movement(weights, coordinate.y, way_of(i));
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
    const float trace = rotate_clusters();
    gather_forces();
    for (uint i = lane; i < padded_coordinates; i += SN_REDUCED_GROUP_SIZE) {
        const system_weights weights = system_of(models[body.model + model.coordinate + i].x);
        set_pool_vector(place.image, i, image_of(i, weights, point_of(i)));
    }
    if (contact_count > 0) {
        place_contacts();
    }
    evaluation point = measure(trace);
    const uint rounds = contact_count == 0 ? 0 : is_plain ? 1 : SN_REDUCED_ROUND_LIMIT;
    settled = settled_of(last_change);
    for (uint round = 0; round < rounds && !point.is_image_lower && turns_left >= turns_of_sweep(); ++round) {
        sweep_on();
        weigh_image(point);
    }
    return point;
}

/* Energy of the point just evaluated, with the friction bounds at this point. */
float energy_kept_of(evaluation point)
{
    if (!is_touching) {
        return point.energy;
    }
    precise const float energy = point.energy + sums_over_group(vec4(keep_forces(), 0, 0, 0)).x;
    return energy;
}

void advance()
{
    for (uint i = lane; i < padded_coordinates; i += SN_REDUCED_GROUP_SIZE) {
        precise const vec3 z = pool_vector(place.predicted, i) + pool_vector(place.image, i);
        set_pool_vector(place.coordinates, i, z);
    }
    barrier();
}

/* Writes the status. Called by one invocation. */
void tell(uint iteration, float change, bool is_done)
{
    const bool is_converged = change <= body.tolerance;
    const bool is_cut = (body.flags & SN_REDUCED_HURRIED) != 0 && iteration >= body.iteration_limit;
    statuses[body.body].iteration_count = iteration;
    statuses[body.body].is_running = is_done ? 0 : 1;
    statuses[body.body].is_converged = is_converged ? 1 : 0;
    statuses[body.body].is_over_budget = !is_converged && is_cut ? 1 : 0;
    statuses[body.body].change = change;
}

/* Returns false if the next dispatch has to continue. */
bool iterate()
{
    uint iteration = first_iteration;
    float change = first_iteration > 0 ? statuses[body.body].change : 0;
    bool is_done = false, is_refused = false;
    last_change = is_plain ? change : last_change;
    while (!is_done && iteration < last_iteration) {
        const evaluation point = evaluate();
        is_refused = (is_guess || (is_guarded && has_kept)) && has_risen(point);
        change = is_refused ? change : point.change;
        enough = is_refused ? enough : tolerance_of(point);
        last_change = point.change;
        ++iteration;
        may_end =
            may_end || change <= enough || (has_kept && !is_refused) ||
            (!has_volume && point.is_image_lower);
        is_done = may_end && (change <= enough || iteration >= body.iteration_limit);
        if (is_refused) {
            fall_back();
            is_done = is_done || share < LEAST_SHARE;
        } else if (is_plain) {
            advance();
        } else {
            accelerate(is_done);
            keep(point, energy_kept_of(point));
        }
    }
    if (is_done && !is_plain) {
        finish(change);
    }
    if (is_done && is_refused) {
        own_force = own_force_kept;
    }
    if (lane == 0) {
        tell(iteration, change, is_done);
    }
    return is_done;
}

void keep_point()
{
    for (uint i = lane; i < padded_coordinates; i += SN_REDUCED_GROUP_SIZE) {
        set_state_vector(state.point, i, pool_vector(place.coordinates, i));
    }
    if (!is_plain) {
        store_history();
    }
    store_forces();
}

// ---- the new state, and the output ----

/* Updates a coordinate. Returns its squared contribution to the bound on the distance of vertices from the rig. */
float take_coordinate(uint i)
{
    const float reach = models[body.model + model.coordinate + i].y;
    const vec3 before = state_vector(state.coordinates, i);
    precise const vec3 velocity = carried(i) + pool_vector(place.image, i);
    precise const vec3 added = velocity + state_vector(state.remainder, i);
    precise const vec3 sum = before + added;
    /* The exact rounding error of the sum (Knuth 1969). */
    precise const vec3 seen = sum - before;
    precise const vec3 remainder = (before - (sum - seen)) + (added - seen);
    set_state_vector(state.coordinates, i, sum);
    set_state_vector(state.remainder, i, remainder);
    set_state_vector(state.velocity, i, velocity);
    precise const float square = reach * reach * squared(sum);
    return square;
}

/* Number of invocations with a sample whose flesh is more than 100 diagonals from the rig. */
float count_lost()
{
    const uint points = sn_reduced_points(body.sample_count), fours = padded_coordinates / 4;
    precise float most = 0;
    for (uint sample_index = lane; sample_index < body.sample_count; sample_index += SN_REDUCED_GROUP_SIZE) {
        precise mat3x4 flesh = mat3x4(vec4(0), vec4(0), vec4(0));
        for (uint four = 0; four < fours; ++four) {
            const vec4 row = models[body.model + model.row + points * four + sample_index];
            for (uint d = 0; d < 3; ++d) {
                flesh[d] += row * state_four(state.coordinates + padded_coordinates * d + 4 * four);
            }
        }
        most = max(most, squared(vec3(sum_of(flesh[0]), sum_of(flesh[1]), sum_of(flesh[2]))));
    }
    return sums_over_group(vec4(sqrt(most) > body.farthest ? 1 : 0, 0, 0, 0)).x;
}

/* Completes the step. Flesh that is not finite, or more than 100 diagonals away, is reset to rest in the rig's pose. */
void take_step()
{
    precise vec4 squares = vec4(0); // of distance, extrapolation error and movement
    for (uint i = lane; i < padded_coordinates; i += SN_REDUCED_GROUP_SIZE) {
        squares += vec4(take_coordinate(i), is_plain ? vec2(0) : remember_pull(i), 0);
    }
    for (uint k = lane; k < 3 * (body.bone_count + body.pair_count); k += SN_REDUCED_GROUP_SIZE) {
        set_state_four(state.rig_motion + 4 * k, poses[first_step_row(k / 3) + k % 3]);
    }
    memoryBarrierBuffer();
    barrier();
    const vec4 sums = sums_over_group(squares);
    const float distance = sqrt(sums.x);
    if (lane == 0) {
        remember_trend(sums.yz, !is_plain && statuses[body.body].is_converged != 0);
    }
    hold_forces();
    barrier();
    bool is_sound = is_finite(distance) && (body.flags & SN_REDUCED_REFUSED) == 0;
    if (is_sound && distance > body.farthest) { /* the bound may be far too large, so samples are checked */
        is_sound = body.sample_count > 0 && count_lost() == 0;
    }
    if (!is_sound) {
        put_to_rest();
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
    find_body();
    if (first_iteration == 0 && is_pushed == 0) {
        apply_flags();
    } else if (first_iteration > 0 && statuses[body.body].is_running == 0) {
        return;
    }
    if (last_iteration > 0) {
        const bool is_near = body.collider_count + body.grab_count > 0;
        contact_count = is_near ? uint(contact_number(sn_reduced_contacts_layout_of().count, 0)) : 0;
        start_guard(contact_count > 0);
        load_forces(first_iteration > 0);
        is_fresh = first_iteration == 0;
        if (first_iteration == 0 || is_plain) {
            start_history();
        } else {
            load_history();
        }
        prepare(first_iteration > 0);
        if (!iterate()) {
            keep_point();
            return;
        }
        take_step();
    }
    draw();
}
