/* SPDX-License-Identifier: MIT */
/* Wind on the skin before a step: the implementation of sn_xpbd_skin_wind, in double. Samples that share a vertex are
 * processed in order; samples of one level share none. Needs the function skin_normal. */

#define AIR_DENSITY (6 / real(5))
#define DRAG_COEFFICIENT real(1.0)

struct sn_air {
    real3 velocity;
    real limit, mass;     // maximum relative speed; mass relative to the flesh's own
    uint samples, values; // first word and float
};

sn_air air;

/* Velocity of the skin, and its change per unit impulse. */
real4 skin_velocity(uint word, uint value)
{
    precise real4 sum = real4(0);
    for (uint i = 0; i < tables[word + 4]; ++i) {
        const uint row = tables[word + i];
        const real weight = real(weights[value + i]);
        sum.xyz += weight * real3(velocities[body.row + row].xyz);
        sum.w += weight * weight * real(displacement(row).w);
    }
    return sum;
}

/* Distributes an impulse over the corners of a sample's tet, scaled by the relative mass. */
void apply_impulse_to_corners(uint word, uint value, real3 impulse)
{
    for (uint i = 0; i < tables[word + 4]; ++i) {
        const uint row = tables[word + i], at = body.row + row;
        const real weight = real(weights[value + i]), per_mass = real(displacement(row).w);
        precise const real scaled_weight = weight / air.mass;
        precise const real3 velocity = real3(velocities[at].xyz) + per_mass * (scaled_weight * impulse);
        if (weight > 0 && is_finite(velocity.x + velocity.y + velocity.z)) {
            velocities[at].xyz = vec3(velocity);
            statuses[body.body].still_seconds = to_stored(0); /* all invocations write the same value */
        }
    }
}

void apply_wind_to_sample(uint number)
{
    const uint word = air.samples + SN_XPBD_SAMPLE_WORDS * number;
    const uint value = air.values + SN_XPBD_SAMPLE_VALUES * number;
    const real3 normal = skin_normal(word, value);
    const real4 skin = skin_velocity(word, value);
    precise const real relative_speed = dot_of(air.velocity, normal) - dot_of(skin.xyz, normal);
    const real speed = min(max(relative_speed, -air.limit), air.limit);
    precise const real wind_impulse =
        real(0.25) * AIR_DENSITY * DRAG_COEFFICIENT * speed * abs(speed) * real(weights[value + 7]) *
            to_real(body.step);
    precise const real impulse_bound = abs(speed) * air.mass / skin.w;
    const real max_impulse = skin.w > 0 ? impulse_bound : 0;
    precise const real3 impulse = min(max(wind_impulse, -max_impulse), max_impulse) * normal;
    apply_impulse_to_corners(word, value, impulse);
}

/* levels: words (level_count + 1), the first sample of each level. */
void apply_wind(uint level_count, uint levels)
{
    for (uint level = 0; level < level_count; ++level) {
        const uint end = tables[levels + level + 1];
        for (uint i = tables[levels + level] + lane; i < end; i += SN_XPBD_GROUP_SIZE) {
            apply_wind_to_sample(i);
        }
        synchronise();
    }
}
