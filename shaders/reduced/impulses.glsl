/* SPDX-License-Identifier: MIT */
/* Impulses at the nearest sample after the last step: the implementation of host/reduced/forces.c. */

#define FARTHEST 3.0e38

/* The nearest of the invocations' samples, the lowest index among equals; returned to all. */
uint nearest_of_group(float distance, uint own)
{
    set_pool_float(place.sums + lane, distance);
    set_pool_float(place.forces + lane, float(own));
    barrier();
    float least = FARTHEST, best = float(body.sample_count);
    for (uint i = 0; i < SN_REDUCED_GROUP_SIZE; ++i) {
        const float there = pool_float(place.sums + i), index = pool_float(place.forces + i);
        const bool is_nearer = there < least || (there == least && index < best);
        best = is_nearer ? index : best;
        least = is_nearer ? there : least;
    }
    barrier();
    return uint(best);
}

/* Returns sample_count if no sample is at a finite distance. */
uint nearest_sample(vec3 point)
{
    float least = FARTHEST;
    uint best = body.sample_count;
    for (uint i = lane; i < body.sample_count; i += SN_REDUCED_GROUP_SIZE) {
        precise const vec3 offset = rig_at(i, RIG_BEFORE) + flesh_at(i, place.coordinates) - point;
        const float distance = squared(offset);
        best = distance < least ? i : best;
        least = distance < least ? distance : least;
    }
    return nearest_of_group(least, best);
}

/* Writes the effect of a unit impulse on the samples of a bone, weighted by rig weight and area, on the coordinates to
 * the inertia array. Processes a group of samples at a time. Returns the sum of the weights. */
float gather_bone(uint bone)
{
    precise float sum = 0;
    for (uint i = lane; i < padded_coordinates; i += SN_REDUCED_GROUP_SIZE) {
        set_pool_float(place.inertia + i, 0);
    }
    for (uint first = 0; first < body.sample_count; first += SN_REDUCED_GROUP_SIZE) {
        const uint own = min(first + lane, body.sample_count - 1);
        precise const float share = models[body.model + model.skin + 2 * own].w * bone_weight(own, bone);
        const uint count = min(SN_REDUCED_GROUP_SIZE, body.sample_count - first);
        set_pool_float(place.sums + lane, share);
        barrier();
        for (uint i = lane; i < padded_coordinates; i += SN_REDUCED_GROUP_SIZE) {
            precise float pull = pool_float(place.inertia + i);
            for (uint k = 0; k < count; ++k) {
                pull += pool_float(place.sums + k) * row_entry(first + k, i);
            }
            set_pool_float(place.inertia + i, pull);
        }
        for (uint k = 0; k < count; ++k) {
            sum += pool_float(place.sums + k);
        }
        barrier();
    }
    return sum;
}

/* Distributes an impulse over the skin of a bone. */
void push_bone(uint bone, vec3 impulse)
{
    const float sum = gather_bone(bone);
    for (uint i = lane; i < padded_coordinates && sum > 0; i += SN_REDUCED_GROUP_SIZE) {
        precise const vec3 pushed =
            pool_vector(place.image, i) + pool_float(place.inertia + i) / sum * impulse;
        set_pool_vector(place.image, i, pushed);
    }
}

/* Applies an impulse to the sample nearest to a point. */
void push_point(vec3 point, vec3 impulse)
{
    const uint nearest = nearest_sample(point);
    for (uint i = lane; i < padded_coordinates && nearest < body.sample_count; i += SN_REDUCED_GROUP_SIZE) {
        precise const vec3 sum = pool_vector(place.image, i) + row_entry(nearest, i) * impulse;
        set_pool_vector(place.image, i, sum);
    }
}

/* Adds the impulses of this dispatch. As V^T M V = 1, an impulse is a change of dZ/dt, which this step applies. */
void gather_impulses(uint first, uint last)
{
    for (uint i = lane; i < padded_coordinates; i += SN_REDUCED_GROUP_SIZE) {
        set_pool_vector(place.coordinates, i, predicted_from(i, vec3(0)));
        set_pool_vector(place.image, i, first > 0 ? state_vector(state.push, i) : vec3(0));
    }
    barrier();
    for (uint k = first; k < min(last, body.impulse_count); ++k) {
        const uint at = first_impulse + body.impulse + SN_REDUCED_IMPULSE_ROWS * k;
        const uint bone = uint(impulses[at].w);
        if (bone > 0) {
            push_bone(bone - 1, impulses[at + 1].xyz);
        } else {
            push_point(impulses[at].xyz, impulses[at + 1].xyz);
        }
    }
    for (uint i = lane; i < padded_coordinates; i += SN_REDUCED_GROUP_SIZE) {
        set_state_vector(state.push, i, pool_vector(place.image, i));
    }
    barrier();
}
