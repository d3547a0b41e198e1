/* SPDX-License-Identifier: MIT */
/* Impulses at the nearest sample after the last step: the implementation of host/reduced/forces.c. */

#define MAX_FLOAT 3.0e38

/* The nearest of the invocations' samples, the lowest index among equals; returned to all. */
uint nearest_of_group(float distance, uint own)
{
    set_pool_float(pool_layout.sums + lane, distance);
    set_pool_float(pool_layout.forces + lane, float(own));
    barrier();
    float min_distance = MAX_FLOAT, best = float(body.sample_count);
    for (uint i = 0; i < SN_REDUCED_GROUP_SIZE; ++i) {
        const float there = pool_float(pool_layout.sums + i), index = pool_float(pool_layout.forces + i);
        const bool is_nearer = there < min_distance || (there == min_distance && index < best);
        best = is_nearer ? index : best;
        min_distance = is_nearer ? there : min_distance;
    }
    barrier();
    return uint(best);
}

/* Returns sample_count if no sample is at a finite distance. */
uint nearest_sample(vec3 point)
{
    float min_distance = MAX_FLOAT;
    uint best = body.sample_count;
    for (uint i = lane; i < body.sample_count; i += SN_REDUCED_GROUP_SIZE) {
        precise const vec3 offset = rig_position(i, RIG_BEFORE) + flesh_offset(i, pool_layout.coordinates) - point;
        const float distance = squared(offset);
        best = distance < min_distance ? i : best;
        min_distance = distance < min_distance ? distance : min_distance;
    }
    return nearest_of_group(min_distance, best);
}

/* Writes the effect of a unit impulse on the samples of a bone, weighted by rig weight and area, on the coordinates to
 * the inertia array. Processes a group of samples at a time. Returns the sum of the weights. */
float gather_bone(uint bone)
{
    precise float sum = 0;
    for (uint i = lane; i < padded_coordinates; i += SN_REDUCED_GROUP_SIZE) {
        set_pool_float(pool_layout.inertia + i, 0);
    }
    for (uint first = 0; first < body.sample_count; first += SN_REDUCED_GROUP_SIZE) {
        const uint own = min(first + lane, body.sample_count - 1);
        precise const float weight = models[body.model + model.skin + 2 * own].w * bone_weight(own, bone);
        const uint count = min(SN_REDUCED_GROUP_SIZE, body.sample_count - first);
        set_pool_float(pool_layout.sums + lane, weight);
        barrier();
        for (uint i = lane; i < padded_coordinates; i += SN_REDUCED_GROUP_SIZE) {
            precise float effect = pool_float(pool_layout.inertia + i);
            for (uint k = 0; k < count; ++k) {
                effect += pool_float(pool_layout.sums + k) * row_entry(first + k, i);
            }
            set_pool_float(pool_layout.inertia + i, effect);
        }
        for (uint k = 0; k < count; ++k) {
            sum += pool_float(pool_layout.sums + k);
        }
        barrier();
    }
    return sum;
}

/* Distributes an impulse over the skin of a bone. */
void apply_bone_impulse(uint bone, vec3 impulse)
{
    const float sum = gather_bone(bone);
    for (uint i = lane; i < padded_coordinates && sum > 0; i += SN_REDUCED_GROUP_SIZE) {
        precise const vec3 impulse_sum =
            pool_vector(pool_layout.image, i) + pool_float(pool_layout.inertia + i) / sum * impulse;
        set_pool_vector(pool_layout.image, i, impulse_sum);
    }
}

/* Applies an impulse to the sample nearest to a point. */
void apply_point_impulse(vec3 point, vec3 impulse)
{
    const uint nearest = nearest_sample(point);
    for (uint i = lane; i < padded_coordinates && nearest < body.sample_count; i += SN_REDUCED_GROUP_SIZE) {
        precise const vec3 sum = pool_vector(pool_layout.image, i) + row_entry(nearest, i) * impulse;
        set_pool_vector(pool_layout.image, i, sum);
    }
}

/* Adds the impulses of this dispatch. As V^T M V = 1, an impulse is a change of dZ/dt, which this step applies. */
void gather_impulses(uint first, uint last)
{
    for (uint i = lane; i < padded_coordinates; i += SN_REDUCED_GROUP_SIZE) {
        set_pool_vector(pool_layout.coordinates, i, predicted_from(i, vec3(0)));
        set_pool_vector(pool_layout.image, i, first > 0 ? state_vector(state.impulse_velocity, i) : vec3(0));
    }
    barrier();
    for (uint k = first; k < min(last, body.impulse_count); ++k) {
        const uint at = first_impulse + body.impulse + SN_REDUCED_IMPULSE_ROWS * k;
        const uint bone = uint(impulses[at].w);
        if (bone > 0) {
            apply_bone_impulse(bone - 1, impulses[at + 1].xyz);
        } else {
            apply_point_impulse(impulses[at].xyz, impulses[at + 1].xyz);
        }
    }
    for (uint i = lane; i < padded_coordinates; i += SN_REDUCED_GROUP_SIZE) {
        set_state_vector(state.impulse_velocity, i, pool_vector(pool_layout.image, i));
    }
    barrier();
}
