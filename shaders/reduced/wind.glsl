/* SPDX-License-Identifier: MIT */
/* The wind's force on all coordinates: the implementation of host/reduced/forces.c, which has the formulas. */

#define HALF_DRAG 0.3      // 1/4 of the air density 1.2 kg/m^3, times the drag coefficient 1
#define MAX_WIND_SPEED 100.0 // diagonals per second relative to the skin; the force is constant beyond

/* The rest normal transformed by the rig's linear part, and the relative wind speed along it. */
vec4 wind_at(uint point)
{
    const vec3 rest = models[body.model + model.skin + 2 * point].xyz;
    const vec3 wind = vec3(body.wind[0], body.wind[1], body.wind[2]);
    const vec3 along = rows_times(rig_rows(point, RIG_BEFORE), vec4(rest, 0));
    const float length2 = squared(along), max_speed = MAX_WIND_SPEED * body.diagonal;
    precise const vec3 normal = length2 > 0 ? along / sqrt(length2) : rest;
    precise const vec3 movement = rig_position(point, RIG_MOTION) + flesh_offset(point, pool_layout.coordinates);
    precise const vec3 against = wind - movement / body.step;
    const float speed = dot_of(against, normal);
    return vec4(normal, clamp(speed, -max_speed, max_speed));
}

/* Processes a group of samples at a time: each invocation writes the force of one sample, then accumulates for its
 * coordinates. */
void gather_wind()
{
    const uint forces = pool_layout.forces / 4;
    for (uint i = lane; i < padded_coordinates; i += SN_REDUCED_GROUP_SIZE) {
        set_pool_vector(pool_layout.coordinates, i, state_vector(state.velocity, i));
        set_pool_vector(pool_layout.inertia, i, vec3(0));
    }
    barrier();
    for (uint first = 0; first < body.sample_count; first += SN_REDUCED_GROUP_SIZE) {
        const uint own = first + lane, count = min(SN_REDUCED_GROUP_SIZE, body.sample_count - first);
        if (own < body.sample_count) {
            const vec4 wind = wind_at(own);
            const float area = models[body.model + model.skin + 2 * own].w;
            precise const float pressure = HALF_DRAG * wind.w * abs(wind.w) * area;
            pool[forces + lane] = vec4(pressure * wind.xyz, 0);
        }
        barrier();
        for (uint i = lane; i < padded_coordinates; i += SN_REDUCED_GROUP_SIZE) {
            precise vec3 sum = pool_vector(pool_layout.inertia, i);
            for (uint k = 0; k < count; ++k) {
                sum += row_entry(first + k, i) * pool[forces + k].xyz;
            }
            set_pool_vector(pool_layout.inertia, i, sum);
        }
        barrier();
    }
}

/* Fraction of the force that keeps very light flesh within the air's own movement in the step, weighted by area. */
float stable_fraction()
{
    precise float allowed = 0, produced = 0;
    for (uint i = lane; i < padded_coordinates; i += SN_REDUCED_GROUP_SIZE) {
        const system_weights weights = system_of(models[body.model + model.coordinate + i].x);
        precise const vec3 moved = body.step2 / weights.system * pool_vector(pool_layout.inertia, i);
        set_pool_vector(pool_layout.image, i, moved);
    }
    barrier();
    for (uint i = lane; i < body.sample_count; i += SN_REDUCED_GROUP_SIZE) {
        const vec4 wind = wind_at(i);
        const float area = models[body.model + model.skin + 2 * i].w;
        const float along = dot_of(wind.xyz, flesh_offset(i, pool_layout.image));
        allowed += area * abs(wind.w) * body.step * abs(along);
        produced += area * along * along;
    }
    const vec4 sums = sums_over_group(vec4(allowed, produced, 0, 0));
    precise const float fraction_of_force = sums.y > sums.x ? sums.x / sums.y : 1;
    return fraction_of_force;
}

void apply_wind()
{
    gather_wind();
    const float fraction_of_force = stable_fraction();
    for (uint i = lane; i < padded_coordinates; i += SN_REDUCED_GROUP_SIZE) {
        precise const vec3 force = fraction_of_force * pool_vector(pool_layout.inertia, i);
        set_state_vector(state.wind_force, i, force);
    }
    barrier();
}
