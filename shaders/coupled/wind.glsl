/* SPDX-License-Identifier: MIT */
/* Wind on the skin, before a step: the twin of sn_coupled_wind, in double. Samples that share a vertex go one after the
 * other, in its order; those of a level share none. */

#define AIR_DENSITY (6 / real(5))
#define DRAG_COEFFICIENT real(1.0)

/* The sample's own, as bones turn it: of what was drawn last. */
real3 skin_normal(uint word, uint value)
{
    const real3 rest = real3(weights[value + 4], weights[value + 5], weights[value + 6]);
    precise real3 sum = real3(0);
    for (uint i = tables[word + 5]; i < tables[word + 6]; ++i) {
        const uint now = at_shown() + 24 * tables[rig.sample_bones + i] + 12;
        const real weight = real(weights[rig.sample_weights + i]);
        for (uint d = 0; d < 3; ++d) {
            precise const real turned = state_at(now + 4 * d) * rest.x + state_at(now + 4 * d + 1) * rest.y +
                                        state_at(now + 4 * d + 2) * rest.z;
            sum[d] += weight * turned;
        }
    }
    const real size = sqrt(dot_of(sum, sum));
    precise const real3 normal = sum / size;
    return size > 0 ? normal : real3(0);
}

/* The velocity of the skin, and what a unit of impulse there changes of it. */
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

/* Flesh of a mass takes up so much less of an impulse. */
void push_corners(uint word, uint value, real3 impulse)
{
    for (uint i = 0; i < tables[word + 4]; ++i) {
        const uint row = tables[word + i], at = body.row + row;
        const real weight = real(weights[value + i]), per_mass = real(displacement(row).w);
        precise const real share = weight / loaded(own.mass);
        precise const real3 velocity = real3(velocities[at].xyz) + per_mass * (share * impulse);
        if (weight > 0 && is_finite(velocity.x + velocity.y + velocity.z)) {
            velocities[at].xyz = vec3(velocity);
            statuses[body.body].still_seconds = kept_as(0); /* whoever pushes last writes the same */
        }
    }
}

void blow_on(uint sample_of_rig)
{
    const uint word = rig.samples + SN_COUPLED_SAMPLE_WORDS * sample_of_rig;
    const uint value = rig.sample_values + SN_COUPLED_SAMPLE_VALUES * sample_of_rig;
    const real3 normal = skin_normal(word, value);
    const real4 skin = skin_velocity(word, value);
    precise const real against = dot_of(triple(own.wind), normal) - dot_of(skin.xyz, normal);
    const real speed = min(max(against, -loaded(own.wind_limit)), loaded(own.wind_limit));
    precise const real pressed =
        real(0.25) * AIR_DENSITY * DRAG_COEFFICIENT * speed * abs(speed) * real(weights[value + 7]) * loaded(body.step);
    precise const real fastest = abs(speed) * loaded(own.mass) / skin.w;
    const real most = skin.w > 0 ? fastest : 0;
    precise const real3 impulse = min(max(pressed, -most), most) * normal;
    push_corners(word, value, impulse);
}

void push_skin()
{
    const uint levels = (own.flags & SN_COUPLED_WINDY) != 0 ? rig.level_count : 0;
    for (uint level = 0; level < levels; ++level) {
        const uint end = tables[rig.levels + level + 1];
        for (uint i = tables[rig.levels + level] + lane; i < end; i += SN_XPBD_GROUP_SIZE) {
            blow_on(i);
        }
        synchronise();
    }
}
